// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Answers fetches: one statement where SQL can say it all, rows asked in memory where it cannot.

import CoreDataFoundation
import Foundation
import SQLiteDriver

extension SQLiteStore {
    func fetch(_ fetch: ResolvedFetch, in burst: ReadBurst?) throws -> FetchOutcome {
        try read(in: burst) { opened, connection in
            try FetchRun(opened: opened, connection: connection, cache: self.rowCache, fetch: fetch).outcome()
        }
    }

    func rows(_ keys: [Int64], root: EntityLayout, in burst: ReadBurst?) throws -> [FetchedRow] {
        if keys.isEmpty { return [] }
        return try read(in: burst) { opened, connection in
            try RowReader(opened: opened, connection: connection, cache: self.rowCache).rows(keys, root: root)
        }
    }

    func members(of slot: Int, layout: EntityLayout, owners: [Int64], in burst: ReadBurst?) throws -> [Int64:
        [Reference]]
    {
        if owners.isEmpty { return [:] }
        return try read(in: burst) { opened, connection in
            try RowReader(opened: opened, connection: connection, cache: self.rowCache)
                .members(of: slot, layout: layout, owners: owners)
        }
    }
}

/// One fetch on one connection.
struct FetchRun {
    let opened: SQLiteStore.Opened
    let connection: Connection
    let cache: RowCache
    let fetch: ResolvedFetch

    private var schema: Schema { opened.schema }

    func outcome() throws -> FetchOutcome {
        let plain = FetchShape.make(fetch)
        if let plain, let text = opened.plans.text(plain.shape) { return try outcome(SQLText(text, plain.values)) }
        let builder = try SelectBuilder(schema: schema, fetch: fetch)
        // The order of rows does not change their number, as long as all of them are counted.
        if case .count = fetch.result, builder.remainder.isEmpty, fetch.limit == 0, fetch.offset == 0 {
            return try outcome(builder.count())
        }
        guard builder.isComplete else { return try inMemory(builder) }
        switch fetch.result {
        case .rows, .keys, .count:
            let sql =
                switch fetch.result {
                case .rows: builder.rows(plan)
                case .keys: builder.keys()
                default: builder.count()
                }
            // Only where the values stand in the order that the shape gives them.
            if let plain, plain.values == sql.values { opened.plans.keep(sql.text, for: plain.shape) }
            return try outcome(sql)
        case .dictionaries(let request):
            do {
                return .dictionaries(try dictionaries(builder, request))
            } catch is NotTranslatable {
                return try inMemory(builder)
            }
        }
    }

    private func run<T>(_ sql: SQLText, _ body: (Statement) throws -> T) throws -> T {
        try connection.withStatement(sql.text) { statement in
            for (offset, value) in sql.values.enumerated() { try statement.bind(value, at: offset + 1) }
            return try body(statement)
        }
    }

    private var plan: RowPlan { opened.plans.rows(fetch.layout, includesSubentities: fetch.includesSubentities) }

    /// Runs a statement that gives exactly what was asked for.
    private func outcome(_ sql: SQLText) throws -> FetchOutcome {
        switch fetch.result {
        case .rows, .dictionaries: .rows(try rows(sql))
        case .keys: .keys(try keys(sql))
        case .count: .count(try run(sql) { try $0.step() ? Int($0.int64(at: 0)) : 0 })
        }
    }

    private func rows(_ sql: SQLText) throws -> [FetchedRow] {
        var decoder = RowDecoder(
            plan: plan, schema: schema, root: schema.model.layouts[fetch.layout.rootIndex], cache: cache,
            externalFolder: opened.externalFolder)
        return try run(sql) { try decoder.rows($0) }
    }

    private func keys(_ sql: SQLText) throws -> [ObjectKey] {
        try run(sql) { statement in
            var result: [ObjectKey] = []
            while try statement.step() {
                guard let layout = schema.layout(number: statement.int64(at: 1)) else { continue }
                result.append(ObjectKey(layout.index, statement.int64(at: 0)))
            }
            return result
        }
    }

    private func dictionaries(_ builder: SelectBuilder, _ request: ResolvedFetch.Dictionaries) throws -> [[String: Any]]
    {
        let (sql, columns) = try builder.dictionaries(request)
        return try run(sql) { statement in
            var result: [[String: Any]] = []
            while try statement.step() {
                var entries: [String: Any] = Dictionary(minimumCapacity: columns.count)
                for column in columns {
                    entries[column.name] = column.value(statement, schema: schema, folder: opened.externalFolder)
                }
                result.append(entries)
            }
            return result
        }
    }

    /// Rows that match what SQL could say are asked for the rest, sorted, cut and shaped in memory.
    private func inMemory(_ builder: SelectBuilder) throws -> FetchOutcome {
        let reader = RowReader(opened: opened, connection: connection, cache: cache)
        let source = SQLiteRowSource(reader: reader)
        var rest = fetch
        rest.predicate = builder.remainder.isEmpty ? nil : .and(builder.remainder)
        var candidates = try rows(builder.rows(plan))
        if builder.sortsInMemory { candidates.sort { $0.key < $1.key } } else { rest.sorting = [] }
        return try RowFetch(rest, source).run(over: candidates)
    }
}

/// Follows relationships for predicates that are evaluated in memory. For the time of one fetch.
private final class SQLiteRowSource: RowSource {
    private let reader: RowReader

    init(reader: RowReader) { self.reader = reader }

    var layouts: ModelLayout { reader.opened.schema.model }

    func storedRow(_ reference: Reference) throws -> FetchedRow? {
        let root = layouts.layouts[layouts.layouts[reference.entityIndex].rootIndex]
        return try reader.rows([reference.key], root: root).first
    }

    func storedMembers(of slot: Int, layout: EntityLayout, key: Int64) throws -> [Reference] {
        try reader.members(of: slot, layout: layout, owners: [key])[key] ?? []
    }
}
