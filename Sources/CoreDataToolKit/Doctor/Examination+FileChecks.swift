// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks the pages of a database, its free space, its log and its history.

import CoreData
import Foundation
import SQLiteDriver

extension Examination {
    /// SQLite's own check of every page and index.
    func checkPages() throws {
        let lines = try store.connection.integrityCheck()
        guard !lines.isEmpty else { return }
        // A wrong index, or a list of free pages that does not add up, loses no row.
        let inIndexes = lines.filter { line in
            line.contains("missing from index") || line.contains("wrong # of entries in index")
                || line.contains("non-unique entry in index") || line.contains("rowid not at end-of-record")
        }
        // Core Data declares no CHECK or NOT NULL constraints.
        let others = lines.filter { !inIndexes.contains($0) }
        if !inIndexes.isEmpty {
            let isUnique = inIndexes.contains { $0.contains("non-unique") }
            try note(
                "index.damage", nil, nil, count: inIndexes.count,
                "Indexes disagree with their tables: \(Self.first(inIndexes)).",
                repair: isUnique || !others.isEmpty
                    ? nil : Repair(.upkeep(["REINDEX"]), "All indexes are built anew."))
        }
        if !others.isEmpty {
            try note("file.damage", nil, nil, count: others.count, "Pages are damaged: \(Self.first(others)).")
        }
    }

    private static func first(_ lines: [String]) -> String {
        let shown = lines.prefix(3).map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.joined(separator: "; ")
        return shown.replacing("\n", with: "; ") + (lines.count > 3 ? "; and \(lines.count - 3) more" : "")
    }

    // MARK: Space

    func checkSpace() throws {
        let connection = store.connection
        let pageSize = try connection.pageSize()
        let pages = Int(try connection.pragma("page_count")?.integerValue ?? 0)
        let free = Int(try connection.pragma("freelist_count")?.integerValue ?? 0)
        // Half of a small file is not worth a vacuum.
        if free * 4 > pages, free * pageSize > 1 << 20 {
            try note(
                "space.free", nil, nil, count: free,
                "\(free) of \(pages) pages are free: \(ByteText.text(free * pageSize)) could be given back.",
                repair: Repair(
                    .upkeep(["VACUUM"]), "The file is written anew without \(ByteText.text(free * pageSize)).")
            )
        }
        let log = ReadLocation.size(store.url.path + "-wal")
        if log > 16 << 20 {
            try note(
                "space.log", nil, nil, "The write-ahead log has \(ByteText.text(log)).",
                repair: Repair(.upkeep(["PRAGMA wal_checkpoint(TRUNCATE)"]), "The log is moved into the database."))
        }
        // Byte 18 of the file is 2 for WAL mode; a read-only connection in memory mode would not report it.
        if let mode = try connection.journalMode(), mode != .wal {
            try note("space.journal", nil, nil, "The journal mode is \(mode.rawValue.uppercased()).")
        }
    }

    // MARK: History

    func checkHistory() throws {
        let connection = store.connection
        guard try connection.tableExists("ACHANGE"), try connection.tableExists("ATRANSACTION") else { return }
        let unexpected =
            "FROM ACHANGE AS C WHERE NOT EXISTS (SELECT 1 FROM ATRANSACTION AS T WHERE T.Z_PK = C.ZTRANSACTIONID)"
        let lost = try store.count("SELECT COUNT(*) \(unexpected)")
        try note(
            "history.change", nil, "ACHANGE", count: lost,
            "\(Self.changes(lost)) of the history belong to no transaction.",
            repair: Repair(
                .statements([
                    "DELETE FROM ACHANGE WHERE ZTRANSACTIONID IS NULL "
                        + "OR ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)"
                ]), "\(Self.changes(lost)) are removed from the history."))
        let unknown = try store.count(
            "SELECT COUNT(*) FROM ACHANGE WHERE ZENTITY NOT IN (SELECT Z_ENT FROM Z_PRIMARYKEY)")
        try note(
            "history.entity", nil, "ACHANGE", count: unknown,
            "\(Self.changes(unknown)) of the history have the number of no entity.",
            repair: Repair(
                .statements(["DELETE FROM ACHANGE WHERE ZENTITY NOT IN (SELECT Z_ENT FROM Z_PRIMARYKEY)"]),
                "\(Self.changes(unknown)) are removed from the history."))
        try checkHistoryStrings()
        try checkHistorySize()
    }

    private static func changes(_ count: Int) -> String { "\(count) change\(count == 1 ? "" : "s")" }

    private func checkHistoryStrings() throws {
        guard try store.connection.tableExists("ATRANSACTIONSTRING") else { return }
        let columns = try store.connection.columns(of: "ATRANSACTION").map(\.name)
        for column in ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"] where columns.contains(column) {
            let condition = "\(column) IS NOT NULL AND \(column) NOT IN (SELECT Z_PK FROM ATRANSACTIONSTRING)"
            let lost = try store.count("SELECT COUNT(*) FROM ATRANSACTION WHERE \(condition)")
            try note(
                "history.string", nil, "ATRANSACTION.\(column)", count: lost,
                "\(lost) transaction\(lost == 1 ? "" : "s") refer to a text that is not there.",
                repair: Repair(
                    .statements(["UPDATE ATRANSACTION SET \(column) = NULL WHERE \(condition)"]),
                    "\(Self.rows(lost)) of ATRANSACTION lose the reference."))
        }
    }

    private func checkHistorySize() throws {
        let changes = try store.count("SELECT COUNT(*) FROM ACHANGE")
        guard changes > 100_000 else { return }
        let (_, history) = try StoreStatistics.pageUse(store.connection).reduce(into: (0, 0)) { sum, object in
            sum.0 += object.bytes
            if ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].contains(object.table) { sum.1 += object.bytes }
        }
        let oldest = try store.connection.value("SELECT MIN(ZTIMESTAMP) FROM ATRANSACTION")?.realValue ?? 0
        try note(
            "history.size", nil, "ACHANGE", count: changes,
            "The history has \(changes) changes in \(ByteText.text(history)), the first of "
                + "\(Cell.text(of: Date(timeIntervalSinceReferenceDate: oldest))).")
    }
}

/// Sizes for people.
package enum ByteText {
    /// "812 bytes", "1.5 KB", "3.2 MB": powers of 1,024.
    package static func text(_ bytes: Int) -> String {
        guard bytes >= 1024 else { return bytes == 1 ? "1 byte" : "\(bytes) bytes" }
        var (value, unit) = (Double(bytes) / 1024, 0)
        let units = ["KB", "MB", "GB", "TB"]
        while value >= 1024, unit < units.count - 1 { (value, unit) = (value / 1024, unit + 1) }
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10) \(units[unit])" : "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}
