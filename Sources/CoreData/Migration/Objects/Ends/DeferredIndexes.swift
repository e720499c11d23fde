// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The indexes of a new database that a migration by objects fills: not made until a query needs them.

/// If keys come in no order, each save of a migration changes nearly every page of an index, so the time per row grows
/// with the number of rows. Making the index for all rows sorts them only once. Migration-M57.
///
/// # States
///     deferred ──the first query that is not by key, or the end──▶ made
final class DeferredIndexes {
    private let store: any IndexDeferring
    private let scope: ReadScope
    private var statements: [String]

    /// Drops the indexes of a store without rows; nil for a store that is not a database, or whose saves run queries.
    ///
    /// - Parameter scope: the read scope of the context that runs the queries; it is renewed when an index is made.
    /// - Throws: the error of the database.
    init?(of store: NSPersistentStore, _ model: NSManagedObjectModel, _ scope: ReadScope) throws {
        // Each save computes derived attributes by queries.
        guard let store = store as? any IndexDeferring,
            !model.entities.contains(where: { $0.properties.contains { $0 is NSDerivedAttributeDescription } })
        else { return nil }
        self.store = store
        self.scope = scope
        statements = try store.removeIndexes()
    }

    /// Makes the indexes that are not made yet.
    ///
    /// - Parameter check: called before each index; throws to end the migration.
    /// - Throws: the error of the database, or of `check`.
    func make(_ check: () throws -> Void = {}) throws {
        while let statement = statements.first {
            try check()
            scope.endReads()
            try store.makeIndex(statement)
            statements.removeFirst()
        }
    }
}
