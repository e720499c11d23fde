// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Asks a database for its plan of a statement that an observer has reported.

import Foundation

/// A store that knows the plans of its database.
package protocol PlanTelling {
    /// - Throws: a Cocoa error if the database does not know the statement.
    func plan(ofStatement statement: String) throws -> [String]
}

extension NSPersistentStore {
    /// The plan by which the database would run a statement now, a line for each step, such as `SCAN t0`.
    ///
    /// ```swift
    /// let plan = try store.queryPlan(ofStatement: "SELECT Z_PK FROM ZMEMO WHERE ZTITLE = ?")
    /// ```
    ///
    /// Statements come from `StoreOperation.statement`; their placeholders need no values. The statement itself does
    /// not run. For a store in PostgreSQL it is the plan for any values: with particular ones the server may choose
    /// another.
    ///
    /// - Returns: empty for a statement of SQLite without a plan, such as `COMMIT`.
    /// - Throws: 134070 for stores other than SQLite and PostgreSQL, for a statement that the database does not know,
    ///   and if it does not answer within two seconds.
    /// - Important: may be called on any thread, but not by an observer.
    /// - Complexity: for a store in PostgreSQL one connection more than its limit, for this question.
    public final func queryPlan(ofStatement statement: String) throws -> [String] {
        guard let store = self as? any PlanTelling else {
            throw CoreDataError.storeOperation(
                "Only stores in SQLite and PostgreSQL tell the plan of a statement, not those of the type \(type).",
                store: self)
        }
        return try store.plan(ofStatement: statement)
    }
}
