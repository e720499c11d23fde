// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A fetch from beginning to end.

import CoreDataFoundation
import Foundation

/// # Order
/// 1. Pending changes are processed, so that all deletions are known.
/// 2. The request is resolved; a name that the model lacks throws.
/// 3. Each store that takes part gets one fetch. Rows come up, are cached, and become objects: registered ones, or
///    new faults.
/// 4. If objects of the entity have unsaved changes, they are removed from the results, and those that match in their
///    present state are added.
/// 5. The results are sorted, cut to offset and limit, prefetched, and shaped.
struct FetchExecution {
    let state: ContextState
    let route: RoutedFetch
    private let early: EarlyAnswer?

    /// The stores' answer that arrived while the context's queue was free. An object, because most fetches have none.
    private final class EarlyAnswer {
        let answer: RoutedFetch.Answer

        init(_ answer: RoutedFetch.Answer) { self.answer = answer }
    }

    var fetch: BoundFetch { route.fetch }
    var prepared: PreparedFetch { route.fetch.prepared }

    init<T>(_ state: ContextState, _ request: NSFetchRequest<T>) throws {
        guard let coordinator = state.coordinator else {
            throw CoreDataError.general("The context has no persistent store coordinator, so it cannot fetch.")
        }
        state.applyParentUpdates()
        state.processChanges()
        self.init(state, RoutedFetch(try request.bound(in: coordinator), coordinator, affected: request.affectedStores))
    }

    /// A look-up without a request.
    init(_ state: ContextState, _ fetch: BoundFetch, _ coordinator: NSPersistentStoreCoordinator) {
        state.applyParentUpdates()
        state.processChanges()
        self.init(state, RoutedFetch(fetch, coordinator, affected: nil))
    }

    /// A fetch that was bound already. Pending changes must have been processed.
    init(_ state: ContextState, _ route: RoutedFetch) { self.init(state, route, early: nil) }

    // One initializer sets all properties at once: if a value is filled step by step, the compiler copies and retains
    // it.
    private init(_ state: ContextState, _ route: RoutedFetch, early: EarlyAnswer?) {
        self.state = state
        self.route = route
        self.early = early
    }

    /// The first fetches from the stores, usable on any thread; nil if only the context's queue can compute the answer:
    /// for a context with a parent, and for code in the predicate.
    func storeFetches() throws -> RoutedFetch.StoreFetches? {
        guard state.parent == nil, !prepared.hasCode else { return nil }
        let storeFetch = try firstFetch()
        return try route.storeFetches(storeFetch.result, in: state.scope, windowed: storeFetch.windowed)
    }

    /// The first fetch from the stores, and whether they may apply offset and limit.
    func firstFetch() throws -> (result: BoundFetch.Result, windowed: Bool) {
        let isPlain = overlay == nil && !prepared.hasCode
        switch prepared.resultType {
        case .managedObjectIDResultType where !prepared.hasCode: return (.keys, isPlain)
        case .dictionaryResultType: return (.dictionaries(try dictionaryRequest()), true)
        case .countResultType where !prepared.hasCode: return (overlay == nil ? .count : .keys, isPlain)
        default: return (readsOnlyKeys ? .keys : .rows, isPlain)
        }
    }

    /// Continues the same fetch on the context's queue.
    func resumed(with answer: RoutedFetch.Answer?) -> FetchExecution {
        state.applyParentUpdates()
        state.processChanges()
        return FetchExecution(state, route, early: answer.map { EarlyAnswer($0) })
    }

    func run<T>(as type: T.Type = T.self) throws -> [T] {
        switch prepared.resultType {
        case .managedObjectIDResultType: return try cast(ids())
        case .dictionaryResultType: return try cast(dictionaries())
        case .countResultType: return try cast([NSNumber(value: count())])
        case .managedObjectResultType:
            let objects = try objects()
            return try ResultObjects.typed(objects) ?? cast(objects)
        default:
            throw CoreDataError.general(
                "The fetch request has a result type that does not exist: \(prepared.resultType.rawValue).")
        }
    }

