// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Fetches and counts with typed requests, and calls overrides of the untyped methods.

import Foundation

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
            return try FetchExecution(state, request).run(as: Element.self)
        } catch {
            throw CoreDataError.request(error, entity: request.entityName)
        }
    }

    /// The number of results of a request, through the methods that the context's class overrides.
    func number<T>(of request: NSFetchRequest<T>) throws -> Int {
        checkQueue()
        try state.storedFaults?.throwRepeatedFaulting()
        do {
            return try FetchExecution(state, request).count()
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
