// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Executes a fetch: by one statement if SQL can express all of it, otherwise by filtering candidates in memory.

import CoreData
import CoreDataFoundation
import Foundation
import PostgreSQLDriver

/// One fetch on one connection.
struct ServerFetch: StatementFetch {
    let reader: ServerReader
    let fetch: BoundFetch

    /// The server's protocol numbers the values of a statement with 16 bits.
    private static let mostValues = 65_535

    private var opened: OpenServer { reader.opened }
    private var connection: Connection { reader.connection }
    private var schema: Schema { opened.schema }
    var excludesForeignRows: Bool { false }
    var searches: (any SearchConditions)? {
        opened.searches.tables.isEmpty ? nil : ServerSearchConditions(indexes: opened.searches)
    }

    func outcome() throws -> FetchOutcome {
        do {
            if case .rows = fetch.result, let statement = opened.lookUps.statement(for: fetch) {
                return .rows(try rows(statement, streams: streams))
            }
            let strategy = try strategy()
            if strategy.sql.values.count > Self.mostValues {
                return try run(self.strategy(refused: "it has too many values"))
            }
            return try run(strategy)
        } catch let error as PostgreSQLError where error.isAboutData {
            // A condition that the server refuses (a division, a number out of range) is evaluated in memory.
            try SnapshotReader.recover(connection, opened.sessions.deadline)
            return try run(strategy(refused: "the server refuses it: \(error.code)"))
        } catch let error as PostgreSQLError where ServerSearchConditions.isRefused(error) {
            try SnapshotReader.recover(connection, opened.sessions.deadline)
            return try run(strategy(refused: "a full-text index was removed"))
        }
    }

    func whole(_ sql: SQLText) throws -> FetchOutcome {
        switch fetch.result {
        case .rows, .dictionaries:
            let statement = sql.statement()
            opened.lookUps.keep(statement, of: sql, for: fetch)
            return .rows(try rows(statement, streams: streams))
        case .keys: return .keys(try keys(sql))
        case .count:
            let answer = try connection.run(sql.statement(), opened.sessions.deadline)
            return .count(Int(answer.first(\.integer) ?? 0))
        }
    }

    func candidates(_ sql: SQLText, _ parts: [FetchExplanation.InMemoryPart]) throws -> [FetchedRow] {
        try rows(sql.statement(), streams: true)
    }

    // MARK: Results

    private var streams: Bool { fetch.limit == 0 || fetch.limit > 1_000 }

    private func rows(_ statement: Statement, streams: Bool) throws -> [FetchedRow] {
        let cache = reader.cache
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
        if streams {
            try connection.stream(statement, answerTimeout: opened.sessions.answerTimeout, take)
        } else {
            try connection.run(statement, opened.sessions.deadline).forEachRow(take)
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

    func dictionaries(_ sql: SQLText, _ columns: [DictionaryColumn]) throws -> [[String: Any]] {
        let answer = try connection.run(sql.statement(), opened.sessions.deadline)
        var result: [[String: Any]] = []
        try answer.forEachRow { cells in
            var entries: [String: Any] = Dictionary(minimumCapacity: columns.count)
            for column in columns { entries[column.name] = try column.value(cells, schema: schema, folder: nil) }
            result.append(entries)
        }
        return result
    }

    // MARK: Explanation

    func explanation(of store: NSPersistentStore) throws -> FetchExplanation.Store {
        let strategy = try strategy()
        let statement = strategy.sql.statement(isReused: false)
        let answer = try connection.run(
            Statement("EXPLAIN " + statement.text, statement.values, isReused: false), opened.sessions.deadline)
        var lines: [String] = []
        answer.forEachRow { if let line = $0[0].text { lines.append(line) } }
        lines += IndexLoss.notes(on: statement.text, opened)
        return FetchExplanation.Store(
            identifier: store.identifier, type: store.type, sql: statement.text,
            valueTypes: strategy.sql.values.map(\.explainedType), queryPlan: lines, inMemory: strategy.inMemory)
    }
}
