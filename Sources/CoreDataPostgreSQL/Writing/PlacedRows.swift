// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Remembers the rows that got another version on the server because this store wrote their order key.

import CoreData
import Foundation
import Synchronization

/// An order key is not a value of the member, so the member's objects keep the version with which they were read. If
/// versions are the server's own (`xmin`), that version is then outdated, and saving such an object would conflict with
/// a save of the same program. So the store records which version replaced which (MappedTables-O3).
final class PlacedRows: Sendable {
    struct Change {
        let before: Int64
        let after: Int64
    }

    typealias Changes = [ObjectKey: Change]

    /// Beyond this number all rows are forgotten: saving one of them is then a conflict.
    private static let most = 100_000

    /// By root entity and key: the former versions of a row, and the current one.
    private let rows = Mutex<[ObjectKey: (before: Set<Int64>, now: Int64)]>([:])

    /// - Parameter changes: the changes of a committed transaction.
    func add(_ changes: Changes) {
        if changes.isEmpty { return }
        rows.withLock { rows in
            if rows.count + changes.count > Self.most { rows = [:] }
            for (row, change) in changes where change.before != change.after {
                // Another client has changed the row if it did not have the version recorded here.
                var former = rows[row].flatMap { $0.now == change.before ? $0.before : nil } ?? []
                former.insert(change.before)
                rows[row] = (former, change.after)
            }
        }
    }

    /// The changes with the current versions of such rows.
    func current(_ changes: ChangeSet) -> ChangeSet {
        let rows = rows.withLock { $0 }
        guard !rows.isEmpty else { return changes }
        func version(_ layout: EntityLayout, _ key: Int64, _ version: Int64) -> Int64 {
            guard let row = rows[ObjectKey(layout.rootIndex, key)], row.before.contains(version) else {
                return version
            }
            return row.now
        }
        var result = changes
        for place in result.updates.indices {
            let update = result.updates[place]
            result.updates[place].baseVersion = version(update.snapshot.layout, update.key, update.baseVersion)
        }
        for place in result.deletes.indices {
            let delete = result.deletes[place]
            result.deletes[place].baseVersion = version(delete.layout, delete.key, delete.baseVersion)
        }
        for place in result.checks.indices {
            let check = result.checks[place]
            result.checks[place].baseVersion = version(check.layout, check.key, check.baseVersion)
        }
        return result
    }
}
