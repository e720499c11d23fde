// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The state of a managed object in one word.

/// # States
///     fault ──realize──▶ clean ──write──▶ updated ──save──▶ clean
///     (new) ──insert───▶ inserted ──save──▶ clean
///     any   ──delete───▶ deleted ──save──▶ gone (no context)
///     any   ──reset────▶ gone
/// # Invariants
/// (1) A fault may hold a row ("primed": the fetch that made it read it), but nobody has seen it: it has no other
///     block.
/// (2) `updated` and `deleted` exclude `inserted` once the event is processed: a deleted insertion is gone.
/// (3) `listed` is set exactly while the object stands in its context's list of changed objects.
/// (4) `ownsSnapshot`: nobody else holds the block, it may be written in place.
/// (5) An object that is no fault has a block.
/// (6) Flags of the event end with it.
/// (7) Delete rules have been applied to deleted objects alone.
///
/// `NSManagedObject+Invariants` checks these.
struct ObjectFlags: OptionSet, Sendable {
    let rawValue: UInt32

    static let fault = ObjectFlags(rawValue: 1 << 0)
    static let inserted = ObjectFlags(rawValue: 1 << 1)
    static let updated = ObjectFlags(rawValue: 1 << 2)
    static let deleted = ObjectFlags(rawValue: 1 << 3)
    static let ownsSnapshot = ObjectFlags(rawValue: 1 << 4)
    /// Stands in the context's list of changed objects, which holds it strongly.
    static let listed = ObjectFlags(rawValue: 1 << 5)
    /// Stands in the list of objects changed since the last `processPendingChanges`.
    static let inEvent = ObjectFlags(rawValue: 1 << 6)
    static let insertedInEvent = ObjectFlags(rawValue: 1 << 7)
    /// Changed in this event, and recorded as such; set for insertions too, so that one test serves every write.
    static let updatedInEvent = ObjectFlags(rawValue: 1 << 8)
    static let deletedInEvent = ObjectFlags(rawValue: 1 << 9)
    static let refreshedInEvent = ObjectFlags(rawValue: 1 << 10)
    /// Deleted, and its delete rules have been applied.
    static let propagated = ObjectFlags(rawValue: 1 << 11)
    /// A life-cycle method runs that may write without recording a change.
    static let awaking = ObjectFlags(rawValue: 1 << 12)
    /// Insertion whose permanent id was obtained before it is saved.
    static let hasPermanentKey = ObjectFlags(rawValue: 1 << 13)
    /// Its conflicts are to be detected at the next save although it did not change.
    static let checked = ObjectFlags(rawValue: 1 << 14)
    /// `willSave` was called in this save.
    static let calledWillSave = ObjectFlags(rawValue: 1 << 16)
    /// Its record turned out to be missing.
    static let inaccessible = ObjectFlags(rawValue: 1 << 15)
    /// Its extension has observers: changes are announced.
    static let observed = ObjectFlags(rawValue: 1 << 17)
    /// `awakeFromInsert` was called: it is called once, however often the object is inserted.
    static let awoken = ObjectFlags(rawValue: 1 << 18)
    /// The slots that its generated class was written with are those of its entity. Set for good when the object is
    /// made.
    static let slotsMatch = ObjectFlags(rawValue: 1 << 19)

    /// It has no extension, and its table holds destinations for it (`FollowedDestinations`).
    static let followed = ObjectFlags(rawValue: 1 << 20)

    /// Since the last save a relationship was set to an object whose delete rules had been applied before. No rule
    /// takes that link away again, so validation looks for it.
    static let ledToDeleted = ObjectFlags(rawValue: 1 << 21)

    /// A handler of a batch insertion fills it: it is in no context, and its to-ones may lead to saved objects of any
    /// context, which do not learn of it.
    static let template = ObjectFlags(rawValue: 1 << 22)

    /// Its class wants to know when the context begins to hold it, when that lets go, and when it forgets others.
    static let reportsHolding = ObjectFlags(rawValue: 1 << 23)

    /// Its class takes a value that equals the present one for no change.
    static let ignoresEqualValues = ObjectFlags(rawValue: 1 << 24)

    /// The flags that the class of an object decides: they stay for life.
    static let ofClass: ObjectFlags = [.slotsMatch, .reportsHolding, .ignoresEqualValues]

    /// The flags that decide whether a new value is compared with the present one: not where the object has changed.
    static let comparing: ObjectFlags = [.ignoresEqualValues, .inserted, .updatedInEvent]

    /// The flags that decide whether a read may go straight to the block.
    static let readStates: ObjectFlags = [.fault, .slotsMatch]

    /// The flags that decide whether a write may go straight to the block.
    static let writeStates: ObjectFlags = [.fault, .ownsSnapshot, .updatedInEvent]
    static let writable: ObjectFlags = [.ownsSnapshot, .updatedInEvent]
    /// The flags that undo and rollback restore.
    static let changeStates: ObjectFlags = [.inserted, .updated, .deleted, .propagated]
    /// The flags that end with the event.
    static let eventStates: ObjectFlags = [
        .inEvent, .insertedInEvent, .updatedInEvent, .deletedInEvent, .refreshedInEvent, .ownsSnapshot,
    ]
}
