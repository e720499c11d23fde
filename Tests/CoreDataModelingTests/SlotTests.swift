// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.

import CoreDataModeling
import Testing

@testable import CoreData

open class Furniture: NSManagedObject {
    var helper = 3
}

@ManagedObject open class Shelf: Furniture {
    public internal(set) var width: Int = 1
    public var material: Material = .pine

    public enum Material: String {
        case pine, oak
    }
}

@ManagedObject public final class GlassShelf: Shelf {}

@Suite("Slots of managed classes") struct SlotTests {
    private func context() throws -> NSManagedObjectContext {
        try Library.context(NSInMemoryStoreType, at: URL(filePath: "/dev/null"))
    }

    @Test("are those of the model, in subclasses too") func match() throws {
        let context = try context()
        for type in Library.classes {
            let object = type.init(context: context)
            #expect(object.flags.contains(.slotsMatch), "\(type)")
        }
        #expect(Magazine._declaration?._signature == "pages:i published:t title:s issue:i")
        #expect(Magazine._DeclaredSlots.count == 4 && Author._DeclaredSlots.count == 3)
    }

    @Test("hold every kind of value where its accessor looks for it") func places() throws {
        let book = Book(context: try context())
        let layout = book.table.layout
        #expect(Book._DeclaredSlots.count == layout.slotCount)
        for slot in 0..<layout.slotCount where layout[slot].kind == .string {
            book.setValue("\(slot)", forKey: layout.properties[slot].name)
        }
        #expect(book.value(forKey: "title") as? String == book.title)
        #expect(book.value(forKey: "isbn") as? String == book.isbn)
        #expect(book.value(forKey: "shop") as? String == book.shop)
    }

    @Test("are those of a compiled model with the same properties") func document() throws {
        let folder = try Folder()
        let url = folder.url.appending(path: "Library.xcdatamodel")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let text = LibraryDocument.text.replacing(
            "representedClassName=\"", with: "representedClassName=\"CoreDataModelingTests.")
        try text.write(to: url.appending(path: "contents"), atomically: true, encoding: .utf8)
        CodableTransformer<[Place]>.register(name: "Places")
        CodableTransformer<Place>.register(name: "Home")
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: try #require(NSManagedObjectModel(contentsOf: url)))
        let context = NSManagedObjectContext(concurrencyType: NSManagedObjectContextConcurrencyType(rawValue: 0)!)
        context.persistentStoreCoordinator = coordinator
        let book = Book(context: context)
        #expect(book.flags.contains(.slotsMatch))
        book.places = [Place(shelf: 3, row: "c")]
        book.genre = .essay
        #expect(book.places == [Place(shelf: 3, row: "c")] && book.genre == .essay && book.price == 9.95)
    }

    @Test("key paths of managed classes have names") func keyPaths() throws {
        let context = try context()
        let names: [AnyKeyPath: String] = [
            \Book.title: "title", \Book.number: "number", \Book.price: "price", \Book.isLent: "isLent",
            \Book.rating: "rating",
            \Book.published: "published", \Book.id: "id", \Book.author: "author", \Book.author?.name: "author.name",
            \Book.chapters.count: "chapters.@count", \Book.tags: "tags", \Author.default: "default",
        ]
        for (path, name) in names { #expect(KeyPathNaming.name(of: path) == name, "\(name)") }
        // The placeholder of a missing value is no raw value of the enumeration.
        #expect(KeyPathNaming.name(of: \Book.genre) == nil)
        #expect(Book(context: context).genre == .novel)
    }

    @Test("begin anew after a superclass without the macro") func plainSuperclass() throws {
        let model = try NSManagedObjectModel(classes: [Shelf.self, GlassShelf.self])
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let context = NSManagedObjectContext(concurrencyType: NSManagedObjectContextConcurrencyType(rawValue: 0)!)
        context.persistentStoreCoordinator = coordinator
        let shelf = GlassShelf(context: context)
        #expect(shelf.flags.contains(.slotsMatch) && shelf.helper == 3)
        #expect(GlassShelf._declaration?._signature == "material:s width:i" && GlassShelf._DeclaredSlots.count == 2)
        #expect(model.entitiesByName["GlassShelf"]?.superentity?.name == "Shelf")
        shelf.material = .oak
        shelf.width = 2
        #expect(shelf.width == 2 && shelf.value(forKey: "material") as? String == "oak")
    }

    @Test("are not used where the model is another; then names are") func otherModel() throws {
        let entity = NSEntityDescription()
        entity.name = "Magazine"
        entity.managedObjectClassName = String(reflecting: Magazine.self)
        let attributes: [(String, NSAttributeType)] = [
            ("title", .stringAttributeType), ("issue", .integer64AttributeType), ("added", .stringAttributeType),
        ]
        entity.properties = attributes.map { name, type in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let context = NSManagedObjectContext(concurrencyType: NSManagedObjectContextConcurrencyType(rawValue: 0)!)
        context.persistentStoreCoordinator = coordinator
        let magazine = Magazine(entity: entity, insertInto: context)
        #expect(!magazine.flags.contains(.slotsMatch))
        magazine.title = "Zeit"
        magazine.issue = 7
        #expect(magazine.title == "Zeit" && magazine.value(forKey: "issue") as? Int == 7)
    }
}
