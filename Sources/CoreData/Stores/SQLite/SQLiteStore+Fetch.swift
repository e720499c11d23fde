// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The reads of a SQLite store: fetches, and rows and members by key.

import CoreDataFoundation
import Foundation
import SQLiteDriver

extension SQLiteStore: RelationalSource {
    func read<T>(in sharedRead: SharedReadTransaction?, _ body: (RowReader) throws -> T) throws -> T {
        let moment = rowCache.moment
        let opened = try opened()
        let permit = CacheFillPermit(rowCache, since: moment)
        do {
            return try opened.pool.read(in: sharedRead, since: moment) {
                try body(RowReader(opened: opened, connection: $0, cache: permit))
            }
        } catch {
            throw failure(error)
        }
    }

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
        if opened.pool.writtenLog == nil, StopSignal.current == nil {
            if let connection = try opened.pool.leased(in: sharedRead, since: permit.moment) {
                return try opened.outcome(of: fetch, connection, permit)
            }
            if let reader = try opened.pool.reader(since: permit.moment) {
                do {
                    let outcome = try opened.outcome(of: fetch, reader.connection, permit)
                    opened.pool.giveBack(reader)
                    return outcome
                } catch {
                    opened.pool.endAndGiveBack(reader)
                    throw error
                }
            }
        }
        return try opened.pool.read(in: sharedRead, since: permit.moment) { connection in
            guard let log = opened.pool.writtenLog else { return try opened.outcome(of: fetch, connection, permit) }
            return try log.timed { try opened.outcome(of: fetch, connection, permit) }
        }
    }
}

extension NSPersistentStore {
    /// Whether a fetch has found rows that belong to no object. `NSFetchRequest.explain(in:)` counts them.
    package var hasMetForeignRows: Bool {
        (try? (self as? SQLiteStore)?.opened())?.plans.excludesForeignRows ?? false
    }
}
