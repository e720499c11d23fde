// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An immutable view of a store in memory at one moment.

import Foundation

/// Shares its rows with the store, which replaces rows but never changes them.
final class MemoryView: RecordSource, RowGraph {
    /// Stays empty, because the rows are in memory.
    let rowCache = RowCache()
    private let reader: MemoryReader

    private let identifier: String
    private let type: String

    init(_ reader: MemoryReader, identifier: String, type: String) {
        self.reader = reader
        self.identifier = identifier
        self.type = type
    }

    var layouts: ModelLayout { reader.model }

    func fetch(_ fetch: BoundFetch, in sharedRead: SharedReadTransaction?) throws -> FetchOutcome {
        try RowFetch(fetch, self).run(over: reader.candidates(fetch))
    }

    func explain(_ fetch: BoundFetch, in sharedRead: SharedReadTransaction?) throws -> FetchExplanation.Store {
        FetchExplanation.Store(
            identifier: identifier, type: type, sql: nil, valueTypes: [], queryPlan: [],
            inMemory: fetch.doneOnRows)
    }

    func rows(_ keys: [Int64], root: EntityLayout, in sharedRead: SharedReadTransaction?) throws -> [FetchedRow] {
        reader.rows(keys, root: root)
    }

    func members(of slot: Int, layout: EntityLayout, owners: [Int64], in sharedRead: SharedReadTransaction?) throws
        -> [Int64:
        [Reference]]
    {
        reader.occupied(slot, layout: layout, owners: owners)
    }

    func storedRow(_ reference: Reference) throws -> FetchedRow? { reader.row(reference) }

    func storedMembers(of slot: Int, layout: EntityLayout, key: Int64) throws -> [Reference] {
        reader.members(of: slot, layout: layout, owners: [key])[key] ?? []
    }
}
