// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The changes of one save for one store: insertions, updates and deletions as snapshots.

/// All changes that one save makes in one store. Goes down once; `SaveOutcome` comes up once.
///
/// Keys of insertions, and references to them anywhere in the set, are negative while the row has no key of its own:
/// the store gives permanent keys, in the order of `inserts`, inside the transaction that writes the rows.
struct ChangeSet {
    var inserts: [Insert] = []
    var updates: [Update] = []
    var deletes: [Delete] = []
    /// Rows that must still have the version given, although nothing of them is written.
    var checks: [Check] = []
    var author: String?
    var contextName: String?
    /// The same changes as objects; nil unless the store takes objects (`RecordStore.takesObjects`).
    var objects: ChangedObjects?

    var isEmpty: Bool { inserts.isEmpty && updates.isEmpty && deletes.isEmpty && checks.isEmpty }

    struct Insert {
        /// Negative: to be given by the store. Positive: obtained before.
        var key: Int64
        var snapshot: Snapshot
        var links: [Links] = []

        /// The index of the entity.
        @inline(__always) var entity: Int { Uncounted(snapshot).look { $0.layoutIndex } }

        /// What the row begins with: 1, or one more than the record had that is written again under its key.
        var version: Int64 { RowVersion.next(after: snapshot.version) }
    }

    struct Update {
        var key: Int64
        /// Current values; `layout` tells the entity.
        var snapshot: Snapshot
        /// The version that the changes were made on.
        var baseVersion: Int64
        /// Attributes and to-ones to write.
        var changed: SlotSet
        var links: [Links] = []

        /// The version that the row gets.
        var version: Int64 { RowVersion.next(after: baseVersion) }

        /// The index of the entity.
        @inline(__always) var entity: Int { Uncounted(snapshot).look { $0.layoutIndex } }
    }

    struct Delete {
        var key: Int64
        var layout: EntityLayout
        var baseVersion: Int64
    }

    struct Check {
        var key: Int64
        var layout: EntityLayout
        var baseVersion: Int64
    }

    /// What became of one to-many of one object.
    ///
    /// Both ends of a many-to-many may report the same link; the store writes it once. A to-many with a to-one inverse
    /// is written on the other side; here it matters for its order alone.
    struct Links {
        var slot: Int
        var added: [Reference]
        var removed: [Reference]
        /// All members in order, where the relationship is ordered and members came or changed places; nil when some
        /// only went.
        var order: [Reference]?
    }
}

/// The objects whose changes a store is asked to write. To be used during the save alone, on the thread that it is
/// asked on.
struct ChangedObjects {
    /// The store's own objects. Those that are inserted have permanent ids already.
    let request: NSSaveChangesRequest
    /// The context that they belong to: the topmost one, whichever of its children made the changes.
    let context: NSManagedObjectContext
}

/// What came of a save in one store.
struct SaveOutcome {
    /// Permanent keys by temporary ones.
    var permanentKeys = AssignedKeys()
    /// Not empty: nothing was written, and `permanentKeys` is empty. Empty with `isWritten` false: it was taken back.
    var conflicts: [Conflict] = []
    /// Whether the changes are in the store for good.
    var isWritten = false
    /// By root entity and key: which versions rows have now, where the store does not count as others do.
    var versions: [ObjectKey: Int64] = [:]
    /// The number of the transaction in the store's history; nil if none was recorded.
    var transactionNumber: Int64?
    /// Rows that the store changed on its own while saving (derived attributes), read again.
    var recomputed: [FetchedRow] = []

    struct Conflict {
        enum Kind {
            /// The row has another version than the change was made on; `row` is nil when it is gone.
            case version
            /// A uniqueness constraint: `row` is the row that has the values in the store, or else `rivals` want them
            /// too.
            case uniqueness(names: [String])
        }
        var kind: Kind
        /// The change that met the conflict.
        var key: Int64
        var layout: EntityLayout
        /// The key of `row`; for a version conflict the same as `key`.
        var rowKey: Int64
        /// The row as it is in the store now.
        var row: Snapshot?
        /// The other changes of the same save that want the same unique values.
        var rivals: [Int64] = []
    }
}