    func count() throws -> Int {
        if prepared.hasCode { return try objects().count }
        guard let overlay else {
            if let early = early?.answer, early.has(.count) { return route.number(early, windowed: true) }
            return try state.source.count(route, windowed: true)
        }
        let below = try answer(.keys, windowed: false).parts.reduce(0) { total, part in
            guard case .keys(let keys) = part.content else { return total }
            return keys.reduce(total) { overlay.hides($1, part.home) ? $0 : $0 + 1 }
        }
        return route.windowed(try overlay.matching().count + below)
    }

    // MARK: Objects

    private func objects() throws -> [NSManagedObject] {
        let overlay = overlay
        var answer = try answer(readsOnlyKeys ? .keys : .rows, windowed: overlay == nil && !prepared.hasCode)
        var objects = answer.takeFirst().map { registered($0, overlay) } ?? []
        answer.forEachPart { part in objects += registered(part, overlay) }
        if prepared.hasCode { objects = try matching(objects) }
        if let overlay { objects += try overlay.matching() }
        if overlay != nil || !answer.isSorted { try sort(&objects) }
        if !answer.isWindowed { objects = window(objects) }
        if !prepared.options.contains(.returnsObjectsAsFaults) {
            try state.faults.realizePrimed(objects)
        }
        if let paths = prepared.prefetchedKeyPaths { try Prefetching(state.faults, prepared).run(paths, objects) }
        return objects
    }

    private func registered(_ part: RoutedFetch.Answer.Part, _ overlay: PendingChangeOverlay?) -> [NSManagedObject] {
        switch part.content {
        case .rows(let rows):
            let refreshes = prepared.options.contains(.shouldRefreshRefetchedObjects)
            return ResultObjects.objects(
                for: rows, in: state.registry, state.retained, home: part.home, refreshes: refreshes
            ) { overlay?.hides($0) ?? false }
        case .keys(let keys):
            guard let overlay else { return registered(keys, part.home) }
            return registered(keys.filter { !overlay.hides($0, part.home) }, part.home)
        case .count, .dictionaries: return []
        }
    }

    /// The objects that the code in the predicate accepts.
    private func matching(_ objects: [NSManagedObject]) throws -> [NSManagedObject] {
        guard let predicate = fetch.predicate else { return objects }
        state.faults.realizeAll(objects.filter(\.isFault))
        let evaluator = try PredicateEvaluator(predicate)
        return try state.failures.throwing { try objects.filter { try evaluator.matches($0) } }
    }

    /// Faults without rows. With a batch size, each knows the keys of its batch.
    private func registered(_ keys: [ObjectKey], _ home: StoreIdentity?) -> [NSManagedObject] {
        var result: [NSManagedObject] = []
        result.reserveCapacity(keys.count)
        let size = fetch.batchSize > 0 ? fetch.batchSize : keys.count
        for start in stride(from: 0, to: keys.count, by: max(size, 1)) {
            let batch = FaultBatch(keys: keys[start..<min(start + size, keys.count)])
            for key in batch.keys {
                let object = state.registry.unique(key, home, row: nil)
                if fetch.batchSize > 0, object.isFault, object.snapshot == nil {
                    object.extensionMade.batch = batch
                }
                state.retained.retain(object)
                result.append(object)
            }
        }
        return result
    }

    // MARK: Other results

    private func ids() throws -> [NSManagedObjectID] {
        guard overlay == nil, !prepared.hasCode else { return try objects().map(\.ownID) }
        let answer = try answer(.keys, windowed: true)
        guard answer.isSorted, answer.isWindowed else { return try objects().map(\.ownID) }
        return answer.parts.flatMap { part -> [NSManagedObjectID] in
            guard case .keys(let keys) = part.content else { return [] }
            return keys.map { id($0, part.home) }
        }
    }

