// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Translates a fetch: one statement where SQL can express all of it, else candidates that are filtered in memory.

import CoreDataFoundation
import Foundation
import SQLiteDriver

/// One fetch on one connection, where the store has no statement for it yet.
struct FetchRun {
    let opened: OpenDatabase
    let connection: Connection
    let cache: RowFilling
    let fetch: BoundFetch

    private var schema: Schema { opened.schema }

    /// The ways to answer a fetch.
    enum Way {
        /// One statement returns the result: rows, keys or a number.
        case whole(SQLText)
        case dictionaries(SQLText, [DictionaryColumn])
        /// One statement returns rows that match the translatable part; the rest happens in memory.
        case candidates(SQLText, SelectBuilder, [FetchExplanation.InMemoryPart])
    }

    /// Translates the fetch, runs its statement, and keeps the statement for other fetches of the shape.
    func outcome() throws -> FetchOutcome {
        let excludesForeignRows = opened.plans.excludesForeignRows
        switch try way(excludesForeignRows: excludesForeignRows) {
        case .whole(let sql):
            let select = PreparedSelect(fetch, sql, plan)
            opened.plans.keep(select, excludesForeignRows: excludesForeignRows)
            return try opened.outcome(of: fetch, by: select, sql.values, connection, cache)
        case .dictionaries(let sql, let columns): return .dictionaries(try dictionaries(sql, columns))
        case .candidates(let sql, let builder, let parts):
            if let log = opened.pool.log { log.remark(parts, entity: fetch.layout.name) }
            return try inMemory(sql, builder)
        }
    }

    func way(excludesForeignRows: Bool) throws -> Way {
        let builder = try SelectBuilder(schema: schema, fetch: fetch, excludesForeignRows: excludesForeignRows)
        // A count of all rows is independent of their order.
        if case .count = fetch.result, builder.remainder.isEmpty, fetch.limit == 0, fetch.offset == 0 {
            return .whole(builder.count())
        }
        guard builder.isComplete else { return candidates(builder, "rows have to be looked at first") }
        switch fetch.result {
        case .rows: return .whole(builder.rows(plan))
        case .keys: return .whole(builder.keys())
        case .count: return .whole(builder.count())
        case .dictionaries(let request):
            do {
                let (sql, columns) = try builder.dictionaries(request)
                return .dictionaries(sql, columns)
            } catch let obstacle as NotTranslatable {
                return candidates(builder, obstacle.reason)
            }
        }
    }

    private func candidates(_ builder: SelectBuilder, _ shapingReason: String) -> Way {
        var parts = zip(builder.remainder, builder.remainderReasons).map { predicate, reason in
            FetchExplanation.InMemoryPart(kind: .predicate, subject: predicate.withoutValues, reason: reason)
        }
        if let reason = builder.orderReason { parts.append(fetch.order(reason)) }
        if let shaping = fetch.dictionaries(shapingReason) { parts.append(shaping) }
        return .candidates(builder.rows(plan), builder, parts)
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

    /// The object whose file cannot be read: one row names a file (LargeData-E1).
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
    private func inMemory(_ sql: SQLText, _ builder: SelectBuilder) throws -> FetchOutcome {
        let reader = RowReader(opened: opened, connection: connection, cache: cache)
        let source = RelatedRows(
            schema.model, rows: reader.rows, members: { try reader.members(of: $0, layout: $1, owners: $2) })
        var candidates = try connection.withStatement(sql.text) { statement in
            try statement.bind(sql.values.map(\.sqlite))
            return try opened.rows(statement, of: fetch, plan, cache)
        }
        if builder.sortsInMemory { candidates.sort { $0.key < $1.key } }
        var rest = fetch
        rest.predicate = builder.remainder.isEmpty ? nil : .and(builder.remainder)
        rest.isOrdered = builder.sortsInMemory
        return try RowFetch(rest, source).run(over: candidates)
    }
}
