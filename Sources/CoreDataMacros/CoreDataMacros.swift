// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The compiler plug-in with all macros.

import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct CoreDataMacros: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        ManagedObjectMacro.self, ManagedPropertyMacro.self, AttributeMacro.self, RelationshipMacro.self,
        NotManagedMacro.self,
        ModelMacro.self, PersistedPropertyMacro.self, ModelInitializerMacro.self, ModelAttributeMacro.self,
        ModelRelationshipMacro.self, TransientMacro.self, ModelListMacro.self, ModelActorMacro.self,
    ]
}
