// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Remembers the rows that got another version from the server because this store wrote their place.

import CoreData
import Foundation
import Synchronization

/// A place among the members of an ordered relationship is no value of the member, so its objects keep the version that
/// they were read with. Where versions are the server's own (`xmin`), that one is outdated then. A save of such an
/// object would be a conflict with a save of its own program, hence the store knows which version came of which
/// (MappedTables-O3).
final class PlacedRows: Sendable {
    struct Change {
        let before: Int64
        let after: Int64
    }

    typealias Changes = [ObjectKey: Change]

    /// More rows than these are forgotten all: then a save of one of them is a conflict.
    private static let most = 100_000

    /// By root entity and key: the former versions of a row, and the present one.
    private let rows = Mutex<[ObjectKey: (before: Set<Int64>, now: Int64)]>([:])

    /// - Parameter changes: of a transaction that is committed.
    func add(_ changes: Changes) {
        if changes.isEmpty { return }
        rows.withLock { rows in
            if rows.count + changes.count > Self.most { rows = [:] }
            for (row, change) in changes where change.before != change.after {
                // Others have changed the values of a row that did not have the version known here.
                var former = rows[row].flatMap { $0.now == change.before ? $0.before : nil } ?? []
                former.insert(change.before)
                rows[row] = (former, change.after)
            }
        }
    }

    /// The changes with the present versions of such rows.
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
