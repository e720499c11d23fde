// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The options and arguments of `@Relationship`.

public import CoreData
import CoreDataModelFiles

/// An option of a relationship.
public struct RelationshipOption: Sendable, Hashable {
    private let name: String

    /// An object without a destination cannot be saved, although the type is optional or a collection.
    public static let required = RelationshipOption(name: "required")
    /// An object without a destination can be saved, although the type is not optional.
    public static let optional = RelationshipOption(name: "optional")
    /// Tracked, with undo, but not stored.
    public static let transient = RelationshipOption(name: "transient")
}

/// Short names of the delete rules.
extension NSDeleteRule {
    /// The inverse is set to nil.
    public static let nullify = NSDeleteRule.nullifyDeleteRule
    /// The destinations are deleted too.
    public static let cascade = NSDeleteRule.cascadeDeleteRule
    /// The object cannot be deleted while there is a destination.
    public static let deny = NSDeleteRule.denyDeleteRule
    /// The destination keeps a dangling reference.
    public static let noAction = NSDeleteRule.noActionDeleteRule
}

/// The arguments of `@Relationship`, documented there.
public struct RelationshipTraits: Sendable {
    let options: Set<RelationshipOption>
    let inverse: String?
    let deleteRule: NSDeleteRule
    let minimumCount: Int
    let maximumCount: Int?
    let originalName: String?
    let hashModifier: String?
    let userInfo: [String: String]

    /// Creates the traits of one relationship; the arguments are those of `@Relationship`.
    public init(
        _ options: RelationshipOption..., inverse: String? = nil, deleteRule: NSDeleteRule = .nullify,
        minimumCount: Int = 0, maximumCount: Int? = nil, originalName: String? = nil, hashModifier: String? = nil,
        userInfo: [String: String] = [:]
    ) {
        self.options = Set(options)
        self.inverse = inverse
        self.deleteRule = deleteRule
        self.minimumCount = minimumCount
        self.maximumCount = maximumCount
        self.originalName = originalName
        self.hashModifier = hashModifier
        self.userInfo = userInfo
    }

    /// - Parameter mayBeNil: whether the Swift type is optional, or a collection.
    func document(
        _ name: String, _ shape: RelationshipShape, destination: String, mayBeNil: Bool
    ) -> ModelDocument.Relationship {
        var relationship = ModelDocument.Relationship(name: name, destinationEntityName: destination)
        relationship.traits.isOptional = options.contains(.optional) || mayBeNil && !options.contains(.required)
        relationship.traits.isTransient = options.contains(.transient)
        relationship.traits.renamingIdentifier = originalName
        relationship.traits.versionHashModifier = hashModifier
        relationship.traits.userInfo = userInfo.mapValues { .string($0) }
        relationship.inverseName = inverse
        relationship.minCount = minimumCount
        relationship.maxCount = shape == .toOne ? 1 : maximumCount ?? 0
        relationship.isToMany = shape != .toOne
        relationship.isOrdered = shape == .ordered
        relationship.deleteRule = Int(deleteRule.rawValue)
        return relationship
    }
}

/// The shape of the property's type: `Author?`, `Set<Tag>`, `[Page]`.
enum RelationshipShape: Character, Sendable {
    case toOne = "r"
    case toMany = "m"
    case ordered = "o"
}
