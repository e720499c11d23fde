// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The protocols of custom stores. SwiftData-W1 to W6.

import Foundation

/// The configuration of a custom store.
///
///     struct CardBoxConfiguration: DataStoreConfiguration {
///         typealias Store = CardBox
///         var name: String
///         var schema: Schema?
///         var file: URL
///     }
///     let container = try ModelContainer(
///         for: Card.self, configurations: CardBoxConfiguration(name: "cards", file: file))
public protocol DataStoreConfiguration: Hashable {
    /// The class of the store.
    associatedtype Store: DataStore where Self == Self.Store.Configuration
    /// The name; a container has one store of a name.
    var name: String { get }
    /// The entities of the store; nil for all of the container's, which the container sets.
    var schema: Schema? { get set }
    /// Called before the store is made.
    ///
    /// - Throws: the reason why the store cannot be made; the container passes it on.
    func validate() throws
}

extension DataStoreConfiguration {
    /// Accepts the configuration.
    public func validate() throws {}
}

/// A custom store: it keeps snapshots of models, and answers fetches with them.
///
/// The container calls it for one request at a time, on any thread. Contexts do the rest: identity of models,
/// relationships, unsaved changes, delete rules, validation, unique values, undo. `fetch(_:)` and `save(_:)` suffice;
/// the other methods have defaults.
public protocol DataStore: AnyObject, Identifiable, Equatable {
    /// The configuration that makes it.
    associatedtype Configuration: DataStoreConfiguration where Self == Self.Configuration.Store
    /// The form of the records: `DefaultSnapshot`, or a type of the program's.
    associatedtype Snapshot: DataStoreSnapshot

    /// Opens the store.
    ///
    /// - Throws: the reason why it cannot be opened; the container passes it on.
    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

    /// The identifier of the store, in identifiers of models: the same at each opening, and never empty.
    var identifier: String { get }
    /// The entities of the store.
    var schema: Schema { get }
    /// The configuration.
    var configuration: Configuration { get }

    /// The records that a descriptor selects, in its order. Records of other classes in the result are ignored.
    ///
    /// - Throws: `DataStoreError.preferInMemoryFilter` or `preferInMemorySort` to be called again without a predicate
    ///   or without an order; the context then filters and sorts. Any other error fails the fetch.
    func fetch<T>(
        _ request: DataStoreFetchRequest<T>
    ) throws -> DataStoreFetchResult<T, Snapshot> where T: PersistentModel
    /// The number of records that `fetch(_:)` would return.
    func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel
    /// The identifiers of the records that `fetch(_:)` would return.
    func fetchIdentifiers<T>(
        _ request: DataStoreFetchRequest<T>
    ) throws -> [PersistentIdentifier] where T: PersistentModel
    /// Writes all changes, or throws and writes none.
    ///
    /// Inserted snapshots have temporary identifiers. The result names a permanent one for each of them; the
    /// snapshots to keep are those of `copy(persistentIdentifier:remappedIdentifiers:)`.
    func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot>
    /// Deletes all records.
    func erase() throws

    /// A context begins to use the store.
    func initializeState(for editingState: EditingState)
    /// A context ends.
    func invalidateState(for editingState: EditingState)
    /// Records that the store has in memory. Those that it leaves out are fetched by their identifier.
    func cachedSnapshots(
        for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
    ) throws -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
    /// Counts the records of a fetch.
    public func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel {
        try fetchIdentifiers(request).count
    }

    /// Takes the identifiers of a fetch's records.
    public func fetchIdentifiers<T>(
        _ request: DataStoreFetchRequest<T>
    ) throws -> [PersistentIdentifier] where T: PersistentModel {
        try fetch(request).fetchedSnapshots.map(\.persistentIdentifier)
    }

    /// Not supported. The container then deletes all records with `save(_:)`.
    public func erase() throws { throw DataStoreError.unsupportedFeature }

    /// Does nothing.
    public func initializeState(for editingState: EditingState) {}
    /// Does nothing.
    public func invalidateState(for editingState: EditingState) {}

    /// None.
    public func cachedSnapshots(
        for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
    ) throws -> [PersistentIdentifier: Snapshot] { [:] }

    /// By identity.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs === rhs }
}

/// A store that deletes many records at once.
public protocol DataStoreBatching: DataStore {
    /// Deletes the records that match a condition, or throws and deletes none.
    ///
    /// - Throws: `DataStoreError.preferInMemoryFilter` to have the records deleted with `save(_:)`.
    func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel
}

/// A store with a history of its saves, which `ModelContext.fetchHistory(_:)` reads.
public protocol HistoryProviding {
    /// The kind of transactions.
    associatedtype HistoryType: HistoryTransaction
    /// The kind of transactions, as a value.
    static var historyType: HistoryType.Type { get }
    /// The transactions that a descriptor selects.
    func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]
    /// Deletes the transactions that a descriptor selects.
    func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}

extension HistoryProviding {
    /// The kind of transactions, as a value.
    public static var historyType: HistoryType.Type { HistoryType.self }
}

/// An error of a store that cannot serve a request.
public enum DataStoreError: Error, Equatable, Hashable, Sendable {
    /// The store cannot evaluate the predicate.
    case invalidPredicate
    /// The store cannot filter: the context does.
    case preferInMemoryFilter
    /// The store cannot sort: the context does.
    case preferInMemorySort
    /// The store does not have the feature.
    case unsupportedFeature
}
