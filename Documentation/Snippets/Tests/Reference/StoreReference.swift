// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the reference: a store that is written as a whole, results of requests, value transformers.

import CoreDataModeling
import Foundation
import Testing

// snippet: atomic
/// A text file with the name of a tag in each line.
final class TagFile: NSAtomicStore {
    override var type: String { "TagFile" }

    override func loadMetadata() throws {
        metadata = [NSStoreTypeKey: type, NSStoreUUIDKey: "6F0E5C2A-0000-4000-8000-000000000000"]
    }

    override func load() throws {
        guard let url, let entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName["Tag"],
            FileManager.default.fileExists(atPath: url.path)
        else { return }
        let nodes = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map { name in
            let id = objectID(for: entity, withReferenceObject: String(name))
            let node = NSAtomicStoreCacheNode(objectID: id)
            node.setValue(String(name), forKey: "name")
            return node
        }
        addCacheNodes(Set(nodes))
    }

    override func save() throws {
        guard let url else { return }
        let names = cacheNodes().compactMap { $0.value(forKey: "name") as? String }.sorted()
        try names.joined(separator: "\n").write(to: url, atomically: true, encoding: .utf8)
    }

    override func newReferenceObject(for tag: NSManagedObject) -> Any { tag.value(forKey: "name") ?? "" }
}
// end

// snippet: codable
struct Place: Codable, Hashable {
    var name: String
    var latitude: Double
}
// end

@Suite("Reference: stores and values") struct StoreReference {
    @Test("a store that is written as a whole") func atomic() async throws {
        let folder = try EmptyFolder()
        let url = folder.url.appending(path: "tags.txt")
        // snippet: register
        let type = NSPersistentStore.StoreType(rawValue: "TagFile")
        NSPersistentStoreCoordinator.registerStoreClass(TagFile.self, type: type)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Notebook.model)
        try coordinator.addPersistentStore(type: type, at: url)
        // end
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try await context.perform {
            for name in ["weekly", "urgent"] { Tag(context: context).name = name }
            try context.save()
        }
        #expect(try String(contentsOf: url, encoding: .utf8) == "urgent\nweekly")
    }

    @Test("a fetch that does not block its context") @MainActor func asynchronous() async throws {
        let context = try await Notebook().container.viewContext
        Memo(context: context).title = "Groceries"
        try context.save()
        let titles = await withCheckedContinuation { continuation in
            // snippet: asynchronous
            let request = NSAsynchronousFetchRequest(fetchRequest: Memo.fetchRequest()) { result in
                // On the queue of the context. An error is in `operationError`, and then there is no result.
                let memos = result.finalResult ?? []
                continuation.resume(returning: memos.map(\.title))
            }
            let running = try? context.execute(request) as? NSPersistentStoreAsynchronousResult
            print(running?.progress ?? "")  // `running?.cancel()` ends the fetch
            // end
        }
        #expect(titles == ["Groceries"])
    }

    @Test("a value of several parts in one attribute") func transformers() throws {
        // snippet: transformer
        CodableTransformer<Place>.register(name: "PlaceTransformer")  // before a store is opened
        let place = NSAttributeDescription()
        place.name = "place"
        place.attributeType = .transformableAttributeType
        place.valueTransformerName = "PlaceTransformer"
        // end
        let transformer = try #require(ValueTransformer(forName: NSValueTransformerName("PlaceTransformer")))
        let value = Place(name: "Oslo", latitude: 59.9)
        let data = transformer.transformedValue(value) as? Data
        #expect(transformer.reverseTransformedValue(data) as? Place == value)
    }

    @Test("expressions and comparisons in code") @MainActor func predicates() async throws {
        let context = try await Notebook().container.viewContext
        for title in ["Garden", "Groceries"] { Memo(context: context).title = title }
        // snippet: comparison
        let comparison = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "title"),
            rightExpression: NSExpression(forConstantValue: "gar"), modifier: .direct, type: .beginsWith,
            options: .caseInsensitive)
        print(comparison)  // title BEGINSWITH[c] "gar"
        let request = Memo.fetchRequest()
        request.predicate = comparison
        let found = try context.fetch(request)
        let total = NSExpression(format: "1 + 2 * %@", 3 as NSNumber).expressionValue(with: nil, context: nil)  // 7
        // end
        #expect(found.map(\.title) == ["Garden"] && total as? Int == 7)
        #expect("\(comparison)" == #"title BEGINSWITH[c] "gar""#)
    }

    @Test("the results of a controller, for a delegate") @MainActor func snapshots() async throws {
        let context = try await Notebook().container.viewContext
        for title in ["Garden", "Groceries"] { Memo(context: context).title = title }
        try context.save()
        let log = SnapshotLog()
        let request = Memo.fetchRequest()
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        controller.delegate = log
        try controller.performFetch()
        #expect(log.counts == [2])
    }
}

// snippet: snapshot
final class SnapshotLog: NSFetchedResultsControllerDelegate {
    private(set) var counts: [Int] = []

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
    ) {
        counts.append(snapshot.numberOfItems)  // itemIdentifiers are NSManagedObjectIDs
    }
}
// end
