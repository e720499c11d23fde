// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The compiler plug-in with all macros.

import SwiftCompilerPlugin
import SwiftSyntaxMacros

struct CoreDataMacros: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        ManagedObjectMacro.self, ManagedPropertyMacro.self, AttributeMacro.self, RelationshipMacro.self,
        NotManagedMacro.self,
        ModelMacro.self, PersistedPropertyMacro.self, ModelInitializerMacro.self, ModelAttributeMacro.self,
        ModelRelationshipMacro.self, TransientMacro.self, ModelListMacro.self, ModelActorMacro.self,
    ]
}

/// The compiler starts the program without arguments.
@main
enum Program {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, arguments[1] == "--expand", let face = MacroFace(rawValue: arguments[2]) else {
            return try CoreDataMacros.main()
        }
        var source = ""
        while let line = readLine(strippingNewline: false) { source += line }
        print(SourceExpansion(source, face).records, terminator: "")
    }
}
