// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The declarations of a module's sources that matter to generated code.

import Foundation

/// Types, and properties and methods marked `@NSManaged`.
struct SourceDeclarations {
    var types: [DeclaredType] = []
    var aliases: [DeclaredAlias] = []
    /// The inherited types of types and their extensions, by path.
    var conformances: [String: Set<String>] = [:]
    var properties: [NSManagedProperty] = []
    var methods: [NSManagedMethod] = []
    /// `@NSManaged` members in places for which no accessor can be generated.
    var unreachable: [(file: String, line: Int)] = []
}

enum SourceAccess: Int, Comparable {
    case `private`
    case `fileprivate`
    case `internal`
    case package
    case `public`
    case open

    init?(word: String) {
        switch word {
        case "private": self = .private
        case "fileprivate": self = .fileprivate
        case "internal": self = .internal
        case "package": self = .package
        case "public": self = .public
        case "open": self = .open
        default: return nil
        }
    }

    static func < (one: SourceAccess, other: SourceAccess) -> Bool { one.rawValue < other.rawValue }

    /// Whether other files cannot see the declaration.
    var isLocal: Bool { self <= .fileprivate }
}

struct DeclaredType {
    enum Kind: Character {
        case `class` = "C"
        case `struct` = "V"
        case `enum` = "O"
        case `protocol` = "P"
    }

    var kind: Kind
    /// For example "Outer.Inner", without the module.
    var path: String
    /// The access level, limited by those of enclosing types.
    var access: SourceAccess
    /// The type's own generic parameters.
    var parameters: [String] = []
    /// Whether the type or an enclosing one is generic.
    var isGeneric: Bool
    var inherited: [TypeSyntax]
    /// The enclosing `#if` conditions, outermost first.
    var conditions: [String]
    /// "Name" in `@objc(Name)`, a possible class name in models.
    var objectiveCName: String?
    /// The first case of an enumeration.
    var firstCase: String?
    var file: String
    var line: Int

    var name: String { path.split(separator: ".").last.map(String.init) ?? path }
}

struct DeclaredAlias {
    var path: String
    var type: TypeSyntax
}

/// The common part of properties and methods.
struct NSManagedMember {
    /// The declaring type, in the spelling of its declaration or extension.
    var owner: String
    var isInExtension: Bool
    var name: String
    var access: SourceAccess
    /// The enclosing `#if` conditions, outermost first.
    var conditions: [String]
    var file: String
    var line: Int
}

struct NSManagedProperty {
    var member: NSManagedMember
    var type: TypeSyntax
    /// The access level of `private(set)` and similar modifiers.
    var setterAccess: SourceAccess
}

struct NSManagedMethod {
    struct Parameter {
        /// nil for `_`.
        var label: String?
        var type: TypeSyntax
    }

    var member: NSManagedMember
    var parameters: [Parameter]
    var result: TypeSyntax?
    /// "addTagsObject:" if the source specifies it.
    var selector: String?
}
