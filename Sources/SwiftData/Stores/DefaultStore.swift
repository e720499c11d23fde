// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The built-in store as a `DataStore`, for custom stores that forward requests to it.

import CoreData
import Foundation

/// A file, or a store in memory, of this library.
///
/// A container with a `ModelConfiguration` uses the engine's store at once. Make one of these to keep the records of a
/// custom store, or to read and write snapshots without a context.
public final class DefaultStore: DataStore, DataStoreBatching, HistoryProviding {
    /// The configuration of a built-in store.
    public typealias Configuration = ModelConfiguration
    /// The form of its records.
    public typealias Snapshot = DefaultSnapshot
    /// The kind of its transactions.
    public typealias HistoryType = DefaultHistoryTransaction
    /// The kind of points in its history.
    public typealias TokenType = DefaultHistoryToken

    /// The configuration.
    public let configuration: ModelConfiguration
    /// The configuration's name.
    public let name: String
    /// The entities of the store.
    public let schema: Schema
    private let container: ModelContainer

    /// Opens the file.
    ///
    /// - Throws: `unknownSchema` by `~=` for a configuration without a schema; the errors of `ModelContainer`.
    public convenience init(
        _ configuration: ModelConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?
    ) throws {
        guard let schema = configuration.schema else {
            throw ModelError(.unknownSchema, "the configuration '\(configuration.name)' has no schema: set one")
        }
        let container = try ModelContainer(
            for: schema, migrationPlan: migrationPlan, configurations: [configuration])
        self.init(configuration, schema, container)
    }

    private init(_ configuration: ModelConfiguration, _ schema: Schema, _ container: ModelContainer) {
        self.configuration = configuration
        name = configuration.name
        self.schema = schema
        self.container = container
    }

    /// The UUID of the store.
    public var identifier: String {
        container.persistentStoreCoordinator.persistentStores.first?.identifier ?? ""
    }

    // MARK: Reading

    /// The records that a descriptor selects. Those at the other ends of its prefetched relationships are included.
    public func fetch<T>(
        _ request: DataStoreFetchRequest<T>
    ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
        let context = context(request.editingState)
        let models = try context.fetch(request.descriptor)
        var related: [PersistentIdentifier: DefaultSnapshot] = [:]
        let names = request.descriptor.relationshipKeyPathsForPrefetching.compactMap(ModelKeyPaths.name)
        for row in models.map({ ModelRow.of($0) }) {
            for case let other as ModelRow in names.flatMap({ row.linked($0) }) {
                let snapshot = DefaultSnapshot(other)
                related[snapshot.persistentIdentifier] = snapshot
            }
        }
        return DataStoreFetchResult(
            descriptor: request.descriptor, fetchedSnapshots: models.map { DefaultSnapshot(ModelRow.of($0)) },
            relatedSnapshots: related)
    }

    /// The number of records that a descriptor selects.
    public func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel {
        try context(request.editingState).fetchCount(request.descriptor)
    }

    /// The identifiers of the records that a descriptor selects.
    public func fetchIdentifiers<T>(
        _ request: DataStoreFetchRequest<T>
    ) throws -> [PersistentIdentifier] where T: PersistentModel {
        try context(request.editingState).fetchIdentifiers(request.descriptor)
    }

    /// The records of identifiers; those that are gone are left out.
    public func cachedSnapshots(
        for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
    ) throws -> [PersistentIdentifier: DefaultSnapshot] {
        let context = context(editingState)
        var result: [PersistentIdentifier: DefaultSnapshot] = [:]
        for identifier in persistentIdentifiers {
            if let row = try context.existingRow(identifier) { result[identifier] = DefaultSnapshot(row) }
        }
        return result
    }

    /// Nothing is kept for a context.
    public func initializeState(for editingState: EditingState) {}
    /// Nothing is kept for a context.
    public func invalidateState(for editingState: EditingState) {}

    // MARK: Writing

    /// Writes all changes or none. Delete rules, validation and unique values are those of contexts.
    ///
    /// - Throws: the errors of `ModelContext.save()`; 133000 for an updated record that is gone.
    public func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        let context = context(request.editingState)
        var writing = SnapshotWriting(context)
        try writing.write(request)
        try context.save()
        return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: writing.permanentIdentifiers)
    }

    /// Deletes the records that match a condition, with one statement for each entity.
    public func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel {
        try context(request.editingState).delete(
            immediately: T.self, where: request.predicate, includeSubclasses: request.includeSubclasses)
    }

    /// Deletes all records.
    public func erase() throws { try container.erase() }

    // MARK: History

    /// The transactions that a descriptor selects.
    public func fetchHistory(
        _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
    ) throws -> [DefaultHistoryTransaction] {
        try ModelContext(container).fetchHistory(descriptor)
    }

    /// Deletes the transactions that a descriptor selects, and all earlier ones.
    public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
        try ModelContext(container).deleteHistory(descriptor)
    }

    private func context(_ state: EditingState) -> ModelContext {
        let context = ModelContext(container)
        context.author = state.author
        return context
    }
}

extension ModelRow {
    /// The objects at the other end of a relationship.
    fileprivate func linked(_ name: String) -> [NSManagedObject] {
        switch value(forKey: name) {
        case let one as NSManagedObject: [one]
        case let ordered as NSOrderedSet: ordered.array.compactMap { $0 as? NSManagedObject }
        case let many as Set<NSManagedObject>: Array(many)
        default: []
        }
    }
}
