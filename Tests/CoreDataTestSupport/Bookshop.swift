// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The sample that most specifications use: authors, books, chapters in order, tags.

public import CoreData
import Foundation

/// An author has many books; a book has chapters in order, and any number of tags.
public enum BookshopModel {
    public static func make() -> NSManagedObjectModel {
        let author = NSEntityDescription("Author", class: Author.self)
        author.attribute("name", .stringAttributeType, optional: false)
        author.attribute("born", .dateAttributeType)
        let book = NSEntityDescription("Book", class: Book.self)
        book.attribute("title", .stringAttributeType, optional: false)
        book.attribute("pages", .integer32AttributeType, optional: false, default: 0)
        book.attribute("price", .decimalAttributeType)
        book.attribute("rating", .doubleAttributeType)
        book.attribute("published", .dateAttributeType)
        book.attribute("inPrint", .booleanAttributeType, optional: false, default: true)
        book.attribute("cover", .binaryDataAttributeType)
        book.attribute("identifier", .UUIDAttributeType)
        book.attribute("page", .URIAttributeType)
        book.attribute("keywords", .transformableAttributeType)
        book.attribute("note", .stringAttributeType, transient: true)
        let chapter = NSEntityDescription("Chapter", class: Chapter.self)
        chapter.attribute("heading", .stringAttributeType)
        let tag = NSEntityDescription("Tag", class: Tag.self)
        tag.attribute("name", .stringAttributeType, optional: false)
        tag.uniquenessConstraints = [["name"]]
        author.relate("books", .many, to: book, inverse: "author", .one)
        book.relate("chapters", .ordered, .cascadeDeleteRule, to: chapter, inverse: "book", .one)
        book.relate("tags", .many, to: tag, inverse: "books", .many)
        return NSManagedObjectModel(author, book, chapter, tag)
    }
}

public final class Author: NSManagedObject {
    public var name: String? {
        get { value(forKey: "name") as? String }
        set { setValue(newValue, forKey: "name") }
    }
    public var books: Set<Book> {
        get { value(forKey: "books") as? Set<Book> ?? [] }
        set { setValue(newValue as NSSet, forKey: "books") }
    }
}

public final class Book: NSManagedObject {
    public var title: String? {
        get { value(forKey: "title") as? String }
        set { setValue(newValue, forKey: "title") }
    }
    public var pages: Int {
        get { value(forKey: "pages") as? Int ?? 0 }
        set { setValue(newValue, forKey: "pages") }
    }
    public var author: Author? {
        get { value(forKey: "author") as? Author }
        set { setValue(newValue, forKey: "author") }
    }
    public var tags: Set<Tag> {
        get { value(forKey: "tags") as? Set<Tag> ?? [] }
        set { setValue(newValue as NSSet, forKey: "tags") }
    }
    public var chapters: [Chapter] {
        get { (value(forKey: "chapters") as? NSOrderedSet)?.array as? [Chapter] ?? [] }
        set { setValue(NSOrderedSet(array: newValue), forKey: "chapters") }
    }

    public class func request() -> NSFetchRequest<Book> { NSFetchRequest<Book>(entityName: "Book") }
}

public final class Chapter: NSManagedObject {
    public var heading: String? {
        get { value(forKey: "heading") as? String }
        set { setValue(newValue, forKey: "heading") }
    }
    public var book: Book? {
        get { value(forKey: "book") as? Book }
        set { setValue(newValue, forKey: "book") }
    }
}

public final class Tag: NSManagedObject {
    public var name: String? {
        get { value(forKey: "name") as? String }
        set { setValue(newValue, forKey: "name") }
    }
    public var books: Set<Book> {
        get { value(forKey: "books") as? Set<Book> ?? [] }
        set { setValue(newValue as NSSet, forKey: "books") }
    }
}

/// A stack with the bookshop's model.
public final class Bookshop {
    public let stack: Stack
    public var context: NSManagedObjectContext { stack.context }

    public init(in kind: StoreKind, observers: [any StoreObserver] = []) throws {
        stack = try Stack(kind, BookshopModel.make(), observers: observers)
    }

    @discardableResult
    public func author(_ name: String, in context: NSManagedObjectContext? = nil) -> Author {
        let author = Author(context: context ?? self.context)
        author.name = name
        return author
    }

    @discardableResult
    public func book(
        _ title: String, pages: Int = 100, by author: Author? = nil, in context: NSManagedObjectContext? = nil
    ) -> Book {
        let book = Book(context: context ?? self.context)
        book.title = title
        book.pages = pages
        book.author = author
        return book
    }

    @discardableResult
    public func tag(_ name: String, in context: NSManagedObjectContext? = nil) -> Tag {
        let tag = Tag(context: context ?? self.context)
        tag.name = name
        return tag
    }

    /// The titles that a fetch returns, in its order.
    public func titles(_ request: NSFetchRequest<Book>, in context: NSManagedObjectContext? = nil) throws -> [String] {
        try (context ?? self.context).fetch(request).map { $0.title ?? "" }
    }
}
