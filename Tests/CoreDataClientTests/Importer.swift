// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Work in the background: an actor with a private context.

import CoreData
import Foundation

actor Importer {
    private let container: NSPersistentContainer
    private let context: NSManagedObjectContext
    private(set) var imported = 0

    init(_ container: NSPersistentContainer) {
        self.container = container
        context = container.newBackgroundContext()
        context.name = "import"
        context.transactionAuthor = "importer"
        context.mergePolicy = NSMergeByPropertyStoreTrumpMergePolicy
    }

    /// The context is captured, a value comes back.
    func add(_ titles: [String]) async throws -> [NSManagedObjectID] {
        let ids = try await context.perform { [context] in
            let books = titles.map { title in
                let book = Book(context: context)
                book.title = title
                return book
            }
            try context.save()
            return books.map(\.objectID)
        }
        imported += ids.count
        return ids
    }

    /// A request is made in the block.
    func count(titlePrefix: String) async throws -> Int {
        try await context.perform(schedule: .enqueued) { [context] in
            let request = NSFetchRequest<Book>(entityName: "Book")
            request.predicate = NSPredicate(format: "title BEGINSWITH %@", titlePrefix)
            return try context.count(for: request)
        }
    }

    /// Errors keep their type.
    func lengthen(_ id: NSManagedObjectID, by pages: Int) async throws(NotFound) {
        try await container.performBackgroundTask { context throws(NotFound) in
            guard let book = try? context.existingObject(with: id) as? Book else {
                throw NotFound(title: "\(id)")
            }
            book.pages += pages
            try? context.save()
        }
    }

    /// Several tasks, each with a separate context.
    func addInParallel(_ count: Int) async throws -> Set<NSManagedObjectID> {
        try await withThrowingTaskGroup(of: NSManagedObjectID.self) { group in
            for number in 0..<count {
                group.addTask { [container] in
                    try await container.performBackgroundTask { context in
                        let book = Book(context: context)
                        book.title = "parallel \(number)"
                        try context.save()
                        return book.objectID
                    }
                }
            }
            var ids: Set<NSManagedObjectID> = []
            for try await id in group { ids.insert(id) }
            return ids
        }
    }

    /// Waits for the titles; for callers that are not asynchronous.
    nonisolated func titlesWaiting() throws -> [String] {
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        return try context.performAndWait { try context.fetch(request).map(\.title) }
    }

    /// Fire and forget.
    nonisolated func addLater(
        _ title: String, then done: @escaping @Sendable (Result<NSManagedObjectID, any Error>) -> Void
    ) {
        container.performBackgroundTask { context in
            let book = Book(context: context)
            book.title = title
            done(
                Result {
                    try context.save()
                    return book.objectID
                })
        }
    }
}
