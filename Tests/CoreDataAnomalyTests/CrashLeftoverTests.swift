// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Files that a killed save left in the store's folder go when the store is opened next; files that rows name stay.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Files that a crash left in a store's folder") struct CrashLeftoverTests {
    private let stack: Stack

    init() throws {
        stack = try Stack(.sqlite, PhotoModel.make())
        save()
    }

    private func save() {
        let photo = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: stack.context)
        photo.setValue(Data(repeating: 7, count: 200_000), forKey: "data")
        try? stack.context.save()
    }

    private var support: URL { stack.folder.appending(path: ".Store_SUPPORT") }
    private var files: URL { support.appending(path: "_EXTERNAL_DATA") }
    private func names(_ folder: URL) -> Set<String> {
        Set((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    }

    /// A file that no row names, and a journal that lists both it and the file of the row.
    private func crash(store: String = "Store%2Esqlite") throws -> (lost: String, named: String, journal: URL) {
        let named = try #require(names(files).first)
        let lost = UUID().uuidString
        try Data(repeating: 1, count: 10).write(to: files.appending(path: lost))
        let journal = support.appending(path: "\(UUID().uuidString).pending")
        try Data("store \(store)\n\(named)\n\(lost)\n../Store.sqlite\nhalf-a-na".utf8).write(to: journal)
        return (lost, named, journal)
    }

    @Test("are removed unless a row names them") func removal() throws {
        let crash = try crash()
        try stack.reopen()
        #expect(names(files) == [crash.named])
        #expect(!FileManager.default.fileExists(atPath: crash.journal.path))
        let photos = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Photo"))
        #expect(photos.map { ($0.value(forKey: "data") as? Data)?.count } == [200_000])
        #expect(FileManager.default.fileExists(atPath: stack.url.path))
    }

    @Test("stay while their process lives, and when the store is opened for reading") func restraint() throws {
        let own = try crash()
        let descriptor = open(own.journal.path, O_RDONLY)
        #expect(flock(descriptor, LOCK_EX) == 0)
        try stack.reopen()
        #expect(names(files) == [own.named, own.lost])
        close(descriptor)
        try stack.reopen(options: [NSReadOnlyPersistentStoreOption: true])
        #expect(names(files) == [own.named, own.lost])
        try stack.reopen()
        #expect(names(files) == [own.named])
    }

    @Test("stay when they are those of a store that shares the folder") func neighbour() throws {
        let other = try crash(store: "Store%2Ebackup")
        try stack.reopen()
        #expect(names(files) == [other.named, other.lost])
    }

    @Test("no journal stays after a save, nor after one that was taken back") func journals() throws {
        let photo = try #require(try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Photo")).first)
        photo.setValue(Data(repeating: 8, count: 300_000), forKey: "data")
        try stack.context.save()

        let (other, context) = try stack.secondCoordinator()
        let same = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Photo")).first)
        same.setValue(Data(repeating: 9, count: 300_000), forKey: "data")
        photo.setValue(nil, forKey: "data")
        try stack.context.save()
        let before = names(files)
        #expect(throws: (any Error).self) { try context.save() }
        #expect(names(files) == before)
        for store in other.persistentStores { try other.remove(store) }
        context.reset()
        stack.context.reset()
        try stack.coordinator.remove(stack.store)
        #expect(names(files) == [])
        #expect(names(support) == ["_EXTERNAL_DATA"])
    }
}
