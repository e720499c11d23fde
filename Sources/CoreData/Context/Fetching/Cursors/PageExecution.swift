// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads a page of a request: the results after a position, and the position of the last one. Cursors-3 to Cursors-6.

import CoreDataFoundation
import Foundation

/// One page.
struct PageExecution {
    private let state: ContextState
    private let coordinator: NSPersistentStoreCoordinator
    private let route: RoutedFetch
    private let coding: CursorCoding
    private let size: Int

    private var prepared: PreparedFetch { route.fetch.prepared }
    private var sorting: [PreparedFetch.Sort] { prepared.sorting }

    /// - Throws: a `FetchCursorError` for a request that has no pages; as `FetchExecution` for other faults.
    init<T>(_ state: ContextState, _ request: NSFetchRequest<T>, size: Int, key: Data?) throws {
        self.state = state
        coordinator = try state.requireCoordinator("fetch")
        self.size = size
        state.applyParentUpdates()
        state.processChanges()
        route = RoutedFetch(
            try request.boundForPages(in: coordinator), coordinator, affected: request.affectedStores)
        coding = CursorCoding(route, predicate: request.predicate, key: key)
        guard request.resultType == .managedObjectResultType, request.fetchLimit == 0, request.fetchOffset == 0,
            size > 0, size < Int.max
        else {
            throw coding.error(
                .unsupportedRequest, "it needs a size of at least 1, and a request for objects without a window.")
        }
        if let sort = sorting.first(where: { !$0.hasValues(in: route.fetch.model) }) {
            throw coding.error(.unsupportedOrder, at: sort, CursorCoding.noOrder)
        }
    }

    func page<Element: NSManagedObject>(after cursor: FetchCursor?) throws -> FetchPage<Element> {
        let start = try cursor.map { try coding.position($0, in: state, coordinator) }
        // One more result shows whether the list goes on.
        let objects = try sortsInMemory ? pageOfList(after: start) : pageOfStores(after: start)
        let shown = Array(objects.prefix(size))
        let next = try objects.count > size ? shown.last.map { try self.cursor(at: $0) } : nil
        guard let results: [Element] = ResultObjects.typed(shown) else {
            let other = shown.first { !($0 is Element) }
            throw execution(FetchPaging(.whole), limit: 1).mismatch(
                other.map { type(of: $0) } ?? NSManagedObject.self, Element.self)
        }
        return FetchPage(results: results, next: next)
    }

    /// The first fetch of the page.
    func firstFetch(after cursor: FetchCursor?) throws -> FetchExecution {
        let start = try cursor.map { try coding.position($0, in: state, coordinator) }
        if sortsInMemory { return execution(FetchPaging(.whole), limit: 0) }
        let parts = FetchPaging.parts(after: start, sorting)
        return execution(parts[0], limit: size + 1)
    }

    private func execution(_ paging: FetchPaging, limit: Int) -> FetchExecution {
        var route = route
        route.fetch.paging = paging
        route.fetch.limit = limit
        return FetchExecution(state, route)
    }

    private func pageOfStores(after start: FetchPosition?) throws -> [NSManagedObject] {
        var objects: [NSManagedObject] = []
        for part in FetchPaging.parts(after: start, sorting) where objects.count <= size {
            objects += try execution(part, limit: size + 1 - objects.count).run(as: NSManagedObject.self)
        }
        return objects
    }

    // MARK: Orders of the context

    /// Whether values of related objects in this context may differ from those by which stores sort.
    private var sortsInMemory: Bool {
        sorting.contains { $0.keyPath.steps.count > 1 || $0.keyPath.tail != .value }
            && (state.parent != nil || route.stores.count > 1
                || !state.tracker.unsaved.isEmpty
                    && prepared.options.contains(.includesPendingChanges))
    }

    private func pageOfList(after start: FetchPosition?) throws -> [NSManagedObject] {
        let execution = execution(FetchPaging(.whole), limit: 0)
        var objects = try execution.run(as: NSManagedObject.self)
        try execution.sort(&objects)
        if let start {
            let test = try ObjectPositionTest(FetchPaging(.whole, after: start), sorting, route.tieOrder)
            objects = try state.failures.throwing { try objects.filter { try test.includes($0) } }
        }
        return Array(objects.prefix(size + 1))
    }

    // MARK: Positions

    private func cursor(at object: NSManagedObject) throws -> FetchCursor {
        let position = FetchPosition(values: try values(of: object), key: object.key, home: object.table.home)
        if object.key < 0 { state.cursorObjects[object.key] = object }
        return try coding.cursor(at: position, id: object.ownID, in: state)
    }

    private func values(of object: NSManagedObject) throws -> [ComparableValue] {
        let isOrderedByOwnValues =
            object.key < 0 || sortsInMemory || state.parent != nil
            || object.isUnsaved && prepared.options.contains(.includesPendingChanges)
        if !isOrderedByOwnValues, !sorting.isEmpty, let stored = try storedValues(of: object) { return stored }
        return try state.failures.throwing {
            try sorting.map { ComparableValue(try ReadyExpression($0.expression).value(of: object)) }
        }
    }

    /// The values by which the store sorted the object; nil if it was deleted since.
    private func storedValues(of object: NSManagedObject) throws -> [ComparableValue]? {
        let request = NSFetchRequest<NSDictionary>()
        request.entity = prepared.layout.entity
        request.resultType = .dictionaryResultType
        request.affectedStores = object.table.home?.store.map { [$0] }
        request.predicate = NSPredicate(format: "SELF == %@", object)
        request.propertiesToFetch = sorting.enumerated().map { number, sort in
            let column = NSExpressionDescription()
            column.name = "value\(number)"
            column.expression = CoreDataFoundation.NSExpression(sort.expression)
            return column
        }
        let rows: [NSDictionary] = try FetchExecution(state, request).run()
        return rows.first.map { row in sorting.indices.map { ComparableValue(row["value\($0)"]) } }
    }
}
