// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Executes a fetch: by one statement if SQL can express all of it, otherwise by filtering candidates in memory.

import CoreData
import CoreDataFoundation
import Foundation
import PostgreSQLDriver

/// One fetch on one connection.
struct ServerFetch {
    let opened: OpenServer
    let connection: Connection
    let cache: CacheFillPermit
    let fetch: BoundFetch

    /// The server's protocol numbers the values of a statement with 16 bits.
    private static let mostValues = 65_535

    private var schema: Schema { opened.schema }

    func outcome() throws -> FetchOutcome {
        do {
            if case .rows = fetch.result, let statement = opened.lookUps.statement(for: fetch) {
                return .rows(try rows(statement))
            }
            let way = try way()
            if way.sql.values.count > Self.mostValues { return try run(candidates(reason: "it has too many values")) }
            return try run(way)
        } catch let error as PostgreSQLError where error.isAboutData {
            // A condition that the server refuses (a division, a number out of range) is evaluated in memory.
            try SnapshotReader.recover(connection, opened.sessions.deadline)
            return try run(candidates(reason: "the server refuses it: \(error.code)"))
        }
    }

    private func run(_ way: FetchStrategy) throws -> FetchOutcome {
        switch way {
        case .whole(let sql):
            switch fetch.result {
            case .rows, .dictionaries:
                let statement = sql.statement()
                opened.lookUps.keep(statement, of: sql, for: fetch)
                return .rows(try rows(statement))
            case .keys: return .keys(try keys(sql))
            case .count:
                let answer = try connection.run(sql.statement(), opened.sessions.deadline)
                return .count(Int(answer.first(\.integer) ?? 0))
            }
        case .dictionaries(let sql, let columns): return .dictionaries(try dictionaries(sql, columns))
        case .candidates(let sql, let rest, _): return try inMemory(sql, rest)
        }
    }

    private func way() throws -> FetchStrategy { try FetchStrategy(SelectBuilder(schema: schema, fetch: fetch), plan) }

    /// Reads all rows of the entity, and does everything else in memory.
    private func candidates(reason: String) throws -> FetchStrategy {
        try FetchStrategy(refused: fetch, reason: reason) { try SelectBuilder(schema: schema, fetch: $0).rows(plan) }
    }

    private var plan: RowPlan { opened.plans.rows(fetch.layout, includesSubentities: fetch.includesSubentities) }

    // MARK: Results

    private func rows(_ statement: Statement) throws -> [FetchedRow] {
        var decoder = CellDecoder(opened, plan, root: fetch.layout, cache)
        var result: [FetchedRow] = []
        var recorded = 0
        func take(_ cells: CellRow) throws {
            guard let row = try decoder.row(cells) else { return }
            result.append(row)
            if result.count - recorded == 512 {
                cache.record(result[recorded...])
                recorded = result.count
            }
        }
        if fetch.limit > 0, fetch.limit <= 1_000 {
            try connection.run(statement, opened.sessions.deadline).forEachRow(take)
        } else {
            try connection.stream(statement, answerTimeout: opened.sessions.answerTimeout, take)
        }
        if recorded < result.count { cache.record(result[recorded...]) }
        return result
    }

    private func keys(_ sql: SQLText) throws -> [ObjectKey] {
        var result: [ObjectKey] = []
        var last: (name: String, index: Int)?
        try connection.stream(sql.statement(), answerTimeout: opened.sessions.answerTimeout) { cells in
            guard let key = cells[0].integer, let name = cells[1].text else { return }
            if last?.name != name { last = schema.model.layout(named: name).map { (name, $0.index) } }
            if let last { result.append(ObjectKey(last.index, key)) }
        }
        return result
    }

    private func dictionaries(_ sql: SQLText, _ columns: [DictionaryColumn]) throws -> [[String: Any]] {
        let answer = try connection.run(sql.statement(), opened.sessions.deadline)
        var result: [[String: Any]] = []
        try answer.forEachRow { cells in
            var entries: [String: Any] = Dictionary(minimumCapacity: columns.count)
            for column in columns { entries[column.name] = try column.value(cells, schema: schema, folder: nil) }
            result.append(entries)
        }
        return result
    }

    /// Filters candidate rows by the rest of the predicate, sorts them, applies limit and offset, and shapes the
    /// result.
    private func inMemory(_ sql: SQLText, _ rest: BoundFetch) throws -> FetchOutcome {
        let source = ServerReader(opened: opened, connection: connection, cache: cache).relatedRows()
        var decoder = CellDecoder(opened, plan, root: fetch.layout, cache)
        var candidates: [FetchedRow] = []
        try connection.stream(sql.statement(), answerTimeout: opened.sessions.answerTimeout) { cells in
            if let row = try decoder.row(cells) { candidates.append(row) }
        }
        cache.record(candidates)
        if rest.isOrdered { candidates.sort { $0.key < $1.key } }
        return try withExtendedLifetime(source) { try RowFetch(rest, source).run(over: candidates) }
    }

    // MARK: Explanation

    func explanation(of store: NSPersistentStore) throws -> FetchExplanation.Store {
        let way = try way()
        let statement = way.sql.statement(isReused: false)
        let answer = try connection.run(
            Statement("EXPLAIN " + statement.text, statement.values, isReused: false), opened.sessions.deadline)
        var lines: [String] = []
        answer.forEachRow { if let line = $0[0].text { lines.append(line) } }
        lines += IndexLoss.notes(on: statement.text, opened)
        return FetchExplanation.Store(
            identifier: store.identifier, type: store.type, sql: statement.text,
            valueTypes: way.sql.values.map(\.explainedType), queryPlan: lines, inMemory: way.inMemory)
    }
}
