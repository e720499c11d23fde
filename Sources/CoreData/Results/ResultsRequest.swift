// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A request as a results controller uses it: executed by the stores once, evaluated for single objects at every event.

import CoreDataFoundation
import Foundation

/// Everything that is derived from a request when it is executed. Later changes of the request have no effect on it.
struct ResultsRequest {
    let context: NSManagedObjectContext
    let order: ResultOrder
    let related: RelatedPaths
    let window: (offset: Int, limit: Int)
    let sectionKeyPath: String?
    let request: NSFetchRequest<NSManagedObject>
    private let execution: FetchExecution
    var route: RoutedFetch { execution.route }
    private let sortReaders: [KeyPathReader]
    private let sortSlots: [Int?]
    let sectionReader: KeyPathReader?
    private let watchedReaders: [KeyPathReader]
    private let evaluator: PredicateEvaluator?
    private let tieOrder: TieBreaking

    /// - Throws: as `fetch`; 134060 for a request with another result type than objects, and for a section key path
    ///   that the entity does not have, or that passes through a to-many relationship.
    init(_ request: NSFetchRequest<NSManagedObject>, _ sectionKeyPath: String?, _ context: NSManagedObjectContext)
        throws
    {
        let execution = try FetchExecution(context.state, request)
        let prepared = execution.prepared
        guard prepared.resultType == .managedObjectResultType else {
            throw CoreDataError.general(
                "A results controller shows objects: the request for '\(prepared.layout.name)' asks for other results.")
        }
        guard request.sortDescriptors != nil else {
            throw CoreDataError.general(
                "A results controller needs sort descriptors, or an empty list of them: the request for "
                    + "'\(prepared.layout.name)' has nil.")
        }
        self.context = context
        self.request = request
        self.sectionKeyPath = sectionKeyPath
        self.execution = execution
        tieOrder = execution.tieOrder
        window = execution.windowBounds
        order = ResultOrder(
            columns: prepared.sorting.map { .init(comparison: $0.comparison, isAscending: $0.isAscending) },
            isTieAscending: prepared.sorting.breaksTiesAscending)
        let sortKeys = prepared.sorting.compactMap(\.descriptor.key)
        sortReaders = try sortKeys.map(KeyPathReader.init)
        sortSlots = sortKeys.map { Self.plainSlot($0, prepared.layout) }
        sectionReader = try sectionKeyPath.map { try Self.sectionReader($0, prepared) }
        var related = RelatedPaths(prepared.layout, in: prepared.model)
        for key in sortKeys { related.add(keyPath: key) }
        if let sectionKeyPath { related.add(keyPath: sectionKeyPath) }
        let predicate = execution.fetch.predicate
        if let predicate { related.add(predicate) }
        self.related = related
        watchedReaders = try related.watched.map(KeyPathReader.init)
        evaluator = try predicate.map { try PredicateEvaluator($0) }
    }

    private static func sectionReader(_ keyPath: String, _ prepared: PreparedFetch) throws -> KeyPathReader {
        let path = try KeyPathResolver(model: prepared.model).resolve(keyPath, from: prepared.layout)
        let kinds = path.steps.map { prepared.model.layouts[$0.layoutIndex][$0.slot].kind }
        guard path.tail == .value, !path.steps.isEmpty, !kinds.contains(.toMany), !kinds.contains(.fetched) else {
            throw CoreDataError.general(
                "'\(prepared.layout.name).\(keyPath)' cannot name sections: give an attribute, of the entity or of objects at to-one "
                    + "relationships.")
        }
        return try KeyPathReader(keyPath)
    }

    var hasWindow: Bool { window.offset > 0 || window.limit > 0 }

    var entity: NSEntityDescription { route.fetch.layout.entity }

    func mismatch(_ given: Any.Type, _ expected: Any.Type) -> NSError { execution.mismatch(given, expected) }

    // MARK: Asking the stores

    /// The entries of all objects that match, in order.
    ///
    /// - Parameters:
    ///   - extent: which of them to fetch.
    ///   - readsPlacements: whether every placement is read now.
    func entries(_ extent: ResultsExtent, readsPlacements: Bool) throws -> [ResultEntry] {
        let objects = try objects(extent)
        if readsPlacements { prefetch(objects) }
        let names = try sectionNames(of: objects, extent)
        return objects.enumerated().map { position, object in
            let entry = ResultEntry(object, sectionName: names.isEmpty ? "" : names[position])
            if readsPlacements {
                entry.placement = placement(of: object)
                entry.watched = watchedValues(of: object)
            }
            return entry
        }
    }

