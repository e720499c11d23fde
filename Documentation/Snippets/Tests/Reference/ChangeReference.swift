// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the reference: batch requests, history, snapshots of results, observers, special attributes.

import CoreDataModeling
import Foundation
import Testing

// snippet: observer
final class TitleLog: KeyValueObserver {
    private(set) var titles: [String] = []

    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        if let title = change?[.newKey] as? String { titles.append(title) }
    }
}
// end

@Suite("Reference: changes") @MainActor struct ChangeReference {
    private func filled() async throws -> NSManagedObjectContext {
        let context = try await Notebook().container.viewContext
        for title in ["Books", "Garden", "Groceries"] { Memo(context: context).title = title }
        try context.save()
        return context
    }

    @Test("rows that are changed without objects") func batchUpdate() async throws {
        let context = try await filled()
        let memos = try context.fetch(Memo.fetchRequest())
        // snippet: update
        let request = NSBatchUpdateRequest(entityName: "Memo")
        request.predicate = NSPredicate(format: "title BEGINSWITH %@", "G")
        request.propertiesToUpdate = ["isPinned": true]
        request.resultType = .updatedObjectIDsResultType
        let result = try context.execute(request) as? NSBatchUpdateResult
        let ids = result?.result as? [NSManagedObjectID] ?? []  // of the two rows
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSUpdatedObjectIDsKey: ids], into: [context])
        // end
        #expect(ids.count == 2)
        #expect(memos.filter(\.isPinned).count == 2)
    }

    @Test("rows that are inserted without objects") func batchInsert() async throws {
        let context = try await filled()
        // snippet: insert
        let request = NSBatchInsertRequest(entityName: "Tag", objects: [["name": "weekly"], ["name": "urgent"]])
        request.resultType = .count
        let result = try context.execute(request) as? NSBatchInsertResult
        let count = result?.result as? Int  // 2
        // end
        #expect(count == 2)
    }

    @Test("rows that are deleted without objects") func batchDelete() async throws {
        let context = try await filled()
        // snippet: delete
        let old = NSFetchRequest<any NSFetchRequestResult>(entityName: "Memo")
        old.predicate = NSPredicate(format: "isPinned == NO")
        let request = NSBatchDeleteRequest(fetchRequest: old)
        request.resultType = .resultTypeObjectIDs
        let result = try context.execute(request) as? NSBatchDeleteResult
        let ids = result?.result as? [NSManagedObjectID] ?? []  // of the three rows
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSDeletedObjectIDsKey: ids], into: [context])
        // end
        #expect(ids.count == 3)
        #expect(try context.count(for: Memo.fetchRequest()) == 0)
    }

    @Test("the changes of a transaction") func changes() async throws {
        let folder = try EmptyFolder()
        let container = NSPersistentContainer(name: "Notebook", managedObjectModel: Notebook.model)
        let description = NSPersistentStoreDescription(url: folder.url.appending(path: "Notebook.sqlite"))
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        container.persistentStoreDescriptions = [description]
        try await container.loadPersistentStores()
        let context = container.viewContext
        let memo = Memo(context: context)
        memo.title = "Books"
        try context.save()
        memo.title = "Old books"
        try context.save()
        // snippet: changes
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try context.execute(request) as? NSPersistentHistoryResult
        let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
        for change in transactions.flatMap({ $0.changes ?? [] }) where change.changeType == .update {
            print(change.changedObjectID, change.updatedProperties?.map(\.name) ?? [])  // …/Memo/p1 ["title"]
        }
        // end
        #expect(transactions.last?.changes?.first?.updatedProperties?.map(\.name) == ["title"])
    }

    @Test("the results of a controller, as values") func snapshots() async throws {
        let context = try await filled()
        // snippet: snapshots
        let request = Memo.fetchRequest()
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        try controller.performFetch()
        var counts: [Int] = []
        for await snapshot in controller.snapshots {  // the present results, then those after each change
            counts.append(snapshot.objectIDs.count)
            if counts.count == 2 { break }
            Memo(context: context).title = "Holidays"
            try context.save()
        }
        print(counts)  // [3, 4]
        // end
        #expect(counts == [3, 4])
    }

    @Test("an observer with a name") func observer() async throws {
        let context = try await filled()
        let memo = try #require(try context.fetch(Memo.fetchRequest()).first)
        // snippet: observe
        let log = TitleLog()
        memo.addObserver(log, forKeyPath: "title", options: [.new], context: nil)
        memo.title = "Holidays"
        memo.removeObserver(log, forKeyPath: "title")
        // end
        #expect(log.titles == ["Holidays"])
    }

    @Test("an attribute of several values, and a fetch as a property") func special() throws {
        // snippet: special
        let (latitude, longitude) = (NSAttributeDescription(), NSAttributeDescription())
        (latitude.name, longitude.name) = ("latitude", "longitude")
        for part in [latitude, longitude] { part.attributeType = .doubleAttributeType }
        let place = NSCompositeAttributeDescription()
        place.name = "place"
        place.elements = [latitude, longitude]

        let town = NSEntityDescription()
        town.name = "Town"
        let northern = NSFetchedPropertyDescription()
        northern.name = "northern"
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Town")
        request.predicate = NSPredicate(format: "place.latitude > $FETCH_SOURCE.place.latitude")
        northern.fetchRequest = request
        town.properties = [place, northern]
        let model = NSManagedObjectModel()
        model.entities = [town]

        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(type: .inMemory, at: URL(filePath: "/dev/null"))
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        for latitude in [48.2, 60.2] {
            let town = NSEntityDescription.insertNewObject(forEntityName: "Town", into: context)
            town.setValue(["latitude": latitude, "longitude": 16.4], forKey: "place")
        }
        try context.save()
        let south = NSFetchRequest<NSManagedObject>(entityName: "Town")
        south.predicate = NSPredicate(format: "place.latitude < 50")
        let found = try context.fetch(south).first?.value(forKey: "northern") as? [NSManagedObject]  // the other town
        // end
        #expect(found?.count == 1)
    }
}
