// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The messages of diagnostics with fix-its.

import SwiftDiagnostics
import SwiftSyntax

// MARK: Classes

extension DiagnosticList {
    func notAClass(_ group: some DeclGroupSyntax) {
        let text = "'@ManagedObject' is for subclasses of 'NSManagedObject'"
        guard let structure = group.as(StructDeclSyntax.self) else { return error(group.introducer, text) }
        error(structure.structKeyword, text, [Self.fix("make it a class", structure.structKeyword, "final class")])
    }

    func noSuperclass(_ declaration: ClassDeclSyntax) {
        let name = declaration.name
        error(
            name, "'\(name.text)' is no subclass of 'NSManagedObject'",
            [Self.fix("inherit from 'NSManagedObject'", name, "\(name.text): NSManagedObject")])
    }

    /// Models cannot depend on conditions.
    func conditional(_ block: IfConfigDeclSyntax) {
        for clause in block.clauses {
            guard case .decls(let members)? = clause.elements else { continue }
            for variable in members.compactMap({ $0.decl.as(VariableDeclSyntax.self) })
            where ManagedProperty(variable, DiagnosticList()) != nil {
                error(
                    variable, "a managed property cannot stand under '#if': mark it '@NotManaged', or move it out",
                    [notManaged(variable)])
            }
        }
    }
}

// MARK: Properties

extension DiagnosticList {
    func superfluous(_ managed: AttributeSyntax) {
        error(
            managed, "in a class with '@ManagedObject' properties are written without '@NSManaged'",
            [Self.removal("remove '@NSManaged'", managed)])
    }

    func constant(_ variable: VariableDeclSyntax) {
        error(
            variable.bindingSpecifier, "a managed property is a 'var'",
            [Self.fix("write 'var'", variable.bindingSpecifier, "var"), notManaged(variable)])
    }

    func unfit(_ modifier: DeclModifierSyntax, of variable: VariableDeclSyntax) {
        error(
            modifier, "a managed property cannot be '\(modifier.name.text)'",
            [Self.removal("remove '\(modifier.name.text)'", modifier), notManaged(variable)])
    }

    func observed(_ block: AccessorBlockSyntax, of variable: VariableDeclSyntax) {
        error(
            block,
            "a managed property cannot have observers: override 'didChangeValue(forKey:)', or observe the object",
            [notManaged(variable)])
    }

    func noType(_ binding: PatternBindingSyntax) {
        let type = binding.initializer.flatMap { Self.type(of: $0.value) }
        let text = type ?? Self.placeholder("Type")
        error(
            binding.pattern, "a managed property needs a type",
            [Self.fix("add '\(type ?? "Type")'", binding.pattern, "\(binding.pattern.trimmedDescription): \(text)")])
    }

    private static func type(of literal: ExprSyntax) -> String? {
        switch literal.kind {
        case .integerLiteralExpr: "Int"
        case .floatLiteralExpr: "Double"
        case .booleanLiteralExpr: "Bool"
        case .stringLiteralExpr: "String"
        default: nil
        }
    }

    func noAttributeType(_ shape: TypeShape, _ variable: VariableDeclSyntax, _ mark: AttributeSyntax?) {
        let codable =
            mark.map { Self.fix("store it as JSON", $0, Self.adding(".codable", to: $0)) }
            ?? Self.marking(variable, "@Attribute(.codable)", "store it as JSON")
        error(
            shape.whole,
            "no attribute has the type '\(shape.whole.trimmedDescription)': mark the property '@Attribute(.codable)' or "
                + "'@Attribute(.transformable)', or '@NotManaged'", [codable, notManaged(variable)])
    }

    /// - Parameter mark: nil for a property without a mark.
    func noInverse(_ mark: AttributeSyntax?, in variable: VariableDeclSyntax, _ shape: TypeShape) {
        let destination = (shape.element ?? shape.unwrapped).trimmedDescription
        let named = "inverse: \"\(Self.placeholder("property of \(destination)"))\""
        func fix(_ title: String, _ argument: String) -> FixIt {
            mark.map { Self.fix(title, $0, Self.adding(argument, to: $0)) }
                ?? Self.marking(variable, "@Relationship(\(argument))", title)
        }
        warning(
            mark.map { Syntax($0) } ?? Syntax(shape.whole),
            "a relationship needs an inverse, or deletions leave references behind",
            [
                fix("name the property of '\(destination)' that leads back", named),
                fix("say that none is meant", "inverse: nil"),
            ])
    }

    // MARK: Changes

    private func notManaged(_ variable: VariableDeclSyntax) -> FixIt {
        Self.marking(variable, "@NotManaged", "leave the property out of the model")
    }

    /// Adds a mark before a declaration.
    static func marking(_ variable: VariableDeclSyntax, _ mark: String, _ title: String) -> FixIt {
        guard let first = variable.firstToken(viewMode: .sourceAccurate) else {
            return fix(title, variable, "\(mark) \(variable.trimmedDescription)")
        }
        return fix(title, first, "\(mark) \(first.text)")
    }

    /// Adds an argument to a mark, at the position of `inverse`: after the options and before other labels.
    private static func adding(_ argument: String, to mark: AttributeSyntax) -> String {
        let old = mark.list.map { Array($0) } ?? []
        let options = old.filter { $0.label == nil }.map(\.expression.trimmedDescription)
        let labelled = old.filter { $0.label != nil }.map {
            "\($0.label?.text ?? ""): \($0.expression.trimmedDescription)"
        }
        let all = (options + [argument] + labelled).joined(separator: ", ")
        return "@\(mark.attributeName.trimmedDescription)(\(all))"
    }
}
