// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Fetches and counts with typed requests, and calls overrides of the untyped methods.

public import Foundation

extension NSManagedObjectContext {
    /// Returns the objects that match a request, including unsaved changes of this context.
    ///
    /// ```swift
    /// let request = Memo.fetchRequest()
    /// request.predicate = NSPredicate(format: "title BEGINSWITH %@", "G")
    /// request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    /// let notes = try context.fetch(request)
    /// ```
    ///
    /// A fetch ends the event: pending changes are processed first. An object that is registered already is the same
    /// instance as before, with its present values.
    ///
    /// - Parameter request: a request for an entity of the context's model. `fetchLimit` 0 means no limit.
    /// - Returns: at most `fetchLimit` results in the order of `sortDescriptors`. Objects are registered here, and are
    ///   faults unless `returnsObjectsAsFaults` is `false`.
    /// - Throws: 134060 for an entity or key that the model lacks (with the nearest name), for a comparison that can
    ///   hold for no object, for a result of another class than the request's type, and without a coordinator; the
    ///   error of a store that cannot be read.
    /// - Important: call on the context's queue.
    /// - Complexity: one statement per store, plus one pass over the unsaved changes of the entity. The rows are read
    ///   with it, so that firing the faults costs no statement.
    /// - SeeAlso: `NSFetchRequest`, `count(for:)`, `fetchPaged(_:keptPages:)`, `NSFetchRequest.explain(in:)`.
    /// - Source: Core Data Programming Guide, "Fetching Objects".
    public func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] {
        if overrides.contains(.fetch) { return try OverriddenRequest(request).results(in: self) }
        return try found(by: request)
    }

    /// The number of objects that `fetch(_:)` would give, unsaved changes included.
    ///
    /// ```swift
    /// let pinned = Memo.fetchRequest()
    /// pinned.predicate = NSPredicate(format: "isPinned == YES")
    /// let count = try context.count(for: pinned)  // makes no objects
    /// ```
    ///
    /// `fetchOffset` and `fetchLimit` count: a request with a limit of 1 answers whether there is any match. Sort
    /// descriptors do not change the number.
    ///
    /// - Throws: as `fetch(_:)`.
    /// - Important: call on the context's queue.
    /// - Complexity: one statement per store, and no objects. With unsaved changes of the entity the store gives the
    ///   matching keys in place of the number; a block in the predicate is called for every object.
    /// - SeeAlso: `fetch(_:)`, `NSFetchRequestResultType.countResultType`.
    public func count<T>(for request: NSFetchRequest<T>) throws -> Int {
        if overrides.contains(.count) { return try OverriddenRequest(request).count(in: self) }
        return try number(of: request)
    }

    /// The results of a request, through the methods that the context's class overrides.
    func found<T, Element>(by request: NSFetchRequest<T>) throws -> [Element] {
        checkQueue()
        noteFetchedType(T.self)
        try state.storedFaults?.throwRepeatedFaulting()
        do {
            return try state.observing(.fetch, request.entityName, rows: { $0.count }) {
                try FetchExecution(state, request).run(as: Element.self)
            }
        } catch {
            throw CoreDataError.request(error, entity: request.entityName)
        }
    }

    /// The layout of an entity in the model of the coordinator; nil without a coordinator.
    package func layout(of entity: NSEntityDescription) -> EntityLayout? { state.coordinator?.model.layout(of: entity) }

    /// The objects that a request of this shape would give: a look-up without a request and a predicate. Fetching-R8.
    ///
    /// - Parameters:
    ///   - comparisons: of slots of the layout; joined by AND.
    ///   - layout: an entity of the coordinator's model.
    /// - Returns: nil if no request of this shape was prepared yet.
    package func found<Element: NSManagedObject>(
        by comparisons: [FetchShape.Comparison], of layout: EntityLayout, _ options: FetchOptions, limit: Int,
        offset: Int
    ) throws -> [Element]? {
        checkQueue()
        guard let coordinator = state.coordinator,
            let shape = FetchShape(
                layout, options, .managedObjectResultType, comparisons, sorting: nil, prefetching: nil),
            let prepared = coordinator.preparedFetches.fetch(shape)
        else { return nil }
        noteFetchedType(Element.self)
        try state.storedFaults?.throwRepeatedFaulting()
        var fetch = BoundFetch(prepared, comparisons)
        fetch.limit = limit
        fetch.offset = offset
        do {
            return try state.observing(.fetch, layout.name, rows: { $0.count }) {
                try FetchExecution(state, fetch, coordinator).run(as: Element.self)
            }
        } catch {
            throw CoreDataError.request(error, entity: layout.name)
        }
    }

    /// The number of results of a request, through the methods that the context's class overrides.
    func number<T>(of request: NSFetchRequest<T>) throws -> Int {
        checkQueue()
        try state.storedFaults?.throwRepeatedFaulting()
        do {
            return try state.observing(.count, request.entityName, rows: { $0 }) {
                try FetchExecution(state, request).count()
            }
        } catch {
            throw CoreDataError.request(error, entity: request.entityName)
        }
    }

    @inline(__always) fileprivate func noteFetchedType(_ type: Any.Type) {
        if lastFetchedType != ObjectIdentifier(type) { registerFetchedType(type) }
    }

    private func registerFetchedType(_ type: Any.Type) {
        lastFetchedType = ObjectIdentifier(type)
        if let type = type as? NSManagedObject.Type { ObjectClasses.register(type) }
    }
}

