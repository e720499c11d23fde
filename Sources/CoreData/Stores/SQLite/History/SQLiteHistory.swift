// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Records the transactions of one SQLite store in Apple's history tables. Documentation/Internals/History.md.

import Foundation
import SQLiteDriver

/// The history of an open store.
///
/// # Use
/// Within the store's transaction, on the writing connection: `tombstones(of:on:)` before rows are deleted, then the
/// rows, then `record(_:tombstones:on:)`. A save takes two statements more than without a history, and three more if a
/// name is new (History-6).
final class SQLiteHistory: @unchecked Sendable {  // `known` is guarded by the pool's write lock
    let schema: Schema
    /// By the index of the entity; nil for entities that the store does not contain.
    let columns: [HistoryColumns?]
    /// The number of tombstone columns that the model needs.
    let tombstoneCount: Int
    let retention: PersistentHistoryRetention?
    private let counter = HistoryCounter()
    private var known: Set<String> = []

    private init(
        _ schema: Schema, _ columns: [HistoryColumns?], tombstones: Int, retention: PersistentHistoryRetention?
    ) {
        self.schema = schema
        self.columns = columns
        self.retention = retention
        tombstoneCount = tombstones
    }

    // MARK: Opening

    /// The history of a database, nil if it has none and none is requested; and the state of the file at that time, nil
    /// if this removed a history.
    ///
    /// - Parameter connection: the writing connection.
    /// - Throws: 259 for damaged tables.
    static func open(
        _ connection: Connection, schema: Schema, tracking: HistoryTrackingOption,
        retention: PersistentHistoryRetention?,
        isReadOnly: Bool, url: URL?
    ) throws -> (SQLiteHistory?, seen: FollowedHistory.Moment?) {
        var seen = try FollowedHistory.Moment(connection)
        let exists = try HistoryTables.exist(on: connection)
        let columns = columns(of: schema)
        if isReadOnly {
            guard exists else { return (nil, seen) }
            return (SQLiteHistory(schema, columns, tombstones: 0, retention: nil), seen)
        }
        if !exists, tracking != .on { return (nil, seen) }
        let tombstones = columns.compactMap { $0?.kept.count }.max() ?? 0
        if tracking == .off {
            try connection.write { if try HistoryTables.exist(on: connection) { try HistoryTables.remove(connection) } }
            return (nil, nil)
        }
        if exists { try HistoryTables.check(connection, url: url) }
        if try !exists || !HistoryTables.isComplete(connection, tombstones: tombstones) {
            let made = try connection.write {
                try makeTables(connection, tombstones: tombstones)
                return try connection.schemaVersion()
            }
            seen = try FollowedHistory.Moment(connection, schema: made)
        }
        let history = SQLiteHistory(schema, columns, tombstones: tombstones, retention: retention)
        try history.addTriggers(to: connection)
        return (history, seen)
    }

    /// The history of a file in which tables were created or dropped while the store was open. Within a transaction.
    ///
    /// A history that another process has begun is continued even if the store was opened without one, because a
    /// history must have no gaps.
    /// - Throws: 259 for damaged tables.
    static func reopen(
        _ connection: Connection, schema: Schema, tracking: HistoryTrackingOption,
        retention: PersistentHistoryRetention?,
        isReadOnly: Bool, url: URL?
    ) throws -> SQLiteHistory? {
        let exists = try HistoryTables.exist(on: connection)
        guard exists || tracking == .on && !isReadOnly else { return nil }
        if isReadOnly {
            return SQLiteHistory(schema, columns(of: schema), tombstones: 0, retention: nil)
        }
        if exists { try HistoryTables.check(connection, url: url) }
        let columns = columns(of: schema)
        let tombstones = columns.compactMap { $0?.kept.count }.max() ?? 0
        try makeTables(connection, tombstones: tombstones)
        let history = SQLiteHistory(schema, columns, tombstones: tombstones, retention: retention)
        try history.addTriggers(to: connection)
        return history
    }

