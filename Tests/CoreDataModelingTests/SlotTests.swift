// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.

import CoreDataModeling
import Testing

@testable import CoreData

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
