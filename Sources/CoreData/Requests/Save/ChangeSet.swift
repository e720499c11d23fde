// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The changes of one save for one store: insertions, updates and deletions as snapshots.

/// All changes that one save makes in one store. Goes down once; `SaveOutcome` comes up once.
///
/// Keys of insertions, and all references to them in the set, are negative until the row has a permanent key: the store
/// assigns these in the order of `inserts`, inside the transaction that writes the rows.
package struct ChangeSet {
    package var inserts: [Insert] = []
    package var updates: [Update] = []
    package var deletes: [Delete] = []
    /// Rows that must still have a given version, although the save does not write them.
    package var checks: [Check] = []
    package var author: String?
    package var contextName: String?
    /// The batch request that the changes carry out; nil for those of a context.
    package var batch: ExecutedBatch?
    /// The same changes as objects; nil unless the store takes objects (`RecordStore.takesObjects`).
    package var objects: ChangedObjects?

    package var isEmpty: Bool { inserts.isEmpty && updates.isEmpty && deletes.isEmpty && checks.isEmpty }

    package struct Insert {
        /// Negative: the store assigns one. Positive: obtained before the save.
        package var key: Int64
        package var snapshot: Snapshot
        package var links: [Links] = []

        /// The index of the entity.
        @inline(__always) package var entity: Int { Uncounted(snapshot).look { $0.layoutIndex } }

        /// The first version of the row: 1, or one more than the record had that is written again under its key.
        package var version: Int64 { RowVersion.next(after: snapshot.version) }
    }

    package struct Update {
        package var key: Int64
        /// Current values; `layout` is that of the entity.
        package var snapshot: Snapshot
        /// The version that the changes are based on.
        package var baseVersion: Int64
        /// Attributes and to-one relationships to write.
        package var changed: SlotSet
        package var links: [Links] = []

        /// The new version of the row.
        package var version: Int64 { RowVersion.next(after: baseVersion) }

        /// The index of the entity.
        @inline(__always) package var entity: Int { Uncounted(snapshot).look { $0.layoutIndex } }
    }

    package struct Delete {
        package var key: Int64
        package var layout: EntityLayout
        package var baseVersion: Int64
    }

    package struct Check {
        package var key: Int64
        package var layout: EntityLayout
        package var baseVersion: Int64
    }

    /// The changes of one to-many relationship of one object.
    ///
    /// Both ends of a many-to-many relationship may report the same link; the store writes it once. If the inverse is
    /// to-one, the store writes the link there; here only the order matters.
    package struct Links {
        package var slot: Int
        package var added: [Reference]
        package var removed: [Reference]
        /// All members in order, if the relationship is ordered and members were added or moved; nil if members were
        /// only removed.
        package var order: [Reference]?
    }
}

/// The objects whose changes a store is to write. Valid only during the save, on the thread that calls the store.
package struct ChangedObjects {
    /// The store's objects. Inserted ones already have permanent ids.
    package let request: NSSaveChangesRequest
    /// The context of the objects: the root context, even if one of its children made the changes.
    package let context: NSManagedObjectContext
}

/// The result of a save in one store.
package struct SaveOutcome {
    /// Permanent keys by temporary ones.
    package var permanentKeys = AssignedKeys()
    /// If not empty, nothing was written and `permanentKeys` is empty. Empty with `isWritten` false: rolled back.
    package var conflicts: [Conflict] = []
    /// Whether the changes are committed.
    package var isWritten = false
    /// By root entity and key: the new versions of rows, if the store does not count versions as other stores do.
    package var versions: [ObjectKey: Int64] = [:]
    /// The number of the transaction in the store's history; nil if none was recorded.
    package var transactionNumber: Int64?
    /// Rows that the store changed itself while saving (derived attributes), read again.
    package var recomputed: [FetchedRow] = []

    package init(permanentKeys: AssignedKeys = AssignedKeys(), conflicts: [Conflict] = [], isWritten: Bool = false) {
        self.permanentKeys = permanentKeys
        self.conflicts = conflicts
        self.isWritten = isWritten
    }

    package struct Conflict {
        package enum Kind {
            /// The row's version is not the one that the change is based on; `row` is nil if the row was deleted.
            case version
            /// A uniqueness constraint: `row` has the values in the store, or else `rivals` would get them in the same
            /// save.
            case uniqueness(names: [String])
        }
        package var kind: Kind
        /// The key of the change in conflict.
        package var key: Int64
        package var layout: EntityLayout
        /// The key of `row`; for a version conflict the same as `key`.
        package var rowKey: Int64
        /// The row as the store has it now.
        package var row: Snapshot?
        /// The other changes of the same save that want the same unique values.
        package var rivals: [Int64] = []

        package init(
            kind: Kind, key: Int64, layout: EntityLayout, rowKey: Int64, row: Snapshot? = nil, rivals: [Int64] = []
        ) {
            self.kind = kind
            self.key = key
            self.layout = layout
            self.rowKey = rowKey
            self.row = row
            self.rivals = rivals
        }
    }
}