    private static func makeTables(_ connection: Connection, tombstones: Int) throws {
        // Another process may have created them since.
        if try !HistoryTables.exist(on: connection) { try HistoryTables.create(connection, tombstones: tombstones) }
        try HistoryTables.complete(connection, tombstones: tombstones)
    }

    private static func columns(of schema: Schema) -> [HistoryColumns?] {
        schema.model.layouts.map { layout in schema.mapping(layout).map { HistoryColumns($0) } }
    }

    /// Temporary triggers update the key rows. A statement for each would add a third to the cost of a save's history.
    ///
    /// Each history of a connection uses distinct trigger names. Triggers of a former history are inactive while their
    /// tables do not exist, and may become active with new tables; the counter still assigns each transaction its
    /// numbers only once.
    private func addTriggers(to connection: Connection) throws {
        let counter = counter
        let mark = UUID().uuidString.replacingOccurrences(of: "-", with: "")
        try connection.addFunction("OCDHistoryNumber", argumentCount: 1) { .integer(counter.take(after: $0.int64(0))) }
        try connection.execute(
            "CREATE TEMP TRIGGER OCD_TRANSACTION_\(mark) AFTER INSERT ON main.ATRANSACTION BEGIN "
                + "UPDATE Z_PRIMARYKEY SET Z_MAX = CASE Z_ENT WHEN \(HistoryTables.transactionNumber) THEN NEW.Z_PK "
                + "ELSE OCDHistoryNumber(Z_MAX) END "
                + "WHERE Z_ENT IN (\(HistoryTables.changeNumber), \(HistoryTables.transactionNumber)); END")
        try connection.execute(
            "CREATE TEMP TRIGGER OCD_TRANSACTIONSTRING_\(mark) AFTER INSERT ON main.ATRANSACTIONSTRING BEGIN "
                + "UPDATE Z_PRIMARYKEY SET Z_MAX = NEW.Z_PK WHERE Z_ENT = \(HistoryTables.stringNumber); END")
    }

    // MARK: Recording

    /// The last values of the attributes that tombstones keep, for rows that are about to be deleted.
    func tombstones(of records: [RecordedChanges.Record], on connection: Connection) throws -> HistoryTombstones {
        var result = HistoryTombstones()
        if tombstoneCount == 0 || records.isEmpty { return result }
        let folder = connection.path.map { ExternalFiles.folder(of: URL(filePath: $0)) }
        for (entity, records) in Dictionary(grouping: records, by: \.layout.index) {
            guard let kept = columns[entity]?.kept, !kept.isEmpty, let mapping = schema.mapping(entity) else {
                continue
            }
            let names = kept.map { $0.map { SchemaNaming.quoted($0.column.name) } ?? "NULL" }.joined(separator: ", ")
            let list = KeyList(records.map(\.key))
            let rows = try connection.rows(
                "SELECT Z_PK, \(names) FROM \(mapping.table.sql) WHERE Z_PK \(list.condition)", list.arguments)
            for row in rows {
                guard let key = row[0].integerValue else { continue }
                var values = Array(row.dropFirst())
                for (position, attribute) in kept.enumerated() {
                    guard case .externalBinary? = attribute?.column.coding, let stored = values[position].blobValue
                    else { continue }
                    // The file is deleted with the row, so its content is kept.
                    let content = ExternalColumn.box(stored, folder: folder).value as? Data
                    values[position] = content.map { .blob(ExternalColumn.inline($0)) } ?? .null
                }
                result.values[ObjectKey(mapping.layout.rootIndex, key)] = values
            }
        }
        return result
    }

    /// Records a transaction, after its rows are written.
    ///
    /// - Returns: the number of the transaction; nil if it changed nothing that a history records.
    func record(_ changes: RecordedChanges, tombstones: HistoryTombstones, on connection: Connection) throws -> Int64? {
        let rows = HistoryRows(changes, schema)
        if rows.rows.isEmpty { return nil }
        let (number, first) = try begin(
            author: changes.author, contextName: changes.contextName, changes: rows.rows.count, on: connection)
        try rows.write(to: self, transaction: number, first: first, tombstones: tombstones, on: connection)
        return number
    }

