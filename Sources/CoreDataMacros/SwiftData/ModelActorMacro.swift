// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `@ModelActor`: gives an actor a private context.

public import SwiftSyntax
import SwiftDiagnostics
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

/// `@ModelActor`: an actor with a private context.
public struct ModelActorMacro: MemberMacro, ExtensionMacro, LaidOutMacro {
    /// Generates the container, the executor, and an initializer unless the actor has one.
    public static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let actor = declaration.as(ActorDeclSyntax.self) else {
            let diagnostics = DiagnosticList()
            var fixes: [FixIt] = []
            if let other = declaration.as(ClassDeclSyntax.self) {
                fixes = [DiagnosticList.fix("make it an actor", other.classKeyword, "actor")]
            }
            diagnostics.error(declaration.introducer, "'@ModelActor' is for actors", fixes)
            for diagnostic in diagnostics.all { context.diagnose(diagnostic) }
            return []
        }
        let level = AccessLevel.word(actor.modifiers, of: ["public", "package"])
        let access = level.isEmpty ? "" : level + " "
        let hasInitializer = actor.memberBlock.members.contains { $0.decl.is(InitializerDeclSyntax.self) }
        let initializer: [DeclSyntax] =
            hasInitializer
            ? []
            : [
                """
                \(raw: access)init(modelContainer: SwiftData.ModelContainer) {
                    let modelContext = SwiftData.ModelContext(modelContainer)
                    self.modelExecutor = SwiftData.DefaultSerialModelExecutor(modelContext: modelContext)
                    self.modelContainer = modelContainer
                }
                """
            ]
        return [
            "nonisolated \(raw: access)let modelExecutor: any SwiftData.ModelExecutor",
            "nonisolated \(raw: access)let modelContainer: SwiftData.ModelContainer",
        ] + initializer
    }

    /// Adds the conformance.
    public static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard declaration.is(ActorDeclSyntax.self), !protocols.isEmpty else { return [] }
        return [try ExtensionDeclSyntax("extension \(type.trimmed): SwiftData.ModelActor {}")]
    }
}
