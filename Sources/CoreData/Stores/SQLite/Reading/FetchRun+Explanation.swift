// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Explains how the store would answer a fetch, without fetching.

import SQLiteDriver

extension FetchRun {
    /// - Throws: the errors of the fetch that are detectable without running it.
    func explanation(of store: NSPersistentStore) throws -> FetchExplanation.Store {
        let foreignRows = try countForeignRows()
        let excludesForeignRows = opened.plans.excludesForeignRows
        do {
            return try explanation(of: store, try way(excludesForeignRows: excludesForeignRows), foreignRows)
        } catch let error as SQLiteError where error.isAboutLimits {
            let way = try candidates(excludesForeignRows, reason: "SQLite refuses it: \(error.message)")
            return try explanation(of: store, way, foreignRows)
        }
    }

    private func explanation(of store: NSPersistentStore, _ way: FetchStrategy, _ foreignRows: Int) throws
        -> FetchExplanation.Store
    {
        FetchExplanation.Store(
            identifier: store.identity.identifier, type: store.type, sql: way.sql.text,
            valueTypes: way.sql.values.map(\.explainedType),
            queryPlan: try connection.queryPlan(way.sql.text), inMemory: way.inMemory,
            skippedRows: foreignRows)
    }
}
