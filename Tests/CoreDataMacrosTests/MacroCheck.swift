// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Expands the macros in a source, and returns the expansion, the diagnostics and the source after their fix-its.

import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

@testable import CoreDataMacros

/// One expansion of a source text.
struct MacroCheck {
    /// The source with all our macros expanded.
    let expanded: String
    /// "3:5 error: sentence", in the order of the diagnostics.
    let messages: [String]
    /// The titles of the fix-its of each message.
    let fixes: [[String]]
    private let source: String
    private let context: BasicMacroExpansionContext

    /// - Parameter macros: those of managed classes, unless others are given.
    init(_ text: String, macros: [String: any Macro.Type] = MacroCheck.macros) {
        let file = Parser.parse(source: text)
        let context = BasicMacroExpansionContext(
            sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")])
        let tree = file.expand(
            macros: macros,
            contextGenerator: { node in
                BasicMacroExpansionContext(sharingWith: context, lexicalContext: node.allMacroLexicalContexts())
            })
        expanded = "\(tree)"
        messages = context.diagnostics.map { diagnostic in
            let place = context.location(for: diagnostic.position, anchoredAt: diagnostic.node, fileName: "Test.swift")
            return "\(place.line):\(place.column) \(diagnostic.diagMessage.severity): \(diagnostic.message)"
        }
        fixes = context.diagnostics.map { $0.fixIts.map(\.message.message) }
        source = text
        self.context = context
    }

    static let macros: [String: any Macro.Type] = [
        "ManagedObject": ManagedObjectMacro.self, "_ManagedProperty": ManagedPropertyMacro.self,
        "Attribute": AttributeMacro.self, "Relationship": RelationshipMacro.self, "NotManaged": NotManagedMacro.self,
    ]

    static let modelMacros: [String: any Macro.Type] = [
        "Model": ModelMacro.self, "_PersistedProperty": PersistedPropertyMacro.self,
        "_ModelInitializer": ModelInitializerMacro.self, "Attribute": ModelAttributeMacro.self,
        "Relationship": ModelRelationshipMacro.self, "Transient": TransientMacro.self, "Unique": ModelListMacro.self,
        "Index": ModelListMacro.self, "ModelActor": ModelActorMacro.self,
    ]

    /// The source after a fix-it; nil without one.
    func mended(message: Int = 0, fix: Int = 0) -> String? {
        guard context.diagnostics.indices.contains(message) else { return nil }
        let fixes = context.diagnostics[message].fixIts
        guard fixes.indices.contains(fix) else { return nil }
        var bytes = Array(source.utf8)
        for case .replace(let old, let new) in fixes[fix].changes {
            bytes.replaceSubrange(offset(old.position, old)..<offset(old.endPosition, old), with: Array("\(new)".utf8))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Nodes that macros see are not those of the file.
    private func offset(_ position: AbsolutePosition, _ node: Syntax) -> Int {
        let place = context.location(for: position, anchoredAt: node, fileName: "Test.swift")
        let lines = source.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return lines.prefix(place.line - 1).reduce(0) { $0 + $1.count + 1 } + place.column - 1
    }
}
