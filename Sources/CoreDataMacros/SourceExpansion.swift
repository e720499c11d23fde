// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The expansion of a source without the compiler, for the suites of the macros:
//
//     CoreDataMacros-tool --expand model < Book.swift
//
// A test target that linked swift-syntax would be built for the host, and all other test targets with it, so SwiftPM
// would compile the library twice.

import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

/// `@Attribute` and `@Relationship` are other macros in managed classes than in models.
enum MacroFace: String {
    case managed
    case model

    var macros: [String: any Macro.Type] {
        switch self {
        case .managed:
            [
                "ManagedObject": ManagedObjectMacro.self, "_ManagedProperty": ManagedPropertyMacro.self,
                "Attribute": AttributeMacro.self, "Relationship": RelationshipMacro.self,
                "NotManaged": NotManagedMacro.self,
            ]
        case .model:
            [
                "Model": ModelMacro.self, "_PersistedProperty": PersistedPropertyMacro.self,
                "_ModelInitializer": ModelInitializerMacro.self, "Attribute": ModelAttributeMacro.self,
                "Relationship": ModelRelationshipMacro.self, "Transient": TransientMacro.self,
                "Unique": ModelListMacro.self, "Index": ModelListMacro.self, "ModelActor": ModelActorMacro.self,
            ]
        }
    }
}

/// The macros of a source, expanded, with their diagnostics.
struct SourceExpansion {
    private let source: String
    private let expanded: String
    private let context: BasicMacroExpansionContext

    init(_ source: String, _ face: MacroFace) {
        let file = Parser.parse(source: source)
        let context = BasicMacroExpansionContext(
            sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")])
        let tree = file.expand(
            macros: face.macros,
            contextGenerator: { node in
                BasicMacroExpansionContext(sharingWith: context, lexicalContext: node.allMacroLexicalContexts())
            })
        self.source = source
        self.context = context
        expanded = "\(tree)"
    }

    /// The expanded source, then "3:5 error: sentence" for each diagnostic, then the title and the mended source for
    /// each of its fix-its. Each record ends with a NUL, and each diagnostic with one more.
    var records: String {
        var records = expanded + "\0"
        for diagnostic in context.diagnostics {
            let place = context.location(for: diagnostic.position, anchoredAt: diagnostic.node, fileName: "Test.swift")
            records += "\(place.line):\(place.column) \(diagnostic.diagMessage.severity): \(diagnostic.message)\0"
            for fix in diagnostic.fixIts { records += "\(fix.message.message)\0\(mended(by: fix))\0" }
            records += "\0"
        }
        return records
    }

    private func mended(by fix: FixIt) -> String {
        var bytes = Array(source.utf8)
        for case .replace(let old, let new) in fix.changes {
            bytes.replaceSubrange(offset(old.position, old)..<offset(old.endPosition, old), with: Array("\(new)".utf8))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The offset in the source. A macro sees nodes of a copy of the declaration, so their own offsets begin anew.
    private func offset(_ position: AbsolutePosition, _ node: Syntax) -> Int {
        let place = context.location(for: position, anchoredAt: node, fileName: "Test.swift")
        let lines = source.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return lines.prefix(place.line - 1).reduce(0) { $0 + $1.count + 1 } + place.column - 1
    }
}
