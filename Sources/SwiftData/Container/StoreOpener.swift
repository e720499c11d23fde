// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Opens the store of a configuration.

import CoreData
import Foundation

struct StoreOpener {
    private let configuration: ModelConfiguration
    private let schemaModel: SchemaModel
    private let plan: (any SchemaMigrationPlan.Type)?
    private let isOnly: Bool

    init(
        _ configuration: ModelConfiguration, _ schemaModel: SchemaModel, _ plan: (any SchemaMigrationPlan.Type)?,
        isOnly: Bool
    ) {
        self.configuration = configuration
        self.schemaModel = schemaModel
        self.plan = plan
        self.isOnly = isOnly
    }

    func open(in coordinator: NSPersistentStoreCoordinator) throws {
        let url = configuration.url
        if !configuration.isStoredInMemoryOnly, configuration.allowsSave {
            try? FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        }
        do {
            if FileManager.default.fileExists(atPath: url.path), url.path != "/dev/null" {
                try VersionPlan(plan, schemaModel, configuration).migrate()
            }
            _ = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: isOnly ? nil : configuration.name, at: url,
                options: options)
        } catch {
            throw Self.error(error, configuration)
        }
    }

    private var options: [AnyHashable: Any] {
        var options: [AnyHashable: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
            NSPersistentStoreRemoteChangeNotificationPostOptionKey: true,
        ]
        if configuration.allowsSave {
            options[NSPersistentHistoryTrackingKey] = true
        } else {
            options[NSReadOnlyPersistentStoreOption] = true
        }
        return options
    }

    static func error(_ error: any Error, _ configuration: ModelConfiguration) -> any Error {
        if error is ModelError { return error }
        return ModelError(
            .loadIssueModelContainer,
            "the store '\(configuration.name)' at \(configuration.url.path) could not be opened: "
                + "\((error as NSError).localizedDescription) \((error as NSError).userInfo)", error)
    }
}
