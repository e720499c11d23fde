// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The messages about model classes, with fix-its.

import SwiftDiagnostics
import SwiftSyntax

extension DiagnosticList {
    func noModelClass(_ group: some DeclGroupSyntax) {
        let text = "'@Model' is for classes"
        guard let structure = group.as(StructDeclSyntax.self) else { return error(group.introducer, text) }
        error(structure.structKeyword, text, [Self.fix("make it a class", structure.structKeyword, "final class")])
    }

    /// The initializers that the macro adds suppress the compiler's own one.
    func noInitializer(_ declaration: ClassDeclSyntax, _ properties: [ModelProperty]) {
        let needed = properties.filter { !$0.hasInitialValue }
        let parameters = needed.map { "\($0.name): \($0.type?.trimmedDescription ?? Self.placeholder("Type"))" }
        let lines = needed.map { "        self.\($0.name) = \($0.spelling)\n" }.joined()
        let body = needed.isEmpty ? "{}" : "{\n\(lines)    }"
        let text = "\n    init(\(parameters.joined(separator: ", "))) \(body)\n"
        let brace = declaration.memberBlock.rightBrace
        error(
            declaration.name, "'@Model' requires an initializer be provided for '\(declaration.name.text)'",
            [Self.fix("add an initializer", brace, "\(text)}")])
    }

    /// Schemas cannot depend on conditions.
    func conditionalModel(_ block: IfConfigDeclSyntax) {
        for clause in block.clauses {
            guard case .decls(let members)? = clause.elements else { continue }
            for variable in members.compactMap({ $0.decl.as(VariableDeclSyntax.self) })
            where ModelProperty(variable, DiagnosticList()) != nil {
                error(
                    variable, "a property of a model cannot stand under '#if': mark it '@Transient', or move it out",
                    [transient(variable)])
            }
        }
    }

    func severalBindings(_ variable: VariableDeclSyntax) {
        let word = variable.bindingSpecifier.text
        let parts = variable.bindings.map { $0.with(\.trailingComma, nil).trimmedDescription }
        let isSimple = variable.bindings.allSatisfy { $0.pattern.is(IdentifierPatternSyntax.self) }
        let fixes =
            isSimple
            ? [
                Self.fix(
                    "write a declaration for each", variable, parts.map { "\(word) \($0)" }.joined(separator: "\n    "))
            ]
            : []
        error(variable.bindings, "a property of a model needs a declaration of its own", fixes)
    }

    func transientWithoutValue(_ binding: PatternBindingSyntax) {
        let text = binding.trimmedDescription
        error(
            binding, "a '@Transient' property needs an initial value: instances from a store have no other",
            [Self.fix("add an initial value", binding, "\(text) = \(Self.placeholder("value"))")])
    }

    func unfitModelModifier(_ modifier: DeclModifierSyntax, of variable: VariableDeclSyntax) {
        error(
            modifier, "a property of a model cannot be '\(modifier.name.text)': the context holds what is related",
            [Self.removal("remove '\(modifier.name.text)'", modifier), transient(variable)])
    }

    func typeWithoutValue(_ kind: String, of variable: VariableDeclSyntax) {
        guard let type = variable.bindings.first?.typeAnnotation?.type else { return }
        let remedy = kind == "a tuple" ? "write a 'Codable' structure, or mark the property" : "mark the property"
        error(type, "no attribute holds \(kind): \(remedy) '@Transient'", [transient(variable)])
    }

    /// A property cannot be in the schema and out of it.
    func transientAndStored(_ mark: AttributeSyntax) {
        error(
            mark, "a property is '@\(mark.simpleName)' or '@Transient', not both: a transient one is not in the schema",
            [Self.removal("remove '@\(mark.simpleName)'", mark)])
    }

    private func transient(_ variable: VariableDeclSyntax) -> FixIt {
        Self.marking(variable, "@Transient", "leave the property out of the schema")
    }
}
