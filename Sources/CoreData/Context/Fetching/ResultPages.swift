// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Creates the objects of a list of records one page at a time, and releases pages again.

import Foundation

/// The part of `PagedResults` that does not depend on the class of the objects.
///
/// # Invariants
/// (1) At most `limit` pages are kept, the most recently used one last.
/// (2) A page is kept only if it could be read.
final class ResultPages {
    private struct Page {
        let number: Int
        let objects: [NSManagedObject]
    }

    let state: ContextState
    /// The context, which may have no other strong reference.
    private let owner: (any ObjectOwner)?
    let keys: ResultKeys
    let size: Int
    private let limit: Int
    private let prepared: PreparedFetch
    /// Whether objects get their values at once.
    private let realizes: Bool
    private let keyPaths: [String]
    /// Whether objects with values take those of the store.
    private let refreshes: Bool
    private var pages: [Page] = []

    init(
        _ keys: ResultKeys, _ state: ContextState, _ prepared: PreparedFetch, size: Int, limit: Int,
        realizes: Bool, prefetching keyPaths: [String] = [], refreshes: Bool = false
    ) {
        self.state = state
        owner = state.owner
        self.keys = keys
        self.size = size
        self.limit = limit
        self.prepared = prepared
        self.realizes = realizes
        self.keyPaths = keyPaths
        self.refreshes = refreshes
    }

    var entityName: String { prepared.layout.name }

    /// The id at a position; for an unsaved record its present id.
    func id(at index: Int) -> NSManagedObjectID {
        let record = keys[index]
        if let object = keys.unsavedObject(record.key) { return object.ownID }
        return NSManagedObjectID(
            layout: prepared.model.layouts[record.key.entityIndex], key: record.key.key, home: record.home)
    }

    /// The object at a position, from a page that is kept or read now.
    func object(at index: Int) throws -> NSManagedObject {
        let (number, place) = index.quotientAndRemainder(dividingBy: size)
        if let last = pages.last, last.number == number, let object = usable(last.objects[place]) { return object }
        if let held = pages.firstIndex(where: { $0.number == number }) {
            pages.append(pages.remove(at: held))
            if let object = usable(pages[pages.count - 1].objects[place]) { return object }
            // The context was reset, or the record was deleted.
            pages.removeLast()
        }
        if pages.count >= limit { pages.removeFirst() }
        let objects = try read(number)
        pages.append(Page(number: number, objects: objects))
        return objects[place]
    }

    /// The object at a position without reading: usually a fault.
    func unreadObject(at index: Int) -> NSManagedObject {
        let record = keys[index]
        let object = keys.unsavedObject(record.key) ?? state.registry.unique(record.key, record.home, row: nil)
        state.retained.retain(object)
        return object
    }

    /// An object that has left the context is unusable, unless it was only an unsaved insertion.
    private func usable(_ object: NSManagedObject) -> NSManagedObject? {
        object.table.owner != nil || object.key < 0 ? object : nil
    }

    private func read(_ number: Int) throws -> [NSManagedObject] {
        let objects = (number * size..<min((number + 1) * size, keys.count)).map { unreadObject(at: $0) }
        let faults = objects.filter { $0.isFault && !$0.flags.contains(.inserted) && $0.table.owner != nil }
        // A failed read concerns this page, not the next save.
        let before = state.failures.current
        state.failures.forget()
        defer { if state.failures.current == nil { state.failures.restore(before) } }
        if refreshes { try refresh(objects) }
        try state.faults.prime(faults)
        if state.parent != nil {
            // They need not read from the parents again.
            let batch = FaultBatch(keys: [])
            batch.isRead = true
            for fault in faults where fault.snapshot != nil { fault.extensionMade.batch = batch }
        }
        if realizes { try state.faults.realizePrimed(faults) }
        if !keyPaths.isEmpty { try Prefetching(state.faults, prepared).run(keyPaths, objects) }
        if let failure = state.failures.current?.error {
            state.failures.forget()
            throw failure
        }
        return objects
    }

    /// Updates objects with values to those of the store, as other fetches do for `shouldRefreshRefetchedObjects`.
    private func refresh(_ objects: [NSManagedObject]) throws {
        let known = objects.filter { !$0.isFault && !$0.flags.contains(.inserted) && $0.table.owner != nil }
        if known.isEmpty { return }
        let request = NSFetchRequest<NSManagedObject>(entityName: prepared.layout.name)
        request.predicate = NSPredicate(format: "SELF IN %@", known)
        request.shouldRefreshRefetchedObjects = true
        _ = try FetchExecution(state, request).run(as: NSManagedObject.self)
    }
}
