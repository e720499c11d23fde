// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The options and arguments of `@Attribute`.

import CoreDataModelFiles

/// An option of an attribute.
public struct AttributeOption: Sendable, Hashable {
    enum Kind: Hashable {
        case unique, indexed, spotlight, externalStorage, preservesValueOnDeletion, transient, required, optional
        case codable
        case transformable(String?)
    }

    let kind: Kind

    /// Values are unique: a uniqueness constraint of this single attribute.
    public static let unique = AttributeOption(kind: .unique)
    /// Stores make an index of this single attribute.
    public static let indexed = AttributeOption(kind: .indexed)
    /// Full-text search reads the attribute, a text: `isIndexedBySpotlight`. With `userInfo: ["search": "trigram"]` it
    /// finds any part of a word.
    public static let spotlight = AttributeOption(kind: .spotlight)
    /// A store may keep large data in an external file.
    public static let externalStorage = AttributeOption(kind: .externalStorage)
    /// Persistent history keeps the last value of deleted objects.
    public static let preserveValueOnDeletion = AttributeOption(kind: .preservesValueOnDeletion)
    /// Tracked, with undo, but not stored.
    public static let transient = AttributeOption(kind: .transient)
    /// An object without a value cannot be saved, although the type is optional.
    public static let required = AttributeOption(kind: .required)
    /// An object without a value can be saved, although the type is not optional.
    public static let optional = AttributeOption(kind: .optional)
    /// A value of a `Codable` type, stored as JSON (see `CodableTransformer`).
    public static let codable = AttributeOption(kind: .codable)
    /// A value that a keyed archive can contain: property lists, sets, UUIDs, URLs.
    public static let transformable = AttributeOption(kind: .transformable(nil))

    /// A value that a `ValueTransformer` converts to data.
    ///
    /// - Parameter transformer: the name of the transformer, which must be registered before a store is used.
    public static func transformable(by transformer: String) -> AttributeOption {
        AttributeOption(kind: .transformable(transformer))
    }
}

/// The arguments of `@Attribute`, documented there.
public struct AttributeTraits: Sendable {
    let options: Set<AttributeOption>
    let originalName: String?
    let hashModifier: String?
    let derivation: String?
    let rules: [String]
    let userInfo: [String: String]

    /// Creates the traits of one attribute; the arguments are those of `@Attribute`.
    public init(
        _ options: AttributeOption..., originalName: String? = nil, hashModifier: String? = nil,
        derivedFrom derivation: String? = nil, rules: [String] = [], userInfo: [String: String] = [:]
    ) {
        self.options = Set(options)
        self.originalName = originalName
        self.hashModifier = hashModifier
        self.derivation = derivation
        self.rules = rules
        self.userInfo = userInfo
    }

    func has(_ option: AttributeOption) -> Bool { options.contains(option) }

    var transformer: String? {
        for case .transformable(let name?) in options.map(\.kind) { return name }
        return nil
    }

    /// - Parameter mayBeNil: whether the Swift type is optional.
    func document(_ name: String, _ type: Int, mayBeNil: Bool) -> ModelDocument.Attribute {
        var attribute = ModelDocument.Attribute(name: name, type: type)
        attribute.traits.isOptional = has(.optional) || mayBeNil && !has(.required)
        attribute.traits.isTransient = has(.transient)
        attribute.traits.isIndexedBySpotlight = has(.spotlight)
        attribute.traits.renamingIdentifier = originalName
        attribute.traits.versionHashModifier = hashModifier
        attribute.traits.userInfo = userInfo.mapValues { .string($0) }
        attribute.traits.validations = rules.map { ModelDocument.Validation(format: $0) }
        attribute.allowsExternalBinaryDataStorage = has(.externalStorage)
        attribute.preservesValueInHistoryOnDeletion = has(.preserveValueOnDeletion)
        attribute.derivationExpression = derivation
        return attribute
    }
}
