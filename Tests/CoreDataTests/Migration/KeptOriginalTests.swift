// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests that the store from before a migration is kept next to it if the options say so.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

@Suite("Kept originals of migrated stores") struct KeptOriginalTests {
    static let files: [StoreKind] = [.sqlite, .xml, .binary].filter(StoreKind.all.contains)
    static let kinds = files + StoreKind.all.filter(\.isOnServer)

    private let old = version { model in
        model.entity("Person") {
            $0.attribute("name", .stringAttributeType)
            $0.attribute("photo", .binaryDataAttributeType).allowsExternalBinaryDataStorage = true
        }
    }
    private let new = version { model in
        model.entity("Person") { $0.attribute("name", .stringAttributeType, default: "nobody") }
        model.entity("Aardvark")
    }
    private let strict = version { model in
        model.entity("Person") { $0.attribute("isbn", .stringAttributeType, optional: false) }
    }
    private let photo = Data(repeating: 7, count: 300_000)

    private func store(_ kind: StoreKind) throws -> MigratingStore {
        try MigratingStore(old, in: kind) { context in
            for number in 0..<5 { context.make("Person", ["name": "P\(number)", "photo": photo]) }
        }
    }

    private var options: [AnyHashable: Any] {
        MigratingStore.migrating.merging([
            MigrationOption.versions: [old, new], MigrationOption.keepsOriginal: true,
        ]) { $1 }
    }

    /// Proves: G69
    @Test("the original opens with its version, and has its large data", arguments: kinds) func kept(kind: StoreKind)
        throws
    {
        let store = try store(kind)
        let context = try store.open(new, options: options)
        let report = try #require(context.persistentStoreCoordinator?.persistentStores.first?.migrationReport)
        let original = try #require(report.originalURL)
        #expect(try context.all("Person").count == 5)
        try store.close(context)
        let short = old.versionChecksum.prefix(8).replacing("/", with: "_").replacing("+", with: "-")
        if kind.isOnServer {
            #expect(original.path == store.url.path && original != store.url)
        } else {
            #expect(original.lastPathComponent == "store.before-\(short).sqlite")
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: old)
        try coordinator.addPersistentStore(ofType: kind.type, configurationName: nil, at: original)
        let former = NSManagedObjectContext(concurrencyType: .confined)
        former.persistentStoreCoordinator = coordinator
        #expect(
            try former.all("Person").map { $0.value(forKey: "photo") as? Data } == Array(repeating: photo, count: 5))
        for opened in coordinator.persistentStores { try coordinator.remove(opened) }
    }

    /// Proves: G69
    @Test("no original is overwritten", arguments: kinds) func twice(kind: StoreKind) throws {
        let store = try store(kind)
        var urls: [URL] = []
        for model in [new, old, new] {
            let copy = try #require(model.copy() as? NSManagedObjectModel)
            let context = try store.open(copy, options: options)
            let report = context.persistentStoreCoordinator?.persistentStores.first?.migrationReport
            urls.append(try #require(report?.originalURL))
            try store.close(context)
        }
        #expect(Set(urls).count == 3)
        for url in urls {
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: kind.type, at: url)
            #expect(metadata[NSStoreModelVersionHashesKey] != nil)
        }
        if !kind.isOnServer { #expect(urls[2].lastPathComponent.contains("-2.")) }
    }

    /// Proves: G69, G71
    @Test("a migration that fails leaves no original", arguments: files) func failed(kind: StoreKind) throws {
        let store = try store(kind)
        let before = try store.bytes().keys.sorted()
        _ = try store.failure(strict, options: options)
        #expect(try store.bytes().keys.sorted() == before)
    }

    /// Proves: G69, G80
    @Test("a store in use is refused, and no copy of it stays") func inUse() throws {
        let store = try store(.sqlite)
        let user = try ForeignUser(of: store.url)
        var options = options
        options[NSPersistentStoreTimeoutOption] = 0.05
        #expect(try store.failure(new, options: options).code == NSPersistentStoreTimeoutError)
        #expect(try !store.bytes().keys.contains { $0.contains("before") })
        try user.close()
    }

    /// Proves: G69
    @Test("a store without an extension and its original have separate folders") func names() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "none-\(UUID().uuidString)")
        var store = StoreLocation(url: url, type: NSSQLiteStoreType, options: options)
        let kept = try #require(KeptOriginal(of: store, checksum: "a/b+cdefgh"))
        let place = try #require(kept.url)
        #expect(place.lastPathComponent == "\(url.lastPathComponent).before-a_b-cdef.store")
        #expect(StoreFiles.support(of: place) != StoreFiles.support(of: url))
        store.options = nil
        #expect(KeptOriginal(of: store, checksum: "a") == nil)
    }
}