    /// Inserts a transaction.
    ///
    /// - Returns: the number of the transaction, and of its first change.
    func begin(author: String?, contextName: String?, changes: Int, on connection: Connection) throws -> (Int64, Int64)
    {
        counter.count = Int64(changes)
        let number = try addTransaction(author, contextName, connection)
        return (number, counter.first)
    }

    private func addTransaction(_ author: String?, _ contextName: String?, _ connection: Connection) throws -> Int64 {
        // In the order of the columns.
        let names = [author, HistoryProgram.bundleID, contextName, HistoryProgram.processID]
        let values = names.map { name -> SQLiteValue in name.map { SQLiteValue.text($0) } ?? .null }
        for name in names { if let name, !known.contains(name) { try addString(name, connection) } }
        let key = "(SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?)"
        let now = (Date().timeIntervalSinceReferenceDate * 1_000_000).rounded() / 1_000_000
        let row = try connection.rows(
            "INSERT INTO ATRANSACTION "
                + "(ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS, ZTIMESTAMP, Z_ENT, Z_PK) VALUES "
                + "(\(key), \(key), \(key), \(key), max(?, coalesce((SELECT ZTIMESTAMP + 0.000001 FROM ATRANSACTION "
                + "ORDER BY Z_PK DESC LIMIT 1), 0)), \(HistoryTables.transactionNumber), "
                + "(SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(HistoryTables.transactionNumber)) + 1) "
                + "RETURNING Z_PK, ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS",
            values + [.real(now)]
        ).first
        guard let row, let number = row[0].integerValue else {
            throw CoreDataError.storeOperation("The history of the store is damaged: it gave no transaction number.")
        }
        // A known name has been deleted, by a purge of another process or by a rollback.
        if zip(names, row.dropFirst()).contains(where: { $0 != nil && $1.isNull }) {
            for name in names { if let name { try addString(name, connection) } }
            try connection.run(
                "UPDATE ATRANSACTION SET ZAUTHORTS = \(key), ZBUNDLEIDTS = \(key), ZCONTEXTNAMETS = \(key), "
                    + "ZPROCESSIDTS = \(key) WHERE Z_PK = ?",
                values + [.integer(number)])
        }
        return number
    }

    private func addString(_ name: String, _ connection: Connection) throws {
        try connection.run(
            "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) "
                + "SELECT max(coalesce((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(HistoryTables.stringNumber)), 0), "
                + "coalesce((SELECT max(Z_PK) FROM ATRANSACTIONSTRING), 0)) + 1, \(HistoryTables.stringNumber), ?1 "
                + "WHERE NOT EXISTS (SELECT 1 FROM ATRANSACTIONSTRING WHERE ZNAME = ?1)", [.text(name)])
        if known.count > 1_000 { known = [] }
        known.insert(name)
    }
}

/// Assigns the numbers of changes. SQLite calls it within the insertion of a transaction.
final class HistoryCounter: @unchecked Sendable {  // guarded by the pool's write lock
    /// The number of changes of the transaction; nil once their numbers are assigned.
    var count: Int64?
    /// The number of its first change.
    private(set) var first: Int64 = 0

    /// - Returns: the number of the transaction's last change.
    func take(after last: Int64) -> Int64 {
        guard let count else { return last }
        self.count = nil
        first = last + 1
        return last + count
    }
}

/// The values of deleted rows that the history keeps, in the order of the tombstone columns.
struct HistoryTombstones {
    /// By root entity and key.
    var values: [ObjectKey: [SQLiteValue]] = [:]

    mutating func add(_ other: HistoryTombstones) { values.merge(other.values) { _, new in new } }
}
