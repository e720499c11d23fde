// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `@Attribute`, `@Relationship`, `@NotManaged`: marks that `@ManagedObject` reads. They generate no code.

public import SwiftSyntax
public import SwiftSyntaxMacros

/// A macro that only marks a property for `@ManagedObject`.
public protocol MarkerMacro: PeerMacro {}

extension MarkerMacro {
    /// Diagnoses marks without effect.
    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let diagnostics = DiagnosticList()
        let name = node.simpleName
        if !declaration.is(VariableDeclSyntax.self) {
            diagnostics.error(node, "'@\(name)' is for properties")
        } else if !isManaged(context.lexicalContext.first) {
            diagnostics.error(node, "'@\(name)' has no effect outside of a class with '@ManagedObject'")
        }
        for diagnostic in diagnostics.all { context.diagnose(diagnostic) }
        return []
    }

    private static func isManaged(_ surrounding: Syntax?) -> Bool {
        guard let attributes = surrounding?.asProtocol((any WithAttributesSyntax).self)?.attributes else {
            return false
        }
        return attributes.contains { $0.as(AttributeSyntax.self)?.simpleName == "ManagedObject" }
    }
}

/// `@Attribute`: marks an attribute with options.
public struct AttributeMacro: MarkerMacro {}
/// `@Relationship`: marks a relationship and names its inverse.
public struct RelationshipMacro: MarkerMacro {}
/// `@NotManaged`: excludes a stored property from the model.
public struct NotManagedMacro: MarkerMacro {}
