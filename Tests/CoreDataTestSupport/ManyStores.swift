// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A bookshop that is spread over several stores of one coordinator.

public import CoreData
import Foundation

/// The kinds of several stores, and the position of the special one, which a test changes or damages.
public struct StoreMixture: Sendable, CustomStringConvertible {
    public var kinds: [StoreKind]
    public var special: Int

    public init(kinds: [StoreKind], special: Int) {
        self.kinds = kinds
        self.special = special
    }

    /// All pairs of a database and memory, atomic stores with one of each kind, and mixtures of more; each store is the
    /// special one once.
    public static let all: [StoreMixture] = {
        let pairs = [StoreKind.sqlite, .inMemory].flatMap { first in [StoreKind.sqlite, .inMemory].map { [first, $0] } }
        let atomic: [[StoreKind]] = [[.xml, .sqlite], [.inMemory, .binary], [.xml, .binary, .xml]]
        return (pairs + atomic + [[.sqlite, .inMemory, .sqlite]]).flatMap { kinds in
            kinds.indices.map { StoreMixture(kinds: kinds, special: $0) }
        }
    }()

    /// The mixtures in which a test can damage the file of the special store.
    public static let withFile = all.filter { $0.kinds[$0.special] == .sqlite }

    public var description: String {
        kinds.indices.map { $0 == special ? "[\(kinds[$0])]" : "\(kinds[$0])" }.joined(separator: "+")
    }
}

/// A book in each store, with the store's number as title and no pages.
public final class ManyStores {
    public var mixture: StoreMixture
    public let coordinator: NSPersistentStoreCoordinator
    public let stores: [NSPersistentStore]
    public let context: NSManagedObjectContext
    /// In the order of their stores; retained here.
    public private(set) var books: [Book] = []
    private let folder: URL

    /// - Parameter options: for each of the stores.
    public init(_ mixture: StoreMixture, options: [AnyHashable: Any]? = nil) throws {
        self.mixture = mixture
        folder = FileManager.default.temporaryDirectory.appending(path: "OpenCoreData-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: BookshopModel.make())
        for (number, kind) in mixture.kinds.enumerated() {
            try coordinator.addPersistentStore(
                ofType: kind.type, configurationName: nil,
                at: kind == .inMemory ? nil : kind.place(folder.appending(path: "\(number).sqlite")), options: options)
        }
        stores = coordinator.persistentStores
        context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        for number in stores.indices {
            let book = Book(context: context)
            book.title = "\(number)"
            context.assign(book, to: stores[number])
            books.append(book)
        }
        try context.save()
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    public var special: NSPersistentStore { stores[mixture.special] }
    /// The special store's book.
    public var contested: Book { books[mixture.special] }
    /// The numbers as titles.
    public var untouched: [String] { stores.indices.map(String.init) }

    public func newContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    public func tag(_ name: String, in store: NSPersistentStore, of book: Book? = nil) -> Tag {
        let tag = Tag(context: context)
        tag.name = name
        context.assign(tag, to: store)
        if let book { book.tags = [tag] }
        return tag
    }

    /// The stored titles of the books, in the order of the stores; "-" for one that is gone.
    public func storedTitles() throws -> [String] {
        let context = newContext()
        defer { withExtendedLifetime(context) {} }
        let found = try context.fetch(Book.request()).map { ($0.objectID.persistentStore, $0.title ?? "") }
        return stores.map { store in found.first { $0.0 === store }?.1 ?? "-" }
    }

    /// The titles of the books as the coordinator has them cached, without reading the stores.
    public func cachedTitles() -> [String] {
        let context = newContext()
        defer { withExtendedLifetime(context) {} }
        return books.map { (context.object(with: $0.objectID) as? Book)?.title ?? "" }
    }

    /// The names of the tags in all stores, sorted.
    public func storedTags() throws -> [String] {
        let context = newContext()
        defer { withExtendedLifetime(context) {} }
        return try context.fetch(NSFetchRequest<Tag>(entityName: "Tag")).map { $0.name ?? "" }.sorted()
    }

    /// Whether insertions, one in each store, still have their temporary ids, for kinds of stores that give others only
    /// with a save.
    public func namesNothing(_ insertions: [NSManagedObject]) -> Bool {
        zip(insertions, mixture.kinds).allSatisfy { $0.objectID.isTemporaryID || $1.givesIDsBeforeSaving }
    }
}
