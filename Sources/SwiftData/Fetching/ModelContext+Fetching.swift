// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Fetches of a context.

public import CoreData
import Foundation

extension ModelContext {
    /// The models that a descriptor describes, unsaved changes of this context included.
    ///
    /// ```swift
    /// let descriptor = FetchDescriptor<Page>(
    ///     predicate: #Predicate { $0.number > 1 && $0.album?.name == "North" }, sortBy: [SortDescriptor(\.number)])
    /// let pages = try context.fetch(descriptor)
    /// ```
    ///
    /// A model that the context has already is the same instance as before.
    ///
    /// - Parameter descriptor: condition, order and window.
    /// - Returns: at most `fetchLimit` models, in the order of `sortBy`, or of creation without it.
    /// - Throws: a `ModelError` with the part in its text, which `SwiftDataError.unsupportedPredicate`,
    ///   `unsupportedSortDescriptor` or `unsupportedKeyPath` matches; or the error of the store.
    /// - Important: call on the context's actor.
    /// - Complexity: one statement for each store, plus one pass over the unsaved models of the class. The array has an
    ///   instance for each model; `fetch(_:batchSize:)` and `enumerate(_:batchSize:allowEscapingMutations:block:)` hold
    ///   a batch at a time.
    /// - SeeAlso: `fetchCount(_:)`, `fetchIdentifiers(_:)`, `explain(_:)`.
    public func fetch<T>(_ descriptor: FetchDescriptor<T>) throws -> [T] where T: PersistentModel {
        synchronize()
        return ModelRow.models(of: try lookUp(descriptor) ?? requested(descriptor), as: T.self)
    }

    private func requested<T>(_ descriptor: FetchDescriptor<T>) throws -> [ModelRow] where T: PersistentModel {
        let request = try FetchTranslation(descriptor, self).request()
        return try asking(descriptor) { try below.fetch(request) }
    }

    /// The rows, without a request and without converting the predicate. SwiftData-P8.
    ///
    /// - Returns: nil for a descriptor that needs a request.
    @inline(__always) func lookUp<T>(_ descriptor: FetchDescriptor<T>) throws -> [ModelRow]? where T: PersistentModel {
        guard descriptor.isPlain, container.ownStores.isEmpty, let predicate = descriptor.predicate,
            let lookUp = LookUp(predicate, self), let layout = lookUp.layout
        else { return nil }
        var options = FetchOptions.standard
        if !descriptor.includePendingChanges { options.remove(.includesPendingChanges) }
        return try FetchErrors.mapped(T.self) {
            try below.found(
                by: lookUp.comparisons, of: layout, options, limit: descriptor.fetchLimit ?? 0,
                offset: descriptor.fetchOffset ?? 0)
        }
    }

    /// The models, evaluated with unsaved changes of related models, which stores do not know. SwiftData-O1.
    func fetchLive<T>(_ descriptor: FetchDescriptor<T>) throws -> [T] where T: PersistentModel {
        synchronize()
        let request = try FetchTranslation(descriptor, self).request()
        return try asking(descriptor) { try below.fetchLive(request) }.compactMap { $0.model(as: T.self) }
    }

    /// The models, a batch at a time.
    public func fetch<T>(
        _ descriptor: FetchDescriptor<T>, batchSize: Int
    ) throws -> FetchResultsCollection<T> where T: PersistentModel {
        synchronize()
        let request = try FetchTranslation(descriptor, self).request()
        request.fetchBatchSize = max(1, batchSize)
        let pages = try asking(descriptor) { try below.fetchPaged(request) }
        return FetchResultsCollection(count: pages.count) { position in
            guard let model = pages[position].model(as: T.self) else {
                preconditionFailure("\(pages[position]) is no \(T.self).")
            }
            return model
        }
    }

    /// The number of models that `fetch(_:)` would return.
    public func fetchCount<T>(_ descriptor: FetchDescriptor<T>) throws -> Int where T: PersistentModel {
        synchronize()
        let request = try FetchTranslation(descriptor, self).request()
        return try asking(descriptor) { try below.count(for: request) }
    }

