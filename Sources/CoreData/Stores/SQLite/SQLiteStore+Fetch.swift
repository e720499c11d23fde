// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Answers fetches: with one statement where SQL suffices, with further work in memory otherwise.

import CoreDataFoundation
import Foundation
import SQLiteDriver

extension SQLiteStore {
    func fetch(_ fetch: ResolvedFetch, in burst: ReadBurst?) throws -> FetchOutcome {
        try read(in: burst) { opened, connection, filling in
            let run = FetchRun(opened: opened, connection: connection, cache: filling, fetch: fetch)
            guard let log = opened.pool.log else { return try run.outcome() }
            return try log.timed { try run.outcome() }
        }
    }

    func rows(_ question: PlainQuestion, in burst: ReadBurst?) throws -> [FetchedRow]? {
        let filling = RowFilling(rowCache)
        let opened = try opened()
        guard opened.pool.log == nil, let text = opened.plans.text(question) else { return nil }
        do {
            // No closures here: nested closures retain their captures, and look-ups take this path.
            if let connection = try opened.pool.leased(in: burst, since: filling.moment) {
                return try opened.rows(text, question, connection, filling)
            }
            return try opened.pool.read(in: burst, since: filling.moment) { connection in
                try opened.rows(text, question, connection, filling)
            }
        } catch {
            throw failure(error)
        }
    }

    func explain(_ fetch: ResolvedFetch, in burst: ReadBurst?) throws -> FetchExplanation.Store {
        try read(in: burst) { opened, connection, filling in
            try FetchRun(opened: opened, connection: connection, cache: filling, fetch: fetch)
                .explanation(of: self)
        }
    }

    func rows(_ keys: [Int64], root: EntityLayout, in burst: ReadBurst?) throws -> [FetchedRow] {
        if keys.isEmpty { return [] }
        return try read(in: burst) { opened, connection, filling in
            try RowReader(opened: opened, connection: connection, cache: filling).rows(keys, root: root)
        }
    }

    func members(of slot: Int, layout: EntityLayout, owners: [Int64], in burst: ReadBurst?) throws -> [Int64:
        [Reference]]
    {
        if owners.isEmpty { return [:] }
        return try read(in: burst) { opened, connection, filling in
            try RowReader(opened: opened, connection: connection, cache: filling)
                .members(of: slot, layout: layout, owners: owners)
        }
    }
}

extension SQLiteStore.Opened {
    /// The rows of a statement; nil when it returns the first row that belongs to no object.
    fileprivate func rows(
        _ text: ReadyText, _ question: PlainQuestion, _ connection: Connection, _ filling: RowFilling
    ) throws -> [FetchedRow]? {
        let statement = try connection.statement(for: text.sql)
        defer {
            statement.reset()
            statement.clearBindings()
        }
        try bind(question, to: statement)
        var decoder = RowDecoder(
            plan: text.plan, schema: schema, rootIndex: question.layout.rootIndex, cache: filling,
            externalFolder: externalFolder)
        let rows = try decoder.rows(statement)
        guard decoder.skipped > 0, !plans.excludesForeignRows else { return rows }
        plans.excludeForeignRows()
        return nil
    }

    /// The shape defines the order of the values.
    private func bind(_ question: PlainQuestion, to statement: Statement) throws {
        let comparisons = question.condition.comparisons
        for index in comparisons.indices {
            switch comparisons[index].value {
            case .integer(let number): try statement.bind(number, at: index + 1)
            case let value: try statement.bind(ExpressionTranslator.argument(value) ?? .null, at: index + 1)
            }
        }
        if question.limit != 0 { try statement.bind(Int64(question.limit), at: comparisons.count + 1) }
    }
}

/// One fetch on one connection.
struct FetchRun {
    let opened: SQLiteStore.Opened
    let connection: Connection
    let cache: RowFilling
    let fetch: ResolvedFetch

    private var schema: Schema { opened.schema }

