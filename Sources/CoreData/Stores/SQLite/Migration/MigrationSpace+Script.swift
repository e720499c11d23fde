// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Estimates the space that a script needs on its disk.

import Foundation
import SQLiteDriver

extension MigrationSpace {
    /// For the metadata, the model, and the pages of the schema.
    private static let least: Int64 = 256 << 10

    /// The journal keeps the old pages of written tables; a rebuilt table exists twice.
    func bytes(for script: MigrationScript, _ connection: Connection) throws -> Int64 {
        try script.written.reduce(Self.least) { sum, table in
            let size = try size(of: table.source ?? table.name, connection)
            return sum + (table.isRebuilt ? 2 * size : size)
        }
    }

    /// An upper bound of `bytes(for:_:)` that reads no pages: the tables together may be the whole file, and a table
    /// that is split into several counts for each of them.
    private func greatest(for script: MigrationScript, _ connection: Connection) throws -> Int64 {
        let times = script.written.count - Set(script.written.map { $0.source ?? $0.name }).count + 1
        let pages = try connection.pragma("page_count")?.integerValue ?? 0
        return try Self.least + 2 * Int64(times) * pages * Int64(connection.pageSize())
    }

    /// - Throws: 640.
    func require(for script: MigrationScript, _ connection: Connection, free: Int64?) throws {
        // Counting pages reads every page of a table, so do it only if space may be short.
        if let free, free >= (try greatest(for: script, connection)) { return }
        try require(bytes: bytes(for: script, connection), free: free)
    }

    /// The bytes of a table with its indexes.
    func size(of table: String, _ connection: Connection) throws -> Int64 {
        do {
            let sum = try connection.value(
                "SELECT SUM(pgsize) FROM dbstat WHERE aggregate = 1 AND name IN "
                    + "(SELECT name FROM sqlite_master WHERE tbl_name = ?)", [.text(table)])
            return sum?.integerValue ?? 0
        } catch let error as SQLiteError where !error.isBusy && !error.isCorrupt {
            // This SQLite was built without the table of page counts: assume that the table fills the file.
            let pages = try connection.pragma("page_count")?.integerValue ?? 0
            return try pages * Int64(connection.pageSize())
        }
    }
}
