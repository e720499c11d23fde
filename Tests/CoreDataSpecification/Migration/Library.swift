// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Two versions of a model, a store of the first one, and its migration.

import CoreData
import CoreDataTestSupport
import Foundation

/// Authors, books and tags. In the second version a book is a volume, its title a name, and pages are 64 bits wide.
enum LibraryModels {
    static func first() -> NSManagedObjectModel {
        let author = NSEntityDescription("Author")
        author.attribute("name", .stringAttributeType)
        let book = NSEntityDescription("Book")
        book.attribute("title", .stringAttributeType)
        book.attribute("pages", .integer32AttributeType)
        book.attribute("isbn", .stringAttributeType)
        let tag = NSEntityDescription("Tag")
        tag.attribute("text", .stringAttributeType)
        author.relate("books", .many, to: book, inverse: "author", .one)
        book.relate("tags", .many, to: tag, inverse: "books", .many)
        return NSManagedObjectModel(author, book, tag)
    }

    static func second(_ change: (NSEntityDescription) -> Void = { _ in }) -> NSManagedObjectModel {
        let author = NSEntityDescription("Author")
        author.attribute("name", .stringAttributeType)
        let volume = NSEntityDescription("Volume")
        volume.renamingIdentifier = "Book"
        volume.attribute("name", .stringAttributeType).renamingIdentifier = "title"
        volume.attribute("pages", .integer64AttributeType)
        volume.attribute("rating", .integer16AttributeType, default: 3)
        let tag = NSEntityDescription("Tag")
        tag.attribute("text", .stringAttributeType)
        let shelf = NSEntityDescription("Shelf")
        shelf.attribute("number", .integer32AttributeType)
        author.relate("books", .ordered, to: volume, inverse: "author", .one)
        volume.relate("tags", .many, to: tag, inverse: "books", .many)
        volume.relationshipsByName["tags"]?.inverseRelationship?.renamingIdentifier = "books"
        change(volume)
        return NSManagedObjectModel(author, volume, tag, shelf)
    }
}

/// A store of the first version in a separate folder.
final class LibraryStore {
    let folder: URL
    let url: URL
    let kind: StoreKind
    let old = LibraryModels.first()

    /// - Parameter fill: called with the context before it is saved.
    init(_ kind: StoreKind, fill: (NSManagedObjectContext) throws -> Void = LibraryStore.sample) throws {
        self.kind = kind
        folder = FileManager.default.temporaryDirectory.appending(path: "Library-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        url = kind.place(folder.appending(path: "Old.store"))
        let stack = try OpenStack(kind, old, url)
        try fill(stack.context)
        try stack.context.save()
        try stack.close()
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func place(_ name: String = "New.store") -> URL { kind.place(folder.appending(path: name)) }

    /// The names of the files in the folder. SQLite makes a shared-memory index for an empty log when it reads.
    var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
            .filter { $0 != "Old.store-shm" && $0 != "Old.store-wal" }.sorted()
    }

    func migrate(
        _ manager: NSMigrationManager, _ mapping: NSMappingModel?, to kind: StoreKind, at place: URL? = nil
    ) throws {
        try manager.migrateStore(
            from: url, sourceType: self.kind.type, options: nil, with: mapping,
            toDestinationURL: place ?? self.place(), destinationType: kind.type, destinationOptions: nil)
    }

    /// Two authors; "Emma" and "Persuasion" of Jane have the tag "classic", "Dune" of Frank has two tags.
    static func sample(_ context: NSManagedObjectContext) {
        func make(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            for (key, value) in values { object.setValue(value, forKey: key) }
            return object
        }
        let classic = make("Tag", ["text": "classic"])
        let desert = make("Tag", ["text": "desert"])
        let jane = make("Author", ["name": "Jane"])
        let frank = make("Author", ["name": "Frank"])
        _ = make("Author", ["name": "Nobody"])
        for (title, pages) in [("Emma", 474), ("Persuasion", 249)] {
            let tags: Set<NSManagedObject> = [classic]
            _ = make("Book", ["title": title, "pages": pages, "author": jane, "tags": tags])
        }
        let tags: Set<NSManagedObject> = [classic, desert]
        _ = make("Book", ["title": "Dune", "pages": 612, "author": frank, "tags": tags])
    }
}

/// A coordinator and a context on one store.
struct OpenStack {
    let coordinator: NSPersistentStoreCoordinator
    let context = NSManagedObjectContext(concurrencyType: .confined)

    init(_ kind: StoreKind, _ model: NSManagedObjectModel, _ url: URL) throws {
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: kind.type, configurationName: nil, at: url, options: nil)
        context.persistentStoreCoordinator = coordinator
    }

    func close() throws {
        context.reset()
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    func objects(_ entity: String, sortedBy key: String) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
        return try context.fetch(request)
    }

    func count(_ entity: String) throws -> Int {
        try context.count(for: NSFetchRequest<NSManagedObject>(entityName: entity))
    }
}

extension StoreKind {
    /// Kinds of stores that are files of the library.
    static let files: [StoreKind] = [.sqlite, .xml, .binary]
}

/// A kind of store and the kind that it becomes.
struct KindPair: Sendable, CustomStringConvertible {
    let from: StoreKind
    let to: StoreKind
    var description: String { "\(from) to \(to)" }

    static let all = StoreKind.files.flatMap { from in StoreKind.files.map { KindPair(from: from, to: $0) } }
}

/// The codes of an error and of all errors beneath it.
func codes(_ error: any Error) -> [Int] {
    var codes: [Int] = []
    var next: NSError? = error as NSError
    while let error = next {
        codes.append(error.code)
        for detail in error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [] { codes.append(detail.code) }
        next = error.userInfo[NSUnderlyingErrorKey] as? NSError
    }
    return codes
}

/// The error that a piece of code throws; nil if it throws none.
func thrown(_ body: () throws -> Void) -> NSError? {
    do {
        try body()
        return nil
    } catch { return error as NSError }
}
