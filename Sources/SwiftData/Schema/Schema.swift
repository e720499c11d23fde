// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The description of the model classes of a store.

import CoreData
public import Foundation

// Sendable: complete after its initializer.
/// The entities of a store: those of the given classes, and of the classes that their relationships reach.
///
///     let schema = Schema([Book.self, Author.self])
///     let names = schema.entities.map(\.name)
public class Schema: Codable, Hashable, CustomDebugStringConvertible, @unchecked Sendable {
    /// In the order of the given types; those that are reached through relationships follow.
    public let entities: [Entity]
    /// The entities by name.
    public let entitiesByName: [String: Entity]
    /// The version, which stores have as text.
    public let version: Version
    /// The version of the form that `save(to:)` writes.
    public let encodingVersion: Version
    /// The version of the form that this library writes.
    public static let schemaEncodingVersion = Version(1, 0, 0)

    /// The classes, with those that their relationships reach; empty for a schema without classes.
    let types: [any PersistentModel.Type]

    /// An empty schema.
    public init() {
        types = []
        entities = []
        entitiesByName = [:]
        version = Version(1, 0, 0)
        encodingVersion = Self.schemaEncodingVersion
    }

    /// A schema of entities that are described by hand.
    public init(_ entities: Entity..., version: Version = Version(1, 0, 0)) {
        types = []
        self.entities = entities
        entitiesByName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        self.version = version
        encodingVersion = Self.schemaEncodingVersion
    }

    /// The schema of classes; superclasses and the destinations of relationships are included.
    ///
    /// - Parameters:
    ///   - types: classes with `@Model`.
    ///   - version: stores have it as text.
    public init(_ types: [any PersistentModel.Type], version: Version = Version(1, 0, 0)) {
        let outline = SchemaOutline(types)
        self.types = outline.types
        entities = outline.entities
        entitiesByName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        self.version = version
        encodingVersion = Self.schemaEncodingVersion
    }

    /// The schema of classes; superclasses and the destinations of relationships are included.
    public convenience init(_ types: any PersistentModel.Type..., version: Version = Version(1, 0, 0)) {
        self.init(types, version: version)
    }

    /// The schema of a version.
    public convenience init(versionedSchema: any VersionedSchema.Type) {
        self.init(versionedSchema.models, version: versionedSchema.versionIdentifier)
    }

    /// The entity of a class; nil where the schema has none.
    public func entity<T>(for type: T.Type) -> Entity? where T: PersistentModel {
        entitiesByName[Self.entityName(for: type)]
    }

    /// The name of a class's entity: that of the class, without the types around it.
    public static func entityName<T>(for type: T.Type) -> String where T: PersistentModel { String(describing: type) }

    static func name(of type: any PersistentModel.Type) -> String { String(describing: type) }

    /// Whether the schema has a class.
    func includes(_ type: any PersistentModel.Type) -> Bool { types.contains { $0 == type } }

    // MARK: Files

    /// Writes the schema as JSON.
    public func save(to url: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(self).write(to: url, options: .atomic)
    }

    /// Reads a file of `save(to:)`. The schema has no classes.
    public static func load(from url: URL) throws -> Schema {
        try JSONDecoder().decode(Schema.self, from: Data(contentsOf: url))
    }

    private enum CodingKeys: String, CodingKey { case entities, version, encodingVersion }

    /// Reads a schema without classes.
    public required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        types = []
        entities = try container.decode([Entity].self, forKey: .entities)
        version = try container.decode(Version.self, forKey: .version)
        encodingVersion = try container.decode(Version.self, forKey: .encodingVersion)
        entitiesByName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        SchemaOutline.linkSuperentities(entities)
    }

    /// Writes entities and version.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(entities, forKey: .entities)
        try container.encode(version, forKey: .version)
        try container.encode(encodingVersion, forKey: .encodingVersion)
    }

    // MARK: Equality

    /// Whether both have equal entities and versions.
    public static func == (lhs: Schema, rhs: Schema) -> Bool {
        lhs === rhs
            || lhs.version == rhs.version
                && lhs.types.map { ObjectIdentifier($0) } == rhs.types.map { ObjectIdentifier($0) }
                && lhs.entities == rhs.entities
    }

    /// By version and names.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(version)
        hasher.combine(Set(entities.map(\.name)))
    }

    /// The version and the entities' names.
    public var debugDescription: String { "Schema \(version): \(entities.map(\.name).joined(separator: ", "))" }

    // MARK: Versions

    /// A version, such as 1.2.0.
    public struct Version: Hashable, Comparable, Codable, CustomStringConvertible, Sendable {
        /// The first number.
        public let major: Int
        /// The second number.
        public let minor: Int
        /// The third number.
        public let patch: Int

        /// A version of three numbers.
        public init(_ major: Int, _ minor: Int, _ patch: Int) {
            self.major = major
            self.minor = minor
            self.patch = patch
        }

        /// "1.2.0": the version identifier in stores.
        public var description: String { "\(major).\(minor).\(patch)" }

        /// By numbers, from left to right.
        public static func < (lhs: Version, rhs: Version) -> Bool {
            (lhs.major, lhs.minor, lhs.patch) < (rhs.major, rhs.minor, rhs.patch)
        }
    }
}

/// A version of the model classes: its classes are nested in it, and have the names of other versions' classes.
///
///     enum LibraryV1: VersionedSchema {
///         static let versionIdentifier = Schema.Version(1, 0, 0)
///         static var models: [any PersistentModel.Type] { [Book.self] }
///         @Model final class Book { var name: String; init(name: String) { self.name = name } }
///     }
public protocol VersionedSchema {
    /// The classes.
    static var models: [any PersistentModel.Type] { get }
    /// The version.
    static var versionIdentifier: Schema.Version { get }
}
