// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The stack of a small app.

import CoreData
import Foundation

final class Book: NSManagedObject {
    var title: String {
        get { value(forKey: "title") as? String ?? "" }
        set { setValue(newValue, forKey: "title") }
    }
    var pages: Int {
        get { value(forKey: "pages") as? Int ?? 0 }
        set { setValue(newValue, forKey: "pages") }
    }
}

/// A value that leaves a context instead of an object.
struct BookSummary: Sendable, Equatable {
    let id: NSManagedObjectID
    let title: String
    let pages: Int

    init(_ book: Book) {
        id = book.objectID
        title = book.title
        pages = book.pages
    }
}

struct NotFound: Error, Equatable {
    let title: String
}

/// Passed from actor to actor, as containers are.
struct Shelf: Sendable {
    static let model: NSManagedObjectModel = {
        let title = NSAttributeDescription()
        title.name = "title"
        title.attributeType = .stringAttributeType
        let pages = NSAttributeDescription()
        pages.name = "pages"
        pages.attributeType = .integer64AttributeType
        pages.defaultValue = 0
        let book = NSEntityDescription()
        book.name = "Book"
        book.managedObjectClassName = String(reflecting: Book.self)
        book.properties = [title, pages]
        let model = NSManagedObjectModel()
        model.entities = [book]
        return model
    }()

    let container: NSPersistentContainer

    init() throws {
        container = NSPersistentContainer(name: "Shelf", managedObjectModel: Self.model)
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        let failures = Failures()
        container.loadPersistentStores { _, error in
            if let error { failures.add(error) }
        }
        if let error = failures.first { throw error }
        container.viewContext.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    }

    private final class Failures: @unchecked Sendable {  // guarded by `lock`
        private let lock = NSLock()
        private var errors: [any Error] = []
        var first: (any Error)? { lock.withLock { errors.first } }
        func add(_ error: any Error) { lock.withLock { errors.append(error) } }
    }
}
