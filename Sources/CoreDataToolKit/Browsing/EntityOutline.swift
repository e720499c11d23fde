// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The entities of a model as plain values, and the versions of a model file.

public import Foundation

/// An entity of a model, as a value.
public struct EntityOutline: Sendable, Equatable {
    /// An attribute, a relationship, or a fetched property of the entity itself, without inherited ones.
    public struct Property: Sendable, Equatable {
        /// The three kinds of properties.
        public enum Kind: String, Sendable {
            /// A value in a column.
            case attribute
            /// One or more objects.
            case relationship
            /// The results of a fetch request.
            case fetched
        }

        /// The kind of the property.
        public let kind: Kind
        /// The name of the property.
        public let name: String
        /// For example "String", "Author", or "Book*" for a to-many relationship.
        public let type: String
        /// Whether a value may be missing.
        public let isOptional: Bool
        /// Further facts, such as "delete cascades".
        public let details: [String]
        /// The destination of a relationship; nil for other properties.
        public let destination: String?
        /// The inverse of a relationship; nil without one.
        public let inverse: String?
        /// Whether a relationship has any number of members; false for other properties.
        public let isToMany: Bool
        /// Whether the members of a relationship have an order.
        public let isOrdered: Bool
    }

    /// The name of the entity.
    public let name: String
    /// The name of the entity that it inherits from; nil for none.
    public let superentity: String?
    /// Whether all its objects are of subentities.
    public let isAbstract: Bool
    /// The version hash; nil for a model that was inferred from a store.
    public let hash: Data?
    /// Its own properties: attributes, relationships, fetched properties.
    public let properties: [Property]

    init(_ entity: ModelSummary.Entity) {
        name = entity.name
        superentity = entity.superentity
        isAbstract = entity.isAbstract
        hash = entity.hash
        properties = entity.properties.map { property in
            Property(
                kind: Property.Kind(rawValue: property.kind.rawValue) ?? .attribute, name: property.name,
                type: property.type, isOptional: property.isOptional, details: property.details,
                destination: property.destination, inverse: property.inverse, isToMany: property.isToMany,
                isOrdered: property.isOrdered)
        }
    }
}
