// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of comments that is compiled and does not run: it would wait for ever, or needs a server.

import CoreDataModeling
import CoreDataPostgreSQL
import Foundation

private func index(_ changes: [NSPersistentHistoryChange]) async throws {}

private func show(_ ids: [NSManagedObjectID]) {}

func followHistory(of coordinator: NSPersistentStoreCoordinator, after token: NSPersistentHistoryToken?) async throws {
    var lastToken = token
    // snippet: transactions
    for try await transaction in coordinator.historyTransactions(after: lastToken) {
        try await index(transaction.changes ?? [])
        lastToken = transaction.token
    }
    // end
}

@MainActor func followResults(of controller: NSFetchedResultsController<Memo>) async {
    // snippet: snapshots
    for await snapshot in controller.snapshots { show(snapshot.objectIDs) }
    // end
}

func booksByExpression(in context: NSManagedObjectContext) -> [NSManagedObject]? {
    // snippet: expression
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
    let books = NSFetchRequestExpression.expression(
        forFetch: NSExpression(forConstantValue: request), context: NSExpression(forConstantValue: context),
        countOnly: false)
    let found = books.expressionValue(with: nil, context: nil) as? [NSManagedObject]
    // end
    return found
}

@available(*, deprecated)
func syncWithServer(at address: URL, token: @escaping @Sendable () async throws -> String) async throws {
    // snippet: cloudServer
    let container = NSPersistentCloudKitContainer(name: "Notes")
    let options = NSPersistentCloudKitContainerOptions(containerIdentifier: "iCloud.com.example.Notes")
    options.syncServer = PersistentSyncServer(url: address) { try await token() }
    container.persistentStoreDescriptions[0].cloudKitContainerOptions = options
    try await container.loadPersistentStores()
    // end
}

@available(*, deprecated)
func showErrors(of notification: Notification) {
    // snippet: cloudEvent
    let value = notification.userInfo?[NSPersistentCloudKitContainer.eventNotificationUserInfoKey]
    if let event = value as? NSPersistentCloudKitContainer.Event, let error = event.error { print(error) }
    // end
}

func describeServer(of container: NSPersistentContainer) {
    // snippet: server
    PostgreSQLStore.register()
    let description = NSPersistentStoreDescription(url: URL(string: "postgresql://db.example.com/shop?schema=app")!)
    description.type = NSPostgreSQLStoreType
    container.persistentStoreDescriptions = [description]
    // end
}

func dropOriginals(of url: URL, _ coordinator: NSPersistentStoreCoordinator) throws {
    // snippet: originals
    for original in try PostgreSQLStore.keptOriginals(of: url) {
        try coordinator.destroyPersistentStore(at: original, ofType: NSPostgreSQLStoreType)
    }
    // end
}
