// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which data stores in one file keep, how they replace the file, and when they refuse.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Decided by `addPersistentStore`, `save()` and metadata of XML and binary stores.
@Suite("Stores in one file", .tags(.assumed)) struct AtomicFileSpecification {
    static let kinds = [StoreKind.xml, .binary]

    /// The museum, with an address for each exhibit.
    private func model() throws -> NSManagedObjectModel {
        let model = MuseumModel.make()
        let exhibit = try #require(model.entitiesByName["Exhibit"])
        exhibit.composite("address", ["city": .stringAttributeType, "number": .integer32AttributeType])
        return model
    }

    private func exhibit(_ number: Int, in stack: Stack) -> NSManagedObject {
        let exhibit = stack.insert("Exhibit")
        exhibit.setValue("exhibit \(number)", forKey: "name")
        exhibit.setValue(number, forKey: "small")
        return exhibit
    }

    private func exhibits(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Exhibit")
        request.sortDescriptors = [NSSortDescriptor(key: "small", ascending: true)]
        return try context.fetch(request)
    }

    private func names(_ object: NSManagedObject, _ key: String) -> [String] {
        (object.value(forKey: key) as? NSOrderedSet)?.array.compactMap {
            ($0 as? NSManagedObject)?.value(forKey: "name") as? String
        } ?? []
    }

    private static let values: [String: any Sendable] = [
        "small": 1, "medium": -70_000, "large": Int64.min, "exact": Decimal(string: "12345678901234567890.123456789")!,
        "real": 0.1 + 0.2, "single": Float(0.1), "flag": true,
        "day": Date(timeIntervalSinceReferenceDate: 138_791_236.672461),
        "bytes": Data((0..<300).map { UInt8(truncatingIfNeeded: $0) }), "uuid": UUID(),
        "uri": URL(string: "https://a.b/c?d=%20")!,
    ]

    private static let texts = [
        "", " ", "\n a \t\r\n", "<&>]]>\"'", "\u{0}\u{1}\u{1F}", "\u{FFFE}", "e\u{301}&\u{301}", "👩‍👩‍👧",
        String(repeating: "x", count: 600_000),
    ]

    @Test("every value of every type comes back", arguments: kinds)
    func values(kind: StoreKind) throws {
        let stack = try Stack(kind, model())
        let thing = exhibit(1, in: stack)
        for (key, value) in Self.values { thing.setValue(value, forKey: key) }
        thing.setValue(["a", ["b": 1]] as [Any], forKey: "list")
        thing.setValue(["city": "Paris", "number": 5] as [String: Any], forKey: "address")
        for (number, text) in Self.texts.enumerated() {
            exhibit(number + 2, in: stack).setValue(text, forKey: "text")
        }
        try stack.context.save()
        try stack.reopen()
        let found = try exhibits(stack.context)
        #expect(found.count == Self.texts.count + 1)
        let first = try #require(found.first)
        for (key, value) in Self.values {
            let read = try #require(first.value(forKey: key), "\(key)")
            let isEqual = (read as? NSObject)?.isEqual(value) ?? false || read as? AnyHashable == value as? AnyHashable
            #expect(isEqual, "\(key): \(read)")
        }
        #expect((first.value(forKey: "list") as? [Any])?.first as? String == "a")
        #expect((first.value(forKey: "address") as? [String: Any])?["city"] as? String == "Paris")
        #expect((first.value(forKeyPath: "address.number") as? NSNumber)?.intValue == 5)
        #expect(first.value(forKey: "text") == nil)
        #expect(found.dropFirst().compactMap { $0.value(forKey: "text") as? String } == Self.texts)
        #expect(found.dropFirst().allSatisfy { $0.value(forKey: "address") == nil && $0.value(forKey: "day") == nil })
    }

    @Test("links come back: ordered ones in their order, both ends of many-to-many, subentities", arguments: kinds)
    func links(kind: StoreKind) throws {
        let stack = try Stack(kind, model())
        func insert(_ entity: String, _ name: String) -> NSManagedObject {
            let object = stack.insert(entity)
            object.setValue(name, forKey: "name")
            return object
        }
        let (hall, one, two) = (insert("Room", "hall"), insert("Tour", "1"), insert("Tour", "2"))
        let keywords = [insert("Keyword", "old"), insert("Keyword", "blue")]
        let parts = ["c", "a", "b"].map { insert($0 == "a" ? "Painting" : "Exhibit", $0) }
        hall.setValue(NSOrderedSet(array: parts), forKey: "exhibits")
        one.setValue(NSOrderedSet(array: parts.reversed()), forKey: "stops")
        two.setValue(NSOrderedSet(array: [parts[1]]), forKey: "stops")
        parts[0].setValue(NSSet(array: keywords), forKey: "keywords")
        parts[1].setValue(parts[1], forKey: "neighbour")
        try stack.context.save()
        try stack.reopen()
        func found(_ entity: String) throws -> [NSManagedObject] {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            return try stack.context.fetch(request)
        }
        let rooms = try found("Room")
        #expect(names(rooms[0], "exhibits") == ["c", "a", "b"])
        #expect(try found("Tour").map { names($0, "stops") } == [["b", "a", "c"], ["a"]])
        let last = try #require(try found("Exhibit").last)
        #expect((last.value(forKey: "keywords") as? NSSet)?.count == 2)
        #expect(try found("Keyword").allSatisfy { ($0.value(forKey: "exhibits") as? NSSet)?.contains(last) == true })
        let painting = try #require(try found("Painting").first)
        #expect(painting.value(forKey: "room") as? NSManagedObject === rooms[0])
        #expect((painting.value(forKey: "tours") as? NSSet)?.count == 2)
        #expect(painting.value(forKey: "neighbour") as? NSManagedObject === painting)
    }

    @Test("links of an object to itself and to its like come back from both ends", arguments: kinds)
    func linksOfOneEntity(kind: StoreKind) throws {
        let graph = try Graph(in: kind)
        let nodes = graph.nodes("a", "b")
        nodes[0].neighbours = [nodes[0], nodes[1]]
        try graph.context.save()
        try graph.stack.reopen()
        let request = Node.request()
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let found = try graph.context.fetch(request)
        #expect(found.map { $0.neighbours.compactMap(\.name).sorted() } == [["a", "b"], ["a"]])
    }

    @Test("numbers of deleted objects are never given again, in the next launch neither", arguments: kinds)
    func numbers(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        let doomed = shop.book("Doomed")
        try shop.context.save()
        let uri = doomed.objectID.uriRepresentation()
        shop.context.delete(doomed)
        try shop.context.save()
        try shop.stack.reopen()
        let next = shop.book("Next")
        try shop.context.save()
        #expect(next.objectID.uriRepresentation() != uri)
        let id = try #require(shop.stack.coordinator.managedObjectID(forURIRepresentation: uri))
        #expect(throws: CocoaError.self) { try shop.context.existingObject(with: id) }
    }

    @Test("metadata are written with the next save, and read and written without opening the store", arguments: kinds)
    func metadata(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        shop.book("Dune")
        shop.stack.store.metadata["note"] = "first"
        try shop.context.save()
        let coordinator = NSPersistentStoreCoordinator.self
        var values = try coordinator.metadataForPersistentStore(ofType: kind.type, at: shop.stack.url)
        #expect(values["note"] as? String == "first")
        #expect(values[NSStoreTypeKey] as? String == kind.type)
        #expect(values[NSStoreUUIDKey] as? String == shop.stack.store.identifier)
        #expect(shop.stack.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: values))
        try shop.stack.coordinator.remove(shop.stack.store)
        values["note"] = ["second", Data([1])] as [Any]
        try coordinator.setMetadata(values, forPersistentStoreOfType: kind.type, at: shop.stack.url)
        try shop.stack.reopen()
        #expect((shop.stack.store.metadata["note"] as? [Any])?.first as? String == "second")
        #expect(try shop.context.fetch(Book.request()).first?.title == "Dune")
    }

    @Test("a store of another version of the model is refused, and left as it is", arguments: kinds)
    func version(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        shop.book("Dune")
        try shop.context.save()
        let before = try Data(contentsOf: shop.stack.url)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try model())
        let error = #expect(throws: CocoaError.self) {
            try coordinator.addPersistentStore(ofType: kind.type, configurationName: nil, at: shop.stack.url)
        }
        #expect(error?.code.rawValue == NSPersistentStoreIncompatibleVersionHashError)
        #expect(try Data(contentsOf: shop.stack.url) == before)
    }

    @Test("a store opened for reading gives its objects, and no save", arguments: kinds)
    func readOnly(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        shop.book("Dune")
        try shop.context.save()
        let before = try Data(contentsOf: shop.stack.url)
        try shop.stack.reopen(options: [NSReadOnlyPersistentStoreOption: true])
        let book = try #require(try shop.context.fetch(Book.request()).first)
        book.title = "Changed"
        let error = #expect(throws: CocoaError.self) { try shop.context.save() }
        #expect(error?.code == .fileWriteNoPermission)
        #expect(try Data(contentsOf: shop.stack.url) == before)
    }

    @Test("a missing file cannot be opened read-only", arguments: kinds)
    func nothingToRead(kind: StoreKind) throws {
        let error = #expect(throws: CocoaError.self) {
            _ = try Stack(kind, model(), options: [NSReadOnlyPersistentStoreOption: true])
        }
        #expect(error?.code == .fileReadNoSuchFile)
    }

    @Test("rights of the file stay, symbolic links are followed, and no other file is left there", arguments: kinds)
    func place(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        shop.book("Dune")
        try shop.context.save()
        let manager = FileManager.default
        for store in shop.stack.coordinator.persistentStores { try shop.stack.coordinator.remove(store) }
        let real = shop.stack.folder.appending(path: "Real.store")
        try manager.moveItem(at: shop.stack.url, to: real)
        try manager.setAttributes([.posixPermissions: 0o640], ofItemAtPath: real.path)
        try manager.createSymbolicLink(at: shop.stack.url, withDestinationURL: real)
        try shop.stack.reopen()
        shop.book("Emma")
        try shop.context.save()
        let attributes = try manager.attributesOfItem(atPath: real.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o640)
        #expect(
            try manager.attributesOfItem(atPath: shop.stack.url.path)[.type] as? FileAttributeType == .typeSymbolicLink)
        #expect(try Set(manager.contentsOfDirectory(atPath: shop.stack.folder.path)) == ["Real.store", "Store.sqlite"])
        try shop.stack.reopen()
        #expect(try shop.context.count(for: Book.request()) == 2)
    }

    @Test("the second of two programs with one file gets an error, and overwrites nothing", arguments: kinds)
    func twoPrograms(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        shop.book("Dune")
        try shop.context.save()
        let (coordinator, other) = try shop.stack.secondCoordinator()
        shop.book("Mine")
        try shop.context.save()
        let written = try Data(contentsOf: shop.stack.url)
        shop.book("Theirs", in: other)
        let error = #expect(throws: CocoaError.self) { try other.save() }
        #expect(error?.code.rawValue == NSPersistentStoreSaveError)
        #expect(try Data(contentsOf: shop.stack.url) == written)
        // The context still works, and the store can be read again.
        #expect(other.hasChanges)
        #expect(try other.count(for: Book.request()) == 2)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        try shop.stack.reopen()
        #expect(Set(try shop.context.fetch(Book.request()).map(\.title)) == ["Dune", "Mine"])
    }

    @Test("a file that was only touched, or copied there and back, is the same", arguments: kinds)
    func touched(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        shop.book("Dune")
        try shop.context.save()
        let data = try Data(contentsOf: shop.stack.url)
        try FileManager.default.removeItem(at: shop.stack.url)
        try data.write(to: shop.stack.url)
        shop.book("Emma")
        try shop.context.save()
        try shop.stack.reopen()
        #expect(try shop.context.count(for: Book.request()) == 2)
    }

    @Test("names that differ only in case are refused by XML stores, and kept by binary ones")
    func ambiguousNames() throws {
        let model = NamedModel.make()
        model.entities[0].attribute("Name", .stringAttributeType)
        #expect(throws: CocoaError.self) { _ = try Stack(.xml, model) }
        let stack = try Stack(.binary, model)
        let object = stack.insert("Named")
        object.setValue("a", forKey: "name")
        object.setValue("b", forKey: "Name")
        try stack.context.save()
        try stack.reopen()
        let found = try #require(try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Named")).first)
        #expect(found.value(forKey: "name") as? String == "a")
        #expect(found.value(forKey: "Name") as? String == "b")
    }

    @Test("a store that is given another URL is written there, whole, by the next save", arguments: kinds)
    func moved(kind: StoreKind) throws {
        let stack = try Stack(kind, model())
        let thing = exhibit(1, in: stack)
        try stack.context.save()
        let before = try Data(contentsOf: stack.url)
        let (store, url) = (stack.store, stack.folder.appending(path: "Other.file"))
        #expect(stack.coordinator.setURL(url, for: store))
        #expect(!FileManager.default.fileExists(atPath: url.path))
        thing.setValue("new", forKey: "text")
        try stack.context.save()
        #expect(try Data(contentsOf: stack.url) == before)
        thing.setValue("newer", forKey: "text")
        try stack.context.save()
        #expect(try texts(kind, at: url) == ["newer"])
        #expect(thing.objectID.persistentStore === store)
    }

    @Test("a store that is given the URL of another file overwrites nothing", arguments: kinds)
    func movedToAnother(kind: StoreKind) throws {
        let stack = try Stack(kind, model())
        let url = stack.folder.appending(path: "Other.file")
        try Data("other".utf8).write(to: url)
        let copy = stack.folder.appending(path: "Copy.file")
        try FileManager.default.copyItem(at: stack.url, to: copy)
        _ = exhibit(1, in: stack)
        #expect(stack.coordinator.setURL(url, for: stack.store))
        #expect(stack.context.saveFailure()?.code == NSPersistentStoreSaveError)
        #expect(try Data(contentsOf: url) == Data("other".utf8))
        #expect(stack.coordinator.setURL(copy, for: stack.store))
        try stack.context.save()
        #expect(try texts(kind, at: copy) == [nil])
    }

    private func texts(_ kind: StoreKind, at url: URL) throws -> [String?] {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try model())
        try coordinator.addPersistentStore(ofType: kind.type, configurationName: nil, at: url)
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        return try exhibits(context).map { $0.value(forKey: "text") as? String }
    }
}
