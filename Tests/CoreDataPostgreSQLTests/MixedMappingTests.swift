// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store with mapped and generated tables: links between them, deletions, refusals, conflicts, history.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

/// Books are in a table that another program made, readers and shelves in tables of the store.
private enum Library {
    static let tables = [
        """
        CREATE TABLE %s.book (id bigserial PRIMARY KEY, title varchar(20) NOT NULL UNIQUE, shelf bigint, place int,
        lock_version integer)
        """,
        "CREATE TABLE %s.label (reader bigint NOT NULL, book bigint NOT NULL REFERENCES %s.book, PRIMARY KEY (reader, book))",
    ]

    /// - Parameter version: the column with the version of books; nil for the server's own.
    static func model(version: String? = "lock_version", isOrdered: Bool = true) -> NSManagedObjectModel {
        let (shelf, books) = (
            Rental.relationship("shelf", isToMany: false, .nullifyDeleteRule, ["column": "shelf"]),
            Rental.relationship("books", isToMany: true, .cascadeDeleteRule, ["order": "place"])
        )
        books.isOrdered = isOrdered
        let (readers, favourites) = (
            Rental.relationship("readers", isToMany: true), Rental.relationship("favourites", isToMany: true)
        )
        let (labelled, labels) = (
            Rental.relationship("labelled", isToMany: true, .nullifyDeleteRule, ["column": "reader"]),
            Rental.relationship(
                "labels", isToMany: true, .nullifyDeleteRule, ["table": "label", "column": "book"])
        )
        let (current, holders) = (Rental.relationship("current"), Rental.relationship("holders", isToMany: true))
        var info = ["table": "book"]
        info["version"] = version
        let book = Rental.entity(
            "Book", info, [Rental.attribute("title", .stringAttributeType), shelf, readers, labels, holders])
        let reader = Rental.entity(
            "Reader", [:], [Rental.attribute("name", .stringAttributeType), favourites, labelled, current])
        let shelves = Rental.entity("Shelf", [:], [Rental.attribute("name", .stringAttributeType), books])
        let locked = Rental.entity("LockedShelf", [:], [Rental.attribute("code", .integer32AttributeType)])
        shelves.subentities = [locked]
        Rental.join(shelf, books, book, shelves)
        Rental.join(readers, favourites, book, reader)
        Rental.join(labels, labelled, book, reader)
        Rental.join(holders, current, book, reader)
        let model = NSManagedObjectModel()
        model.entities = [book, reader, shelves, locked]
        return model
    }

    /// Three books on a locked shelf, in the order c, a, b; Ann likes and labels a and b, and reads b.
    static func filled(
        _ tables: ForeignTables, _ options: [AnyHashable: Any] = [:], version: String? = "lock_version"
    ) throws -> NSManagedObjectContext {
        let context = try tables.open(model(version: version), options)
        let shelf = Rental.add("LockedShelf", ["name": "top", "code": 7], to: context)
        let books = ["c", "a", "b"].map { Rental.add("Book", ["title": $0], to: context) }
        shelf.setValue(NSOrderedSet(array: books), forKey: "books")
        let liked = Set(books.dropFirst())
        Rental.add(
            "Reader", ["name": "Ann", "favourites": liked, "labelled": liked, "current": books[2]], to: context)
        try context.save()
        return context
    }

    static func titles(_ object: NSManagedObject, _ key: String) -> [String] {
        let members =
            (object.value(forKey: key) as? NSOrderedSet)?.array as? [NSManagedObject]
            ?? Array(object.value(forKey: key) as? Set<NSManagedObject> ?? [])
        let titles = members.compactMap { $0.value(forKey: "title") as? String }
        return object.value(forKey: key) is NSOrderedSet ? titles : titles.sorted()
    }
}

@Suite("A store with mapped and generated tables", .needsServer) struct MixedMappingTests {
    /// Proves: MappedTables-T1, MappedTables-W1, MappedTables-W2
    @Test("objects of both are linked in all ways, and read by another program") func links() throws {
        let tables = try ForeignTables(Library.tables)
        _ = try Library.filled(tables)
        let other = try tables.open(Library.model())
        let reader = try #require(Rental.fetch("Reader", other).first)
        #expect(Library.titles(reader, "favourites") == ["a", "b"])
        #expect(Library.titles(reader, "labelled") == ["a", "b"])
        #expect(reader.value(forKeyPath: "current.title") as? String == "b")
        let shelf = try #require(reader.value(forKeyPath: "current.shelf") as? NSManagedObject)
        #expect(shelf.entity.name == "LockedShelf")
        #expect(shelf.value(forKey: "code") as? Int == 7)
        #expect(Library.titles(shelf, "books") == ["c", "a", "b"])
        for (entity, format, count) in [
            ("Book", "shelf.name == 'top' AND ANY readers.name == 'Ann'", 2), ("Book", "holders.@count == 1", 1),
            ("Book", "ANY labels.name == 'Ann' AND title > 'a'", 1), ("Reader", "current.title == 'b'", 1),
            ("Reader", "current.shelf.name == 'top'", 1), ("Reader", "ANY favourites.shelf.name == 'top'", 1),
            ("Shelf", "ANY books.title == 'c'", 1), ("LockedShelf", "books.@count == 3", 1),
            ("Book", "shelf != nil", 3), ("Reader", "ANY labelled.title == 'c'", 0),
        ] {
            #expect(try Rental.fetch(entity, other, format).count == count, "\(format)")
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: "shelf == %@", shelf)
        request.relationshipKeyPathsForPrefetching = ["shelf", "readers"]
        #expect(try other.fetch(request).count == 3)
    }

