// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A property of a model class, read from its syntax.

import SwiftSyntax

struct ModelProperty {
    /// Without backticks.
    let name: String
    /// The name as it is written, with backticks if the source has them.
    let spelling: String
    /// nil if the source infers it from the initial value.
    let type: TypeSyntax?
    let initial: ExprSyntax?
    let attribute: AttributeSyntax?
    let relationship: AttributeSyntax?
    let isConstant: Bool
    let willSet: AccessorDeclSyntax?
    let didSet: AccessorDeclSyntax?

    var isOptional: Bool {
        guard let type else { return initial?.is(NilLiteralExprSyntax.self) ?? false }
        return TypeShape(type).isOptional || type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
    }

    /// The type as an expression; that of the initial value if the source infers it.
    var metatype: String {
        guard let type else { return "SwiftData._typeOf(\(initial?.trimmedDescription ?? "nil"))" }
        if let forced = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            return "(\(forced.wrappedType.trimmedDescription))?.self"
        }
        return DeclarationText.metatype(type)
    }

    /// Whether its declaration gives it a value before any initializer runs.
    var hasInitialValue: Bool { initial != nil || isOptional && !isConstant }

    /// nil for a property that is not part of the schema, and for one that cannot be, which is diagnosed.
    init?(_ variable: VariableDeclSyntax, _ diagnostics: DiagnosticList) {
        let marks = ModelMarks(variable.attributes)
        guard !marks.isTransient else {
            if let mark = marks.any { diagnostics.transientAndStored(mark) }
            Self.checkTransient(variable, diagnostics)
            return nil
        }
        if let reason = Self.reasonToLeave(variable, marks) {
            if let mark = marks.any {
                diagnostics.error(mark, "'@\(mark.simpleName)' is for stored properties: \(reason)")
            }
            return nil
        }
        guard variable.bindings.count == 1, let binding = variable.bindings.first,
            let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
        else {
            diagnostics.severalBindings(variable)
            return nil
        }
        spelling = pattern.identifier.text
        name = spelling.trimmingBackticks
        type = binding.typeAnnotation?.type.trimmed
        initial = binding.initializer?.value.trimmed
        attribute = marks.attribute
        relationship = marks.relationship
        isConstant = variable.bindingSpecifier.tokenKind == .keyword(.let)
        willSet = Self.observer("willSet", binding)
        didSet = Self.observer("didSet", binding)
        guard ModelPropertyCheck(self, variable, pattern, diagnostics).passes() else { return nil }
    }

    /// The reason why a variable is not part of the schema; nil if it is.
    private static func reasonToLeave(_ variable: VariableDeclSyntax, _ marks: ModelMarks) -> String? {
        let words = Set(variable.modifiers.map(\.name.text))
        if !words.isDisjoint(with: ["static", "class"]) {
            return "this one belongs to the class, not to its instances"
        }
        if words.contains("lazy") { return "this one is lazy" }
        if marks.hasForeignMacro { return "this one has a property wrapper" }
        if variable.bindings.contains(where: { PropertyCheck.isComputed($0) }) { return "this one is computed" }
        return nil
    }

    private static func checkTransient(_ variable: VariableDeclSyntax, _ diagnostics: DiagnosticList) {
        guard let binding = variable.bindings.first, binding.initializer == nil, binding.accessorBlock == nil,
            let type = binding.typeAnnotation?.type, !TypeShape(type).isOptional
        else { return }
        diagnostics.transientWithoutValue(binding)
    }

    private static func observer(_ name: String, _ binding: PatternBindingSyntax) -> AccessorDeclSyntax? {
        guard case .accessors(let list)? = binding.accessorBlock?.accessors else { return nil }
        return list.first { $0.accessorSpecifier.text == name }
    }
}

/// The relevant attributes of a property of a model.
struct ModelMarks {
    private(set) var attribute: AttributeSyntax?
    private(set) var relationship: AttributeSyntax?
    private(set) var isTransient = false
    /// A property wrapper or a foreign macro.
    private(set) var hasForeignMacro = false

