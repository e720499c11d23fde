// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Determines the Swift type of each generated property.

import CoreDataModelFiles

/// The types of Xcode's classes, and those of the modern style.
struct PropertyTypes {
    let style: GenerationOptions.Style
    /// The Swift name of an entity's class.
    let className: (String) -> String

    func type(of attribute: ModelDocument.Attribute) -> TypeSyntax {
        let isModern = style == .modern
        let isOptional = !isModern || attribute.traits.isOptional || attribute.derivationExpression != nil
        if let name = attribute.enumerationName {
            let mayBeNil = attribute.traits.isOptional || attribute.defaultValue == nil
            return mayBeNil ? .optional(Self.written(name)) : Self.written(name)
        }
        if let scalar = scalar(attribute) {
            // The editor's scalars are never nil; a modern one is optional if the model allows nil.
            return isModern && isOptional && attribute.type != AttributeKind.boolean.rawValue
                ? .optional(scalar) : scalar
        }
        return isOptional ? .optional(object(attribute)) : object(attribute)
    }

    func type(of relationship: ModelDocument.Relationship) -> TypeSyntax {
        let destination = TypeSyntax.name(className(relationship.destinationEntityName))
        guard relationship.maxCount != 1 else { return .optional(destination) }
        if style == .modern { return relationship.isOrdered ? .array(destination) : .name("Set", [destination]) }
        return .optional(.name(relationship.isOrdered ? "NSOrderedSet" : "NSSet"))
    }

    func type(of property: ModelDocument.FetchedProperty) -> TypeSyntax {
        let array = TypeSyntax.array(.name(className(property.request.entityName)))
        return style == .modern ? array : .optional(array)
    }

    private func scalar(_ attribute: ModelDocument.Attribute) -> TypeSyntax? {
        guard attribute.usesScalarValueType || style == .modern else { return nil }
        switch AttributeKind(rawValue: attribute.type) {
        case .integer16: return .name("Int16")
        case .integer32: return .name("Int32")
        case .integer64: return .name("Int64")
        case .double: return .name("Double")
        case .float: return .name("Float")
        case .boolean: return .name("Bool")
        case .date where style == .xcode: return .name("TimeInterval")
        default: return nil
        }
    }

    private func object(_ attribute: ModelDocument.Attribute) -> TypeSyntax {
        switch AttributeKind(rawValue: attribute.type) {
        case .integer16, .integer32, .integer64, .double, .float, .boolean: .name("NSNumber")
        case .decimal: .name(style == .modern ? "Decimal" : "NSDecimalNumber")
        case .string: .name("String")
        case .date: .name("Date")
        case .binary: .name("Data")
        case .uuid: .name("UUID")
        case .uri: .name("URL")
        case .composite: .dictionary(.name("String"), .name("Any"))
        case .objectID: .name("NSManagedObjectID")
        case .transformable, .undefined, nil: attribute.valueClassName.map(Self.written) ?? .name("NSObject")
        }
    }

    /// The type for a class name in a model: "NSArray", "[String]", ".Colour", "Module.Colour".
    private static func written(_ name: String) -> TypeSyntax {
        TypeParser.type(name.hasPrefix(".") ? String(name.dropFirst()) : name) ?? .name("NSObject")
    }
}

extension ModelDocument.Attribute {
    /// The entry `swiftEnum` of the user info: an enumeration with raw values of the attribute's type.
    var enumerationName: String? {
        if case .string(let name)? = traits.userInfo["swiftEnum"], !name.isEmpty { return name }
        return nil
    }
}
