// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the guide to history and several processes.

import CoreDataModeling
import Foundation
import Testing

@Suite("Guide: history and several processes") struct HistoryGuide {
    private func container(at url: URL) async throws -> NSPersistentContainer {
        // snippet: options
        let description = NSPersistentStoreDescription(url: url)
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        description.setOption(true as NSNumber, forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
        description.historyRetention = PersistentHistoryRetention(maximumAge: 7 * 24 * 3600)

        let container = NSPersistentContainer(name: "Notebook", managedObjectModel: Notebook.model)
        container.persistentStoreDescriptions = [description]
        try await container.loadPersistentStores()
        // end
        return container
    }

    @Test("transactions after a token") func transactions() async throws {
        let folder = try EmptyFolder()
        let container = try await container(at: folder.url.appending(path: "Notebook.sqlite"))
        let coordinator = container.persistentStoreCoordinator
        // snippet: read
        let token = coordinator.currentPersistentHistoryToken(fromStores: nil)  // archive it: it outlives the program

        try await container.performBackgroundTask { context in
            context.transactionAuthor = "import"
            Memo(context: context).title = "Groceries"
            try context.save()
        }

        let authors = try await container.performBackgroundTask { context in
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
            return transactions.map { "\($0.author ?? "") \($0.changes?.count ?? 0)" }
        }
        // end
        #expect(authors == ["import 1"])
    }

    @Test("a sequence of transactions, with a named reader") func sequence() async throws {
        let folder = try EmptyFolder()
        let container = try await container(at: folder.url.appending(path: "Notebook.sqlite"))
        let coordinator = container.persistentStoreCoordinator
        let last = coordinator.currentPersistentHistoryToken(fromStores: nil)
        try await container.performBackgroundTask { context in
            Memo(context: context).title = "Groceries"
            try context.save()
        }
        let context = container.newBackgroundContext()
        // snippet: follow
        for try await transaction in coordinator.historyTransactions(after: last) {  // goes on for ever
            await context.perform { context.mergeChanges(fromContextDidSave: transaction.objectIDNotification()) }
            try coordinator.acknowledgeHistory(upTo: transaction.token, as: "list")  // a retention waits for readers
            break  // the end of this example
        }
        // end
        let reader = try coordinator.historyToken(of: "list")
        #expect(reader != nil)
    }
}
