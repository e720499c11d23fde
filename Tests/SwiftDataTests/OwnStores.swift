// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Custom stores, written only with the public interface.

import Foundation
import SwiftData

struct ShelfConfiguration: DataStoreConfiguration {
    typealias Store = Shelf
    var name: String
    var schema: Schema?
    /// The file with all records; nil for a store in memory.
    var file: URL?
    /// Where a suite finds the store.
    var place = ShelfPlace()
}

final class ShelfPlace: Hashable {
    weak var shelf: Shelf?
    static func == (lhs: ShelfPlace, rhs: ShelfPlace) -> Bool { lhs === rhs }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Keeps all snapshots in one JSON file, or in memory.
final class Shelf: DataStore, DataStoreBatching {
    typealias Configuration = ShelfConfiguration
    typealias Snapshot = DefaultSnapshot

    let configuration: ShelfConfiguration
    let schema: Schema
    let identifier: String
    private var memory: [PersistentIdentifier: DefaultSnapshot] = [:]
    private(set) var saves = 0
    private(set) var states: [EditingState.ID] = []
    private(set) var requests: [String] = []
    var refusal: (any Error)?

    init(_ configuration: ShelfConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        self.configuration = configuration
        schema = try configuration.schema ?? { throw DataStoreError.unsupportedFeature }()
        identifier = "shelf-\(configuration.name)"
        if configuration.file != nil { _ = try read() }
        configuration.place.shelf = self
    }

    func fetch<T>(
        _ request: DataStoreFetchRequest<T>
    ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
        requests.append("fetch \(T.self)\(request.descriptor.predicate == nil ? "" : " where")")
        if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
        if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
        let all = try read()
        let entity = schema.entity(for: T.self)
        let names = Set([entity?.name] + (entity?.subentities.map(\.name) ?? []))
        let own = all.values.filter { names.contains($0.persistentIdentifier.entityName) }
        return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: own, relatedSnapshots: all)
    }

