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
