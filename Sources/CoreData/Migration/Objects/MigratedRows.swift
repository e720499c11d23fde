// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The rows of both stores of a migration by objects.

import Foundation

/// The row counts of each entity that is not abstract, without those of its subentities.
struct MigratedRows {
    /// By the entity names of the source, unless a function says otherwise.
    var before: [String: Int] = [:]
    /// By the entity names of the destination.
    var after: [String: Int] = [:]
    /// nil if every row was migrated.
    var quarantined: QuarantinedRows?
    /// The location of their store.
    var quarantine: URL?
    /// The location of the store's copy from before the migration.
    var original: URL?
}

extension MigratedRows {
    /// - Throws: the error of a store.
    init(_ source: MigrationEndpoint, _ destination: MigrationEndpoint) throws {
        self.init(before: try Self.counts(source), after: try Self.counts(destination))
    }

    static func counts(_ end: MigrationEndpoint) throws -> [String: Int] {
        var result: [String: Int] = [:]
        for entity in end.model.entities where !entity.isAbstract {
            let request = NSFetchRequest<NSManagedObject>()
            request.entity = entity
            request.includesSubentities = false
            result[entity.name ?? ""] = try end.context.count(for: request)
        }
        return result
    }
}
