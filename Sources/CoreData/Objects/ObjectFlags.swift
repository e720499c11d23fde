// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The state of a managed object in one word.

/// # States
///     fault ──realize──▶ clean ──write──▶ updated ──save──▶ clean
///     (new) ──insert───▶ inserted ──save──▶ clean
///     any   ──delete───▶ deleted ──save──▶ gone (no context)
///     any   ──reset────▶ gone
/// # Invariants
/// (1) A fault may have a row ("primed": the fetch that made it read the row), but nothing has read it; it has no
///     other block.
/// (2) `updated` and `deleted` exclude `inserted` once the event is processed: a deleted insertion is gone.
/// (3) `listed` is set exactly while the object is in its context's list of changed objects.
/// (4) `ownsSnapshot`: the block is uniquely referenced and may be written in place.
/// (5) An object that is not a fault has a block.
/// (6) Flags of the event are cleared when it ends.
/// (7) Delete rules have been applied only to deleted objects.
///
/// `NSManagedObject+Invariants` checks these.
struct ObjectFlags: OptionSet, Sendable {
    let rawValue: UInt32

    static let fault = ObjectFlags(rawValue: 1 << 0)
    static let inserted = ObjectFlags(rawValue: 1 << 1)
    static let updated = ObjectFlags(rawValue: 1 << 2)
    static let deleted = ObjectFlags(rawValue: 1 << 3)
    static let ownsSnapshot = ObjectFlags(rawValue: 1 << 4)
    /// The object is in its context's list of changed objects, which retains it.
    static let listed = ObjectFlags(rawValue: 1 << 5)
    /// The object is in the list of objects changed since the last `processPendingChanges`.
    static let inEvent = ObjectFlags(rawValue: 1 << 6)
    static let insertedInEvent = ObjectFlags(rawValue: 1 << 7)
    /// Changed in this event, and recorded as such; set for insertions too, so that one test serves every write.
    static let updatedInEvent = ObjectFlags(rawValue: 1 << 8)
    static let deletedInEvent = ObjectFlags(rawValue: 1 << 9)
    static let refreshedInEvent = ObjectFlags(rawValue: 1 << 10)
    /// Deleted, and its delete rules have been applied.
    static let propagated = ObjectFlags(rawValue: 1 << 11)
    /// A life-cycle method is running that may write without recording a change.
    static let awaking = ObjectFlags(rawValue: 1 << 12)
    /// An insertion that got its permanent id before its save.
    static let hasPermanentKey = ObjectFlags(rawValue: 1 << 13)
    /// The next save detects conflicts of the object, although it has no changes.
    static let checked = ObjectFlags(rawValue: 1 << 14)
    /// `willSave` was called in this save.
    static let calledWillSave = ObjectFlags(rawValue: 1 << 16)
    /// Its record turned out to be missing.
    static let inaccessible = ObjectFlags(rawValue: 1 << 15)
    /// Its extension has observers: changes are announced.
    static let observed = ObjectFlags(rawValue: 1 << 17)
    /// `awakeFromInsert` was called: it is called once, however often the object is inserted.
    static let awoken = ObjectFlags(rawValue: 1 << 18)
    /// The object's slots are those that its class was generated for. Set when the object is made, and never changed.
    static let slotsMatch = ObjectFlags(rawValue: 1 << 19)

    /// It has no extension, and its table retains destinations for it (`FollowedDestinations`).
    static let followed = ObjectFlags(rawValue: 1 << 20)

    /// Since the last save a relationship was set to an object whose delete rules had been applied before. No rule
    /// removes that link, so validation looks for it.
    static let referencesDeleted = ObjectFlags(rawValue: 1 << 21)

    /// A handler of a batch insertion fills this object: it is in no context, and its to-one relationships may refer to
    /// saved objects of any context, whose inverses are not updated.
    static let template = ObjectFlags(rawValue: 1 << 22)

    /// Its class overrides the methods that report when the context starts and stops retaining it, and when it releases
    /// others.
    static let reportsHolding = ObjectFlags(rawValue: 1 << 23)

    /// In its class, setting a value that equals the present one is not a change.
    static let ignoresEqualValues = ObjectFlags(rawValue: 1 << 24)

    /// The flags that the object's class determines: they never change.
    static let ofClass: ObjectFlags = [.slotsMatch, .reportsHolding, .ignoresEqualValues]

    /// The flags that decide whether a new value is compared with the present one: not if the object has changed.
    static let comparing: ObjectFlags = [.ignoresEqualValues, .inserted, .updatedInEvent]

    /// The flags that decide whether a getter may read the block directly.
    static let readStates: ObjectFlags = [.fault, .slotsMatch]

    /// The flags that decide whether a setter may write the block directly.
    static let writeStates: ObjectFlags = [.fault, .ownsSnapshot, .updatedInEvent]
    static let writable: ObjectFlags = [.ownsSnapshot, .updatedInEvent]
    /// The flags that undo and rollback restore.
    static let changeStates: ObjectFlags = [.inserted, .updated, .deleted, .propagated]
    /// The flags that are cleared when the event ends.
    static let eventStates: ObjectFlags = [
        .inEvent, .insertedInEvent, .updatedInEvent, .deletedInEvent, .refreshedInEvent, .ownsSnapshot,
    ]
}
