// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The engine's model of a schema, once for each list of classes.

import CoreData
import CoreDataModelFiles
import Foundation
import Synchronization

/// Containers with equal schemas share a model, so that instances without a context fit all of them.
final class SchemaModel: Sendable {
    let schema: Schema
    let model: NSManagedObjectModel
    /// By class; those of other versions are missing.
    private let entities: [ObjectIdentifier: NSEntityDescription]

    private struct Key: Hashable {
        let types: [ObjectIdentifier]
        let version: Schema.Version
        /// The entities of each configuration, where there are several.
        let parts: [String: [String]]
    }

    private static let known = Mutex<[Key: SchemaModel]>([:])

    /// - Throws: all faults of a schema that cannot be used.
    private init(_ schema: Schema, _ parts: [String: [String]]) throws {
        self.schema = schema
        var document = SchemaDocument(schema).document
        for (name, entities) in parts.sorted(by: { $0.key < $1.key }) {
            document.configurations.removeAll { $0.name == name }
            document.configurations.append(.init(name: name, entityNames: entities))
        }
        model = NSManagedObjectModel(document: document)
        let named = model.entitiesByName
        var entities: [ObjectIdentifier: NSEntityDescription] = [:]
        for type in schema.types {
            guard let entity = named[Schema.name(of: type)] else { continue }
            try EntityCompanion(
                of: entity, in: model, type: type, root: Self.root(of: type)._$entity, objectClass: ModelRow.self)
            entities[ObjectIdentifier(type)] = entity
        }
        self.entities = entities
    }

    /// The entity of a class; nil where the schema has neither the class nor another one of its name.
    func entity(of type: any PersistentModel.Type) -> NSEntityDescription? {
        entities[ObjectIdentifier(type)] ?? model.entitiesByName[Schema.name(of: type)]
    }

    private static func root(of type: any PersistentModel.Type) -> any PersistentModel.Type {
        SchemaOutline.superclass(of: type).map(root) ?? type
    }

    /// The model of a schema, which new instances of its classes use from now on.
    ///
    /// - Parameter configurations: where there are several, each has its entities.
    static func of(_ schema: Schema, configurations: [any DataStoreConfiguration] = []) throws -> SchemaModel {
        let found = try find(schema, configurations)
        found.use()
        return found
    }

    private static func find(_ schema: Schema, _ configurations: [any DataStoreConfiguration]) throws -> SchemaModel {
        let several = configurations.count > 1 ? configurations : []
        let parts = Dictionary(
            several.map { ($0.name, ($0.schema ?? schema).entities.map(\.name)) },
            uniquingKeysWith: { first, _ in first })
        let key = Key(types: schema.types.map { ObjectIdentifier($0) }, version: schema.version, parts: parts)
        if let known = known.withLock({ $0[key] }), !schema.types.isEmpty { return known }
        let made = try SchemaModel(schema, parts)
        return known.withLock {
            if let other = $0[key], !schema.types.isEmpty { return other }
            $0[key] = made
            return made
        }
    }

    /// Lets new instances of its classes use its entities from now on.
    private func use() {
        let entities = model.entitiesByName
        for type in schema.types {
            if let companion = entities[Schema.name(of: type)]?.companion as? EntityCompanion {
                type._$entity.use(companion)
                Self.lastUsed.withLock { $0[Schema.name(of: type)] = type }
            }
        }
    }

    private static let lastUsed = Mutex<[String: any PersistentModel.Type]>([:])

    /// The class of a name in the schema that was used last. Only for snapshots that no store is reading.
    static func lastUsedType(named name: String) -> (any PersistentModel.Type)? { lastUsed.withLock { $0[name] } }

    /// The schema of a class that no container has yet.
    static func ofClass(_ type: any PersistentModel.Type) -> SchemaModel {
        do {
            return try of(Schema([type]))
        } catch {
            preconditionFailure("The schema of '\(type)' cannot be used: \(error)")
        }
    }

    /// A schema for instances without a context. New instances keep the entities that they would have.
    static func joining(_ types: [any PersistentModel.Type]) -> SchemaModel {
        let schema = Schema(types.sorted { String(reflecting: $0) < String(reflecting: $1) })
        do {
            return try find(schema, [])
        } catch {
            preconditionFailure("The schema of \(types) cannot be used: \(error)")
        }
    }
}
