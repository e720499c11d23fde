// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What the sources of a module declare, as far as generated code has to know.

import Foundation

/// Types, and the properties and methods marked `@NSManaged`.
struct SourceDeclarations {
    var types: [DeclaredType] = []
    var aliases: [DeclaredAlias] = []
    /// What types and their extensions inherit from, by path.
    var conformances: [String: Set<String>] = [:]
    var properties: [ManagedProperty] = []
    var methods: [ManagedMethod] = []
    /// Where `@NSManaged` stands in a place that nothing can be generated for.
    var unreachable: [(file: String, line: Int)] = []
}

enum AccessLevel: Int, Comparable {
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

    static func < (one: AccessLevel, other: AccessLevel) -> Bool { one.rawValue < other.rawValue }

    /// Whether other files cannot see it.
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
    /// "Outer.Inner", without the module.
    var path: String
    /// That of the types around it, where it is less.
    var access: AccessLevel
    /// Its own generic parameters.
    var parameters: [String] = []
    /// Whether it, or a type around it, is generic.
    var isGeneric: Bool
    var inherited: [TypeSyntax]
    /// Conditions of `#if` around it, outermost first.
    var conditions: [String]
    /// "Name" of `@objc(Name)`: what models may call the class.
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

/// What properties and methods have in common.
struct ManagedMember {
    /// The type that it is declared in, as its declaration or extension spells it.
    var owner: String
    var isInExtension: Bool
    var name: String
    var access: AccessLevel
    /// Conditions of `#if` around it, outermost first.
    var conditions: [String]
    var file: String
    var line: Int
}

struct ManagedProperty {
    var member: ManagedMember
    var type: TypeSyntax
    /// `private(set)` and the like.
    var setterAccess: AccessLevel
}

struct ManagedMethod {
    struct Parameter {
        /// nil for `_`.
        var label: String?
        var type: TypeSyntax
    }

    var member: ManagedMember
    var parameters: [Parameter]
    var result: TypeSyntax?
    /// "addTagsObject:" where the source says it.
    var selector: String?
}
