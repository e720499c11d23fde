// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What coordinator and context ask of every built-in store, whatever it keeps its rows in.

import Foundation

/// What answers in rows and keys: a store as it is now, or as it was at one moment.
///
/// Calls may come from several threads at once; whoever is asked brings its own order among them. Everything crosses
/// this border as finished values, once per fetch.
protocol RecordSource: AnyObject {
    /// Last known rows of this source, filled while it reads.
    var rowCache: RowCache { get }

    func fetch(_ fetch: ResolvedFetch, in burst: ReadBurst?) throws -> FetchOutcome

    /// Answers a fetch in whose shape it was asked before; nil for every other, which `fetch` answers.
    func rows(_ question: PlainQuestion, in burst: ReadBurst?) throws -> [FetchedRow]?

    /// How the fetch would be answered.
    func explain(_ fetch: ResolvedFetch, in burst: ReadBurst?) throws -> FetchExplanation.Store

    /// Rows by key below one root entity, in any order; keys without a row are left out.
    func rows(_ keys: [Int64], root: EntityLayout, in burst: ReadBurst?) throws -> [FetchedRow]

    /// The members of a to-many for each of several owners; ordered where the relationship is ordered.
    ///
    /// - Returns: an entry for each owner that has members.
    func members(of slot: Int, layout: EntityLayout, owners: [Int64], in burst: ReadBurst?) throws -> [Int64:
        [Reference]]
}

extension RecordSource {
    func rows(_ question: PlainQuestion, in burst: ReadBurst?) throws -> [FetchedRow]? { nil }
}

/// What a kind of store takes for its URL.
enum StoreAddressing {
    /// A file URL, one store for each.
    case file
    /// Any URL, one store for each, or none at all.
    case any
    /// A URL says nothing: the store is new each time.
    case none
}

/// A store that answers in rows and keys: the built-in ones, and the base classes of those that users write.
///
/// Its row cache is filled by the coordinator, too, after a save.
protocol RecordStore: StoreUpkeep, RecordSource {
    static var addressing: StoreAddressing { get }

    /// Whether the store wants the objects of a save (`ChangeSet.objects`), with permanent keys. The same at all times.
    var takesObjects: Bool { get }

    /// Whether rows may be inserted under keys that another store gave. The same at all times.
    var takesKeys: Bool { get }

    /// Opens or creates the store for a model. Called once, before anything else but `metadata`.
    ///
    /// - Throws: a Cocoa error (134100, 259, 260, 513, ...); the file is then as it was.
    func open(model: ModelLayout, entities: [NSEntityDescription]) throws

    /// Lets go of files and connections. Nothing else is called afterwards.
    func close() throws

    /// What the store holds now, for as long as somebody holds that; nil when it cannot keep it while it changes.
    func pinned() throws -> (any RecordSource)?

    /// Writes everything or nothing, metadata that was set after the store was opened included. Conflicts are an
    /// outcome, not an error.
    ///
    /// - Parameter confirm: asked once, when everything is written and nothing can be refused any more, but it is not
    ///   there for good; nobody else writes to the store meanwhile. `false` takes it back, as an error does: the
    ///   outcome then has neither conflicts nor `isWritten`. Not asked when there are conflicts.
    func save(_ changes: ChangeSet, confirm: () throws -> Bool) throws -> SaveOutcome

    /// Whether a save that is confirmed cannot fail any more.
    var commitsSurely: Bool { get }

    /// Whether what was written can be taken back. A store that cannot writes after it was confirmed, and may fail
    /// then.
    var takesBack: Bool { get }

    /// Permanent keys for insertions to come: the first of `count` consecutive ones. They are never given again.
    func reserveKeys(_ count: Int, for layout: EntityLayout) throws -> Int64

    /// Permanent keys for unsaved objects of one entity, one for each, in their order.
    func permanentKeys(for objects: [NSManagedObject], of layout: EntityLayout) throws -> [Int64]
}

extension RecordStore {
    static var addressing: StoreAddressing { .file }
    var takesObjects: Bool { false }
    var takesKeys: Bool { !takesObjects }
    var takesBack: Bool { true }

    func permanentKeys(for objects: [NSManagedObject], of layout: EntityLayout) throws -> [Int64] {
        let first = try reserveKeys(objects.count, for: layout)
        return (0..<Int64(objects.count)).map { first + $0 }
    }

    func save(_ changes: ChangeSet) throws -> SaveOutcome { try save(changes) { true } }
}

/// Reads that belong together: those of one `perform`, or of one call outside of one.
///
/// A store may keep a connection and a read transaction for the time of a burst, so that the second look-up costs a
/// third of the
/// first. It must not outlive the burst: a reader that stays open keeps the write-ahead log from being emptied.
///
/// The answers of a burst may be as old as its first read, so a fetch begins anew after a while.
final class ReadBurst {
    /// For how many seconds a fetch, which sets no other bound, may be answered with one state of a store.
    static let patience: TimeInterval = 1

    /// When the leases were made, or renewed.
    private var began: UInt32 = 0
    private var leases: [ObjectIdentifier: any ReadLease] = [:]
    /// What was asked for last.
    private var last: (store: ObjectIdentifier, lease: any ReadLease)?

    deinit { end() }

    /// The lease that `store` has in this burst, made when there is none.
    func lease<Lease: ReadLease>(of store: AnyObject, make: () throws -> Lease) rethrows -> Lease {
        let name = ObjectIdentifier(store)
        if let last, last.store == name, let lease = last.lease as? Lease { return lease }
        if leases.isEmpty { began = RowClock.now }
        let lease = try leases[name] as? Lease ?? make()
        leases[name] = lease
        last = (name, lease)
        return lease
    }

    /// Makes the next read begin anew if the leases are older than some seconds: it sees the saves of others since then.
    ///
    /// - Parameter seconds: negative: a state of any age serves.
    func renew(after seconds: TimeInterval) {
        guard last != nil, RowClock.isStale(began, after: seconds) else { return }
        began = RowClock.now
        for lease in leases.values { lease.renew() }
    }

    func end() {
        let ending = leases
        leases = [:]
        last = nil
        for lease in ending.values { lease.release() }
    }
}

/// What a store holds on to for the time of a burst.
protocol ReadLease: AnyObject {
    /// The next read begins anew. A read that is under way goes on.
    func renew()

    func release()
}
