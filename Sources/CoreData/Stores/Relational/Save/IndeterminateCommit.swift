// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An indeterminate commit: it failed, and the database could not be read afterwards.

/// If the transaction of such a commit is durable, the next attempt of its save finds its own rows, which look like
/// rows of another writer. By then it is known whether the transaction is durable (IndeterminateCommits-D3).
///
/// A row with exactly the version and the values of the commit was written by it (IndeterminateCommits-D4). An
/// insertion becomes an update of this row, an update continues from the version that it made, and the deletion of a
/// missing row is skipped. If another transaction has changed the row since, the same change is skipped, and a
/// different change is a conflict as usual (IndeterminateCommits-D7).
package struct IndeterminateCommit {
    /// An update as the commit made it.
    package struct Write {
        /// The version on which the context's change is based: the commit itself may have continued from an earlier
        /// attempt.
        package let askedVersion: Int64
        package let update: ChangeSet.Update
        fileprivate let asked: ChangeSet.Update

        /// Whether the context requests the same change again.
        func isRepeated(by other: ChangeSet.Update) -> Bool {
            asked.changed == other.changed && IndeterminateCommit.isEqual(asked.links, other.links)
                && !asked.changed.contains { !asked.snapshot.isEqual(other.snapshot, slot: $0) }
        }
    }

    package let keys: AssignedKeys
    /// The written rows, by the keys of the context.
    package private(set) var inserts: [Int64: Snapshot] = [:]
    /// The insertions as the context has them.
    private var askedInserts: [Int64: ChangeSet.Insert] = [:]
    package private(set) var updates: [ObjectKey: Write] = [:]
    package private(set) var deletes: [ObjectKey: Int64] = [:]

    /// Copies the values, because objects may change theirs in place before the next attempt.
    ///
    /// - Parameters:
    ///   - changes: the changes that were written.
    ///   - asked: the changes as the context has them.
    ///   - earlier: a durable earlier attempt of the same save. It wrote those changes of `asked` that `changes` lacks.
    package init(_ changes: ChangeSet, _ keys: AssignedKeys, asked: ChangeSet, after earlier: IndeterminateCommit?) {
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
        let written = Dictionary(
            changes.updates.map { (ObjectKey($0.snapshot.layout.rootIndex, $0.key), $0) },
            uniquingKeysWith: { first, _ in first })
        for update in asked.updates {
            let place = ObjectKey(update.snapshot.layout.rootIndex, update.key)
            guard var written = written[place] else {
                updates[place] = earlier?.updates[place]
                continue
            }
            written.snapshot = copy(written.snapshot)
            var asked = update
            asked.snapshot = update.snapshot.copy()
            updates[place] = Write(askedVersion: update.baseVersion, update: written, asked: asked)
        }
        for insert in asked.inserts {
            var asked = insert
            asked.snapshot = insert.snapshot.copy()
            askedInserts[insert.key] = asked
        }
        for insert in asked.inserts where inserts[insert.key] == nil {
            let place = ObjectKey(insert.snapshot.layout.rootIndex, keys[insert.key] ?? insert.key)
            guard let written = written[place] else {
                inserts[insert.key] = earlier?.inserts[insert.key]
                continue
            }
            let row = copy(written.snapshot)
            row.version = written.version
            inserts[insert.key] = row
        }
        for delete in asked.deletes {
            deletes[ObjectKey(delete.layout.rootIndex, delete.key)] = delete.baseVersion
        }
    }

    /// Whether the context requests the same insertion again.
    func isRepeated(by insert: ChangeSet.Insert, _ slots: SlotSet) -> Bool {
        guard let asked = askedInserts[insert.key] else { return false }
        return asked.snapshot.layout === insert.snapshot.layout && Self.isEqual(asked.links, insert.links)
            && !slots.contains { !asked.snapshot.isEqual(insert.snapshot, slot: $0) }
    }

    private static func isEqual(_ links: [ChangeSet.Links], _ others: [ChangeSet.Links]) -> Bool {
        links.elementsEqual(others) {
            $0.slot == $1.slot && $0.added == $1.added && $0.removed == $1.removed && $0.order == $1.order
        }
    }
}