    /// Proves: MappedTables-W1
    @Test("the kind of a linked record of the store's own is read from its row") func kinds() throws {
        let tables = try ForeignTables(Library.tables)
        let context = try Library.filled(tables)
        let plain = Rental.add("Shelf", ["name": "low"], to: context)
        try context.save()
        let key = try #require(tables.column("SELECT id::text FROM %s.shelf WHERE name = 'low'").first ?? nil)
        // Another program moves a book.
        try tables.run(["UPDATE %s.book SET shelf = \(key), lock_version = 5 WHERE title = 'a'"])
        context.refreshAllObjects()
        let book = try #require(Rental.fetch("Book", context, "title == 'a'").first)
        #expect(book.value(forKey: "shelf") as? NSManagedObject === plain)
        #expect((book.value(forKey: "shelf") as? NSManagedObject)?.entity.name == "Shelf")
        // A record that is gone: the link is nil, and the book is saved.
        try tables.run(["UPDATE %s.book SET shelf = 12345, lock_version = 6 WHERE title = 'a'"])
        context.refreshAllObjects()
        _ = try Rental.fetch("Book", context)
        book.setValue("A", forKey: "title")
        try context.save()
        #expect(try tables.column("SELECT shelf || title FROM %s.book WHERE lock_version = 7") == ["12345A"])
        #expect(try Rental.fetch("Book", context).count == 3)
    }