    init(_ attributes: AttributeListSyntax) {
        for case .attribute(let attribute) in attributes {
            switch attribute.simpleName {
            case "Attribute": self.attribute = attribute
            case "Relationship": relationship = attribute
            case "Transient": isTransient = true
            case "_PersistedProperty", "MainActor": break
            case let name: hasForeignMacro = hasForeignMacro || name.first?.isUppercase ?? false
            }
        }
    }

    var any: AttributeSyntax? { attribute ?? relationship }
}

/// Checks by spelling that a property can be part of a schema.
struct ModelPropertyCheck {
    private let property: ModelProperty
    private let variable: VariableDeclSyntax
    private let pattern: IdentifierPatternSyntax
    private let diagnostics: DiagnosticList

    init(
        _ property: ModelProperty, _ variable: VariableDeclSyntax, _ pattern: IdentifierPatternSyntax,
        _ diagnostics: DiagnosticList
    ) {
        self.property = property
        self.variable = variable
        self.pattern = pattern
        self.diagnostics = diagnostics
    }

    /// Names that every model has as a member.
    private static let taken: Set<String> = [
        "description", "hasChanges", "hashValue", "isDeleted", "modelContext", "managedObject",
        "persistentBackingData", "persistentModelID", "schemaMetadata", "self",
    ]

    func passes() -> Bool {
        if Self.taken.contains(property.name) {
            diagnostics.error(
                pattern,
                "every model has a member '\(property.name)': choose another name, and keep the old one in the "
                    + "file with '@Attribute(originalName: \"\(property.name)\")'")
            return false
        }
        let unfit: Set<String> = ["weak", "unowned"]
        if let modifier = variable.modifiers.first(where: { unfit.contains($0.name.text) }) {
            diagnostics.unfitModelModifier(modifier, of: variable)
            return false
        }
        if let attribute = property.attribute, let relationship = property.relationship {
            diagnostics.error(relationship, "a property is '@\(attribute.simpleName)' or '@Relationship', not both")
            return false
        }
        guard let type = property.type else { return checkUntyped() }
        let shape = TypeShape(type)
        if let kind = Self.kindWithoutValue(shape.unwrapped) {
            diagnostics.typeWithoutValue(kind, of: variable)
            return false
        }
        if let relationship = property.relationship {
            if property.isConstant {
                diagnostics.replace(
                    variable.bindingSpecifier, with: "var", "a relationship is a 'var': both ends of it change together"
                )
                return false
            }
            DeleteRuleCheck.check(relationship, diagnostics)
            if shape.isPlainValue || shape.hasValueElements || shape.isDictionary {
                diagnostics.rename(
                    relationship, to: "@Attribute",
                    "'\(type.trimmedDescription)' is a value: a relationship leads to models")
                return false
            }
        }
        return true
    }

    /// The kind of a type that no attribute can hold; nil for all others.
    private static func kindWithoutValue(_ type: TypeSyntax) -> String? {
        if let tuple = type.as(TupleTypeSyntax.self) {
            guard tuple.elements.count == 1, let only = tuple.elements.first?.type else { return "a tuple" }
            return kindWithoutValue(TypeShape(only).unwrapped)
        }
        if let attributed = type.as(AttributedTypeSyntax.self) { return kindWithoutValue(attributed.baseType) }
        if type.is(FunctionTypeSyntax.self) { return "a function" }
        if type.is(MetatypeTypeSyntax.self) { return "a type" }
        let isAny = type.as(IdentifierTypeSyntax.self).map { ["Any", "AnyObject"].contains($0.name.text) } ?? false
        return isAny || type.is(SomeOrAnyTypeSyntax.self) ? "a value of any type" : nil
    }

    private func checkUntyped() -> Bool {
        if property.initial == nil || property.initial?.is(NilLiteralExprSyntax.self) == true {
            diagnostics.error(pattern, "a property of a model needs a type or an initial value")
            return false
        }
        return true
    }
}
