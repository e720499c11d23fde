// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `@Attribute`, `@Relationship`, `@Transient`, `#Unique`, `#Index`: marks that `@Model` reads. They generate no code.

public import SwiftSyntax
public import SwiftSyntaxMacros

/// A macro that only marks a property for `@Model`.
public protocol ModelMarkerMacro: PeerMacro {}

extension ModelMarkerMacro {
    /// Diagnoses marks without effect.
    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let diagnostics = DiagnosticList()
        if !declaration.is(VariableDeclSyntax.self) {
            diagnostics.error(node, "'@\(node.simpleName)' is for properties")
        } else if !ModelSurroundings.isModel(context.lexicalContext.first) {
            diagnostics.error(node, "'@\(node.simpleName)' has no effect outside of a class with '@Model'")
        }
        for diagnostic in diagnostics.all { context.diagnose(diagnostic) }
        return []
    }
}

enum ModelSurroundings {
    static func isModel(_ surrounding: Syntax?) -> Bool {
        guard let attributes = surrounding?.asProtocol((any WithAttributesSyntax).self)?.attributes else {
            return false
        }
        return attributes.contains { $0.as(AttributeSyntax.self)?.simpleName == "Model" }
    }

    static func isOnMainActor(_ attributes: AttributeListSyntax?) -> Bool {
        attributes?.contains { $0.as(AttributeSyntax.self)?.simpleName == "MainActor" } ?? false
    }
}

/// `@Attribute`: marks an attribute with options.
public struct ModelAttributeMacro: ModelMarkerMacro {}
/// `@Relationship`: marks a relationship and names its inverse.
public struct ModelRelationshipMacro: ModelMarkerMacro {}
/// `@Transient`: excludes a stored property from the schema.
public struct TransientMacro: ModelMarkerMacro {}

/// `#Unique` and `#Index`: lists of properties for `@Model`.
public struct ModelListMacro: DeclarationMacro {
    /// Diagnoses lists without effect.
    public static func expansion(
        of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard !ModelSurroundings.isModel(context.lexicalContext.first) else { return [] }
        let diagnostics = DiagnosticList()
        diagnostics.error(node, "'#\(node.macroName.text)' has no effect outside of a class with '@Model'")
        for diagnostic in diagnostics.all { context.diagnose(diagnostic) }
        return []
    }
}
