// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Explains how the store would answer a fetch, without fetching.

import SQLiteDriver

extension FetchRun {
    /// - Throws: the errors of the fetch that are detectable without running it.
    func explanation(of store: NSPersistentStore, _ foreignRows: Int) throws -> FetchExplanation.Store {
        do {
            return try explanation(of: store, try strategy(), foreignRows)
        } catch let error as SQLiteError where error.isAboutLimits {
            let strategy = try strategy(refused: "SQLite refuses it: \(error.message)")
            return try explanation(of: store, strategy, foreignRows)
        }
    }

    private func explanation(of store: NSPersistentStore, _ strategy: FetchStrategy, _ foreignRows: Int) throws
        -> FetchExplanation.Store
    {
        FetchExplanation.Store(
            identifier: store.identity.identifier, type: store.type, sql: strategy.sql.text,
            valueTypes: strategy.sql.values.map(\.explainedType),
            queryPlan: try reader.connection.queryPlan(strategy.sql.text), inMemory: strategy.inMemory,
            skippedRows: foreignRows)
    }
}
