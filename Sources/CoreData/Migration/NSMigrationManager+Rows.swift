// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Counts the rows of both stores of a migration by objects.

import Foundation

extension NSMigrationManager: RowCounting {
    var countsRows: Bool {
        get { state.countsRows }
        set { state.countsRows = newValue }
    }

    var rows: MigratedRows { state.rows }
}

extension MigratedRows {
    /// - Throws: the error of a store.
    init(_ source: MigrationEnd, _ destination: MigrationEnd) throws {
        self.init(before: try Self.counts(source), after: try Self.counts(destination))
    }

    private static func counts(_ end: MigrationEnd) throws -> [String: Int] {
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
