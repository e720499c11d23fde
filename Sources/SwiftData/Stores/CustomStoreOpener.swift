// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Opens the custom store of a configuration.

import CoreData
import Foundation

struct CustomStoreOpener {
    private let schema: Schema
    private let plan: (any SchemaMigrationPlan.Type)?
    private let isOnly: Bool

    init(_ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?, isOnly: Bool) {
        self.schema = schema
        self.plan = plan
        self.isOnly = isOnly
    }

    func open<Configuration: DataStoreConfiguration>(
        _ configuration: Configuration, in coordinator: NSPersistentStoreCoordinator
    ) throws -> DataStoreBridge {
        var configuration = configuration
        let entities = configuration.schema ?? schema
        try checkValues(entities, configuration.name)
        configuration.schema = entities
        do {
            let store = try SnapshotClasses.$schema.withValue(entities) {
                try Configuration.Store(configuration, migrationPlan: plan)
            }
            return try DataStoreBridge.open(store, named: isOnly ? nil : configuration.name, in: coordinator)
        } catch {
            throw ModelError(
                .loadIssueModelContainer,
                "the store '\(configuration.name)' could not be opened: \((error as NSError).localizedDescription)",
                error)
        }
    }

    /// Refuses attributes that are not `Codable`, which snapshots cannot hold.
    private func checkValues(_ schema: Schema, _ name: String) throws {
        for entity in schema.entities {
            for case let attribute as Schema.Attribute in entity.storedProperties
            where !(ValueForms.unwrapped(attribute.valueType) is any Codable.Type) {
                throw ModelError(
                    .loadIssueModelContainer, entity: entity.name, property: attribute.name,
                    "the store '\(name)' keeps Codable values, and \(attribute.valueType) is none: give the property "
                        + "another type, or the class another store")
            }
        }
    }
}
