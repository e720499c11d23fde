// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Batch requests and relationships: delete rules that follow links of every kind, and links that requests set.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Batch requests and links") struct BatchLinkSpecification {
    /// An order with an invoice (cascade), labels (many-to-many, cascade), related orders (its own inverse, cascade), a
    /// guard (deny) and pages (without an inverse, cascade).
    private static func orders(
        invoice: NSDeleteRule = .nullifyDeleteRule, labels: NSDeleteRule = .nullifyDeleteRule,
        related: NSDeleteRule = .nullifyDeleteRule, guarded: NSDeleteRule = .nullifyDeleteRule,
        pages: NSDeleteRule = .nullifyDeleteRule
    ) -> NSManagedObjectModel {
        let order = NSEntityDescription("Order")
        order.attribute("name", .stringAttributeType)
        let made = ["Invoice", "Label", "Guard", "Page", "Line"].map { name in
            let entity = NSEntityDescription(name)
            entity.attribute("name", .stringAttributeType)
            return entity
        }
        order.relate("invoice", .one, invoice, to: made[0], inverse: "order", .one)
        order.relate("labels", .many, labels, to: made[1], inverse: "orders", .many)
        order.relate("related", .many, related, to: order, inverse: "related", .many)
        order.relate("guard", .one, guarded, to: made[2], inverse: "orders", .many)
        order.relationship("pages", .many, pages, to: made[3])
        made[0].relate("lines", .many, invoice, to: made[4], inverse: "invoice", .one)
        let model = NSManagedObjectModel()
        model.entities = [order] + made
        return model
    }

    /// Orders a, b and c; a and b have one of everything each. a and b are related, and so are b and c.
    private func stack(_ kind: StoreKind, _ model: NSManagedObjectModel) throws -> Stack {
        let stack = try Stack(kind, model)
        func make(_ entity: String, _ name: String) -> NSManagedObject {
            let object = stack.insert(entity)
            object.setValue(name, forKey: "name")
            return object
        }
        let orders = ["a", "b", "c"].map { make("Order", $0) }
        for (order, name) in zip(orders, ["a", "b"]) {
            let invoice = make("Invoice", name)
            order.setValue(invoice, forKey: "invoice")
            make("Line", name).setValue(invoice, forKey: "invoice")
            order.setValue(NSSet(array: [make("Label", name)]), forKey: "labels")
            order.setValue(NSSet(array: [make("Page", name)]), forKey: "pages")
        }
        orders[1].setValue(NSSet(array: [orders[0], orders[2]]), forKey: "related")
        try stack.context.save()
        return stack
    }

    private func names(_ stack: Stack, _ entity: String) throws -> String {
        try stack.values("name", of: entity).joined()
    }

    /// Proves: B26
    @Test("a cascade follows a to-one, and what comes below its destination", arguments: StoreKind.all, [false, true])
    func toOne(kind: StoreKind, wantsIDs: Bool) throws {
        let stack = try stack(kind, Self.orders(invoice: .cascadeDeleteRule))
        let request = NSBatchDeleteRequest("Order", where: "name IN {'a', 'c'}")
        if wantsIDs {
            #expect(try stack.context.deletedIDs(request).count >= 2)
        } else {
            try stack.context.execute(request)
        }
        #expect(try names(stack, "Order") == "b")
        #expect(try names(stack, "Invoice") == "b")
        #expect(try names(stack, "Line") == "b")
        #expect(try names(stack, "Label") == "ab")
    }

    /// Proves: B26
    @Test("a cascade follows a many-to-many, and one without an inverse", arguments: StoreKind.all)
    func toMany(kind: StoreKind) throws {
        let stack = try stack(kind, Self.orders(labels: .cascadeDeleteRule, pages: .cascadeDeleteRule))
        try stack.context.execute(NSBatchDeleteRequest("Order", where: "name == 'a'"))
        #expect(try names(stack, "Order") == "bc")
        #expect(try names(stack, "Label") == "b")
        #expect(try names(stack, "Page") == "b")
        #expect(try names(stack, "Invoice") == "ab")
    }

    /// Proves: B26
    @Test("a cascade follows links of an entity to itself in both directions", arguments: StoreKind.all)
    func reflexive(kind: StoreKind) throws {
        for name in ["a", "c"] {
            let stack = try stack(kind, Self.orders(related: .cascadeDeleteRule))
            try stack.context.execute(NSBatchDeleteRequest("Order", where: "name == '\(name)'"))
            #expect(try names(stack, "Order") == "")
        }
    }

    /// Proves: B26
    @Test(
        "deny on a to-one throws 1600 with nothing deleted, unless its destination goes too", arguments: StoreKind.all)
    func deny(kind: StoreKind) throws {
        let stack = try Stack(kind, Self.orders(guarded: .denyDeleteRule))
        let (order, free, watch) = (stack.insert("Order"), stack.insert("Order"), stack.insert("Guard"))
        free.setValue("free", forKey: "name")
        order.setValue(watch, forKey: "guard")
        try stack.context.save()
        #expect(
            code { try stack.context.execute(NSBatchDeleteRequest("Order")) }
                == NSValidationRelationshipDeniedDeleteError)
        #expect(try stack.count("Order") == 2)
        try stack.context.execute(NSBatchDeleteRequest("Order", where: "name == 'free'"))
        #expect(try stack.count("Order") == 1)
        try stack.context.execute(NSBatchDeleteRequest(objectIDs: [order.objectID, watch.objectID]))
        #expect(try stack.count("Order") == 0 && stack.count("Guard") == 0)
    }

    /// Proves: B21, B23
    @Test(
        "a to-one takes the object at the end of a key path; other values are errors", arguments: StoreKind.all)
    func keyPaths(kind: StoreKind) throws {
        let stack = try Stack(kind, LinkedThings.model())
        let things = ["a", "b", "c"].map { label in
            let thing = LinkedThing(context: stack.context)
            thing.setValue(label, forKey: "label")
            return thing
        }
        things[0].setValue(things[1], forKey: "next")
        things[1].setValue(things[2], forKey: "next")
        try stack.context.save()
        let update = NSBatchUpdateRequest("Thing", ["parent": NSExpression(forKeyPath: "next")])
        #expect(try stack.context.updatedCount(update) == 3)
        let context = stack.newContext()
        let stored = try LinkedThings.byLabel(in: context)
        #expect(["a", "b", "c"].map { stored[$0]?.things("parent").map(\.label) ?? [] } == [["b"], ["c"], []])
        let halfLinks = LinkedThings.halfLinks(of: Array(stored.values))
        #expect(halfLinks.isEmpty)
        let wrong = NSBatchUpdateRequest("Thing", ["parent": NSExpression(forKeyPath: "label")])
        #expect(throws: (any Error).self) { try stack.context.execute(wrong) }
        let last = stack.newContext()
        let rest = try LinkedThings.byLabel(in: last)
        #expect(rest["a"]?.things("parent").map(\.label) == ["b"])
    }

    /// Proves: B15, F102
    @Test(
        "members that an insertion added to an order can be moved, and others come between them",
        arguments: StoreKind.all)
    func membersMoved(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        let book = shop.book("Dune")
        try shop.context.save()
        let rows: [[String: Any]] = ["a", "b", "c"].map { ["heading": $0, "book": book.objectID] }
        try shop.context.execute(NSBatchInsertRequest(entityName: "Chapter", objects: rows))
        func headings() throws -> [String?] {
            let context = shop.stack.newContext()
            let stored = try #require(try context.existingObject(with: book.objectID) as? Book)
            return withExtendedLifetime(context) { stored.chapters.map(\.heading) }
        }
        #expect(try headings() == ["a", "b", "c"])
        let context = shop.stack.newContext()
        let stored = try #require(try context.existingObject(with: book.objectID) as? Book)
        let new = Chapter(context: context)
        new.heading = "new"
        stored.mutableOrderedSetValue(forKey: "chapters").insert(new, at: 1)
        try context.save()
        #expect(try headings() == ["a", "new", "b", "c"])
        stored.mutableOrderedSetValue(forKey: "chapters").moveObjects(at: [3], to: 0)
        try context.save()
        #expect(try headings() == ["c", "a", "new", "b"])
    }

    /// Proves: B18
    @Test("an insertion that meets a record gives it its to-one, at both ends", arguments: StoreKind.all)
    func upsertedLink(kind: StoreKind) throws {
        let stack = try StockModel.stack(kind)
        let other = stack.insert("Box")
        try stack.context.save()
        for policy in [NSMergePolicy.mergeByPropertyObjectTrump, .overwrite] {
            stack.context.mergePolicy = policy
            let rows: [[String: Any]] = [["code": 1, "count": 7, "box": other.objectID]]
            #expect(try stack.context.insertedCount(NSBatchInsertRequest(entityName: "Item", objects: rows)) == 1)
            let counts = try stack.stored(NSFetchRequest<NSManagedObject>(entityName: "Box")) { box in
                ((box.value(forKey: "items") as? NSSet)?.count ?? 0, box.objectID == other.objectID)
            }
            #expect(counts.first { $0.1 }?.0 == 1)
            #expect(counts.first { !$0.1 }?.0 == 0)
        }
    }

    /// Proves: B18
    @Test("an insertion that meets two records throws 133021, and changes none", arguments: StoreKind.all)
    func twoRecords(kind: StoreKind) throws {
        let person = NSEntityDescription("Person")
        for name in ["mail", "phone", "name"] { person.attribute(name, .stringAttributeType) }
        person.uniquenessConstraints = [["mail"], ["phone"]]
        let stack = try Stack(kind, NSManagedObjectModel(person))
        stack.insert("Person").setValuesForKeys(["mail": "a", "phone": "1", "name": "A"])
        stack.insert("Person").setValuesForKeys(["mail": "b", "phone": "2", "name": "B"])
        try stack.context.save()
        stack.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        let rows: [[String: Any]] = [["mail": "a", "phone": "2", "name": "C"]]
        let request = NSBatchInsertRequest(entityName: "Person", objects: rows)
        #expect(code { try stack.context.execute(request) } == NSManagedObjectConstraintMergeError)
        #expect(try stack.values("name", of: "Person") == ["A", "B"])
        #expect(try stack.values("phone", of: "Person") == ["1", "2"])
    }

    /// Proves: B23
    @Test("a destination without a record, whose order the link joins, throws 133000", arguments: StoreKind.all)
    func missingMemberOfOrder(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        let (book, kept) = (shop.book("Gone"), shop.book("Kept"))
        let chapter = Chapter(context: shop.context)
        kept.chapters = [chapter]
        try shop.context.save()
        let id = book.objectID
        try shop.context.execute(NSBatchDeleteRequest(objectIDs: [id]))
        let insertion = NSBatchInsertRequest(entityName: "Chapter", objects: [["heading": "x", "book": id]])
        #expect(code { try shop.context.execute(insertion) } == NSManagedObjectReferentialIntegrityError)
        let update = NSBatchUpdateRequest("Chapter", ["book": id])
        #expect(code { try shop.context.execute(update) } == NSManagedObjectReferentialIntegrityError)
        #expect(try shop.stack.count("Chapter") == 1)
        let found = try shop.stack.stored(Book.request()) { $0.chapters.count }
        #expect(found == [1])
    }

    /// Relationships of every kind at the other end: none, a set, an order, a to-one.
    private static func lines() -> NSManagedObjectModel {
        let line = NSEntityDescription("Line")
        line.attribute("number", .integer64AttributeType)
        let end = NSEntityDescription("End")
        end.attribute("number", .integer64AttributeType)
        line.relationship("alone", .one, .nullifyDeleteRule, to: end)
        line.relate("ofSet", .one, to: end, inverse: "set", .many)
        line.relate("ofOrder", .one, to: end, inverse: "order", .ordered)
        line.relate("ofOne", .one, to: end, inverse: "one", .one)
        let model = NSManagedObjectModel()
        model.entities = [line, end]
        return model
    }

    /// Proves: B1, B15, B23
    @Test(
        "a link of any kind to a record that was deleted throws 133000, and nothing is written",
        arguments: StoreKind.all, ["alone", "ofSet", "ofOrder", "ofOne"])
    func missingDestination(kind: StoreKind, link: String) throws {
        let stack = try Stack(kind, Self.lines())
        let (line, gone, kept) = (stack.insert("Line"), stack.insert("End"), stack.insert("End"))
        line.setValue(1, forKey: "number")
        try stack.context.save()
        let (missing, present) = (gone.objectID, kept.objectID)
        stack.context.delete(gone)
        try stack.context.save()
        for last in [0, 40] {
            let rows: [[String: Any]] = (0...last).map { ["number": 2 + $0, link: $0 == last ? missing : present] }
            let insertion = NSBatchInsertRequest(entityName: "Line", objects: rows)
            #expect(failure(insertion, in: stack) == NSManagedObjectReferentialIntegrityError)
        }
        let update = NSBatchUpdateRequest("Line", ["number": 9, link: missing])
        #expect(failure(update, in: stack) == NSManagedObjectReferentialIntegrityError)
        #expect(try stack.values("number", of: "Line") == ["1"])
        // Without a record to change there is no link.
        let nothing = NSBatchUpdateRequest("Line", where: "number == 7", [link: missing])
        #expect(try stack.context.updatedCount(nothing) == 0)
        let insertion = NSBatchInsertRequest(entityName: "Line", objects: [["number": 2, link: present]])
        #expect(try stack.context.insertedCount(insertion) == 1)
        #expect(try stack.values("number", of: "Line") == ["1", "2"])
    }

    /// Proves: B18, B23
    @Test(
        "a link to a record that was deleted is refused under every policy, also in a row that meets a record",
        arguments: StoreKind.all)
    func missingDestinationOfUpsert(kind: StoreKind) throws {
        let stack = try StockModel.stack(kind)
        let box = stack.insert("Box")
        try stack.context.save()
        let gone = box.objectID
        stack.context.delete(box)
        try stack.context.save()
        let before = try stack.values("count", of: "Item")
        for policy in [NSMergePolicy.error, .mergeByPropertyObjectTrump, .overwrite, .mergeByPropertyStoreTrump] {
            stack.context.mergePolicy = policy
            let rows: [[String: Any]] = [["code": 8, "count": 8], ["code": 1, "count": 7, "box": gone]]
            let insertion = NSBatchInsertRequest(entityName: "Item", objects: rows)
            #expect(failure(insertion, in: stack) == NSManagedObjectReferentialIntegrityError, "\(policy)")
            #expect(try stack.values("count", of: "Item") == before)
        }
    }

    private func failure(_ request: NSPersistentStoreRequest, in stack: Stack) -> Int? {
        code { try stack.context.execute(request) }
    }

    /// Proves: B18, H3
    @Test(
        "the history has an insertion that met a record as an update of the written values",
        arguments: StoreKind.all.filter(\.keepsHistory))
    func recordedUpsert(kind: StoreKind) throws {
        let stack = try Stack(kind, StockModel.make(), options: [NSPersistentHistoryTrackingKey: true])
        stack.insert("Item").setValuesForKeys(["code": 1, "count": 5])
        try stack.context.save()
        let token = stack.coordinator.currentPersistentHistoryToken(fromStores: nil)
        stack.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        let rows: [[String: Any]] = [["code": 1, "count": 7], ["code": 2, "count": 8]]
        try stack.context.execute(NSBatchInsertRequest(entityName: "Item", objects: rows))
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        let result = try stack.context.execute(request) as? NSPersistentHistoryResult
        let changes = (result?.result as? [NSPersistentHistoryTransaction])?.flatMap { $0.changes ?? [] } ?? []
        #expect(Set(changes.map(\.changeType)) == [.insert, .update] && changes.count == 2)
        let updated = try #require(changes.first { $0.changeType == .update }?.updatedProperties)
        #expect(updated.contains { $0.name == "count" })
        #expect(!updated.contains { $0.name == "note" })
    }

    /// Proves: B18, B20
    @Test(
        "composite attributes are written by updates, and by insertions that meet a record",
        arguments: StoreKind.builtIn)
    func composites(kind: StoreKind) throws {
        let place = NSEntityDescription("Place")
        place.attribute("code", .integer64AttributeType)
        place.composite("address", ["city": .stringAttributeType, "number": .integer32AttributeType])
        place.uniquenessConstraints = [["code"]]
        let stack = try Stack(kind, NSManagedObjectModel(place))
        let object = stack.insert("Place")
        object.setValue(1, forKey: "code")
        object.setValue(["city": "Oslo", "number": 1] as [String: Any], forKey: "address")
        try stack.context.save()
        func cities() throws -> [String] {
            try stack.stored(NSFetchRequest<NSManagedObject>(entityName: "Place")) { place in
                let address = place.value(forKey: "address") as? [String: Any]
                return "\(address?["city"] ?? "none") \(address?["number"] ?? "none")"
            }
        }
        let rome: [String: Any] = ["city": "Rome", "number": 2]
        try stack.context.execute(NSBatchUpdateRequest("Place", ["address": rome]))
        #expect(try cities() == ["Rome 2"])
        stack.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        let rows: [[String: Any]] = [["code": 1, "address": ["city": "Bern", "number": 3] as [String: Any]]]
        try stack.context.execute(NSBatchInsertRequest(entityName: "Place", objects: rows))
        #expect(try cities() == ["Bern 3"])
    }
}