    private func id(_ key: ObjectKey, _ home: StoreIdentity?) -> NSManagedObjectID {
        NSManagedObjectID(layout: prepared.model.layouts[key.entityIndex], key: key.key, home: home)
    }

    private func dictionaryRequest() throws -> DictionaryRequest {
        guard let dictionaries = prepared.dictionaries else { return DictionaryRequest(columns: []) }
        return try dictionaries.get()
    }

    /// Dictionaries contain the stores' values, without unsaved changes of the parents.
    private func dictionaries() throws -> [NSDictionary] {
        let answer = try answer(.dictionaries(try dictionaryRequest()), windowed: true)
        var result: [[String: Any]] = []
        for part in answer.parts {
            guard case .dictionaries(let rows) = part.content else { continue }
            for var row in rows {
                for (name, value) in row { if let ids = ids(value, part.home) { row[name] = ids } }
                result.append(row)
            }
        }
        if !answer.isWindowed { result = window(result) }
        return result.map { $0 as NSDictionary }
    }

    /// The id of an object, and the ids of objects in a list; nil for other values.
    private func ids(_ value: Any, _ home: StoreIdentity?) -> Any? {
        if let key = value as? ObjectKey { return id(key, home) }
        guard type(of: value) == [Any].self, let list = value as? [Any] else { return nil }
        return list.map { ids($0, home) ?? $0 }
    }

    // MARK: Parts

    /// Objects that are to be refreshed need all rows now.
    private var readsOnlyKeys: Bool {
        (!prepared.options.contains(.includesPropertyValues) || fetch.batchSize > 0)
            && !prepared.options.contains(.shouldRefreshRefetchedObjects)
    }

    /// The answer of the stores or the parent. An early answer is used unless limits were applied that later changes
    /// forbid.
    func answer(_ result: BoundFetch.Result, windowed: Bool) throws -> RoutedFetch.Answer {
        if let early = early?.answer, early.has(result), windowed || !early.isWindowed || hasNoWindow { return early }
        return try state.source.answer(route, result, windowed: windowed)
    }

    private var hasNoWindow: Bool { fetch.limit == 0 && fetch.offset == 0 }

    /// The offset and limit of the request.
    var windowBounds: (offset: Int, limit: Int) { (fetch.offset, fetch.limit) }

    /// nil if no unsaved change affects the fetch.
    var overlay: PendingChangeOverlay? {
        guard !state.tracker.unsaved.isEmpty, prepared.options.contains(.includesPendingChanges) else { return nil }
        return PendingChangeOverlay(
            state.tracker.unsaved, over: route, in: state.registry, state.failures, state.coordinator)
    }

    func sort(_ objects: inout [NSManagedObject]) throws {
        if prepared.sorting.isEmpty {
            if fetch.paging != nil { objects.sort(by: tieOrder.precedes) }
            return
        }
        objects = try ObjectOrdering(prepared.sorting.map(\.descriptor)).sorted(objects, ties: tieOrder.precedes)
    }

    /// The order of objects that compare equal.
    var tieOrder: TieBreaking { route.tieOrder }

    func window<R>(_ results: [R]) -> [R] {
        let rest = fetch.offset > 0 ? Array(results.dropFirst(fetch.offset)) : results
        return fetch.limit > 0 ? Array(rest.prefix(fetch.limit)) : rest
    }

    private func cast<R, T>(_ results: [R]) throws -> [T] {
        try results.map { result in
            if let result = result as? T { return result }
            throw mismatch(type(of: result), T.self)
        }
    }

    func mismatch(_ given: Any.Type, _ expected: Any.Type) -> NSError {
        var text = "The fetch of '\(prepared.layout.name)' gave a \(given) where the request's type says \(expected)."
        if given == NSManagedObject.self, let name = prepared.layout.entity.managedObjectClassName,
            name != "NSManagedObject"
        {
            text += " The model names the class '\(name)', which was not found in the program."
        }
        return CoreDataError.general(text)
    }
}
