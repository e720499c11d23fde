// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A fetch from beginning to end.

import CoreDataFoundation
import Foundation

/// # Order
/// 1. Pending changes are processed, so that what was deleted is known.
/// 2. The request is resolved; a name that the model lacks throws.
/// 3. Each store concerned is asked once. Rows come up, are cached, and become objects: registered ones, or new faults.
/// 4. If objects of the entity have unsaved changes: those among the results are taken out, and those that match now
///   are put in.
/// 5. Sorted, windowed, prefetched, shaped.
struct FetchExecution {
    let context: NSManagedObjectContext
    let resolution: FetchResolution
    var settings: FetchSettings { resolution.settings }
    let source: RoutedFetch
    /// What the stores said before, while the context's queue was free.
    private var early: RoutedFetch.Answer?

    init<T>(_ context: NSManagedObjectContext, _ request: NSFetchRequest<T>) throws {
        guard let coordinator = context.persistentStoreCoordinator else {
            throw CoreDataError.general("The context has no persistent store coordinator, so it cannot fetch.")
        }
        self.context = context
        var settings = request.settings
        settings.affectedStores = request.affectedStores
        context.readNews()
        ChangeProcessing(context).run()
        resolution = try FetchResolution(settings, model: coordinator.model)
        if request.settings.entity == nil { request.settings.entity = resolution.layout.entity }
        source = RoutedFetch(
            resolution: resolution,
            stores: coordinator.stores(for: resolution.layout, affected: settings.affectedStores))
    }

    /// What the stores will be asked first, for any thread; nil when only the context's queue can say: parents, and
    /// code in the predicate.
    func questions() throws -> RoutedFetch.Questions? {
        guard context.storedParent == nil, !resolution.hasCode else { return nil }
        let question = try firstQuestion()
        return try source.questions(question.result, below: context, windowed: question.windowed)
    }

    /// What the stores are asked first, and whether they may cut the window.
    func firstQuestion() throws -> (result: ResolvedFetch.Result, windowed: Bool) {
        let isPlain = overlay.isEmpty && !resolution.hasCode
        switch settings.resultType {
        case .managedObjectIDResultType where !resolution.hasCode: return (.keys, isPlain)
        case .dictionaryResultType: return (.dictionaries(try resolution.dictionaries()), true)
        case .countResultType where !resolution.hasCode: return (overlay.isEmpty ? .count : .keys, isPlain)
        default: return (readsKeysAlone ? .keys : .rows, isPlain)
        }
    }

    /// The same fetch later, on the context's queue again.
    func resumed(with answer: RoutedFetch.Answer?) -> FetchExecution {
        context.readNews()
        ChangeProcessing(context).run()
        var result = self
        result.early = answer
        return result
    }

    func run<T>(as type: T.Type = T.self) throws -> [T] {
        switch settings.resultType {
        case .managedObjectIDResultType: return try cast(ids())
        case .dictionaryResultType: return try cast(dictionaries())
        case .countResultType: return try cast([NSNumber(value: count())])
        case .managedObjectResultType:
            let objects = try objects()
            return try ResultObjects.typed(objects) ?? cast(objects)
        default:
            throw CoreDataError.general(
                "The fetch request has a result type that does not exist: \(settings.resultType.rawValue).")
        }
    }

    func count() throws -> Int {
        if resolution.hasCode { return try objects().count }
        let overlay = overlay
        if overlay.isEmpty {
            if let early, early.says(.count) { return source.number(early, windowed: true) }
            return try source.count(below: context, windowed: true)
        }
        let below = try answer(.keys, windowed: false).parts.reduce(0) { total, part in
            guard case .keys(let keys) = part.content else { return total }
            return keys.reduce(total) { overlay.hides($1, part.home) ? $0 : $0 + 1 }
        }
        return source.windowed(try overlay.matching().count + below)
    }

    // MARK: Objects

    private func objects() throws -> [NSManagedObject] {
        let overlay = overlay
        let answer = try answer(
            readsKeysAlone ? .keys : .rows, windowed: overlay.isEmpty && !resolution.hasCode)
        var objects: [NSManagedObject] = []
        for part in answer.parts {
            let found = registered(part, overlay)
            if objects.isEmpty { objects = found } else { objects += found }
        }
        if resolution.hasCode, let predicate = resolution.predicate {
            context.realizeAll(objects.filter(\.isFault))
            let evaluator = try PredicateEvaluator(predicate)
            objects = try objects.filter { try evaluator.matches($0) }
        }
        if !overlay.isEmpty { objects += try overlay.matching() }
        if !overlay.isEmpty || !answer.isSorted { try sort(&objects) }
        if !answer.isWindowed { objects = window(objects) }
        if !settings.returnsObjectsAsFaults { try FaultFulfilment(context).realizePrimed(objects) }
        if let paths = settings.relationshipKeyPathsForPrefetching {
            try Prefetching(context, resolution).run(paths, objects)
        }
        return objects
    }

