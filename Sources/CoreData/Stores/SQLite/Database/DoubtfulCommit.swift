// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A commit that failed while the database could not be read.

/// The transaction of such a commit may stand (`SaveTransaction.commitStands`). The next attempt of its save then meets
/// its own rows: they look like those of somebody else.
///
/// A row that holds exactly the version and the values of the commit is taken for its own. The insertion becomes an
/// update of this row, the update continues from the version that it made, and the deletion of a row that is gone is
/// left out. Any other row is a conflict as ever.
struct DoubtfulCommit {
    /// A store remembers the newest ones only: a context that was reset never tries again.
    static let maximumCount = 4

    let keys: AssignedKeys
    private(set) var inserts: [Int64: Snapshot] = [:]
    private(set) var updates: [ObjectKey: ChangeSet.Update] = [:]
    private(set) var deletes: [ObjectKey: Int64] = [:]

    /// Copies the values: objects may change theirs in place before the next attempt.
    init(_ changes: ChangeSet, _ keys: AssignedKeys) {
        self.keys = keys
        func copy(_ snapshot: Snapshot) -> Snapshot {
            let copy = snapshot.copy()
            copy.resolveReferences { keys[$0] }
            return copy
        }
        for insert in changes.inserts {
            let row = copy(insert.snapshot)
            row.version = insert.version
            inserts[insert.key] = row
        }
        for var update in changes.updates {
            update.snapshot = copy(update.snapshot)
            updates[ObjectKey(update.snapshot.layout.rootIndex, update.key)] = update
        }
        for delete in changes.deletes {
            deletes[ObjectKey(delete.layout.rootIndex, delete.key)] = delete.baseVersion
        }
    }
}