    func objects(_ extent: ResultsExtent) throws -> [NSManagedObject] {
        let copy = NSFetchRequest<NSManagedObject>(of: request)
        let (limit, offset) = bounds(of: extent)
        // Stores sort only requests with sort descriptors. Without them, the results are in the order of store and key,
        // as at later events.
        let isOrdered = !order.columns.isEmpty
        (copy.fetchLimit, copy.fetchOffset) = isOrdered ? (limit, offset) : (0, 0)
        let found = try context.overrides.contains(.fetch) ? context.fetch(copy) : plainlyFetched(copy)
        if isOrdered { return found }
        let rest = found.sorted(by: tieOrder.precedes).dropFirst(offset)
        return Array(limit > 0 ? rest.prefix(limit) : rest)
    }

    private func plainlyFetched(_ request: NSFetchRequest<NSManagedObject>) throws -> [NSManagedObject] {
        try context.state.observing(.fetch, request.entityName, rows: { $0.count }) {
            try FetchExecution(context.state, request).run()
        }
    }

    func bounds(of extent: ResultsExtent) -> (limit: Int, offset: Int) {
        switch extent {
        case .window: (window.limit, window.offset)
        case .first(let count): (count, 0)
        case .all: (0, 0)
        }
    }

    /// How many of the first matches are enough to keep the window for a while; nil if all are needed.
    ///
    /// Stores sort and limit by the saved values of related objects. If related objects are involved, a fetch of only
    /// the first matches could be wrong.
    var prefixLength: Int? {
        guard window.limit > 0, related.isEmpty, !route.fetch.prepared.hasCode else { return nil }
        return window.offset + window.limit + max(window.limit, 50)
    }

    /// Whether placements are read when the request is executed. Then a later change of a related object can be
    /// compared with them.
    var readsPlacementsAtOnce: Bool { !related.isEmpty && request.fetchBatchSize == 0 }

    // MARK: Asking objects

    /// Whether an object is of the request's entity and stores.
    func concerns(_ object: NSManagedObject) -> Bool {
        concerns(object.table.layout)
            && (!route.namesStores
                || isInNamedStore(object.table.home?.store ?? object.objectExtension?.assignedStore, object))
    }

    func concerns(_ layout: EntityLayout) -> Bool {
        let wanted = route.fetch.layout
        return route.fetch.includesSubentities ? layout.isKind(of: wanted) : layout === wanted
    }

    private func isInNamedStore(_ store: NSPersistentStore?, _ object: NSManagedObject) -> Bool {
        let store = store ?? context.persistentStoreCoordinator?.store(forInserting: object.table.layout)
        return route.stores.contains { $0 === store }
    }

    /// Whether a realized object matches.
    func matches(_ object: NSManagedObject) throws -> Bool { try evaluator?.matches(object) ?? true }

    func placement(of object: NSManagedObject) -> ResultPlacement {
        ResultPlacement(
            values: sortValues(of: object), tie: tie(of: object), sectionName: sectionName(of: object))
    }

    /// The placement of an entry at the position that the fetch determined. Its section is known.
    func placement(of entry: ResultEntry) -> ResultPlacement {
        ResultPlacement(
            values: sortValues(of: entry.object), tie: tie(of: entry.object), sectionName: entry.sectionName)
    }

    private func tie(of object: NSManagedObject) -> ResultTie {
        ResultTie(store: tieOrder.position(object), key: object.key.magnitude)
    }

    /// Values of related objects that the predicate reads.
    func watchedValues(of object: NSManagedObject) -> [ComparableValue] { watchedReaders.map { value($0, object) } }

    /// Primed faults are not fired. So an entry that is first compared later is compared by the row of the fetch,
    /// although the row cache may have a newer one that no merge has applied to the context yet.
    private func sortValues(of object: NSManagedObject) -> [ComparableValue] {
        guard object.isFault, let row = object.snapshot, !MethodOverride.valueForKey.isPresent(in: type(of: object))
        else {
            return sortReaders.map { value($0, object) }
        }
        return zip(sortReaders, sortSlots).map { reader, slot in
            slot.map { row.comparable($0) } ?? value(reader, object)
        }
    }

    private func value(_ reader: KeyPathReader, _ object: NSManagedObject) -> ComparableValue {
        // Every key has been looked up in the model before.
        ComparableValue((try? reader.value(of: object)) ?? nil)
    }

    /// Reads the objects at to-one relationships of the placements in advance, so that they are not read one by one.
    func prefetch(_ objects: [NSManagedObject]) {
        if related.toOneKeyPaths.isEmpty || objects.count < 2 { return }
        try? Prefetching(context.state.faults, route.fetch.prepared).run(related.toOneKeyPaths.sorted(), objects)
    }
}

/// Selects the matches to be fetched.
enum ResultsExtent {
    /// The matches within offset and limit.
    case window
    case first(Int)
    case all
}
