// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks by spelling that a property's type fits its mark.

import SwiftSyntax

struct TypeCheck {
    private let shape: TypeShape
    private let variable: VariableDeclSyntax
    private let marks: Marks
    private let storage: ManagedProperty.Storage
    private let diagnostics: DiagnosticList

    init(
        _ shape: TypeShape, _ variable: VariableDeclSyntax, _ marks: Marks, _ storage: ManagedProperty.Storage,
        _ diagnostics: DiagnosticList
    ) {
        self.shape = shape
        self.variable = variable
        self.marks = marks
        self.storage = storage
        self.diagnostics = diagnostics
    }

    /// Diagnoses faults. Warnings do not fail the check.
    func passes() -> Bool {
        if let forced = shape.whole.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            diagnostics.replace(
                forced, with: "\(forced.wrappedType.trimmedDescription)?",
                "a managed property is optional or not: write '\(forced.wrappedType.trimmedDescription)?'")
            return false
        }
        if let attribute = marks.attribute, let relationship = marks.relationship {
            diagnostics.error(relationship, "a property is '@\(attribute.simpleName)' or '@Relationship', not both")
            return false
        }
        if let relationship = marks.relationship { return check(relationship) }
        if storage != .value { return true }
        return checkValue()
    }

    // MARK: Relationships

    private func check(_ relationship: AttributeSyntax) -> Bool {
        DeleteRuleCheck.check(relationship, diagnostics)
        if shape.isPlainValue || shape.hasValueElements || shape.isDictionary {
            diagnostics.rename(
                relationship, to: "@Attribute",
                "'\(shape.whole.trimmedDescription)' is a value: a relationship leads to managed objects")
            return false
        }
        guard isNeverNil() else { return false }
        if relationship.argument("inverse") == nil { diagnostics.noInverse(relationship, in: variable, shape) }
        return true
    }

    private func isNeverNil() -> Bool {
        guard shape.isOptional, shape.element != nil else { return true }
        let type = shape.unwrapped.trimmedDescription
        diagnostics.replace(shape.whole, with: type, "a to-many relationship is never nil: write '\(type)'")
        return false
    }

    // MARK: Attributes

    private func checkValue() -> Bool {
        if let name = shape.name, let better = TypeShape.replacements[name] {
            diagnostics.replace(shape.unwrapped, with: better, "no attribute has the type '\(name)': write '\(better)'")
            return false
        }
        if shape.name == "NSSet" || shape.name == "NSOrderedSet" {
            let better =
                shape.name == "NSSet"
                ? "Set<\(DiagnosticList.placeholder("Object"))>" : "[\(DiagnosticList.placeholder("Object"))]"
            diagnostics.replace(
                shape.whole, with: better,
                "write '\(shape.name == "NSSet" ? "Set<Object>" : "[Object]")' with the class of the members")
            return false
        }
        if shape.isDictionary || shape.hasValueElements || isNoName {
            diagnostics.noAttributeType(shape, variable, marks.attribute)
            return false
        }
        guard shape.element != nil else { return true }
        if let attribute = marks.attribute, let element = shape.element {
            let inverse = DiagnosticList.placeholder("property of \(element.trimmedDescription)")
            diagnostics.rename(
                attribute, to: "@Relationship(inverse: \"\(inverse)\")",
                "a property that leads to objects is a '@Relationship'")
            return false
        }
        guard isNeverNil() else { return false }
        diagnostics.noInverse(nil, in: variable, shape)
        return true
    }

    /// Functions, tuples and similar types.
    private var isNoName: Bool {
        !shape.unwrapped.is(IdentifierTypeSyntax.self) && !shape.unwrapped.is(MemberTypeSyntax.self)
            && shape.element == nil
    }
}

/// Diagnoses unknown delete rules with a suggestion, which the compiler lacks.
enum DeleteRuleCheck {
    private static let rules = ["nullify", "cascade", "deny", "noAction"]

    static func check(_ relationship: AttributeSyntax, _ diagnostics: DiagnosticList) {
        guard let rule = relationship.argument("deleteRule")?.as(MemberAccessExprSyntax.self) else { return }
        let name = rule.declName.baseName.text
        guard !rules.contains(name), !name.hasSuffix("DeleteRule") else { return }
        guard let nearest = rules.min(by: { distance(name, $0) < distance(name, $1) }) else { return }
        diagnostics.replace(
            rule.declName, with: nearest,
            "there is no delete rule '\(name)'; the rules are \(rules.joined(separator: ", "))")
    }

    /// The edit distance of two words.
    static func distance(_ one: String, _ other: String) -> Int {
        let (one, other) = (Array(one.lowercased()), Array(other.lowercased()))
        var row = Array(0...other.count)
        for (i, letter) in one.enumerated() {
            var next = [i + 1]
            for (j, second) in other.enumerated() {
                next.append(min(row[j] + (letter == second ? 0 : 1), row[j + 1] + 1, next[j] + 1))
            }
            row = next
        }
        return row[other.count]
    }
}
