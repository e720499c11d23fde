// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Executes a fetch: by one statement if SQL can express all of it, otherwise by filtering candidates in memory.

import CoreDataFoundation
import Foundation
import SQLiteDriver

/// One fetch on one connection, for which the store has no statement yet.
struct FetchRun {
    let opened: OpenDatabase
    let connection: Connection
    let cache: CacheFillPermit
    let fetch: BoundFetch

    private var schema: Schema { opened.schema }

    /// Translates the fetch, runs its statement, and caches the statement for other fetches of the shape.
    func outcome() throws -> FetchOutcome {
        let excludesForeignRows = opened.plans.excludesForeignRows
        do {
            return try run(try way(excludesForeignRows: excludesForeignRows), excludesForeignRows)
        } catch let error as SQLiteError where error.isOverflow || error.isAboutLimits {
            return try run(candidates(excludesForeignRows, reason: "SQLite refuses it: \(error.message)"), false)
        }
    }

    private func run(_ way: FetchStrategy, _ excludesForeignRows: Bool) throws -> FetchOutcome {
        switch way {
        case .whole(let sql):
            let select = PreparedSelect(fetch, sql, plan)
            let outcome = try opened.outcome(of: fetch, by: select, sql.values, connection, cache)
            opened.plans.keep(select, excludesForeignRows: excludesForeignRows)
            return outcome
        case .dictionaries(let sql, let columns): return .dictionaries(try dictionaries(sql, columns))
        case .candidates(let sql, let rest, let parts):
            if let log = opened.pool.log { log.remark(parts, entity: fetch.layout.name) }
            return try inMemory(sql, rest)
        }
    }

    func way(excludesForeignRows: Bool) throws -> FetchStrategy {
        try FetchStrategy(SelectBuilder(schema: schema, fetch: fetch, excludesForeignRows: excludesForeignRows), plan)
    }

    /// Reads all rows of the entity, and does everything else in memory.
    func candidates(_ excludesForeignRows: Bool, reason: String) throws -> FetchStrategy {
        try FetchStrategy(refused: fetch, reason: reason) { fetch in
            try SelectBuilder(schema: schema, fetch: fetch, excludesForeignRows: excludesForeignRows).rows(plan)
        }
    }

    private var plan: RowPlan { opened.plans.rows(fetch.layout, includesSubentities: fetch.includesSubentities) }

    private func dictionaries(_ sql: SQLText, _ columns: [DictionaryColumn]) throws -> [[String: Any]] {
        try connection.withStatement(sql.text) { statement in
            try statement.bind(sql.values.map(\.sqlite))
            var result: [[String: Any]] = []
            while try statement.step() {
                var entries: [String: Any] = Dictionary(minimumCapacity: columns.count)
                for column in columns {
                    do throws(UnreadableFile) {
                        entries[column.name] = try column.value(
                            statement, schema: schema, folder: opened.externalFolder)
                    } catch {
                        throw try unreadableValue(error)
                    }
                }
                result.append(entries)
            }
            return result
        }
    }

    /// The error for an object with an unreadable file: exactly one row refers to a file (LargeData-E1).
    private func unreadableValue(_ file: UnreadableFile) throws -> any Error {
        let reference = ExternalColumn.reference(file.url.lastPathComponent).dropLast()
        for mapping in schema.entities {
            for slot in mapping.layout.attributeSlots {
                for column in mapping.storage[slot].externalColumns {
                    let key = try connection.value(
                        """
                        SELECT Z_PK FROM \(mapping.table.sql) \
                        WHERE Z_ENT = ? AND SUBSTR(\(SchemaNaming.quoted(column)), 1, ?) = ?
                        """, [.integer(mapping.number), .integer(Int64(reference.count)), .blob(Data(reference))])
                    guard let key = key?.integerValue else { continue }
                    return UnreadableValue(file: file, layout: mapping.layout, slot: slot, key: key)
                }
            }
        }
        return CoreDataError.unreadableData(file.url, attribute: fetch.layout.name, underlying: file.underlying)
    }

    /// Filters candidate rows by the rest of the predicate, sorts them, applies limit and offset, and
    /// shapes the result.
    private func inMemory(_ sql: SQLText, _ rest: BoundFetch) throws -> FetchOutcome {
        let source = RowReader(opened: opened, connection: connection, cache: cache).relatedRows()
        var candidates = try connection.withStatement(sql.text) { statement in
            try statement.bind(sql.values.map(\.sqlite))
            return try opened.rows(statement, of: fetch, plan, cache)
        }
        if rest.isOrdered { candidates.sort { $0.key < $1.key } }
        return try RowFetch(rest, source).run(over: candidates)
    }
}
