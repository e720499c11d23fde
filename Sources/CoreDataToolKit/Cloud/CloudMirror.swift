// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Counts the records of a store that CloudKit mirrors, and removes the mirror.

import CoreData
package import Foundation
import SQLiteDriver

/// The mirror of a store: the mirrored records, and the changes that wait to be sent.
package struct CloudMirror {
    package struct Entity: Sendable, Equatable {
        package let name: String
        package let objects: Int
        package let records: Int
        /// The number of objects without a record, which have not been sent.
        package let unsent: Int
        package let waitingForUpload: Int
        package let waitingForDeletion: Int
    }

    package struct Zone: Sendable, Equatable {
        package let name: String
        /// nil before the first fetch.
        package let lastFetch: Date?
    }

    package let entities: [Entity]
    package let zones: [Zone]
    /// The last event that failed, as a sentence; nil for none.
    package let lastFailure: String?
    /// The tables of the mirror with their rows.
    package let tables: [(name: String, rows: Int)]

    /// Reads a store, and changes nothing.
    ///
    /// - Throws: `ToolError` for a store that is not mirrored; SQLite's errors.
    package init(of url: URL) throws {
        guard try FileKind(of: url) == .sqlite else { throw Self.unmirrored(url) }
        let store = try ExaminedStore(url, model: nil, version: nil)
        let mirror = try CloudTables(store.connection)
        if mirror.isEmpty { throw Self.unmirrored(url) }
        tables = try mirror.names.map { ($0, try store.count("SELECT COUNT(*) FROM \($0)")) }
        entities = try Self.entities(store, mirror)
        zones = try Self.zones(store, mirror)
        lastFailure = try Self.failure(store, mirror)
    }

    private static func unmirrored(_ url: URL) -> ToolError {
        ToolError("\(url.path) has no tables of CloudKit's mirror: no NSPersistentCloudKitContainer has opened it.")
    }

    // MARK: Reading

    private static func entities(_ store: ExaminedStore, _ mirror: CloudTables) throws -> [Entity] {
        let records = CloudTables.records
        guard mirror.has("ZENTITYID", in: records), mirror.has("ZENTITYPK", in: records) else { return [] }
        func count(_ number: Int64, waiting column: String) throws -> Int {
            guard mirror.has(column, in: records) else { return 0 }
            return try store.count(
                "SELECT COUNT(*) FROM \(records) WHERE ZENTITYID = \(number) AND IFNULL(\(column), 0) <> 0")
        }
        return try (store.tables?.entities ?? []).filter { !$0.isAbstract }.map { entity in
            let rows = "FROM \(entity.tableSQL) AS O WHERE Z_ENT = \(entity.number)"
            let record = "SELECT 1 FROM \(records) AS R WHERE R.ZENTITYID = O.Z_ENT AND R.ZENTITYPK = O.Z_PK"
            return Entity(
                name: entity.name, objects: try store.count("SELECT COUNT(*) \(rows)"),
                records: try store.count("SELECT COUNT(*) FROM \(records) WHERE ZENTITYID = \(entity.number)"),
                unsent: try store.count("SELECT COUNT(*) \(rows) AND NOT EXISTS (\(record))"),
                waitingForUpload: try count(entity.number, waiting: "ZNEEDSUPLOAD"),
                waitingForDeletion: try count(entity.number, waiting: "ZNEEDSCLOUDDELETE"))
        }
    }

    private static func zones(_ store: ExaminedStore, _ mirror: CloudTables) throws -> [Zone] {
        let table = "ANSCKRECORDZONEMETADATA"
        guard mirror.has("ZCKRECORDZONENAME", in: table), mirror.has("ZLASTFETCHDATE", in: table) else { return [] }
        return try store.connection.rows("SELECT ZCKRECORDZONENAME, ZLASTFETCHDATE FROM \(table) ORDER BY Z_PK").map {
            let seconds = $0[1].realValue ?? $0[1].integerValue.map(Double.init)
            return Zone(name: $0[0].textValue ?? "", lastFetch: seconds.map(Date.init(timeIntervalSinceReferenceDate:)))
        }
    }

    private static func failure(_ store: ExaminedStore, _ mirror: CloudTables) throws -> String? {
        let table = "ANSCKEVENT"
        let columns = ["ZSUCCEEDED", "ZENDEDAT", "ZERRORDOMAIN", "ZERRORCODE", "ZCLOUDKITEVENTTYPE"]
        guard columns.allSatisfy({ mirror.has($0, in: table) }),
            let row = try store.connection.rows(
                "SELECT ZCLOUDKITEVENTTYPE, ZERRORDOMAIN, ZERRORCODE, ZENDEDAT FROM \(table) "
                    + "WHERE ZSUCCEEDED = 0 AND ZENDEDAT IS NOT NULL ORDER BY Z_PK DESC LIMIT 1"
            ).first
        else { return nil }
        // NSPersistentCloudKitContainer.EventType
        let kinds = [Int64(0): "set-up", 1: "import", 2: "export"]
        let kind = row[0].integerValue.flatMap { kinds[$0] } ?? "event"
        let seconds = row[3].realValue ?? row[3].integerValue.map(Double.init) ?? 0
        let date = Cell.text(of: Date(timeIntervalSinceReferenceDate: seconds))
        let error = row[1].textValue.map { "\($0) \(row[2].integerValue ?? 0)" } ?? "no error given"
        return "The \(kind) of \(date) failed: \(error)."
    }

    // MARK: Removing

    /// Removes the mirror from a store that no other program has open, in one transaction. Objects and history stay.
    ///
    /// - Returns: the removed tables with their rows.
    /// - Throws: `ToolError` for a store that is not mirrored; SQLite's errors. The store is then as before.
    @discardableResult
    package static func reset(_ url: URL) throws -> [(name: String, rows: Int)] {
        let tables = try CloudMirror(of: url).tables
        let connection = try Connection(url: url.resolvingSymlinksInPath(), options: .init(access: .readWrite))
        defer { try? connection.close() }
        try connection.write(.immediate) {
            for table in tables { try connection.execute("DROP TABLE \(table.name)") }
            try connection.execute(
                "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT BETWEEN 17000 AND 17999 AND Z_NAME LIKE 'NSCK%'")
        }
        return tables
    }

    // MARK: Text

    /// The zones and the last failure, a line each.
    package var lines: [String] {
        let zones = zones.map { zone in
            let fetch = zone.lastFetch.map { "last fetched \(Cell.text(of: $0))" } ?? "not fetched yet"
            return "Zone \(zone.name): \(fetch)."
        }
        return zones + [lastFailure].compactMap { $0 }
    }

    package static let columns = ["entity", "objects", "records", "unsent", "upload", "deletion"]

    package var rows: [QueryResult.Row] {
        entities.map { entity in
            let counts = [
                entity.objects, entity.records, entity.unsent, entity.waitingForUpload, entity.waitingForDeletion,
            ]
            return QueryResult.Row(id: "", cells: [.string(entity.name)] + counts.map { .integer(Int64($0)) })
        }
    }
}
