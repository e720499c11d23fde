// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A bookshop with a history, and short forms of history requests.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// A bookshop that keeps titles in tombstones.
final class RecordedShop {
    /// The kinds of stores that keep a history.
    static let kinds = StoreKind.all.filter(\.keepsHistory)
    /// Those of them that several coordinators share.
    static let sharedKinds = kinds.filter(\.isShared)

    static func model() -> NSManagedObjectModel {
        let model = BookshopModel.make()
        for (entity, name) in [("Book", "title"), ("Book", "identifier"), ("Book", "rating")] {
            model.entitiesByName[entity]?.attributesByName[name]?.preservesValueInHistoryOnDeletion = true
        }
        return model
    }

    let stack: Stack
    var coordinator: NSPersistentStoreCoordinator { stack.coordinator }
    var context: NSManagedObjectContext { stack.context }

    init(_ kind: StoreKind, _ options: [AnyHashable: Any] = [:], model: NSManagedObjectModel = RecordedShop.model())
        throws
    {
        stack = try Stack(
            kind, model, options: [NSPersistentHistoryTrackingKey: true].merging(options) { $1 })
    }

    /// Another coordinator on the same file.
    func second(_ options: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]) throws
        -> (NSPersistentStoreCoordinator, NSManagedObjectContext)
    {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: RecordedShop.model())
        try coordinator.addPersistentStore(
            ofType: stack.kind.type, configurationName: nil, at: stack.url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        return (coordinator, context)
    }

    @discardableResult
    func book(_ title: String) -> Book {
        let book = Book(context: context)
        book.title = title
        return book
    }

    /// Saves one new book.
    @discardableResult
    func saveBook(_ title: String, author: String? = nil) throws -> Book {
        let book = book(title)
        context.transactionAuthor = author
        try context.save()
        context.transactionAuthor = nil
        return book
    }

    var token: NSPersistentHistoryToken? { coordinator.currentPersistentHistoryToken(fromStores: nil) }

    func transactions(after token: NSPersistentHistoryToken? = nil) throws -> [NSPersistentHistoryTransaction] {
        try context.transactions(.fetchHistory(after: token))
    }

    /// The changes of the last transaction, as entity and kind.
    func lastChanges() throws -> [String] {
        let transaction = try #require(try transactions().last)
        return try #require(transaction.changes).map { "\($0.changeType) \($0.changedObjectID.entity.name ?? "")" }
    }
}

extension NSPersistentStoreCoordinator {
    /// The authors of the first transactions of a sequence; fewer if the task is cancelled.
    func authors(_ count: Int) async throws -> [String?] {
        var authors: [String?] = []
        for try await transaction in historyTransactions(after: nil) {
            authors.append(transaction.author)
            if authors.count == count { break }
        }
        return authors
    }
}

extension NSManagedObjectContext {
    func history<Result>(
        _ request: NSPersistentHistoryChangeRequest, _ type: NSPersistentHistoryResultType, as: Result.Type
    ) throws -> Result {
        request.resultType = type
        let result = try #require(try execute(request) as? NSPersistentHistoryResult)
        return try #require(result.result as? Result)
    }

    func transactions(_ request: NSPersistentHistoryChangeRequest) throws -> [NSPersistentHistoryTransaction] {
        try history(request, .transactionsAndChanges, as: [NSPersistentHistoryTransaction].self)
    }

    func changes(_ request: NSPersistentHistoryChangeRequest) throws -> [NSPersistentHistoryChange] {
        try history(request, .changesOnly, as: [NSPersistentHistoryChange].self)
    }
}

/// A request over transactions with a predicate.
func transactions(where format: String, _ arguments: Any...) throws -> NSPersistentHistoryChangeRequest {
    let request = try #require(NSPersistentHistoryTransaction.fetchRequest)
    request.predicate = NSPredicate(format: format, argumentArray: arguments)
    return .fetchHistory(withFetch: request)
}

/// A request over changes with a predicate.
func changes(where format: String, _ arguments: Any...) throws -> NSPersistentHistoryChangeRequest {
    let request = try #require(NSPersistentHistoryChange.fetchRequest)
    request.predicate = NSPredicate(format: format, argumentArray: arguments)
    return .fetchHistory(withFetch: request)
}
