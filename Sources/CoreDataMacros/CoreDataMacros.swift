// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What the compiler loads.

import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct CoreDataMacros: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        ManagedObjectMacro.self, ManagedPropertyMacro.self, AttributeMacro.self, RelationshipMacro.self,
        NotManagedMacro.self,
    ]
}