    /// The identifiers of the models that `fetch(_:)` would return.
    public func fetchIdentifiers<T>(
        _ descriptor: FetchDescriptor<T>
    ) throws -> [PersistentIdentifier] where T: PersistentModel {
        synchronize()
        let request = try FetchTranslation(descriptor, self).request()
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: request.entityName ?? "")
        ids.entity = request.entity
        ids.predicate = request.predicate
        ids.sortDescriptors = request.sortDescriptors
        ids.fetchLimit = request.fetchLimit
        ids.fetchOffset = request.fetchOffset
        ids.includesPendingChanges = request.includesPendingChanges
        ids.resultType = .managedObjectIDResultType
        return try asking(descriptor) { try below.fetch(ids) }.map { PersistentIdentifier($0) }
    }

    /// The identifiers, as a collection.
    public func fetchIdentifiers<T>(
        _ descriptor: FetchDescriptor<T>, batchSize: Int
    ) throws -> FetchResultsCollection<PersistentIdentifier> where T: PersistentModel {
        let all = try fetchIdentifiers(descriptor)
        return FetchResultsCollection(count: all.count) { all[$0] }
    }

    /// Calls a block with each model, and holds a batch of them at a time.
    ///
    /// - Parameters:
    ///   - fetch: the descriptor of the models.
    ///   - batchSize: the number of models that are read at once.
    ///   - allowEscapingMutations: whether the block may change models; the context holds changed ones until the save.
    ///     Without it a change stops debug builds.
    ///   - block: its error ends the enumeration.
    public func enumerate<T>(
        _ fetch: FetchDescriptor<T>, batchSize: Int = 5000, allowEscapingMutations: Bool = false,
        block: (_ model: T) throws -> Void
    ) throws where T: PersistentModel {
        let hadChanges = below.hasChanges
        for model in try self.fetch(fetch, batchSize: max(1, batchSize)) {
            try block(model)
            assert(
                allowEscapingMutations || hadChanges || !below.hasChanges,
                "The block of enumerate(_:) changed a model: pass allowEscapingMutations: true.")
        }
    }

    /// Explains a fetch without executing it: statements, plans, and the work in memory.
    public func explain<T>(_ descriptor: FetchDescriptor<T>) throws -> FetchExplanation where T: PersistentModel {
        synchronize()
        let request = try FetchTranslation(descriptor, self).request()
        return try asking(descriptor) { try request.explain(in: below) }
    }

    /// Executes a request. Custom stores get the descriptor.
    func asking<T: PersistentModel, Result>(
        _ descriptor: FetchDescriptor<T>, _ request: () throws -> Result
    ) throws -> Result {
        if container.ownStores.isEmpty { return try FetchErrors.mapped(T.self, request) }
        let typed = TypedFetch(descriptor: descriptor, editingState: editingState)
        return try TypedFetch.$current.withValue(typed) { try FetchErrors.mapped(T.self, request) }
    }
}

/// Converts errors of fetches into errors about models.
enum FetchErrors {
    static func mapped<T: PersistentModel, Result>(_ type: T.Type, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as NSError where error.domain == NSCocoaErrorDomain && error.code == 134060 {
            throw ModelError(
                .unsupportedPredicate, entity: Schema.entityName(for: type), error.localizedDescription, error)
        }
    }
}

/// Results of a fetch that are read lazily, a batch at a time.
///
///     let books = try context.fetch(FetchDescriptor<Book>(), batchSize: 50)
///     for book in books.prefix(10) { show(book.title) }
public struct FetchResultsCollection<T>: RandomAccessCollection {
    private let count_: Int
    private let element: (Int) -> T

    init(count: Int, _ element: @escaping (Int) -> T) {
        count_ = count
        self.element = element
    }

    init(_ all: [T]) { self.init(count: all.count) { all[$0] } }

    /// 0.
    public var startIndex: Int { 0 }
    /// The number of results.
    public var endIndex: Int { count_ }

    /// A result. Its batch is read now, unless it is in memory.
    public subscript(position: Int) -> T { element(position) }
}
