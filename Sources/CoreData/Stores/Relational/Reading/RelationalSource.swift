// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A source of rows that asks a database, on one connection for each call.

/// Reads on one connection, and puts the rows into a cache.
package protocol ConnectionReader {
    var schema: Schema { get }
    var plans: RowPlans { get }
    /// Receives the rows.
    var cache: CacheFillPermit { get set }
    func outcome(of fetch: BoundFetch) throws -> FetchOutcome
    func explanation(of fetch: BoundFetch, in store: NSPersistentStore) throws -> FetchExplanation.Store
    /// See `RecordSource.rows(_:root:in:)`.
    func rows(_ keys: [Int64], root: EntityLayout) throws -> [FetchedRow]
    /// The rows that a uniqueness rule holds for.
    func rows(_ question: UniquenessDiagnosis.Question) throws -> [FetchedRow]
    /// See `RecordSource.members(of:layout:owners:in:)`.
    func members(of slot: Int, layout: EntityLayout, owners: [Int64]) throws -> [Int64: [Reference]]
}

extension ConnectionReader {
    /// The rows that an evaluation in memory follows relationships to.
    package func relatedRows() -> RelatedRows {
        RelatedRows(
            schema.model, rows: { try rows($0, root: $1) }, members: { try members(of: $0, layout: $1, owners: $2) })
    }
}

/// A store as it is now, or a query generation of it.
package protocol RelationalSource: RecordSource {
    associatedtype Reader: ConnectionReader

    /// The store that explanations name.
    var store: NSPersistentStore { get }

    /// Calls the body with a reader, and translates the errors of the database.
    func read<T>(in sharedRead: SharedReadTransaction?, _ body: (Reader) throws -> T) throws -> T
}

extension RelationalSource where Self: NSPersistentStore {
    package var store: NSPersistentStore { self }
}

extension RelationalSource {
    package func fetch(_ fetch: BoundFetch, in sharedRead: SharedReadTransaction?) throws -> FetchOutcome {
        try read(in: sharedRead) { try $0.outcome(of: fetch) }
    }

    package func explain(_ fetch: BoundFetch, in sharedRead: SharedReadTransaction?) throws -> FetchExplanation.Store {
        try read(in: sharedRead) { try $0.explanation(of: fetch, in: store) }
    }

    package func rows(_ keys: [Int64], root: EntityLayout, in sharedRead: SharedReadTransaction?) throws -> [FetchedRow]
    {
        if keys.isEmpty { return [] }
        return try read(in: sharedRead) { try $0.rows(keys, root: root) }
    }

    package func members(of slot: Int, layout: EntityLayout, owners: [Int64], in sharedRead: SharedReadTransaction?)
        throws -> [Int64: [Reference]]
    {
        if owners.isEmpty { return [:] }
        return try read(in: sharedRead) { try $0.members(of: slot, layout: layout, owners: owners) }
    }
}
