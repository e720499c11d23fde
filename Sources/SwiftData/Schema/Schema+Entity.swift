// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Entities of a schema.

import Foundation

extension Schema {
    /// The entity of one class.
    public class Entity: Codable, Hashable, CustomDebugStringConvertible {
        /// The name of the class.
        public var name: String
        /// The class's own properties, in the order of their names.
        public var properties: [any SchemaProperty]
        /// The lists of properties that identify a record.
        public var uniquenessConstraints: [[String]] = []
        /// The lists of properties that are indexed together.
        public var indices: [[String]] = []
        /// The entity of the superclass; nil for none.
        public var superentity: Entity?
        /// Its name.
        public var superentityName: String?
        /// The entities of subclasses.
        public var subentities: Set<Entity> = []
        /// Whether each index is an R-tree, as the set of those that are.
        var treeIndices: Set<[String]> = []

        /// An entity without properties.
        public init(_ name: String) {
            self.name = name
            properties = []
        }

        /// An entity that is described by hand.
        public init(_ name: String, properties: any SchemaProperty...) {
            self.name = name
            self.properties = properties
        }

        /// An entity that is described by hand.
        public init(_ name: String, subentities: Entity..., properties: any SchemaProperty...) {
            self.name = name
            self.properties = properties
            self.subentities = Set(subentities)
            for entity in subentities {
                entity.superentity = self
                entity.superentityName = name
            }
        }

        /// The class's own attributes.
        public var attributes: Set<Attribute> {
            get { Set(properties.compactMap { $0 as? Attribute }) }
            set { properties = properties.filter { !($0 is Attribute) } + newValue.sorted { $0.name < $1.name } }
        }
        /// The class's own attributes by name.
        public var attributesByName: [String: Attribute] {
            get { Dictionary(attributes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }) }
            set { attributes = Set(newValue.values) }
        }
        /// The class's own relationships.
        public var relationships: Set<Relationship> {
            get { Set(properties.compactMap { $0 as? Relationship }) }
            set { properties = properties.filter { !($0 is Relationship) } + newValue.sorted { $0.name < $1.name } }
        }
        /// The class's own relationships by name.
        public var relationshipsByName: [String: Relationship] {
            get { Dictionary(relationships.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }) }
            set { relationships = Set(newValue.values) }
        }
        /// The properties of the superclasses.
        public var inheritedProperties: [any SchemaProperty] {
            get { superentity.map { $0.inheritedProperties + $0.properties } ?? [] }
            set { superentity?.properties = newValue }
        }
        /// The properties of the superclasses by name.
        public var inheritedPropertiesByName: [String: any SchemaProperty] { Self.byName(inheritedProperties) }
        /// All properties that are kept in the store.
        public var storedProperties: [any SchemaProperty] {
            (inheritedProperties + properties).filter { !$0.isTransient }
        }
        /// All properties that are kept in the store, by name.
        public var storedPropertiesByName: [String: any SchemaProperty] { Self.byName(storedProperties) }

        private static func byName(_ properties: [any SchemaProperty]) -> [String: any SchemaProperty] {
            Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        }

        private enum CodingKeys: String, CodingKey {
            case name, attributes, composites, relationships, uniquenessConstraints, indices, superentityName
        }

        /// Reads an entity.
        public required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decode(String.self, forKey: .name)
            let all: [any SchemaProperty] =
                try container.decode([Attribute].self, forKey: .attributes)
                + container.decode([CompositeAttribute].self, forKey: .composites)
                + container.decode([Relationship].self, forKey: .relationships)
            properties = all.sorted { $0.name < $1.name }
            uniquenessConstraints = try container.decode([[String]].self, forKey: .uniquenessConstraints)
            indices = try container.decode([[String]].self, forKey: .indices)
            superentityName = try container.decodeIfPresent(String.self, forKey: .superentityName)
        }

        /// Writes an entity.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            let all = properties.compactMap { $0 as? Attribute }
            try container.encode(all.filter { !($0 is CompositeAttribute) }, forKey: .attributes)
            try container.encode(all.compactMap { $0 as? CompositeAttribute }, forKey: .composites)
            try container.encode(properties.compactMap { $0 as? Relationship }, forKey: .relationships)
            try container.encode(uniquenessConstraints, forKey: .uniquenessConstraints)
            try container.encode(indices, forKey: .indices)
            try container.encodeIfPresent(superentityName, forKey: .superentityName)
        }

        /// By name and properties.
        public static func == (lhs: Entity, rhs: Entity) -> Bool {
            lhs.name == rhs.name && lhs.attributes == rhs.attributes && lhs.relationships == rhs.relationships
                && lhs.uniquenessConstraints == rhs.uniquenessConstraints && lhs.indices == rhs.indices
                && lhs.superentityName == rhs.superentityName
        }

        /// By name.
        public func hash(into hasher: inout Hasher) { hasher.combine(name) }

        /// Name and properties.
        public var debugDescription: String {
            "\(name) { \(properties.map { "\($0)" }.joined(separator: "; ")) }"
        }
    }
}
