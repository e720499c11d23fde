// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A library in plain Swift: one property of every kind, inheritance, relationships of every shape.

import CoreDataModeling

enum Genre: String, CaseIterable {
    case novel, poetry, essay
}

enum Condition: Int16 {
    case worn = 1
    case good = 2
}

struct Marks: OptionSet {
    let rawValue: Int32
    static let signed = Marks(rawValue: 1)
    static let lent = Marks(rawValue: 2)
}

struct Place: Codable, Equatable {
    var shelf: Int
    var row: String
}

typealias Price = Decimal

@ManagedObject(isAbstract: true, indexes: [["title", "published"]])
class Publication: NSManagedObject {
    var title: String = ""
    var published: Date?
    @Attribute(.indexed) var pages: Int32 = 0
}

@ManagedObject(
    uniqueness: [["shop", "number"]],
    indexes: [ManagedIndex("dear", on: .descending("price"), where: "price > 10")], originalName: "Volume",
    hashModifier: "2", userInfo: ["note": "bound"])
final class Book: Publication {
    @Attribute(.unique) var isbn: String?
    var shop: String = "main"
    var number: Int = 0
    var size: Int16?
    var weight: Double = 0.5
    var rating: Float?
    var price: Price = 9.95
    var isLent: Bool = false
    @Attribute(.optional) var copies: Int64 = 1
    @Attribute(originalName: "key", hashModifier: "k") var id: UUID?
    @Attribute(.required) var source: URL?
    @Attribute(.externalStorage) var cover: Data?
    var text: Data
    var genre: Genre = .novel
    var secondGenre: Genre?
    var firstGenre: Genre
    var condition: Condition = .good
    var marks: Marks = []
    @Attribute(.codable) var places: [Place]
    @Attribute(.codable) var home: Place = Place(shelf: 1, row: "a")
    @Attribute(.transformable) var words: [String]?
    @Attribute(.transient) var isOpen: Bool = false
    @Relationship(inverse: "books") var author: Author?
    @Relationship(inverse: "book", deleteRule: .cascade) var chapters: [Chapter]
    @Relationship(inverse: "books") var tags: Set<Tag> = []
    @Relationship(.required, inverse: "books", maximumCount: 3) var branches: Set<Branch>
    @NotManaged var readings = 0
    static let shelfLife = 50
    var label: String { "\(title) (\(number))" }
}

@ManagedObject final class Magazine: Publication {
    var issue: Int32 = 1
}

@ManagedObject(entity: "Writer") final class Author: NSManagedObject {
    var name: String = ""
    var `default`: Bool = false
    @Relationship(inverse: "author", deleteRule: .deny) var books: Set<Book>
}

@ManagedObject final class Chapter: NSManagedObject {
    var heading: String?
    @Relationship(inverse: "chapters") var book: Book?
}

@ManagedObject final class Tag: NSManagedObject {
    @Attribute(.unique, rules: ["SELF.length > 1"]) var name: String = "new"
    @Relationship(inverse: "tags") var books: Set<Book>
    @Relationship(inverse: nil) var parent: Tag?
}

@ManagedObject final class Branch: NSManagedObject {
    var town: String = ""
    @Relationship(inverse: "branches") var books: Set<Book>
}

enum Library {
    static let classes = [Book.self, Magazine.self, Author.self, Chapter.self, Tag.self, Branch.self]

    /// Made once, as programs do.
    static let model = Result { try NSManagedObjectModel(classes: classes) }

    static func context(_ type: String, at url: URL) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try model.get())
        try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url, options: nil)
        // Confined to the thread: Apple's number, without the warning that it is deprecated.
        let context = NSManagedObjectContext(concurrencyType: NSManagedObjectContextConcurrencyType(rawValue: 0)!)
        context.persistentStoreCoordinator = coordinator
        return context
    }
}

/// A folder that is removed with its test.
final class Folder {
    let url = FileManager.default.temporaryDirectory.appending(path: "modeling-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }
}
