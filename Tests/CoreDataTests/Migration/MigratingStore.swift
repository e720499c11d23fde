// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store in a separate folder that is opened with one version of a model after another.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

/// Removed with its folder at the end.
final class MigratingStore {
    static var migrating: [AnyHashable: Any] {
        [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
            NSPersistentStoreTimeoutOption: 2,
        ]
    }

    let folder: URL
    let url: URL
    let kind: StoreKind
    /// The stores with former rows that migrations on a server have made.
    private var kept: [URL] = []

    init(_ kind: StoreKind = .sqlite) throws {
        self.kind = kind
        folder = FileManager.default.temporaryDirectory.appending(path: "Migration-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        url = kind.place(folder.appending(path: "store.sqlite"))
    }

    /// A store of a version, filled and closed.
    convenience init(
        _ model: NSManagedObjectModel, in kind: StoreKind = .sqlite,
        _ fill: (NSManagedObjectContext) throws -> Void = { _ in }
    ) throws {
        try self.init(kind)
        let context = try open(model, options: nil)
        try fill(context)
        try context.save()
        try close(context)
    }

    /// A store that exists already, in a separate folder.
    init(at url: URL, _ kind: StoreKind = .sqlite) {
        self.url = url
        self.kind = kind
        folder =
            kind.isOnServer
            ? FileManager.default.temporaryDirectory.appending(path: "Migration-\(UUID().uuidString)")
            : url.deletingLastPathComponent()
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
        guard kind.isOnServer else { return }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
        for place in kept + [url] { try? coordinator.destroyPersistentStore(at: place, ofType: kind.type) }
    }

    func open(
        _ model: NSManagedObjectModel, options: [AnyHashable: Any]? = MigratingStore.migrating,
        configuration: String? = nil
    ) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: kind.type, configurationName: configuration, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    func close(_ context: NSManagedObjectContext) throws {
        let coordinator = try #require(context.persistentStoreCoordinator)
        for store in coordinator.persistentStores {
            if kind.isOnServer, let report = store.migrationReport {
                kept += report.quarantineURLs + [report.originalURL].compactMap { $0 }
            }
            try coordinator.remove(store)
        }
    }

    /// Opens a SQLite store with another version, and requires the structure of a new store of it.
    func migrate(
        to model: NSManagedObjectModel, options: [AnyHashable: Any] = [:]
    ) throws -> NSManagedObjectContext {
        let context = try open(model, options: Self.migrating.merging(options) { $1 })
        let store = try #require(context.persistentStoreCoordinator?.persistentStores.first)
        #expect(store.migrationReport?.isVerified == true)
        #expect(try differences(from: model) == [])
        return context
    }

    /// The error of an opening that has to fail.
    func failure(
        _ model: NSManagedObjectModel, options: [AnyHashable: Any]? = MigratingStore.migrating
    ) throws -> NSError {
        do {
            let context = try open(model, options: options)
            try close(context)
        } catch {
            return error as NSError
        }
        return try #require(nil as NSError?, "the store was opened")
    }

    /// The differences between the file and a new store of a version, and the defects of the file.
    func differences(from model: NSManagedObjectModel) throws -> [String] {
        let connection = try Connection(url: url, options: .init(access: .readOnly))
        defer { try? connection.close() }
        let schema = Schema(model: ModelLayout(entities: model.entities))
        return try SchemaComparison(schema, try DatabaseOutline(connection)).differences + connection.integrityCheck()
    }

    /// One column of a query.
    func column(_ sql: String) throws -> [SQLiteValue] {
        let connection = try Connection(url: url, options: .init(access: .readOnly))
        defer { try? connection.close() }
        return try connection.rows(sql).map { $0[0] }
    }

    /// The bytes of all files in the store's folder, by name, without those that SQLite makes for a reader.
    func bytes() throws -> [String: Data] {
        var result: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            let file = folder.appending(path: name)
            guard !name.hasSuffix("-shm"), let data = try? Data(contentsOf: file) else { continue }
            if !data.isEmpty || !name.hasSuffix("-wal") { result[name] = data }
        }
        return result
    }
}

extension NSManagedObjectContext {
    @discardableResult
    func make(_ entity: String, _ values: [String: Any] = [:]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    /// All objects of an entity, subentities included, in the order of their keys.
    func all(_ entity: String) throws -> [NSManagedObject] {
        try fetch(NSFetchRequest<NSManagedObject>(entityName: entity))
            .sorted { $0.objectID.rowKey < $1.objectID.rowKey }
    }

    /// The values of one attribute as texts, in the order of the keys.
    func values(_ entity: String, _ attribute: String) throws -> [String?] {
        try all(entity).map { object in
            let value = object.value(forKey: attribute)
            return value.flatMap { AttributeValues.number($0) }?.stringValue ?? value.map { "\($0)" }
        }
    }
}

extension NSManagedObjectID {
    /// The number after the `p` of the URI.
    var rowKey: Int { Int(uriRepresentation().lastPathComponent.dropFirst()) ?? 0 }
}

/// Builds a model of several entities in one expression.
func version(_ build: (NSManagedObjectModel) -> Void) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    build(model)
    return model
}

extension NSManagedObjectModel {
    @discardableResult
    func entity(
        _ name: String, former: String? = nil, parent: NSEntityDescription? = nil, abstract: Bool = false,
        _ build: (NSEntityDescription) -> Void = { _ in }
    ) -> NSEntityDescription {
        let entity = NSEntityDescription(name, abstract: abstract)
        entity.renamingIdentifier = former
        entities.append(entity)
        parent?.subentities.append(entity)
        build(entity)
        return entity
    }
}