    func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        if let refusal { throw refusal }
        var all = try read()
        var permanent: [PersistentIdentifier: PersistentIdentifier] = [:]
        for snapshot in request.inserted {
            permanent[snapshot.persistentIdentifier] = try .identifier(
                for: identifier, entityName: snapshot.persistentIdentifier.entityName, primaryKey: UUID())
        }
        for snapshot in request.inserted + request.updated {
            let id = permanent[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
            all[id] = snapshot.copy(persistentIdentifier: id, remappedIdentifiers: permanent)
        }
        for snapshot in request.deleted { all[snapshot.persistentIdentifier] = nil }
        try write(all)
        saves += 1
        return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: permanent)
    }

    func erase() throws { try write([:]) }

    func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel {
        if request.predicate != nil { throw DataStoreError.preferInMemoryFilter }
        requests.append("delete \(T.self)")
        try write(try read().filter { $0.key.entityName != Schema.entityName(for: T.self) })
    }

    func initializeState(for editingState: EditingState) { states.append(editingState.id) }
    func invalidateState(for editingState: EditingState) { states.removeAll { $0 == editingState.id } }

    private func read() throws -> [PersistentIdentifier: DefaultSnapshot] {
        guard let file = configuration.file else { return memory }
        guard FileManager.default.fileExists(atPath: file.path) else { return [:] }
        let all = try JSONDecoder().decode([DefaultSnapshot].self, from: Data(contentsOf: file))
        return Dictionary(all.map { ($0.persistentIdentifier, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private func write(_ all: [PersistentIdentifier: DefaultSnapshot]) throws {
        guard let file = configuration.file else { return memory = all }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let records = all.values.sorted { $0.persistentIdentifier < $1.persistentIdentifier }
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try encoder.encode(records).write(to: file, options: .atomic)
    }
}

// MARK: A store with custom snapshots

/// The values of a tag.
struct TagSnapshot: DataStoreSnapshot {
    let persistentIdentifier: PersistentIdentifier
    var name: String
    var books: [PersistentIdentifier]

    init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]) {
        guard let tag = backingData as? any BackingData<Tag>, let id = tag.persistentModelID else {
            preconditionFailure("The store has tags alone.")
        }
        persistentIdentifier = id
        name = tag.getValue(forKey: \.name)
        books = tag.getValue(forKey: \.books).map(\.persistentModelID)
    }

    func copy(
        persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
    ) -> TagSnapshot {
        TagSnapshot(persistentIdentifier, name, books.map { remappedIdentifiers?[$0] ?? $0 })
    }

    init(_ id: PersistentIdentifier, _ name: String, _ books: [PersistentIdentifier]) {
        persistentIdentifier = id
        self.name = name
        self.books = books
    }
}

struct TagListConfiguration: DataStoreConfiguration {
    typealias Store = TagList
    var name = "tags"
    var schema: Schema?
}

/// Numbers its records, and writes each name in capitals.
final class TagList: DataStore {
    typealias Configuration = TagListConfiguration
    typealias Snapshot = TagSnapshot
    let configuration: TagListConfiguration
    let schema: Schema
    let identifier = "tags"
    private var all: [PersistentIdentifier: TagSnapshot] = [:]

    init(_ configuration: TagListConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        self.configuration = configuration
        schema = configuration.schema ?? Schema([Tag.self])
    }

    func fetch<T>(
        _ request: DataStoreFetchRequest<T>
    ) throws -> DataStoreFetchResult<T, TagSnapshot> where T: PersistentModel {
        if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
        return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: Array(all.values))
    }

    func save(_ request: DataStoreSaveChangesRequest<TagSnapshot>) throws -> DataStoreSaveChangesResult<TagSnapshot> {
        var permanent: [PersistentIdentifier: PersistentIdentifier] = [:]
        var rewritten: [PersistentIdentifier: TagSnapshot] = [:]
        for snapshot in request.inserted {
            permanent[snapshot.persistentIdentifier] = try .identifier(
                for: identifier, entityName: "Tag", primaryKey: all.count + permanent.count + 1)
        }
        for var snapshot in request.inserted + request.updated {
            snapshot.name = snapshot.name.uppercased()
            let id = permanent[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
            rewritten[id] = snapshot.copy(persistentIdentifier: id, remappedIdentifiers: permanent)
        }
        all.merge(rewritten) { $1 }
        for snapshot in request.deleted { all[snapshot.persistentIdentifier] = nil }
        return DataStoreSaveChangesResult(
            for: identifier, remappedIdentifiers: permanent, snapshotsToReregister: rewritten)
    }
}

// MARK: Stores with mistakes

struct ForgetfulConfiguration: DataStoreConfiguration {
    typealias Store = Forgetful
    var name = "forgetful"
    var schema: Schema?
    /// An entity, or "refuse" for a configuration that is not valid.
    var text = ""

    func validate() throws { if text == "refuse" { throw DataStoreError.invalidPredicate } }
}

/// Gives new records no identifiers, or those of the entity that its configuration names.
final class Forgetful: DataStore {
    typealias Configuration = ForgetfulConfiguration
    typealias Snapshot = DefaultSnapshot
    let configuration: ForgetfulConfiguration
    let schema: Schema
    let identifier = "forgetful"

    init(_ configuration: ForgetfulConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        self.configuration = configuration
        schema = configuration.schema ?? Schema()
    }

    func fetch<T>(
        _ request: DataStoreFetchRequest<T>
    ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
        DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: [])
    }

    func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        var permanent: [PersistentIdentifier: PersistentIdentifier] = [:]
        for snapshot in request.inserted where !configuration.text.isEmpty {
            permanent[snapshot.persistentIdentifier] = try .identifier(
                for: identifier, entityName: configuration.text, primaryKey: UUID())
        }
        return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: permanent)
    }
}

// MARK: A store over the built-in one

struct WrapperConfiguration: DataStoreConfiguration {
    typealias Store = Wrapper
    var name = "wrapper"
    var schema: Schema?
    var file: URL
}

/// Forwards every request to a built-in store.
final class Wrapper: DataStore, HistoryProviding {
    typealias Configuration = WrapperConfiguration
    typealias Snapshot = DefaultSnapshot
    let configuration: WrapperConfiguration
    let inner: DefaultStore
    var schema: Schema { inner.schema }
    var identifier: String { inner.identifier }

    init(_ configuration: WrapperConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        self.configuration = configuration
        inner = try DefaultStore(
            ModelConfiguration(schema: configuration.schema, url: configuration.file), migrationPlan: migrationPlan)
    }

    func fetch<T>(
        _ request: DataStoreFetchRequest<T>
    ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel { try inner.fetch(request) }

    func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> { try inner.save(request) }

    func fetchHistory(
        _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
    ) throws -> [DefaultHistoryTransaction] { try inner.fetchHistory(descriptor) }

    func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
        try inner.deleteHistory(descriptor)
    }
}
