// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Relationships of a schema.

import Foundation

extension Schema {
    /// A property that refers to models.
    public class Relationship: SchemaProperty, Codable, Hashable, CustomDebugStringConvertible {
        /// The property's name.
        public var name: String
        /// The name in older versions.
        public var originalName: String
        /// The type in the class.
        public var valueType: any Any.Type
        /// The options.
        public var options: [Option]
        /// The property's key path.
        public var keypath: AnyKeyPath?
        /// The name of the destination entity.
        public var destination: String
        /// The inverse property of the destination; nil for none.
        public var inverseName: String?
        /// The key path of that property, where one was given.
        public var inverseKeyPath: AnyKeyPath?
        /// The effect of a deletion on the models at the other end.
        public var deleteRule: DeleteRule
        /// Checked by `save()`.
        public var minimumModelCount: Int?
        /// Checked by `save()`; 0 is no limit.
        public var maximumModelCount: Int?
        /// Any text; another one makes another version.
        public var hashModifier: String?
        /// Whether `inverse: nil` declares that it has no inverse.
        var isOneWay = false

        /// The options of a property. Its name and type come from the class.
        public nonisolated init(
            _ options: Option..., deleteRule: DeleteRule = .nullify, minimumModelCount: Int? = 0,
            maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil,
            hashModifier: String? = nil
        ) {
            name = ""
            self.originalName = originalName ?? ""
            valueType = Never.self
            destination = ""
            self.options = options
            self.deleteRule = deleteRule
            self.minimumModelCount = minimumModelCount
            self.maximumModelCount = maximumModelCount
            inverseKeyPath = inverse
            self.hashModifier = hashModifier
        }

        /// Marks a relationship declared with `inverse: nil`, which has no inverse. Not for direct use.
        public nonisolated func _oneWay() -> Relationship {
            isOneWay = true
            return self
        }

        /// True.
        public var isRelationship: Bool { true }
        /// Whether it refers to at most one model.
        public var isToOneRelationship: Bool { !(valueType is any RelationshipCollection.Type) }
        /// Whether no two records may refer to the same destination.
        public var isUnique: Bool { options.contains(.unique) }

        var isOrdered: Bool { options.contains(.ordered) }

        private enum CodingKeys: String, CodingKey {
            case name, originalName, options, valueType, destination, inverseName, deleteRule, minimumModelCount
            case maximumModelCount, hashModifier
        }

        /// Reads a relationship; key paths are not in files.
        public required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decode(String.self, forKey: .name)
            originalName = try container.decode(String.self, forKey: .originalName)
            options = try container.decode([Option].self, forKey: .options)
            valueType = TypeName.type(try container.decode(String.self, forKey: .valueType))
            destination = try container.decode(String.self, forKey: .destination)
            inverseName = try container.decodeIfPresent(String.self, forKey: .inverseName)
            deleteRule = try container.decode(DeleteRule.self, forKey: .deleteRule)
            minimumModelCount = try container.decodeIfPresent(Int.self, forKey: .minimumModelCount)
            maximumModelCount = try container.decodeIfPresent(Int.self, forKey: .maximumModelCount)
            hashModifier = try container.decodeIfPresent(String.self, forKey: .hashModifier)
        }

        /// Writes everything but key paths.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            try container.encode(originalName, forKey: .originalName)
            try container.encode(options, forKey: .options)
            try container.encode(TypeName.text(valueType), forKey: .valueType)
            try container.encode(destination, forKey: .destination)
            try container.encodeIfPresent(inverseName, forKey: .inverseName)
            try container.encode(deleteRule, forKey: .deleteRule)
            try container.encodeIfPresent(minimumModelCount, forKey: .minimumModelCount)
            try container.encodeIfPresent(maximumModelCount, forKey: .maximumModelCount)
            try container.encodeIfPresent(hashModifier, forKey: .hashModifier)
        }

        /// By name, destination and options.
        public static func == (lhs: Relationship, rhs: Relationship) -> Bool {
            lhs.name == rhs.name && lhs.originalName == rhs.originalName && lhs.destination == rhs.destination
                && lhs.inverseName == rhs.inverseName && lhs.deleteRule == rhs.deleteRule
                && lhs.options == rhs.options && lhs.hashModifier == rhs.hashModifier
                && lhs.minimumModelCount == rhs.minimumModelCount && lhs.maximumModelCount == rhs.maximumModelCount
        }

        /// By name.
        public func hash(into hasher: inout Hasher) { hasher.combine(name) }

        /// Name, destination and inverse.
        public var debugDescription: String { "\(name) → \(destination).\(inverseName ?? "-")" }

        /// The effect of a deletion on the models at the other end.
        public enum DeleteRule: String, Codable, Hashable, Sendable {
            /// They keep a dangling reference.
            case noAction
            /// Their references become nil.
            case nullify
            /// They are deleted, too.
            case cascade
            /// They block the deletion.
            case deny
        }

        /// An option of a relationship.
        public struct Option: Hashable, Codable, CustomDebugStringConvertible, Sendable {
            let word: String

            /// A new model with a destination that a record has updates that record when it is saved.
            public nonisolated static var unique: Option { Option(word: "unique") }
            /// An array that keeps its order. Not in Apple's API: Apple's schemas have no such relationship, so the
            /// version differs.
            public nonisolated static var ordered: Option { Option(word: "ordered") }

            /// The option's name.
            public var debugDescription: String { word }
        }
    }
}

/// A property type of to-manys.
public protocol RelationshipCollection {
    /// The class of the members.
    associatedtype PersistentElement: PersistentModel
}

extension Array: RelationshipCollection where Element: PersistentModel {
    /// The class of the members.
    public typealias PersistentElement = Element
}

extension Set: RelationshipCollection where Element: PersistentModel {
    /// The class of the members.
    public typealias PersistentElement = Element
}

extension Optional: RelationshipCollection where Wrapped: RelationshipCollection {
    /// The class of the members.
    public typealias PersistentElement = Wrapped.PersistentElement
}
