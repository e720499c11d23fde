// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `@ManagedObject`: expands a class and its properties.

public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

/// Diagnoses the whole class in its single call for members; its other calls report nothing.
public struct ManagedObjectMacro: MemberMacro, MemberAttributeMacro, LaidOutMacro {
    /// Generates the declaration of the class, and the mutating methods of its to-many relationships. Reports all
    /// mistakes in the class.
    public static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let diagnostics = DiagnosticList()
        defer { for diagnostic in diagnostics.all { context.diagnose(diagnostic) } }
        guard let managed = ManagedClass(declaration, attribute: node, diagnostics) else { return [] }
        return DeclarationText(managed).members + managed.properties.flatMap { MutatorText.members($0, of: managed) }
    }

    /// Attaches `@_ManagedProperty` with the slot of the property; nothing to members that are not managed.
    public static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        guard let variable = member.as(VariableDeclSyntax.self),
            let name = ManagedProperty(variable, DiagnosticList())?.name,
            let managed = ManagedClass(declaration, attribute: node, DiagnosticList()),
            let slot = managed.properties.firstIndex(where: { $0.name == name })
        else { return [] }
        return ["@_ManagedProperty(\(raw: slot), in: \(literal: managed.superclass))"]
    }
}

/// `@_ManagedProperty`: generates the accessors of one property.
public struct ManagedPropertyMacro: AccessorMacro, LaidOutMacro {
    /// Generates the getter, and a setter unless the property is read-only; nothing outside of a valid class.
    public static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let variable = declaration.as(VariableDeclSyntax.self),
            let property = ManagedProperty(variable, DiagnosticList()),
            case .argumentList(let arguments)? = node.arguments, arguments.count == 2,
            let slot = arguments.first?.expression.trimmedDescription,
            let superclass = arguments.last?.expression.as(StringLiteralExprSyntax.self)?.segments.trimmedDescription
        else { return [] }
        let place = AccessorText(property, slot: Slots.text(slot, in: superclass))
        return ["get { \(raw: place.getter) }"] + (place.setter.map { ["set { \(raw: $0) }"] } ?? [])
    }
}

/// Generates slot numbers of a class.
enum Slots {
    static let roots = ["NSManagedObject", "CoreData.NSManagedObject"]

    /// - Parameters:
    ///   - place: the position among the class's own properties.
    ///   - superclass: in the spelling of the source.
    static func text(_ place: String, in superclass: String) -> String {
        roots.contains(superclass) ? place : "\(superclass)._DeclaredSlots.count + \(place)"
    }
}
