// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A property of a managed class, read from its syntax.

import SwiftSyntax

struct ManagedProperty {
    enum Mark {
        case attribute(AttributeSyntax)
        case relationship(AttributeSyntax)
    }

    enum Storage: String {
        case value, transformable, codable
    }

    /// Without backticks.
    let name: String
    let type: TypeSyntax
    let unwrappedType: TypeSyntax
    /// The default value; nil for none, and for an explicit `nil`.
    let initial: ExprSyntax?
    let mark: Mark?
    let storage: Storage
    /// "public", "package", "fileprivate" or "private", followed by a space; empty for others.
    let accessPrefix: String
    /// Whether the getter returns nil for a missing value.
    let isOptional: Bool
    /// Whether the type's name is that of an attribute type.
    let isPlainValue: Bool
    /// The element type of a to-many relationship, in the spelling of the source.
    let elementType: String?
    let isOrdered: Bool

    var isDerived: Bool {
        if case .attribute(let mark)? = mark { return mark.argument("derivedFrom") != nil }
        return false
    }

    /// nil for an unmanaged property, and for one that cannot be managed, which is diagnosed.
    init?(_ variable: VariableDeclSyntax, _ diagnostics: DiagnosticList) {
        let marks = Marks(variable.attributes)
        guard PropertyCheck.isCandidate(variable, marks, diagnostics), let binding = variable.bindings.first,
            let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
        else { return nil }
        guard let written = binding.typeAnnotation?.type else {
            diagnostics.noType(binding)
            return nil
        }
        let shape = TypeShape(written)
        let kind = Storage(marks.attribute)
        guard TypeCheck(shape, variable, marks, kind, diagnostics).passes() else { return nil }
        name = pattern.identifier.text.trimmingBackticks
        type = written.trimmed
        unwrappedType = shape.unwrapped.trimmed
        mark = marks.relationship.map(Mark.relationship) ?? marks.attribute.map(Mark.attribute)
        storage = kind
        isOptional = shape.isOptional
        isPlainValue = shape.isPlainValue
        let isToMany = shape.element != nil && kind == .value
        elementType = isToMany ? shape.element?.trimmedDescription : nil
        isOrdered = shape.isArray
        let level = AccessLevel.word(
            variable.modifiers, of: ["open", "public", "package", "fileprivate", "private"])
        accessPrefix = level.isEmpty ? "" : (level == "open" ? "public" : level) + " "
        let value = binding.initializer?.value
        let isRelationship = marks.relationship != nil || isToMany
        initial = isRelationship || value?.is(NilLiteralExprSyntax.self) ?? false ? nil : value
        InitialValueCheck.check(value, isRelationship: isRelationship, diagnostics)
    }
}

extension ManagedProperty.Storage {
    init(_ mark: AttributeSyntax?) {
        guard let mark else {
            self = .value
            return
        }
        self = mark.hasOption("codable") ? .codable : mark.hasOption("transformable") ? .transformable : .value
    }
}

extension String {
    var trimmingBackticks: String {
        hasPrefix("`") && hasSuffix("`") && count > 2 ? String(dropFirst().dropLast()) : self
    }
}

/// The relevant attributes of a property.
struct Marks {
    private(set) var attribute: AttributeSyntax?
    private(set) var relationship: AttributeSyntax?
    private(set) var isNotManaged = false
    /// `@NSManaged`.
    private(set) var managed: AttributeSyntax?
    /// A property wrapper or a foreign macro.
    private(set) var hasForeignMacro = false

    init(_ attributes: AttributeListSyntax) {
        for case .attribute(let attribute) in attributes {
            switch attribute.simpleName {
            case "Attribute": self.attribute = attribute
            case "Relationship": relationship = attribute
            case "NotManaged": isNotManaged = true
            case "NSManaged": managed = attribute
            case "_ManagedProperty": break
            case let name: hasForeignMacro = hasForeignMacro || name.first?.isUppercase ?? false && name != "MainActor"
            }
        }
    }

    var any: AttributeSyntax? { attribute ?? relationship }
}
