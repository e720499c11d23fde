// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Removes what a crash has left beside a database: files that no row names.

import Foundation
import SQLiteDriver

/// Looks only where a journal says that a save did not come to its end; tables are searched for its names alone.
struct ExternalLeftovers {
    let schema: Schema
    /// That of the files.
    let folder: URL

    /// - Throws: SQLite's errors; then everything stays as it is.
    func remove(_ connection: Connection) throws {
        let left = ExternalJournal.left(beside: folder)
        guard !left.isEmpty else { return }
        // No save is under way while the lock is held.
        try connection.write(.immediate) {
            var useless = Set(left.flatMap(\.names))
            for (table, column) in columns where !useless.isEmpty {
                for name in useless where try isNamed(name, table, column, connection) { useless.remove(name) }
            }
            ExternalFiles.remove(useless.map(folder.appendingPathComponent) + left.map(\.journal))
        }
    }

    private func isNamed(_ name: String, _ table: String, _ column: String, _ connection: Connection) throws -> Bool {
        try connection.value(
            "SELECT 1 FROM \(table) WHERE \(column) = ? LIMIT 1", [.blob(ExternalColumn.reference(name))]) != nil
    }

    /// Tables and columns, as they stand in SQL, whose data may lie outside.
    private var columns: [(table: String, column: String)] {
        var seen: Set<[String]> = []
        return schema.entities.flatMap { mapping in
            mapping.storage.compactMap { storage in
                guard case .attribute(let attribute) = storage, case .externalBinary = attribute.coding else {
                    return nil
                }
                return (mapping.table.sql, SchemaNaming.quoted(attribute.name))
            }
        }.filter { seen.insert([$0.0, $0.1]).inserted }
    }
}
