// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reserves consecutive, unique primary keys, coordinated with all other processes that write to the file.

import Foundation
import SQLiteDriver

enum PrimaryKeys {
    /// Reserves keys below a root entity, within a transaction that holds the write lock.
    ///
    /// - Returns: the first of `count` consecutive keys.
    /// - Note: the row of the root in `Z_PRIMARYKEY` may be outdated in a file that other tools wrote to. Keys of
    ///   existing rows and non-positive keys are never assigned.
    static func reserve(_ count: Int, table: EntityTable, root: Int64, on connection: Connection) throws -> Int64 {
        let known = try connection.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", [.integer(root)])
        let used = try connection.value("SELECT MAX(Z_PK) FROM \(table.sql)")
        let last = max(known?.integerValue ?? 0, used?.integerValue ?? 0, 0)
        guard last <= Int64.max - Int64(count) else {
            throw CoreDataError.storeOperation("The keys of \(table.root.name) are used up: the last one is \(last).")
        }
        let changed = try connection.run(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?", [.integer(last + Int64(count)), .integer(root)])
        guard changed == 1 else {
            throw CoreDataError.storeOperation(
                "Z_PRIMARYKEY has no row for \(table.root.name) (\(root)): no key can be given.")
        }
        return last + 1
    }
}