    private func registered(_ part: RoutedFetch.Answer.Part, _ overlay: PendingChangeOverlay) -> [NSManagedObject] {
        switch part.content {
        case .rows(let rows):
            return ResultObjects(context, home: part.home, refreshes: settings.shouldRefreshRefetchedObjects)
                .objects(for: rows) { !overlay.isEmpty && overlay.hides($0) }
        case .keys(let keys):
            let shown = overlay.isEmpty ? keys : keys.filter { !overlay.hides($0, part.home) }
            return registered(shown, part.home)
        case .count, .dictionaries: return []
        }
    }

    /// Faults without rows. With a batch size, each knows the keys that are read along with its own.
    private func registered(_ keys: [ObjectKey], _ home: StoreIdentity?) -> [NSManagedObject] {
        var result: [NSManagedObject] = []
        result.reserveCapacity(keys.count)
        let size = settings.fetchBatchSize > 0 ? settings.fetchBatchSize : keys.count
        for start in stride(from: 0, to: keys.count, by: max(size, 1)) {
            let batch = FaultBatch(keys: keys[start..<min(start + size, keys.count)])
            for key in batch.keys {
                let object = context.registry.unique(key, home, row: nil)
                if settings.fetchBatchSize > 0, object.isFault, object.snapshot == nil {
                    object.extensionMade.batch = batch
                }
                context.retain(object)
                result.append(object)
            }
        }
        return result
    }

    // MARK: Other results

    private func ids() throws -> [NSManagedObjectID] {
        guard overlay.isEmpty, !resolution.hasCode else { return try objects().map(\.objectID) }
        let answer = try answer(.keys, windowed: true)
        guard answer.isSorted, answer.isWindowed else { return try objects().map(\.objectID) }
        return answer.parts.flatMap { part -> [NSManagedObjectID] in
            guard case .keys(let keys) = part.content else { return [] }
            return keys.map { id($0, part.home) }
        }
    }

    private func id(_ key: ObjectKey, _ home: StoreIdentity?) -> NSManagedObjectID {
        NSManagedObjectID(layout: resolution.model.layouts[key.entityIndex], key: key.key, home: home)
    }

    /// Dictionaries show the stores, whatever parents have changed.
    private func dictionaries() throws -> [NSDictionary] {
        let request = ResolvedFetch.Result.dictionaries(try resolution.dictionaries())
        let answer = try answer(request, windowed: true)
        var result: [[String: Any]] = []
        for part in answer.parts {
            guard case .dictionaries(let rows) = part.content else { continue }
            for var row in rows {
                for (name, value) in row { if let key = value as? ObjectKey { row[name] = id(key, part.home) } }
                result.append(row)
            }
        }
        if !answer.isWindowed { result = window(result) }
        return result.map { $0 as NSDictionary }
    }

    // MARK: Parts

    /// Objects that are to take newer values need all rows now.
    private var readsKeysAlone: Bool {
        (!settings.includesPropertyValues || settings.fetchBatchSize > 0) && !settings.shouldRefreshRefetchedObjects
    }

    /// What is below this context. What came early serves unless it was cut, and changes made since forbid that.
    func answer(_ result: ResolvedFetch.Result, windowed: Bool) throws -> RoutedFetch.Answer {
        if let early, early.says(result), windowed || !early.isWindowed || hasNoWindow { return early }
        return try source.answer(result, below: context, windowed: windowed)
    }

    private var hasNoWindow: Bool { settings.fetchLimit == 0 && settings.fetchOffset == 0 }

    /// What limit and offset leave.
    var windowBounds: (offset: Int, limit: Int) { (settings.fetchOffset, settings.fetchLimit) }

    var overlay: PendingChangeOverlay {
        settings.includesPendingChanges
            ? PendingChangeOverlay(context, resolution, source.stores)
            : PendingChangeOverlay(empty: context, resolution)
    }

    private func sort(_ objects: inout [NSManagedObject]) throws {
        guard let descriptors = settings.sortDescriptors, !descriptors.isEmpty else { return }
        objects = try ObjectOrdering(descriptors).sorted(objects, ties: tieOrder.precedes)
    }

    /// How objects that compare equal stand.
    var tieOrder: TieOrder { TieOrder(stores: source.stores, isUpwards: resolution.sorting.breaksTiesUpwards) }

    private func window<R>(_ results: [R]) -> [R] {
        let rest = settings.fetchOffset > 0 ? Array(results.dropFirst(settings.fetchOffset)) : results
        return settings.fetchLimit > 0 ? Array(rest.prefix(settings.fetchLimit)) : rest
    }

    private func cast<R, T>(_ results: [R]) throws -> [T] {
        try results.map { result in
            if let result = result as? T { return result }
            throw mismatch(type(of: result), T.self)
        }
    }

    func mismatch(_ given: Any.Type, _ expected: Any.Type) -> NSError {
        var text = "The fetch of '\(resolution.layout.name)' gave a \(given) where the request's type says \(expected)."
        if given == NSManagedObject.self, let name = resolution.layout.entity.managedObjectClassName,
            name != "NSManagedObject"
        {
            text += " The model names the class '\(name)', which was not found in the program."
        }
        return CoreDataError.general(text)
    }
}
