// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Gives the parts of a context to stages in Fetching and Conflicts, which hold the whole of it.

import Foundation

extension NSManagedObjectContext {
    var tracker: ChangeTracker { state.tracker }
    var storedParent: NSManagedObjectContext? { state.parent }
    var storedRegistry: ObjectRegistry? { state.storedRegistry }
    var burst: ReadBurst? { state.scope.burst }
    var epoch: Int { state.scope.epoch }
    var generationToken: NSQueryGenerationToken? { state.scope.token }
    var isPinned: Bool { state.scope.isPinned }
    func records(of store: any RecordStore) throws -> (any RecordSource)? { try state.scope.records(of: store) }
    func readable(_ stores: [any RecordStore]) throws -> [any RecordStore] { try state.scope.readable(stores) }
    func beginFetch(wantsNewest: Bool = false) {
        state.scope.beginFetch(stalenessInterval, wantsNewest: wantsNewest)
    }
    func endReads() { state.scope.endReads() }
    func advanceGeneration() { state.scope.advanceGeneration() }
    func readNews() { state.applyParentUpdates() }
    func retain(_ object: NSManagedObject) { state.retained.retain(object) }
    func realizeMembers(of slot: Int, in objects: [NSManagedObject]) {
        state.faults.realizeMembers(of: slot, in: objects)
    }
    func rowsBelow(_ keys: [Int64], root: EntityLayout, home: StoreIdentity?, patience: TimeInterval) throws
        -> [FetchedRow]
    {
        try state.source.rows(keys, root: root, home: home, maxAge: patience)
    }
    func deleteObject(_ object: NSManagedObject) { state.tracker.delete(object) }
    func throwFaultRun() throws { try state.storedFaults?.throwFaultRun() }

    var readFailure: (any Error)? {
        get { state.failures.current?.error }
        set { if let newValue { state.failures.note(newValue) } else { state.failures.forget() } }
    }
    var storedReadFailure: ReadFailure? {
        get { state.failures.current }
        set { state.failures.restore(newValue) }
    }
}

extension ReadFailures {
    func restore(_ failure: ReadFailure?) { current = failure }
}

extension ChangeProcessing {
    init(_ context: NSManagedObjectContext) { self.init(context.state) }
}

extension RefreshPolicy {
    init(_ context: NSManagedObjectContext) { self.init(context.state) }
}

extension FaultFulfilment {
    convenience init(_ context: NSManagedObjectContext) { self.init(context.state) }
}

struct ParentAccess {
    private let source: ParentSource

    init?(_ context: NSManagedObjectContext) {
        guard let source = context.state.storedSource as? ParentSource else { return nil }
        self.source = source
    }

    func answer(_ fetch: RoutedFetch, _ result: BoundFetch.Result, windowed: Bool) throws -> RoutedFetch.Answer {
        try source.answer(fetch, result, windowed: windowed)
    }

    func count(_ fetch: RoutedFetch, windowed: Bool) throws -> Int { try source.count(fetch, windowed: windowed) }
}
