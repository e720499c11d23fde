// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store that is replaced by its migration through a side file.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

@Suite("Migration of a store in its place, by objects") struct ObjectMigrationTests {
    static let kinds: [StoreKind] = [.sqlite, .xml, .binary]

    private let first: NSManagedObjectModel
    private let second: NSManagedObjectModel

    init() {
        let book = NSEntityDescription("Book")
        book.attribute("title", .stringAttributeType)
        book.attribute("cover", .binaryDataAttributeType).allowsExternalBinaryDataStorage = true
        first = NSManagedObjectModel(book)
        let volume = NSEntityDescription("Volume")
        volume.renamingIdentifier = "Book"
        volume.attribute("name", .stringAttributeType, optional: false).renamingIdentifier = "title"
        volume.attribute("cover", .binaryDataAttributeType).allowsExternalBinaryDataStorage = true
        second = NSManagedObjectModel(volume)
    }

    private static let cover = Data(repeating: 7, count: 300_000)

    /// Makes a store with one book, in a separate folder; then calls the body, with the store closed.
    private func withStore<T>(_ kind: StoreKind, title: String?, _ body: (URL, String?) throws -> T) throws -> T {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Replacing-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("Store.data")
        let identifier = try open(kind, url, first) { context, store in
            let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
            book.setValue(title, forKey: "title")
            book.setValue(Self.cover, forKey: "cover")
            store.metadata["own"] = "kept"
            try context.save()
            return store.identifier
        }
        return try body(url, identifier)
    }

    private func open<T>(
        _ kind: StoreKind, _ url: URL, _ model: NSManagedObjectModel,
        _ body: (NSManagedObjectContext, NSPersistentStore) throws -> T
    ) throws -> T {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: kind.type, configurationName: nil, at: url, options: nil)
        defer { try? coordinator.remove(store) }
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        return try body(context, store)
    }

    private func migration(_ kind: StoreKind, _ url: URL) -> ObjectMigration {
        ObjectMigration(
            store: StoreLocation(url: url, type: kind.type, options: nil), configuration: nil, source: first,
            destination: second,
            mapping: nil)
    }

    private func files(_ url: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)
            .filter { !$0.hasSuffix("-shm") && !$0.hasSuffix("-wal") }.sorted()
    }

    /// Proves: G35, G66, G67
    @Test("the new store has rows, large data, identifier and metadata of the old one", arguments: kinds)
    func replaced(kind: StoreKind) throws {
        let (names, covers, isSame, own, before, after) = try withStore(kind, title: "Emma") { url, identifier in
            let before = try files(url)
            try migration(kind, url).run()
            return try open(kind, url, second) { context, store in
                let volumes = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Volume"))
                return (
                    volumes.map { $0.value(forKey: "name") as? String },
                    volumes.map { $0.value(forKey: "cover") as? Data }, store.identifier == identifier,
                    store.metadata["own"] as? String, before, try files(url)
                )
            }
        }
        #expect(names == ["Emma"] && covers == [Self.cover])
        #expect(isSame && own == "kept")
        #expect(before == after)
    }

    /// Proves: G65, G67, G71
    @Test(
        "a migration that fails leaves the old store with all its files, and fails again in the same way",
        arguments: kinds)
    func failing(kind: StoreKind) throws {
        let (errors, covers, before, after) = try withStore(kind, title: nil) { url, _ in
            let before = try files(url)
            var errors: [NSError] = []
            for _ in 0..<2 {
                do { try migration(kind, url).run() } catch { errors.append(error as NSError) }
            }
            let covers = try open(kind, url, first) { context, _ in
                try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
                    .map { $0.value(forKey: "cover") as? Data }
            }
            return (errors, covers, before, try files(url))
        }
        #expect(errors.map(\.code) == [NSMigrationError, NSMigrationError])
        #expect(
            errors.map { $0.userInfo["reason"] as? String }
                == Array(
                    repeating: "Validation error missing attribute values on mandatory destination attribute", count: 2)
        )
        #expect(covers == [Self.cover] && before == after)
    }

    /// Proves: G80
    @Test("a SQLite store that another process has open is refused")
    func inUse() throws {
        let error = try withStore(.sqlite, title: "Emma") { url, _ in
            let user = try ForeignUser(of: url)
            defer { try? user.close() }
            var failure: NSError?
            do {
                try ObjectMigration(
                    store: StoreLocation(
                        url: url, type: NSSQLiteStoreType, options: [NSPersistentStoreTimeoutOption: 0.1]),
                    configuration: nil, source: first, destination: second, mapping: nil
                ).run()
            } catch { failure = error as NSError }
            return failure
        }
        #expect(error?.code == NSPersistentStoreTimeoutError)
    }
}
