// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Specifies the example: objects in files, atomic saves, malformed files rejected.

import CoreData
import Foundation
import JSONStore
import Testing

@Suite("A store in JSON files") final class JSONStoreTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "JSONStore-\(UUID().uuidString)")

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func open(options: [AnyHashable: Any]? = nil) throws -> NSManagedObjectContext {
        let title = NSAttributeDescription()
        title.name = "title"
        title.attributeType = .stringAttributeType
        title.isOptional = false
        let note = NSEntityDescription()
        note.name = "Note"
        note.properties = [title]
        let model = NSManagedObjectModel()
        model.entities = [note]
        JSONStore.register()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(type: JSONStore.storeType, at: folder, options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private func insert(_ titles: String..., into context: NSManagedObjectContext) {
        context.performAndWait {
            for title in titles {
                NSEntityDescription.insertNewObject(forEntityName: "Note", into: context).setValue(
                    title, forKey: "title")
            }
        }
    }

    private func titles(_ context: NSManagedObjectContext) throws -> [String] {
        try context.performAndWait {
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
                .compactMap { $0.value(forKey: "title") as? String }
        }
    }

    private var files: [URL] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "Note").path)
        return (names ?? []).sorted().map { folder.appending(path: "Note/\($0)") }
    }

    @Test("objects are files, and are there when the store is opened again, in the order of their making")
    func objects() throws {
        let context = try open()
        insert("b", "a", "c", into: context)
        try context.performAndWait { try context.save() }
        #expect(files.count == 3)
        #expect(Set(try titles(open())) == ["a", "b", "c"])
        #expect(try titles(open()) == titles(context))
    }

    @Test(
        "a save that was committed and then interrupted is finished when the store is opened; one that was not is gone")
    func interrupted() throws {
        let context = try open()
        insert("old", into: context)
        try context.performAndWait { try context.save() }
        let name = try #require(files.first).lastPathComponent
        let text = try String(contentsOf: #require(files.first), encoding: .utf8)
        for (place, expected) in [("Staged", "old"), ("Committed", "new")] {
            let file = folder.appending(path: "\(place)/Note/\(name)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.replacing("\"old\"", with: "\"new\"").write(to: file, atomically: false, encoding: .utf8)
            #expect(try titles(open()) == [expected])
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: place).path))
        }
    }

    @Test("a file that is damaged, or says nonsense, is an error")
    func damaged() throws {
        let context = try open()
        insert("old", into: context)
        try context.performAndWait { try context.save() }
        let file = try #require(files.first)
        let text = try String(contentsOf: file, encoding: .utf8)
        for damage in [
            "", "[", "{}", text.replacing("\"old\"", with: "7"), text.replacing("\"Note\"", with: "\"Novel\""),
        ] {
            try Data(damage.utf8).write(to: file)
            let fresh = try open()
            #expect(throws: (any Error).self, "\(damage)") { try self.titles(fresh) }
        }
    }

    @Test("a missing store cannot be opened read-only")
    func readOnly() {
        #expect(throws: CocoaError.self) { try self.open(options: [NSReadOnlyPersistentStoreOption: true]) }
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }
}
