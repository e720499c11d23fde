// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The class with `@ManagedObject`, read from its syntax.

import SwiftSyntax

struct ManagedClass {
    let name: String
    /// In the spelling of the source: "NSManagedObject", "Publication".
    let superclass: String
    /// "public", "open", "package"; empty for other levels, which members need not repeat.
    let access: String
    /// The text in the parentheses of the attribute; nil without parentheses.
    let arguments: String?
    /// In the order of their slots.
    let properties: [ManagedProperty]
    /// The names of the methods that the class declares.
    let functions: Set<String>

    var accessPrefix: String { access.isEmpty ? "" : access + " " }

    /// Diagnoses declarations that cannot be managed classes and returns nil for them.
    init?(_ group: some DeclGroupSyntax, attribute: AttributeSyntax, _ diagnostics: DiagnosticList) {
        guard let declaration = group.as(ClassDeclSyntax.self) else {
            diagnostics.notAClass(group)
            return nil
        }
        guard let parent = declaration.inheritanceClause?.inheritedTypes.first?.type else {
            diagnostics.noSuperclass(declaration)
            return nil
        }
        if let parameters = declaration.genericParameterClause {
            diagnostics.error(parameters, "a managed class cannot be generic: a model names its classes")
            return nil
        }
        name = declaration.name.text
        superclass = parent.trimmedDescription
        access = AccessLevel.word(declaration.modifiers, of: ["open", "public", "package"])
        arguments = attribute.argumentText
        let members = declaration.memberBlock.members.map(\.decl)
        functions = Set(members.compactMap { $0.as(FunctionDeclSyntax.self)?.name.text })
        properties = members.compactMap { $0.as(VariableDeclSyntax.self) }
            .compactMap { ManagedProperty($0, diagnostics) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        for block in members.compactMap({ $0.as(IfConfigDeclSyntax.self) }) { diagnostics.conditional(block) }
    }
}

enum AccessLevel {
    /// The first of the words among the modifiers; empty without one. `private(set)` is ignored.
    static func word(_ modifiers: DeclModifierListSyntax, of words: Set<String>) -> String {
        modifiers.first { $0.detail == nil && words.contains($0.name.text) }?.name.text ?? ""
    }
}

extension AttributeSyntax {
    var simpleName: String { attributeName.as(IdentifierTypeSyntax.self)?.name.text ?? memberName }

    private var memberName: String { attributeName.as(MemberTypeSyntax.self)?.name.text ?? "" }

    var list: LabeledExprListSyntax? {
        guard case .argumentList(let list)? = arguments else { return nil }
        return list
    }

    /// The text in the parentheses; nil without parentheses.
    var argumentText: String? {
        guard let list, !list.isEmpty else { return nil }
        return list.trimmedDescription
    }

    func argument(_ label: String) -> ExprSyntax? { list?.first { $0.label?.text == label }?.expression }

    /// Whether the arguments include an option without label: `.codable`,
    /// `AttributeOption.codable`, `.transformable(by: "X")`.
    func hasOption(_ name: String) -> Bool {
        list?.contains { argument in
            guard argument.label == nil else { return false }
            let called = argument.expression.as(FunctionCallExprSyntax.self)?.calledExpression ?? argument.expression
            return called.as(MemberAccessExprSyntax.self)?.declName.baseName.text == name
        } ?? false
    }
}
