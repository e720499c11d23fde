// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Explains how the store would answer a fetch, without fetching.

import SQLiteDriver

extension FetchRun {
    /// - Throws: the errors of the fetch that are detectable without running it.
    func explanation(of store: NSPersistentStore) throws -> FetchExplanation.Store {
        let foreignRows = try countForeignRows()
        let way = try way(excludesForeignRows: opened.plans.excludesForeignRows)
        return FetchExplanation.Store(
            identifier: store.identity.identifier, type: store.type, sql: way.sql.text,
            valueTypes: way.sql.values.map { FetchExplanation.ValueType($0.sqlite) },
            queryPlan: try connection.queryPlan(way.sql.text), inMemory: way.inMemory,
            skippedRows: foreignRows)
    }
}

extension FetchExplanation.ValueType {
    fileprivate init(_ value: SQLiteValue) {
        switch value {
        case .null: self = .null
        case .integer: self = .integer
        case .real: self = .real
        case .text: self = .text
        case .blob: self = .blob
        }
    }
}
