// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The reads of a SQLite store: fetches, and rows and members by key.

import CoreDataFoundation
import Foundation
import SQLiteDriver

extension SQLiteStore {
    func fetch(_ fetch: BoundFetch, in sharedRead: SharedReadTransaction?) throws -> FetchOutcome {
        do {
            return try answer(fetch, sharedRead)
        } catch let value as UnreadableValue where value.file.isMissing {
            // Another process may have replaced the data after its row was read (LargeData-E7).
            do { return try answer(fetch, sharedRead) } catch { throw failure(error) }
        } catch {
            throw failure(error)
        }
    }

    private func answer(_ fetch: BoundFetch, _ sharedRead: SharedReadTransaction?) throws -> FetchOutcome {
        let permit = CacheFillPermit(rowCache)
        let opened = try opened()
        // No closures here: nested closures retain their captures, and look-ups take this path.
        if opened.pool.log == nil, let connection = try opened.pool.leased(in: sharedRead, since: permit.moment) {
            return try opened.outcome(of: fetch, connection, permit)
        }
        return try opened.pool.read(in: sharedRead, since: permit.moment) { connection in
            guard let log = opened.pool.log else { return try opened.outcome(of: fetch, connection, permit) }
            return try log.timed { try opened.outcome(of: fetch, connection, permit) }
        }
    }

    func explain(_ fetch: BoundFetch, in sharedRead: SharedReadTransaction?) throws -> FetchExplanation.Store {
        try read(in: sharedRead) { opened, connection, permit in
            try FetchRun(opened: opened, connection: connection, cache: permit, fetch: fetch)
                .explanation(of: self)
        }
    }

    func rows(_ keys: [Int64], root: EntityLayout, in sharedRead: SharedReadTransaction?) throws -> [FetchedRow] {
        if keys.isEmpty { return [] }
        return try read(in: sharedRead) { opened, connection, permit in
            try RowReader(opened: opened, connection: connection, cache: permit).rows(keys, root: root)
        }
    }

    func members(of slot: Int, layout: EntityLayout, owners: [Int64], in sharedRead: SharedReadTransaction?) throws
        -> [Int64:
        [Reference]]
    {
        if owners.isEmpty { return [:] }
        return try read(in: sharedRead) { opened, connection, permit in
            try RowReader(opened: opened, connection: connection, cache: permit)
                .members(of: slot, layout: layout, owners: owners)
        }
    }
}

extension NSPersistentStore {
    /// Whether a fetch has found rows that belong to no object. `NSFetchRequest.explain(in:)` counts them.
    package var hasMetForeignRows: Bool {
        (try? (self as? SQLiteStore)?.opened())?.plans.excludesForeignRows ?? false
    }
}
