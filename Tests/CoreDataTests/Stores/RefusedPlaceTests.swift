// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Places, metadata and indexes that a kind of store cannot have, each with its error, and nothing made.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

@Suite("What a kind of store refuses") struct RefusedPlaceTests {
    private func coordinator() -> NSPersistentStoreCoordinator {
        NSPersistentStoreCoordinator(managedObjectModel: BookshopModel.make())
    }

    /// Proves: C3
    @Test("a database needs the URL of a file") func places() throws {
        let coordinator = coordinator()
        for url in [nil, URL(string: "https://example.com/Store.sqlite")] {
            #expect(throws: CocoaError.self) {
                try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
            }
        }
        #expect(coordinator.persistentStores.isEmpty)
    }

    /// Proves: C6
    @Test(
        "metadata of a store that is not there cannot be set, and nothing is made",
        arguments: [StoreKind.sqlite, .xml, .binary])
    func missing(kind: StoreKind) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "Missing-\(UUID().uuidString)")
        let error = #expect(throws: CocoaError.self) {
            try NSPersistentStoreCoordinator.setMetadata(
                ["own": 1], forPersistentStoreOfType: kind.type, at: url, options: nil)
        }
        #expect(error?.code == .fileReadNoSuchFile)
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    /// Proves: C6
    @Test(
        "metadata that no property list has are refused, in an open store and in a closed one",
        arguments: [StoreKind.sqlite, .xml, .binary])
    func values(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        shop.book("Dune")
        try shop.context.save()
        shop.stack.store.metadata["own"] = NSObject()
        shop.book("Emma")
        #expect(throws: CocoaError.self) { try shop.context.save() }
        #expect(shop.context.hasChanges)
        #expect(try shop.stack.stored(Book.request()) { $0.title } == ["Dune"])
        shop.stack.store.metadata["own"] = nil
        try shop.context.save()
        try shop.stack.coordinator.remove(shop.stack.store)
        let before = try Data(contentsOf: shop.stack.url)
        var values = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: kind.type, at: shop.stack.url)
        values["own"] = NSObject()
        #expect(throws: CocoaError.self) {
            try NSPersistentStoreCoordinator.setMetadata(
                values, forPersistentStoreOfType: kind.type, at: shop.stack.url, options: nil)
        }
        #expect(try Data(contentsOf: shop.stack.url) == before)
        try shop.stack.reopen()
        #expect(try shop.titles(Book.request(), in: shop.stack.context).sorted() == ["Dune", "Emma"])
    }

    /// Proves: C6
    @Test(
        "metadata that lack the version keep the one that the store has, and those of a newer kind are refused",
        arguments: [StoreKind.xml, .binary])
    func versions(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        shop.book("Dune")
        try shop.context.save()
        try shop.stack.coordinator.remove(shop.stack.store)
        func set(_ values: [String: Any]) throws {
            try NSPersistentStoreCoordinator.setMetadata(
                values, forPersistentStoreOfType: kind.type, at: shop.stack.url, options: nil)
        }
        try set(["own": "kept"])
        try shop.stack.reopen()
        #expect(shop.stack.store.metadata["own"] as? String == "kept")
        #expect(shop.stack.store.metadata[NSStoreModelVersionHashesKey] != nil)
        #expect(try shop.titles(Book.request(), in: shop.stack.context) == ["Dune"])
        var values = shop.stack.store.metadata ?? [:]
        try shop.stack.coordinator.remove(shop.stack.store)
        values["NSStoreModelVersionHashesVersion"] = 99
        try set(values)
        let error = #expect(throws: CocoaError.self) { try shop.stack.reopen() }
        #expect(error?.code == .persistentStoreOpen)
        #expect(error?.localizedDescription.contains("99") == true)
    }

    /// Proves: C11
    @Test("stores in memory are not replaced") func memory() throws {
        let coordinator = coordinator()
        let (place, source) = (URL(filePath: "/dev/null"), URL(filePath: "/tmp/source.sqlite"))
        for type in [NSInMemoryStoreType, NSSQLiteStoreType] {
            #expect(throws: CocoaError.self) {
                try coordinator.replacePersistentStore(at: place, withPersistentStoreFrom: source, ofType: type)
            }
        }
    }

    @Test("documents are backed up while they are open, as files", arguments: [StoreKind.xml, .binary])
    func backup(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        shop.book("Dune")
        try shop.context.save()
        let copy = shop.stack.folder.appending(path: "Backup.store")
        try shop.stack.store.backup(to: copy)
        shop.book("Emma")
        try shop.context.save()
        let other = coordinator()
        try other.addPersistentStore(ofType: kind.type, configurationName: nil, at: copy)
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = other
        #expect(try context.fetch(Book.request()).map(\.title) == ["Dune"])
        let again = #expect(throws: CocoaError.self) { try shop.stack.store.backup(to: copy) }
        #expect(again?.code == .fileWriteFileExists)
    }

    @Test(
        "conditions of indexes that need other rows, or cannot be read, are errors with the condition",
        arguments: ["author.name == 'Frank'", "pages >", "title CONTAINS[c] 'x'", "keywords == 1"])
    func conditions(format: String) throws {
        let schema = Schema(model: ModelLayout(entities: BookshopModel.make().entities))
        let layout = try #require(schema.model.layout(named: "Book"))
        let error = #expect(throws: NSError.self) {
            try PartialIndexCondition(schema: schema, layout: layout).text(format)
        }
        #expect(error?.code == NSPersistentStoreOperationError)
        #expect(error?.localizedDescription.contains(format) == true)
    }

    @Test("an examination needs the store's model and a configuration of it, and finds lost large data")
    func examination() throws {
        let museum = try Museum(in: .sqlite)
        let exhibit = museum.stack.insert("Exhibit")
        exhibit.setValue("vase", forKey: "name")
        exhibit.setValue(Data(repeating: 7, count: 300_000), forKey: "scan")
        try museum.context.save()
        try museum.coordinator.remove(museum.store)
        let (url, model) = (museum.stack.url, MuseumModel.make())
        #expect(try StoreExamination.defects(ofStoreAt: url, model: model).isEmpty)
        let other = #expect(throws: CocoaError.self) {
            try StoreExamination.defects(ofStoreAt: url, model: BookshopModel.make())
        }
        #expect(other?.code == .persistentStoreIncompatibleVersionHash)
        let parts = MuseumModel.make()
        parts.setEntities([parts.entities[0]], forConfigurationName: "Some")
        #expect(throws: CocoaError.self) {
            try StoreExamination.defects(ofStoreAt: url, model: parts, configuration: "Nowhere")
        }
        let folder = museum.place(".Store_SUPPORT/_EXTERNAL_DATA")
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            try FileManager.default.removeItem(at: file)
        }
        let defects = try StoreExamination.defects(ofStoreAt: url, model: model)
        #expect(defects.count == 1)
        #expect("\(defects)".contains("Exhibit.scan"))
    }
}