    /// The ways to answer a fetch.
    enum Way {
        /// One statement returns the result: rows, keys or a number.
        case whole(SQLText)
        case dictionaries(SQLText, [DictionaryColumn])
        /// One statement returns rows that match the translatable part; the rest happens in memory.
        case candidates(SQLText, SelectBuilder, [FetchExplanation.InMemoryPart])
    }

    func outcome() throws -> FetchOutcome {
        let excludedForeignRows = opened.plans.excludesForeignRows
        let outcome = try firstOutcome()
        // Foreign rows have counted for limit and offset, so the fetch runs again without them.
        return opened.plans.excludesForeignRows == excludedForeignRows ? outcome : try firstOutcome()
    }

    private func firstOutcome() throws -> FetchOutcome {
        let plain = FetchShape.make(fetch)
        if let plain, let text = opened.plans.text(plain.shape) { return try outcome(SQLText(text.sql, plain.values)) }
        let excludesForeignRows = opened.plans.excludesForeignRows
        switch try way(excludesForeignRows: excludesForeignRows) {
        case .whole(let sql):
            // Only if the values have the order that the shape defines.
            if let plain, plain.values == sql.values {
                opened.plans.keep(
                    ReadyText(shape: plain.shape, sql: sql.text, plan: plan), excludesForeignRows: excludesForeignRows)
            }
            return try outcome(sql)
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

    private func run<T>(_ sql: SQLText, _ body: (Statement) throws -> T) throws -> T {
        try connection.withStatement(sql.text) { statement in
            try statement.bind(sql.values)
            return try body(statement)
        }
    }

    private var plan: RowPlan { opened.plans.rows(fetch.layout, includesSubentities: fetch.includesSubentities) }

    /// Runs a statement that returns exactly the result.
    private func outcome(_ sql: SQLText) throws -> FetchOutcome {
        switch fetch.result {
        case .rows, .dictionaries: .rows(try rows(sql))
        case .keys: .keys(try keys(sql))
        case .count: .count(try run(sql) { try $0.step() ? Int($0.int64(at: 0)) : 0 })
        }
    }

    private func rows(_ sql: SQLText) throws -> [FetchedRow] {
        var decoder = RowDecoder(
            plan: plan, schema: schema, rootIndex: fetch.layout.rootIndex, cache: cache,
            externalFolder: opened.externalFolder)
        let rows = try run(sql) { try decoder.rows($0) }
        if decoder.skipped > 0 { noticeForeignRows() }
        return rows
    }

    private func keys(_ sql: SQLText) throws -> [ObjectKey] {
        try run(sql) { statement in
            var result: [ObjectKey] = []
            while try statement.step() {
                let key = statement.int64(at: 0)
                guard key > 0, let layout = schema.layout(number: statement.int64(at: 1)),
                    layout.rootIndex == fetch.layout.rootIndex
                else {
                    noticeForeignRows()
                    continue
                }
                result.append(ObjectKey(layout.index, key))
            }
            return result
        }
    }

    private func dictionaries(_ sql: SQLText, _ columns: [DictionaryColumn]) throws -> [[String: Any]] {
        try run(sql) { statement in
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

    /// Filters candidate rows by the rest of the predicate, sorts them, applies limit and offset, and
    /// shapes the result.
    private func inMemory(_ sql: SQLText, _ builder: SelectBuilder) throws -> FetchOutcome {
        let reader = RowReader(opened: opened, connection: connection, cache: cache)
        let source = RelatedRows(
            schema.model, rows: reader.rows, members: { try reader.members(of: $0, layout: $1, owners: $2) })
        var rest = fetch
        rest.condition = nil
        rest.predicate = builder.remainder.isEmpty ? nil : .and(builder.remainder)
        var candidates = try rows(sql)
        if builder.sortsInMemory { candidates.sort { $0.key < $1.key } } else { rest.sorting = [] }
        return try RowFetch(rest, source).run(over: candidates)
    }
}
