// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States what templates promise: filled once, copied for each test, never changed by a copy.

import CoreData
import CoreDataTestSupport
import CoreDataTesting
import Foundation
import Synchronization
import Testing

/// Proves: Testing-T1 to T4
@Suite("Templates of stores") struct TemplateTests {
    private static func fill(_ context: NSManagedObjectContext) {
        for number in 0..<100 {
            let photo = NSEntityDescription.insertNewObject(forEntityName: "Exhibit", into: context)
            photo.setValue("exhibit \(number)", forKey: "name")
            if number % 50 == 0 { photo.setValue(Data(repeating: 1, count: 150_000), forKey: "scan") }
        }
    }

    @Test("a copy has the objects, with large data, and changes of a copy reach nobody else")
    func copies() throws {
        let template = StoreTemplate(MuseumModel.make()) { Self.fill($0) }
        let (one, other) = (try template.makeContainer(), try template.makeContainer())
        let before = try StoreContents(of: one)
        #expect(before.text.contains("scan: 150000 bytes"))
        try Self.deleteAll(one)
        #expect(try StoreContents(of: one).text == "")
        #expect(try StoreContents(of: other) == before)
        #expect(try StoreContents(of: template.makeContainer()) == before)
    }

    private static func deleteAll(_ container: TestContainer) throws {
        let context = container.newBackgroundContext()
        try context.performAndWait {
            for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Exhibit")) {
                context.delete(object)
            }
            try context.save()
        }
    }

    @Test("the seed runs once, for parallel tests as well")
    func once() async throws {
        let counter = Counter()
        let template = StoreTemplate(BookshopModel.make()) { context in
            counter.increase()
            Book(context: context).title = "Dune"
        }
        #expect(counter.value == 0)
        let texts = try await withThrowingTaskGroup(of: StoreContents.self) { group in
            for _ in 0..<6 { group.addTask { try StoreContents(of: template.makeContainer(), entities: ["Book"]) } }
            return try await group.reduce(into: Set<StoreContents>()) { $0.insert($1) }
        }
        #expect(texts.count == 1 && texts.first?.text.contains("Dune") == true)
        #expect(counter.value == 1)
    }

    private final class Counter: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }
        func increase() { count.withLock { $0 += 1 } }
    }

    @Test("a seed that fails leaves nothing, and is tried again")
    func failure() throws {
        struct Failure: Error {}
        let counter = Counter()
        let template = StoreTemplate(BookshopModel.make()) { context in
            counter.increase()
            if counter.value == 1 { throw Failure() }
            Book(context: context).title = "Dune"
        }
        #expect(throws: Failure.self) { try template.makeContainer() }
        #expect(try StoreContents(of: template.makeContainer(), entities: ["Book"]).text.contains("Dune"))
    }

    @Test("copies go away with their containers, and the template with itself")
    func cleaning() throws {
        var template: StoreTemplate? = StoreTemplate(BookshopModel.make()) { Book(context: $0).title = "Dune" }
        var container = try template?.makeContainer()
        let folder = try #require(container?.storeURL.deletingLastPathComponent())
        #expect(FileManager.default.fileExists(atPath: folder.path))
        (template, container) = (nil, nil)
        #expect(!FileManager.default.fileExists(atPath: folder.path))
        #expect(template == nil && container == nil)
    }

    @Test("options hold for the template and its copies")
    func options() throws {
        let history: [String: NSObject] = [NSPersistentHistoryTrackingKey: true as NSNumber]
        let template = StoreTemplate(BookshopModel.make(), options: history) { Book(context: $0).title = "Dune" }
        let container = try template.makeContainer()
        let context = container.newBackgroundContext()
        let count = try context.performAndWait {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            return (result?.result as? [NSPersistentHistoryTransaction])?.count
        }
        #expect(count == 1)
    }
}