extension NSManagedObjectContext {
    /// Returns the results of a request that follow a cursor, and the cursor of the next ones.
    ///
    /// ```swift
    /// let request = Memo.fetchRequest()
    /// request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    /// let first = try context.page(request, size: 2)
    /// let text = first.next?.rawValue ?? ""  // to a browser, and back
    /// let second = try context.page(request, after: FetchCursor(rawValue: text), size: 2)
    /// ```
    ///
    /// A cursor is a position in the order of the request, not a number of results. So insertions and deletions between
    /// two pages move no other result: each object with unchanged sort values is on one page, in order. Equal
    /// results are in the order of their first save, in the direction of the last descriptor.
    ///
    /// Unsaved changes of this context and its parents count, as in `fetch(_:)`. The objects of a page take the values
    /// of the store, except unsaved ones.
    ///
    /// - Parameters:
    ///   - request: a request for objects, without limit and offset. It sorts by numbers, texts, dates, UUIDs, URLs or
    ///     data, also along to-one relationships. nil is first in ascending order.
    ///   - cursor: of the page before, by a request with the same entity, predicate and order; nil for the first page.
    ///   - size: the number of results of a full page.
    ///   - key: signs the cursor with HMAC-SHA256, so that a client cannot change it; nil for a checksum. Use the same
    ///     key for all pages, and at least 32 random bytes.
    /// - Returns: a page. `next` is nil if no results follow.
    /// - Throws: a `FetchCursorError` for a cursor of another request, entity or version of the entity, for a changed
    ///   one, and for a request that has no pages. Otherwise as `fetch(_:)`.
    /// - Important: call on the context's queue. A cursor at an unsaved object can be used in this context only.
    /// - Complexity: one statement for each store, which reads the page and one more row: an index of the first
    ///   attribute serves position and order. A second one reads the sort values of the last result by its key. A page
    ///   that reaches the results without a value of the first attribute takes one more. With several stores or unsaved
    ///   changes of the entity, all results after the cursor are read and sorted in memory.
    /// - SeeAlso: `NSFetchRequest.explainPage(after:size:signedWith:in:)`; `fetchPaged(_:keptPages:)` for one look at a
    ///   list.
    public func page<Element: NSManagedObject>(
        _ request: NSFetchRequest<Element>, after cursor: FetchCursor? = nil, size: Int, signedWith key: Data? = nil
    ) throws -> FetchPage<Element> {
        checkQueue()
        ObjectClasses.register(Element.self)
        try state.storedFaults?.throwRepeatedFaulting()
        return try reading(pagesOf: request, size: size, signedWith: key, rows: { $0.results.count }) {
            try $0.page(after: cursor)
        }
    }

    /// - Throws: a `FetchCursorError` as it is; other errors as fetches throw them.
    func reading<T, Result>(
        pagesOf request: NSFetchRequest<T>, size: Int, signedWith key: Data?, rows: (Result) -> Int = { _ in 0 },
        _ body: (PageExecution) throws -> Result
    ) throws -> Result {
        do {
            return try state.observing(.fetch, request.entityName, rows: rows) {
                try body(try PageExecution(state, request, size: size, key: key))
            }
        } catch let error as FetchCursorError {
            throw error
        } catch {
            throw CoreDataError.request(error, entity: request.entityName)
        }
    }
}

/// A typed request that is passed through the untyped methods of a class that overrides them.
private struct OverriddenRequest<Element> {
    private let request: NSFetchRequest<Element>
    private let untyped: NSFetchRequest<any NSFetchRequestResult>

    init(_ request: NSFetchRequest<Element>) {
        self.request = request
        untyped = NSFetchRequest(of: request)
    }

    func results(in context: NSManagedObjectContext) throws -> [Element] {
        context.noteFetchedType(Element.self)
        let results: [Any] = try context.fetch(untyped)
        takeEntity()
        return try results.map { result in
            if let result = result as? Element { return result }
            throw CoreDataError.general(
                "`\(type(of: context)).fetch(_:)` gave a \(type(of: result)) for '\(request.entityName ?? "")' where the "
                    + "request's type says \(Element.self).")
        }
    }

    func count(in context: NSManagedObjectContext) throws -> Int {
        let count = try context.count(for: untyped)
        takeEntity()
        return count
    }

    /// A request by name has its entity after it was executed.
    private func takeEntity() {
        if request.settings.entity == nil { request.settings.entity = untyped.settings.entity }
    }
}
