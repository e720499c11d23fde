// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the comments of batch requests, history, merge policies and results.

import CoreDataModeling
import Foundation
import Testing

// snippet: list
final class NoteList: NSFetchedResultsControllerDelegate {
    private(set) var ids: [NSManagedObjectID] = []

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
    ) {
        ids = snapshot.itemIdentifiers.compactMap { $0 as? NSManagedObjectID }
    }
}
// end

@Suite("Comments: changes") @MainActor struct ChangeExamples {
    private func notebook(in folder: EmptyFolder) async throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Notebook", managedObjectModel: Notebook.model)
        let description = NSPersistentStoreDescription(url: folder.url.appending(path: "Notebook.sqlite"))
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        container.persistentStoreDescriptions = [description]
        try await container.loadPersistentStores()
        return container
    }

    @Test("lines of a file become records") func insert() async throws {
        let context = try await Notebook().container.viewContext
        let text = "Books\nGarden\nGroceries"
        // snippet: insert
        var lines = text.split(separator: "\n").makeIterator()
        let request = NSBatchInsertRequest(entityName: "Memo") { (values: NSMutableDictionary) in
            guard let line = lines.next() else { return true }  // no more records
            values["title"] = String(line)
            return false
        }
        request.resultType = .count
        let result = try context.execute(request) as? NSBatchInsertResult
        print(result?.result as? Int ?? 0)  // 3
        // end
        #expect(try context.count(for: Memo.fetchRequest()) == 3)
    }

    @Test("a catch-up with the history") func history() async throws {
        let folder = try EmptyFolder()
        let container = try await notebook(in: folder)
        let context = container.viewContext
        var lastToken = container.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil)
        let first = lastToken
        try await container.performBackgroundTask { other in
            Memo(context: other).title = "Groceries"
            try other.save()
        }
        // snippet: history
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: lastToken)
        let result = try context.execute(request) as? NSPersistentHistoryResult
        for transaction in result?.result as? [NSPersistentHistoryTransaction] ?? [] {
            context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
            lastToken = transaction.token
        }
        // end
        #expect(lastToken != first)
    }

    @Test("a token in a file") func token() async throws {
        let folder = try EmptyFolder()
        let coordinator = try await notebook(in: folder).persistentStoreCoordinator
        let file = folder.url.appending(path: "token")
        // snippet: token
        if let seen = coordinator.currentPersistentHistoryToken(fromStores: nil) {
            let archive = try NSKeyedArchiver.archivedData(withRootObject: seen, requiringSecureCoding: true)
            try archive.write(to: file)
        }
        // In the next launch:
        let last = try NSKeyedUnarchiver.unarchivedObject(
            ofClass: NSPersistentHistoryToken.self, from: Data(contentsOf: file))
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: last)
        // end
        #expect(request.token == coordinator.currentPersistentHistoryToken(fromStores: nil))
    }

    @Test("results in sections") func results() async throws {
        let context = try await Notebook().container.viewContext
        for title in ["Garden", "Groceries"] {
            let note = Memo(context: context)
            (note.title, note.isPinned) = (title, title == "Garden")
        }
        try context.save()
        let list = NoteList()
        // snippet: results
        let request = Memo.fetchRequest()
        request.sortDescriptors = [
            NSSortDescriptor(key: "isPinned", ascending: false), NSSortDescriptor(key: "title", ascending: true),
        ]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "isPinned", cacheName: nil)
        controller.delegate = list
        try controller.performFetch()
        for section in controller.sections ?? [] { print(section.name, section.numberOfObjects) }
        // end
        #expect(controller.sections?.count == 2 && list.ids.count == 2)
    }

    @Test("old transactions are deleted") func purge() async throws {
        let folder = try EmptyFolder()
        let context = try await notebook(in: folder).viewContext
        Memo(context: context).title = "Groceries"
        try context.save()
        // snippet: purge
        let week = Date(timeIntervalSinceNow: -7 * 24 * 3600)
        try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: week))
        // end
        #expect(!context.hasChanges)
    }
}
