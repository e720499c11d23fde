// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Classifies a property's type by its spelling. The Swift compiler checks the rest.

import SwiftSyntax

struct TypeShape {
    let whole: TypeSyntax
    /// The type without its question mark.
    let unwrapped: TypeSyntax
    let isOptional: Bool
    /// The element type of an array or a set.
    let element: TypeSyntax?
    let isArray: Bool
    let isDictionary: Bool

    init(_ type: TypeSyntax) {
        whole = type
        if let optional = type.as(OptionalTypeSyntax.self) {
            unwrapped = optional.wrappedType
            isOptional = true
        } else if let wrapped = Self.argument(of: type, "Optional") {
            unwrapped = wrapped
            isOptional = true
        } else {
            unwrapped = type
            isOptional = false
        }
        let array = unwrapped.as(ArrayTypeSyntax.self)?.element ?? Self.argument(of: unwrapped, "Array")
        element = array ?? Self.argument(of: unwrapped, "Set")
        isArray = array != nil
        isDictionary = unwrapped.is(DictionaryTypeSyntax.self) || Self.name(of: unwrapped) == "Dictionary"
    }

    /// The type's name, unless it is nested in another type.
    var name: String? { Self.name(of: unwrapped) }

    var isPlainValue: Bool { name.map(Self.values.contains) ?? false }

    /// Whether the elements of a collection are certainly not objects.
    var hasValueElements: Bool {
        guard let element else { return false }
        if element.is(IdentifierTypeSyntax.self) || element.is(MemberTypeSyntax.self) {
            guard let name = Self.name(of: element) else { return false }
            return Self.values.contains(name) || Self.replacements[name] != nil
                || ["Array", "Set", "Dictionary", "Optional"].contains(name)
        }
        return true
    }

    /// The types of attributes.
    static let values: Set<String> = [
        "Int16", "Int32", "Int64", "Int", "Bool", "Double", "Float", "Decimal", "String", "Date", "Data", "UUID", "URL",
        "TimeInterval",
    ]

    /// Suggestions for types that resemble attribute types.
    static let replacements: [String: String] = [
        "NSString": "String", "NSDate": "Date", "NSData": "Data", "NSURL": "URL", "NSUUID": "UUID",
        "NSDecimalNumber": "Decimal", "NSNumber": "Int", "Int8": "Int16", "UInt8": "Int16", "UInt16": "Int32",
        "UInt32": "Int64", "UInt64": "Int64", "UInt": "Int", "CGFloat": "Double", "Character": "String",
        "Substring": "String", "NSMutableString": "String",
    ]

    private static func name(of type: TypeSyntax) -> String? {
        if let simple = type.as(IdentifierTypeSyntax.self) { return simple.name.text }
        guard let member = type.as(MemberTypeSyntax.self),
            ["Swift", "Foundation", "CoreData"].contains(member.baseType.trimmedDescription)
        else { return nil }
        return member.name.text
    }

    /// The argument of `Set<Tag>`.
    private static func argument(of type: TypeSyntax, _ name: String) -> TypeSyntax? {
        guard Self.name(of: type) == name else { return nil }
        let clause =
            type.as(IdentifierTypeSyntax.self)?.genericArgumentClause
            ?? type.as(MemberTypeSyntax.self)?.genericArgumentClause
        guard case .type(let argument)? = clause?.arguments.first?.argument else { return nil }
        return argument
    }
}
