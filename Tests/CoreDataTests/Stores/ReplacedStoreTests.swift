// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests the replacement of a store with an unreadable database.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("Replacing a store") struct ReplacedStoreTests {
    private let model = version {
        $0.entity("Photo") {
            $0.attribute("name", .stringAttributeType)
            $0.attribute("image", .binaryDataAttributeType).allowsExternalBinaryDataStorage = true
        }
    }

    private func store(_ names: [String]) throws -> MigratingStore {
        try MigratingStore(model) { context in
            for name in names {
                context.make("Photo", ["name": name, "image": Data(repeating: 7, count: 200_000)])
            }
        }
    }

    private func files(_ store: MigratingStore) -> Set<String> {
        let folder = ExternalFiles.folder(of: store.url)
        return Set((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    }

    private func replace(_ store: MigratingStore, by other: MigratingStore) -> NSError? {
        do {
            try NSPersistentStoreCoordinator(managedObjectModel: model).replacePersistentStore(
                at: store.url, destinationOptions: nil, withPersistentStoreFrom: other.url, sourceOptions: nil,
                ofType: NSSQLiteStoreType)
            return nil
        } catch {
            return error as NSError
        }
    }

    @Test("a failure of the disk that passes leaves it as it was, with its files") func passingFailure() throws {
        let (store, other) = (try store(["a", "b"]), try store(["c"]))
        let before = try (files(store), Data(contentsOf: store.url))
        var error: NSError?
        _ = FileCallHook.during(store.folder, .failArmed(.read, errno: EIO)) {
            FileCallHook.arm()
            error = replace(store, by: other)
        }
        #expect(error?.domain == NSCocoaErrorDomain && error?.localizedDescription.contains("The disk failed") == true)
        #expect(try (files(store), Data(contentsOf: store.url)) == before)
        #expect(replace(store, by: other) == nil)
        #expect(files(store).count == 1)
    }

    @Test("of a damaged one no file of large data stays") func damagedTable() throws {
        let (store, other) = (try store(["a", "b"]), try store(["c"]))
        let connection = try Connection(url: store.url)
        let page = try connection.value("SELECT rootpage FROM sqlite_master WHERE name = 'ZPHOTO'")?.integerValue
        let size = try connection.value("PRAGMA page_size")?.integerValue
        try connection.close()
        let file = try FileHandle(forUpdating: store.url)
        try file.seek(toOffset: UInt64((try #require(page) - 1) * (try #require(size))))
        try file.write(contentsOf: Data(repeating: 0xEE, count: 100))
        try file.close()
        #expect(files(store).count == 2)
        #expect(replace(store, by: other) == nil)
        #expect(files(store).count == 1)
        let context = try store.open(model, options: nil)
        #expect(try context.values("Photo", "name") == ["c"])
        try store.close(context)
    }

    @Test("a temporary file of the copy that could not be removed goes with the next opening") func staged() throws {
        let (store, other) = (try store(["a"]), try store(["c"]))
        // As after a removal that failed: the lock file is there, but not locked.
        let lock = "." + UUID().uuidString + StagedFile.lockSuffix
        try Data().write(to: ExternalFiles.folder(of: store.url).appendingPathComponent(lock))
        #expect(replace(store, by: other) == nil)
        #expect(files(store).count == 2)
        let context = try store.open(model, options: nil)
        #expect(files(store).count == 1)
        #expect(try context.values("Photo", "name") == ["c"])
        try store.close(context)
    }
}
