// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The changes of one save for one store: insertions, updates and deletions as snapshots.

/// All changes that one save makes in one store. Goes down once; `SaveOutcome` comes up once.
///
/// Keys of insertions, and references to them anywhere in the set, are negative while the row has no key of its own:
/// the store gives permanent keys, in the order of `inserts`, inside the transaction that writes the rows.
package struct ChangeSet {
    package var inserts: [Insert] = []
    package var updates: [Update] = []
    package var deletes: [Delete] = []
    /// Rows that must still have the version given, although nothing of them is written.
    package var checks: [Check] = []
    package var author: String?
    package var contextName: String?
    /// The batch request that the changes carry out; nil for those of a context.
    package var batch: ExecutedBatch?
    /// The same changes as objects; nil unless the store takes objects (`RecordStore.takesObjects`).
    package var objects: ChangedObjects?

    package var isEmpty: Bool { inserts.isEmpty && updates.isEmpty && deletes.isEmpty && checks.isEmpty }

    package struct Insert {
        /// Negative: to be given by the store. Positive: obtained before.
        package var key: Int64
        package var snapshot: Snapshot
        package var links: [Links] = []

        /// The index of the entity.
        @inline(__always) package var entity: Int { Uncounted(snapshot).look { $0.layoutIndex } }

        /// What the row begins with: 1, or one more than the record had that is written again under its key.
        package var version: Int64 { RowVersion.next(after: snapshot.version) }
    }

    package struct Update {
        package var key: Int64
        /// Current values; `layout` tells the entity.
        package var snapshot: Snapshot
        /// The version that the changes were made on.
        package var baseVersion: Int64
        /// Attributes and to-ones to write.
        package var changed: SlotSet
        package var links: [Links] = []

        /// The version that the row gets.
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

    /// What became of one to-many of one object.
    ///
    /// Both ends of a many-to-many may report the same link; the store writes it once. A to-many with a to-one inverse
    /// is written on the other side; here it matters for its order alone.
    package struct Links {
        package var slot: Int
        package var added: [Reference]
        package var removed: [Reference]
        /// All members in order, where the relationship is ordered and members came or changed places; nil when some
        /// only went.
        package var order: [Reference]?
    }
}

/// The objects whose changes a store is asked to write. To be used during the save alone, on the thread that it is
/// asked on.
package struct ChangedObjects {
    /// The store's own objects. Those that are inserted have permanent ids already.
    package let request: NSSaveChangesRequest
    /// The context that they belong to: the topmost one, whichever of its children made the changes.
    package let context: NSManagedObjectContext
}

/// What came of a save in one store.
package struct SaveOutcome {
    /// Permanent keys by temporary ones.
    package var permanentKeys = AssignedKeys()
    /// Not empty: nothing was written, and `permanentKeys` is empty. Empty with `isWritten` false: it was taken back.
    package var conflicts: [Conflict] = []
    /// Whether the changes are in the store for good.
    package var isWritten = false
    /// By root entity and key: which versions rows have now, where the store does not count as others do.
    package var versions: [ObjectKey: Int64] = [:]
    /// The number of the transaction in the store's history; nil if none was recorded.
    package var transactionNumber: Int64?
    /// Rows that the store changed on its own while saving (derived attributes), read again.
    package var recomputed: [FetchedRow] = []

    package init(permanentKeys: AssignedKeys = AssignedKeys(), conflicts: [Conflict] = [], isWritten: Bool = false) {
        self.permanentKeys = permanentKeys
        self.conflicts = conflicts
        self.isWritten = isWritten
    }

    package struct Conflict {
        package enum Kind {
            /// The row has another version than the change was made on; `row` is nil when it is gone.
            case version
            /// A uniqueness constraint: `row` is the row that has the values in the store, or else `rivals` want them
            /// too.
            case uniqueness(names: [String])
        }
        package var kind: Kind
        /// The change that met the conflict.
        package var key: Int64
        package var layout: EntityLayout
        /// The key of `row`; for a version conflict the same as `key`.
        package var rowKey: Int64
        /// The row as it is in the store now.
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