    @Test("delete rules reach from one kind of table into the other, and links go with the rows") func deletions()
        throws
    {
        let tables = try ForeignTables(Library.tables)
        let context = try Library.filled(tables)
        let reader = try #require(Rental.fetch("Reader", context).first)
        context.delete(try #require(Rental.fetch("Book", context, "title == 'b'").first))
        try context.save()
        #expect(reader.value(forKey: "current") == nil)
        #expect(try tables.column("SELECT current_id::text FROM %s.reader") == [nil])
        #expect(try tables.column("SELECT count(*)::text FROM %s.label") == ["1"])
        #expect(Library.titles(reader, "favourites") == ["a"])
        context.delete(try #require(Rental.fetch("Shelf", context).first))
        try context.save()
        for table in ["book", "shelf", "label"] {
            #expect(try tables.column("SELECT count(*)::text FROM %s.\(table)") == ["0"], "\(table)")
        }
        #expect(try tables.column("SELECT name FROM %s.reader") == ["Ann"])
        #expect(try Rental.fetch("Reader", tables.open(Library.model()), "favourites.@count == 0").count == 1)
    }

    /// Proves: MappedTables-S3
    @Test("a row that a mapped table refuses leaves nothing of the save in any table") func refusal() throws {
        let tables = try ForeignTables(Library.tables)
        let context = try Library.filled(tables, [NSPersistentHistoryTrackingKey: true])
        let before = try tables.column("SELECT count(*)::text FROM %s.ocd_change")
        let reader = try #require(Rental.fetch("Reader", context).first)
        reader.setValue("Bob", forKey: "name")
        let long = Rental.add(
            "Book", ["title": String(repeating: "x", count: 21), "readers": Set([reader])], to: context)
        let error = #expect(throws: CocoaError.self) { try context.save() }
        #expect(error?.code == .validationStringTooLong)
        #expect(error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === long)
        #expect(try tables.column("SELECT name FROM %s.reader") == ["Ann"])
        #expect(try tables.column("SELECT count(*)::text FROM %s.ocd_change") == before)
        long.setValue("short", forKey: "title")
        try context.save()
        #expect(try tables.column("SELECT name FROM %s.reader") == ["Bob"])
        #expect(Library.titles(reader, "favourites") == ["a", "b", "short"])
    }

    @Test("rows of both that others changed are conflicts of one save", arguments: [true, false])
    func conflicts(hasColumn: Bool) throws {
        let tables = try ForeignTables(Library.tables)
        let context = try Library.filled(tables, version: hasColumn ? "lock_version" : nil)
        let book = try #require(Rental.fetch("Book", context, "title == 'a'").first)
        let reader = try #require(Rental.fetch("Reader", context).first)
        book.setValue("mine", forKey: "title")
        reader.setValue("mine", forKey: "name")
        try tables.run([
            "UPDATE %s.book SET title = 'theirs', lock_version = 9 WHERE title = 'a'",
            "UPDATE %s.reader SET name = 'theirs', version = version + 1",
        ])
        let error = #expect(throws: CocoaError.self) { try context.save() }
        let conflicts = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
        #expect(Set(conflicts?.map(\.sourceObject) ?? []) == [book, reader])
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try context.save()
        #expect(
            try tables.column("SELECT title FROM %s.book UNION SELECT name FROM %s.reader ORDER BY 1") == [
                "b", "c", "mine",
            ])
    }

    @Test("the history has the changes of both, and tombstones of deleted rows") func history() throws {
        let tables = try ForeignTables(Library.tables)
        let model = Library.model()
        for entity in model.entities where ["Book", "Reader"].contains(entity.name) {
            let attribute = try #require(entity.attributesByName["title"] ?? entity.attributesByName["name"])
            attribute.preservesValueInHistoryOnDeletion = true
        }
        let context = try tables.open(model, [NSPersistentHistoryTrackingKey: true])
        let book = Rental.add("Book", ["title": "a"], to: context)
        let reader = Rental.add("Reader", ["name": "Ann", "favourites": Set([book])], to: context)
        try context.save()
        book.setValue("b", forKey: "title")
        try context.save()
        context.delete(book)
        context.delete(reader)
        try context.save()
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try #require(context.execute(request) as? NSPersistentHistoryResult)
        let transactions = try #require(result.result as? [NSPersistentHistoryTransaction])
        let changes = transactions.map { transaction in
            (transaction.changes ?? []).map { "\($0.changedObjectID.entity.name ?? "") \($0.changeType.rawValue)" }
                .sorted()
        }
        #expect(changes == [["Book 0", "Reader 0"], ["Book 1"], ["Book 2", "Reader 2"]])
        #expect(transactions[1].changes?.first?.updatedProperties?.map(\.name) == ["title"])
        let tombstones = (transactions[2].changes ?? []).compactMap { $0.tombstone?.values.first as? String }
        #expect(Set(tombstones) == ["b", "Ann"])
    }

    @Test(
        "with foreign keys a store makes none to tables of others, and an own link to a deleted book is kept as it is")
    func foreignKeys() throws {
        let tables = try ForeignTables(Library.tables)
        let context = try Library.filled(tables, [NSPostgreSQLForeignKeysOption: true])
        #expect(
            try tables.column(
                "SELECT conrelid::regclass::text FROM pg_constraint WHERE contype = 'f' "
                    + "AND confrelid = '%s.book'::regclass"
            ).count == 1)
        try tables.run(["DELETE FROM %s.label", "DELETE FROM %s.book WHERE title = 'b'"])
        context.refreshAllObjects()
        let reader = try #require(Rental.fetch("Reader", context).first)
        #expect(Library.titles(reader, "favourites") == ["a"])
        reader.setValue("Bob", forKey: "name")
        try context.save()
        #expect(try Rental.fetch("Reader", context, "current.title == 'b'").isEmpty)
    }

    @Test("destroying the store drops its own tables, and leaves the mapped ones with their rows") func destroyed()
        throws
    {
        let tables = try ForeignTables(Library.tables)
        let context = try Library.filled(tables)
        let coordinator = try #require(context.persistentStoreCoordinator)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        try coordinator.destroyPersistentStore(
            at: tables.url, ofType: StoreKind.postgresql.type, options: [NSPostgreSQLSchemaOption: tables.schema])
        let left = try tables.column(
            "SELECT relname::text FROM pg_class WHERE relnamespace = '%s'::regnamespace AND relkind = 'r' ORDER BY 1")
        #expect(left == ["book", "label"])
        #expect(try tables.column("SELECT count(*)::text FROM %s.book") == ["3"])
    }

    /// Proves: MappedTables-W3
    @Test("another version of the model is refused, by statements and by objects, and the rows stay") func migrations()
        throws
    {
        let tables = try ForeignTables(Library.tables)
        _ = try Library.filled(tables)
        let automatic: [AnyHashable: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
        ]
        let added = Library.model()
        added.entitiesByName["Reader"]?.properties.append(Rental.attribute("more", .stringAttributeType))
        let moved = Library.model()
        let (shelf, reader) = (moved.entitiesByName["Shelf"], moved.entitiesByName["Reader"])
        if let reader { shelf?.subentities.append(reader) }
        reader?.properties.removeAll { $0.name == "name" }
        for model in [added, moved] {
            let error = #expect(throws: CocoaError.self) { try tables.open(model, automatic) }
            #expect(error?.code.rawValue == NSMigrationError)
        }
        let context = try tables.open(Library.model())
        #expect(try Library.titles(#require(Rental.fetch("Shelf", context).first), "books") == ["c", "a", "b"])
        #expect(try tables.column("SELECT count(*)::text FROM %s.book") == ["3"])
    }
}
