// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs the statements of fetches, and collects their rows, keys or count.

import CoreDataFoundation
import Foundation
import SQLiteDriver

extension OpenDatabase {
    /// Runs the cached statement of the fetch, or translates the fetch first.
    func outcome(of fetch: BoundFetch, _ connection: Connection, _ permit: CacheFillPermit) throws -> FetchOutcome {
        try searchForeignRows(fetch, connection)
        let excludedForeignRows = plans.excludesForeignRows
        let outcome = try firstOutcome(of: fetch, connection, permit)
        // Foreign rows have counted for limit and offset, so the fetch runs again without them.
        if plans.excludesForeignRows == excludedForeignRows { return outcome.ordered(for: fetch) }
        return try firstOutcome(of: fetch, connection, permit).ordered(for: fetch)
    }

    private func firstOutcome(of fetch: BoundFetch, _ connection: Connection, _ permit: CacheFillPermit) throws
        -> FetchOutcome
    {
        guard fetch.prepared.hasShape, let select = plans.select(for: fetch) else {
            return try FetchRun(RowReader(opened: self, connection: connection, cache: permit), fetch).outcome()
        }
        return try self.outcome(of: fetch, by: select, nil, connection, permit)
    }

    /// - Parameter values: nil for the values of the fetch.
    func outcome(
        of fetch: BoundFetch, by select: PreparedSelect, _ values: [ColumnValue]?, _ connection: Connection,
        _ permit: CacheFillPermit
    ) throws -> FetchOutcome {
        let statement = try connection.statement(for: select.sql)
        defer {
            statement.reset()
            statement.clearBindings()
        }
        if let values { try statement.bind(values.map(\.sqlite)) } else { try fetch.bind(to: statement) }
        switch fetch.result {
        case .rows, .dictionaries: return .rows(try rows(statement, of: fetch, select.plan, permit))
        case .keys: return .keys(try keys(statement, of: fetch))
        case .count: return .count(try statement.step() ? Int(statement.int64(at: 0)) : 0)
        }
    }

    func rows(_ statement: Statement, of fetch: BoundFetch, _ plan: RowPlan, _ permit: CacheFillPermit) throws
        -> [FetchedRow]
    {
        var decoder = RowDecoder(
            plan: plan, schema: schema, rootIndex: fetch.layout.rootIndex, cache: permit,
            externalFolder: externalFolder)
        let rows = try decoder.rows(statement)
        if decoder.skipped > 0 { noticeForeignRows() }
        return rows
    }

    private func keys(_ statement: Statement, of fetch: BoundFetch) throws -> [ObjectKey] {
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

    func noticeForeignRows() {
        if !plans.excludesForeignRows { plans.excludeForeignRows() }
    }
}
