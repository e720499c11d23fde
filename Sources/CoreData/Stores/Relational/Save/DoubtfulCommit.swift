// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A commit that failed while the database could not be read.

/// When the transaction of such a commit stands, the next attempt of its save meets its own rows: they look like rows
/// of somebody else. Whether it stands is known by then (DoubtfulCommits-D3).
///
/// A row that holds exactly the version and the values of the commit is its own (DoubtfulCommits-D4). The insertion
/// becomes an update of this row, the update continues from the version that it made, and the deletion of a row that is
/// gone is left out. Any other row is a conflict as ever.
package struct DoubtfulCommit {
    /// A store remembers the newest ones only: a context that was reset never tries again.
    package static let maximumCount = 4

    /// An update as the commit made it.
    package struct Write {
        /// The version that the context began with: the commit itself may have continued from an earlier attempt.
        package let askedVersion: Int64
        package let update: ChangeSet.Update
    }

    package let keys: AssignedKeys
    /// By the keys of the context.
    package private(set) var inserts: [Int64: Snapshot] = [:]
    package private(set) var updates: [ObjectKey: Write] = [:]
    package private(set) var deletes: [ObjectKey: Int64] = [:]

    /// Copies the values: objects may change theirs in place before the next attempt.
    ///
    /// - Parameters:
    ///   - changes: those that were written. Updates that continue from insertions come last.
    ///   - asked: the changes as the context has them.
    package init(_ changes: ChangeSet, _ keys: AssignedKeys, asked: ChangeSet) {
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
        for (written, update) in zip(changes.updates, asked.updates) {
            var written = written
            written.snapshot = copy(written.snapshot)
            let place = ObjectKey(update.snapshot.layout.rootIndex, update.key)
            updates[place] = Write(askedVersion: update.baseVersion, update: written)
        }
        let continued = Dictionary(
            changes.updates.dropFirst(asked.updates.count).map {
                (ObjectKey($0.snapshot.layout.rootIndex, $0.key), $0)
            }, uniquingKeysWith: { first, _ in first })
        for insert in asked.inserts where inserts[insert.key] == nil {
            let place = ObjectKey(insert.snapshot.layout.rootIndex, keys[insert.key] ?? insert.key)
            guard let written = continued[place] else { continue }
            let row = copy(written.snapshot)
            row.version = written.version
            inserts[insert.key] = row
        }
        for delete in asked.deletes {
            deletes[ObjectKey(delete.layout.rootIndex, delete.key)] = delete.baseVersion
        }
    }
}
