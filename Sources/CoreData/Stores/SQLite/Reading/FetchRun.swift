// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Translates a fetch, and runs its statement.

import CoreDataFoundation
import Foundation
import SQLiteDriver

/// One fetch on one connection, for which the store has no statement yet.
struct FetchRun: StatementFetch {
    let reader: RowReader
    let fetch: BoundFetch
    let excludesForeignRows: Bool

    private var opened: OpenDatabase { reader.opened }
    private var connection: Connection { reader.connection }
    private var schema: Schema { reader.schema }

    init(_ reader: RowReader, _ fetch: BoundFetch) {
        (self.reader, self.fetch) = (reader, fetch)
        excludesForeignRows = reader.opened.plans.excludesForeignRows
    }

    var searches: (any SearchConditions)? {
        FullTextConditions(indexes: opened.fullText, connection: connection, schema: schema)
    }

    /// nil for an entity without a spatial index.
    var spaces: (any SpatialConditions)? {
        guard fetch.layout.hasSpatialIndex else { return nil }
        return SQLiteSpatialConditions(indexes: opened.spatial, connection: connection, schema: schema)
    }

    /// nil for a fetch without paths into values.
    var values: (any ValueConditions)? {
        guard readsInside else { return nil }
        return ValueIndexConditions(indexes: opened.values, connection: connection, schema: schema)
    }

    private var readsInside: Bool {
        schema.model.hasPathsInside && fetch.predicate?.comparesInside ?? false
    }

    /// Translates the fetch, runs its statement, and caches the statement for other fetches of the shape.
    func outcome() throws -> FetchOutcome {
        do {
            let usesIndexes =
                fetch.predicate?.containsSearch ?? false || fetch.layout.hasSpatialIndex || readsInside
            guard usesIndexes else { return try run(try strategy()) }
            // A fetch finds its index and reads it in one state of the file (SearchIndexes-4, Geography-7).
            return try connection.read { try run(try strategy()) }
        } catch let error as SQLiteError
            where error.isOverflow || error.isAboutLimits || FullTextConditions.isRefused(error)
            || ValueIndexConditions.isRefused(error)
        {
            return try run(strategy(refused: "SQLite refuses it: \(error.message)"))
        }
    }

    func whole(_ sql: SQLText) throws -> FetchOutcome {
        let select = PreparedSelect(fetch, sql, plan)
        let outcome = try opened.outcome(of: fetch, by: select, sql.values, connection, reader.cache)
        opened.plans.keep(select, excludesForeignRows: excludesForeignRows)
        return outcome
    }

    func candidates(_ sql: SQLText, _ parts: [FetchExplanation.InMemoryPart]) throws -> [FetchedRow] {
        if let log = opened.pool.writtenLog { log.remark(parts, entity: fetch.layout.name) }
        return try connection.withStatement(sql.text) { statement in
            try statement.bind(sql.values.map(\.sqlite))
            return try opened.rows(statement, of: fetch, plan, reader.cache)
        }
    }

    func dictionaries(_ sql: SQLText, _ columns: [DictionaryColumn]) throws -> [[String: Any]] {
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
}
