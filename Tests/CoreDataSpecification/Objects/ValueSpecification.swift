// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States how properties are read and written by name.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Values") struct ValueSpecification {
    /// Proves: M1, F8
    @Test("a primitive value is set without recording a change", arguments: StoreKind.all)
    func primitives(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        try shop.context.save()
        book.setPrimitiveValue("Emma", forKey: "title")
        #expect(book.primitiveValue(forKey: "title") as? String == "Emma")
        #expect(book.title == "Emma")
        #expect(book.changedValues().isEmpty)
        #expect(!book.hasChanges)
    }

    /// Proves: M1
    @Test("a custom accessor records the change around a primitive value", arguments: StoreKind.all)
    func ownAccessor(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        try shop.context.save()
        book.willChangeValue(forKey: "title")
        book.setPrimitiveValue("Emma", forKey: "title")
        book.didChangeValue(forKey: "title")
        #expect(Set(book.changedValues().keys) == ["title"])
        try shop.context.save()
        #expect(try shop.titles(Book.request(), in: shop.stack.newContext()) == ["Emma"])
    }

    /// Proves: M3
    @Test("attributes and relationships are read and set by name", arguments: StoreKind.all)
    func byName(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        let author = shop.author("Frank")
        book.setValue(412, forKey: "pages")
        book.setValue(author, forKey: "author")
        author.setValue(Date(timeIntervalSinceReferenceDate: 0), forKey: "born")
        #expect(book.value(forKey: "pages") as? Int == 412)
        #expect(book.value(forKey: "author") as? Author === author)
        #expect(author.value(forKey: "books") as? Set<Book> == [book])
        book.setValue(nil, forKey: "author")
        #expect(book.value(forKey: "author") == nil)
    }

    /// Proves: M3
    @Test("every type of attribute keeps its values through a save", arguments: StoreKind.all)
    func types(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: .max >> 33)
        let identifier = UUID()
        let values: [String: Any] = [
            "price": NSDecimalNumber(string: "12.345"), "rating": 0.1,
            "published": Date(timeIntervalSinceReferenceDate: -7.25),
            "inPrint": false, "cover": Data([0, 1, 255]), "identifier": identifier,
        ]
        book.setValuesForKeys(values)
        book.setValue(URL(string: "https://example.org/dune"), forKey: "page")
        try shop.context.save()
        let context = shop.stack.newContext()
        let read = try #require(try context.fetch(Book.request()).first)
        #expect(read.pages == .max >> 33)
        #expect(read.value(forKey: "price") as? NSDecimalNumber == NSDecimalNumber(string: "12.345"))
        #expect(read.value(forKey: "rating") as? Double == 0.1)
        #expect(read.value(forKey: "published") as? Date == Date(timeIntervalSinceReferenceDate: -7.25))
        #expect(read.value(forKey: "inPrint") as? Bool == false)
        #expect(read.value(forKey: "cover") as? Data == Data([0, 1, 255]))
        #expect(read.value(forKey: "identifier") as? UUID == identifier)
        #expect(read.value(forKey: "page") as? URL == URL(string: "https://example.org/dune"))
    }

    /// Decided by `setValue(_:forKey:)` and `value(forKey:)` with "Date", "uRL" and "done" for date, URL and isDone.
    @Test("a key finds the property whose accessor it names", .tags(.assumed), arguments: StoreKind.all)
    func accessorNames(store: StoreKind) throws {
        let note = NSEntityDescription("Note")
        note.attribute("date", .dateAttributeType)
        note.attribute("isDone", .booleanAttributeType)
        note.attribute("URL", .stringAttributeType)
        note.relate("tags", .many, to: note, inverse: "owner", .one)
        let stack = try Stack(store, NSManagedObjectModel(note))
        let (one, other) = (stack.insert("Note"), stack.insert("Note"))
        let date = Date(timeIntervalSinceReferenceDate: 1)
        one.setValue(date, forKey: "Date")
        one.setValue("u", forKey: "uRL")
        one.setValue(other, forKeyPath: "Owner")
        other.setValuesForKeys(["Date": date, "IsDone": true])
        #expect(one.value(forKey: "date") as? Date == date && other.value(forKey: "date") as? Date == date)
        #expect(one.value(forKey: "URL") as? String == "u")
        #expect(one.value(forKey: "owner") as? NSManagedObject === other)
        #expect(other.value(forKey: "done") as? Bool == true)
        one.setValue(false, forKey: "done")
        #expect(one.value(forKeyPath: "owner.done") as? Bool == true && one.value(forKey: "isDone") as? Bool == false)
        try stack.context.save()
        #expect(try stack.values("date", of: "Note").count == 2)
    }

    /// Decided by `setValuesForKeys(_:)` of an entity with the attributes title and Title.
    @Test("a key that is a property's name means that property", .tags(.assumed))
    func exactNames() throws {
        let note = NSEntityDescription("Note")
        note.attribute("title", .stringAttributeType)
        note.attribute("Title", .stringAttributeType)
        let stack = try Stack(.inMemory, NSManagedObjectModel(note))
        let object = stack.insert("Note")
        object.setValuesForKeys(["title": "small", "Title": "large"])
        #expect(object.value(forKey: "title") as? String == "small")
        #expect(object.value(forKey: "Title") as? String == "large")
    }

    /// Proves: M3
    @Test("a key that only a setter names cannot be read")
    func setterAlone() async {
        await #expect(processExitsWith: .failure) {
            let shop = try Bookshop(in: .inMemory)
            let book = shop.book("Dune")
            book.setValue("Emma", forKey: "Title")
            guard book.title == "Emma" else { return }
            _ = book.value(forKey: "Title")
        }
    }

    /// Proves: M3
    @Test("an unknown key traps")
    func unknownKey() async {
        await #expect(processExitsWith: .failure) {
            let shop = try Bookshop(in: .inMemory)
            _ = shop.book("Dune").value(forKey: "nubmer")
        }
    }

    /// Proves: M5
    @Test("a mutable value is copied when it is set", arguments: StoreKind.all)
    func copies(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        let title = NSMutableString(string: "Emma")
        book.setValue(title, forKey: "title")
        title.append("!")
        #expect(book.title == "Emma")
        let cover = NSMutableData(data: Data([1]))
        book.setValue(cover, forKey: "cover")
        cover.append(Data([2]))
        #expect(book.value(forKey: "cover") as? Data == Data([1]))
        let tags = NSMutableSet(object: shop.tag("sf"))
        book.setValue(tags, forKey: "tags")
        tags.removeAllObjects()
        #expect(book.tags.count == 1)
        let chapters = NSMutableOrderedSet(object: Chapter(context: shop.context))
        book.setValue(chapters, forKey: "chapters")
        chapters.removeAllObjects()
        #expect(book.chapters.count == 1)
    }

    /// Proves: M3
    @Test("decimals of any size come back", arguments: StoreKind.all)
    func decimals(store: StoreKind) throws {
        let museum = try Museum(in: store)
        let greatestPower = Decimal(sign: .plus, exponent: 127, significand: 1)
        let values = [
            Decimal(sign: .plus, exponent: 124, significand: 1), greatestPower, greatestPower * -12_345,
            Decimal(sign: .plus, exponent: -20, significand: 7), Decimal(123_456_789_012_345), 0,
        ]
        for (number, value) in values.enumerated() {
            let exhibit = museum.stack.insert("Exhibit")
            exhibit.setValue(NSDecimalNumber(decimal: value), forKey: "exact")
            exhibit.setValue(number, forKey: "medium")
            exhibit.setValue("exhibit \(number)", forKey: "name")
        }
        #expect(museum.context.saveFailure() == nil)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Exhibit")
        request.sortDescriptors = [NSSortDescriptor(key: "medium", ascending: true)]
        let context = museum.stack.newContext()
        let read = try context.fetch(request).map { ($0.value(forKey: "exact") as? NSDecimalNumber)?.decimalValue }
        #expect(read == values)
    }

    /// Proves: M3
    @Test("numbers become those of other types exactly; an infinite decimal is no value, nor a date that is no number")
    func exactNumbers() throws {
        let museum = try Museum(in: .inMemory)
        let exhibit = museum.stack.insert("Exhibit")
        exhibit.setValue("exhibit", forKey: "name")
        for number in [Int64.max, 9_007_199_254_740_993, .min] {
            exhibit.setValue(number, forKey: "exact")
            #expect((exhibit.value(forKey: "exact") as? NSDecimalNumber)?.decimalValue == Decimal(number))
            exhibit.setValue(NSDecimalNumber(decimal: Decimal(number)), forKey: "large")
            #expect(exhibit.value(forKey: "large") as? Int64 == number)
        }
        exhibit.setValue(NSDecimalNumber(string: "27845.285"), forKey: "real")
        #expect(exhibit.value(forKey: "real") as? Double == 27845.285)
        for (key, value) in [
            ("exact", Double.infinity as Any), ("exact", -Float.infinity),
            ("day", Date(timeIntervalSinceReferenceDate: .nan)),
        ] {
            let other = museum.stack.insert("Exhibit")
            other.setValue("other", forKey: "name")
            other.setValue(value, forKey: key)
            let error = try #require(museum.context.saveFailure())
            #expect("\(error) \(error.userInfo)".contains(key))
            museum.context.delete(other)
        }
    }

    /// Proves: F19
    @Test("a change inside a transformable value is not noticed", arguments: StoreKind.all)
    func insideTransformable(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        book.setValue(NSMutableArray(array: ["sand"]), forKey: "keywords")
        try shop.context.save()
        (book.value(forKey: "keywords") as? NSMutableArray)?.add("worm")
        #expect(!shop.context.hasChanges)
        #expect(book.changedValues().isEmpty)
    }

    /// Proves: M15
    @Test("attributes are copied in and out as dictionaries", arguments: StoreKind.all)
    func dictionaries(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let dune = shop.book("Dune", pages: 412)
        let values = dune.dictionaryWithValues(forKeys: ["title", "pages", "rating"])
        #expect(values["title"] as? String == "Dune")
        #expect(values["rating"] is NSNull)
        let copy = Book(context: shop.context)
        copy.setValue(3.5, forKey: "rating")
        copy.setValuesForKeys(values)
        #expect(copy.title == "Dune")
        #expect(copy.pages == 412)
        #expect(copy.value(forKey: "rating") == nil)
    }

    /// Proves: M15, F6
    @Test("committed values are the saved ones, changed values the newest", arguments: StoreKind.all)
    func versions(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        try shop.context.save()
        book.pages = 2
        book.pages = 3
        #expect(book.committedValues(forKeys: ["pages", "title"])["pages"] as? Int == 1)
        #expect(book.committedValues(forKeys: ["pages", "title"])["title"] as? String == "Dune")
        #expect(book.changedValues()["pages"] as? Int == 3)
        #expect(book.changedValues().count == 1)
        try shop.context.save()
        #expect(book.committedValues(forKeys: ["pages"])["pages"] as? Int == 3)
        #expect(book.changedValues().isEmpty)
    }

    /// Proves: M15
    @Test("changes of the current event come with the values before it", arguments: StoreKind.all)
    func currentEvent(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        try shop.context.save()
        book.pages = 2
        shop.context.processPendingChanges()
        #expect(book.changedValuesForCurrentEvent().isEmpty)
        book.title = "Emma"
        #expect(book.changedValuesForCurrentEvent()["title"] as? String == "Dune")
        #expect(book.changedValuesForCurrentEvent()["pages"] == nil)
        #expect(Set(book.changedValues().keys) == ["title", "pages"])
    }

    /// Decided by `changedValuesForCurrentEvent()` of an insertion, before and after `processPendingChanges()`.
    /// Proves: M15
    @Test(
        "of an insertion, the current event changed all that a new object does not have", .tags(.assumed),
        arguments: StoreKind.all)
    func currentEventOfInsertion(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", by: shop.author("Frank"))
        let changed = book.changedValuesForCurrentEvent()
        #expect(Set(changed.keys) == Set(book.changedValues().keys))
        #expect(changed.keys.contains("title") && changed.keys.contains("author"))
        #expect(changed.values.allSatisfy { $0 is NSNull })
        shop.context.processPendingChanges()
        #expect(book.changedValuesForCurrentEvent().isEmpty)
        book.title = "Emma"
        #expect(book.changedValuesForCurrentEvent() as? [String: String] == ["title": "Dune"])
    }

    /// Proves: M15
    @Test("relationships are among the changed and the committed values", arguments: StoreKind.all)
    func relationshipVersions(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        let jane = shop.author("Jane")
        let book = shop.book("Dune", by: frank)
        try shop.context.save()
        book.author = jane
        #expect(book.changedValues()["author"] as? Author === jane)
        #expect(book.committedValues(forKeys: ["author"])["author"] as? Author === frank)
        #expect(frank.changedValues()["books"] as? Set<Book> == [])
        #expect(frank.committedValues(forKeys: ["books"])["books"] as? Set<Book> == [book])
        #expect(jane.changedValues()["books"] as? Set<Book> == [book])
    }

    /// Proves: M15
    @Test("a change back to the saved value is not written by a save", arguments: StoreKind.all)
    func changeBack(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        try shop.context.save()
        book.pages = 2
        book.pages = 1
        #expect(book.changedValues().isEmpty)
        #expect(!book.hasPersistentChangedValues)
        #expect(shop.context.saveFailure() == nil)
        #expect(!shop.context.hasChanges)
    }
}
