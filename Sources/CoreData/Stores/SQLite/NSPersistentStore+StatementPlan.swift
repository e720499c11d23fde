// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tells how SQLite runs a statement that an observer has reported.

import Foundation
import SQLiteDriver

extension NSPersistentStore {
    /// The plan by which the store would run a statement now, a line for each step, such as `SCAN t0`.
    ///
    /// Statements come from `StoreOperation.statement`; their placeholders need no values. The statement itself does
    /// not run.
    ///
    /// - Throws: 134070 for stores other than SQLite, and for a statement that the store does not know.
    /// - Important: may be called on any thread, but not by an observer.
    public final func queryPlan(ofStatement statement: String) throws -> [String] {
        guard let store = self as? SQLiteStore else {
            throw CoreDataError.storeOperation(
                "Only stores in SQLite tell the plan of a statement, not those of the type \(type).", store: self)
        }
        do {
            return try store.opened().pool.read(in: nil, since: 0) { try $0.queryPlan(statement) }
        } catch {
            throw store.failure(error)
        }
    }
}
