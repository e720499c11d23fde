// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store in a database whose indexes a migration makes when the rows are there.

/// Used by `DeferredIndexes`. Migration-M57.
protocol IndexDeferring: NSPersistentStore {
    /// Removes the indexes of the tables of entities from a store without rows, except unique ones.
    ///
    /// - Returns: the statements that make them, in their order.
    func removeIndexes() throws -> [String]
    func makeIndex(_ statement: String) throws
}
