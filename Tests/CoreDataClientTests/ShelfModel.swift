// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A view model on the main actor, with the container's view context.

import CoreData
import Foundation

@MainActor final class ShelfModel {
    private let shelf: Shelf
    private var context: NSManagedObjectContext { shelf.container.viewContext }
    private(set) var books: [BookSummary] = []
    private(set) var changes = 0
    private var observer: (any NSObjectProtocol)?

    init(_ shelf: Shelf) {
        self.shelf = shelf
        observer = NotificationCenter.default.addObserver(
            forName: NSManagedObjectContext.didChangeObjectsNotification, object: shelf.container.viewContext,
            queue: nil
        ) { [weak self] _ in
            MainActor.assumeIsolated { self?.changes += 1 }
        }
    }

    isolated deinit {
        if let observer { NotificationCenter.default.removeObserver(observer) }
    }

    /// The view context is used directly.
    func reload() throws {
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        books = try context.fetch(request).map(BookSummary.init)
    }

    func add(_ title: String) throws {
        let book = Book(context: context)
        book.title = title
        try context.save()
        try reload()
    }

    /// Work on another queue, written on the main actor; an id comes back and finds the object here.
    func addInBackground(_ title: String) async throws -> String {
        let id = try await shelf.container.performBackgroundTask { context in
            let book = Book(context: context)
            book.title = title
            try context.save()
            return book.objectID
        }
        let book = try context.existingObject(with: id) as? Book
        try reload()
        return book?.title ?? ""
    }

    /// A context for one editor: its changes are saved or discarded together.
    func edit(_ id: NSManagedObjectID, title: String) async throws {
        let editor = shelf.container.newBackgroundContext()
        try await editor.perform {
            guard let book = try editor.existingObject(with: id) as? Book else { throw NotFound(title: title) }
            book.title = title
            try editor.save()
        }
        if let book = context.registeredObject(for: id) { context.refresh(book, mergeChanges: true) }
        try reload()
    }

    /// On the main queue, through the context.
    func pagesThroughContext() async throws -> Int {
        try await context.perform { [context] in
            try context.fetch(NSFetchRequest<Book>(entityName: "Book")).reduce(0) { $0 + $1.pages }
        }
    }
}

/// The ids that any context of a store saves, as they are saved.
struct SavedIDs: AsyncSequence {
    typealias Element = Set<NSManagedObjectID>

    private let stream: AsyncStream<Element>

    init(of coordinator: NSPersistentStoreCoordinator) {
        stream = AsyncStream { continuation in
            let observer = NotificationCenter.default.addObserver(
                forName: NSManagedObjectContext.didSaveObjectIDsNotification, object: nil, queue: nil
            ) { [weak coordinator] notification in
                guard let context = notification.object as? NSManagedObjectContext,
                    context.persistentStoreCoordinator === coordinator,
                    let ids = notification.userInfo?[NSInsertedObjectIDsKey] as? Element
                else { return }
                continuation.yield(ids)
            }
            let token = Token(observer: observer)
            continuation.onTermination = { _ in NotificationCenter.default.removeObserver(token.observer) }
        }
    }

    func makeAsyncIterator() -> AsyncStream<Element>.Iterator { stream.makeAsyncIterator() }

    private struct Token: @unchecked Sendable {  // the token of an observer is never changed
        let observer: any NSObjectProtocol
    }
}
