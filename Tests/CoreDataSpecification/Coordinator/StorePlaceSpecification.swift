// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the places of stores, their properties, and the notifications of their arrival and removal.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Stores of a coordinator") struct StorePlaceSpecification {
    @Test("only a SQLite store continues in a copy of its file")
    func moved() throws {
        let museum = try Museum(in: .sqlite)
        try museum.fill()
        let before = try museum.account()
        let copy = museum.place("Copy.sqlite")
        try museum.store.backup(to: copy)
        #expect(museum.coordinator.setURL(copy, for: museum.store))
        #expect(museum.coordinator.url(for: museum.store) == copy)
        #expect(museum.coordinator.persistentStore(for: copy) === museum.store)
        let room = museum.insert("Room", "new")
        try museum.context.save()
        #expect(try museum.account().count == before.count + 1)
        #expect(room.objectID.persistentStore === museum.store)
        #expect(try museum.account(at: museum.stack.url) == before)
    }

    @Test("a store does not go on where there is no file, or another store")
    func unmoved() throws {
        let museum = try Museum(in: .sqlite)
        try museum.fill()
        let url = museum.stack.url
        #expect(!museum.coordinator.setURL(museum.place("None.sqlite"), for: museum.store))
        let other = try Museum(in: .sqlite)
        #expect(!museum.coordinator.setURL(other.stack.url, for: museum.store))
        #expect(!museum.coordinator.setURL(url, for: other.store))
        #expect(museum.coordinator.url(for: museum.store) == url)
        #expect(try museum.files().allSatisfy { $0.hasPrefix("Store.sqlite") })
        _ = museum.insert("Room", "new")
        #expect(museum.context.saveFailure() == nil)
    }

    @Test("a coordinator does not open a store at a place where it has one open", arguments: StoreKind.persistent)
    func openedTwice(kind: StoreKind) throws {
        let museum = try Museum(in: kind)
        try museum.fill()
        let url = museum.stack.url
        let error = failure {
            try museum.coordinator.addPersistentStore(ofType: kind.type, configurationName: nil, at: url)
        }
        #expect(error?.code == NSPersistentStoreOpenError)
        #expect(museum.coordinator.persistentStores.count == 1)
        try museum.coordinator.remove(museum.store)
        try museum.coordinator.addPersistentStore(ofType: kind.type, configurationName: nil, at: url)
        #expect(museum.coordinator.persistentStores.count == 1)
    }

    @Test("no store takes the place of another store of its coordinator", arguments: [StoreKind.xml, .binary, .sqlite])
    func placeOfAnother(kind: StoreKind) throws {
        let atlas = try Atlas(["Notes", "Places"], kind)
        let (notes, places) = (atlas.stores[0], atlas.stores[1])
        let (first, second) = (atlas.coordinator.url(for: notes), atlas.coordinator.url(for: places))
        #expect(!atlas.coordinator.setURL(second, for: notes))
        #expect(atlas.coordinator.url(for: notes) == first)
        #expect(atlas.coordinator.persistentStore(for: second) === places)
        #expect(atlas.coordinator.setURL(first, for: notes))
        _ = (atlas.insert("Note"), atlas.insert("Place"))
        #expect(atlas.context.saveFailure() == nil)
    }

    /// Proves: F126
    @Test("metadata is read and written with and without opening the store")
    func metadata() throws {
        let museum = try Museum(in: .sqlite)
        try museum.fill()
        let url = museum.stack.url
        var metadata = museum.coordinator.metadata(for: museum.store)
        metadata["shelf"] = 7
        museum.coordinator.setMetadata(metadata, for: museum.store)
        func stored() throws -> Int? {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)["shelf"] as? Int
        }
        #expect(try stored() == nil)
        try museum.context.save()
        #expect(try stored() == 7)
        try museum.coordinator.remove(museum.store)
        try NSPersistentStoreCoordinator.setMetadata(
            ["shelf": 8], forPersistentStoreOfType: NSSQLiteStoreType, at: url, options: nil)
        #expect(try stored() == 8)
        let store = try museum.coordinator.addPersistentStore(type: .sqlite, at: url)
        #expect(museum.coordinator.metadata(for: store)["shelf"] as? Int == 8)
        #expect(store.metadata[NSStoreUUIDKey] as? String == store.identifier)
    }

    /// Proves: F80
    @Test("observers learn that a store will go, and that stores came or went", arguments: StoreKind.all)
    func notifications(kind: StoreKind) throws {
        let museum = try Museum(in: kind)
        let store = museum.store
        let will = NotificationLog(.NSPersistentStoreCoordinatorStoresWillChange, of: museum.coordinator)
        let removes = NotificationLog(.NSPersistentStoreCoordinatorWillRemoveStore, of: store)
        let did = NotificationLog(.NSPersistentStoreCoordinatorStoresDidChange, of: museum.coordinator)
        try museum.coordinator.remove(store)
        let added = try museum.coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let removed = did.notifications.map { $0.userInfo?[NSRemovedPersistentStoresKey] as? [NSPersistentStore] }
        #expect(removed == [[store], nil])
        let new = did.notifications.map { $0.userInfo?[NSAddedPersistentStoresKey] as? [NSPersistentStore] }
        #expect(new == [nil, [added]])
        #expect(removes.count == 1)
        // Apple's framework posts this notification only for stores in iCloud.
        #expect(will.count == 0)
    }

    @Test("objects of a store that was removed cannot be saved", arguments: StoreKind.all)
    func removed(kind: StoreKind) throws {
        let museum = try Museum(in: kind)
        try museum.fill()
        let room = try #require(try museum.object("Room", "hall"))
        room.setValue("changed", forKey: "name")
        try museum.coordinator.remove(museum.store)
        try museum.coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        #expect(museum.context.saveFailure()?.code == NSPersistentStoreSaveError)
        #expect(room.objectID.persistentStore == nil)
        museum.context.reset()
        _ = museum.insert("Room", "new")
        #expect(museum.context.saveFailure() == nil)
    }

    /// Decided by `existingObject(with:)` with an id from before `remove(_:)` and `addPersistentStore` at the same
    /// place.
    /// Proves: Stores-K30
    @Test(
        "ids from before a store was removed and added again mean its records", .tags(.assumed),
        arguments: StoreKind.persistent)
    func addedAgain(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        let book = shop.book("Dune", by: shop.author("Herbert"))
        shop.book("Emma", by: shop.author("Austen"))
        try shop.context.save()
        let (id, authorID) = (book.objectID, try #require(book.author?.objectID))
        let coordinator = shop.stack.coordinator
        try coordinator.remove(shop.stack.store)
        let missing = failure { _ = try shop.stack.newContext().existingObject(with: id) }
        #expect(missing?.code == NSManagedObjectReferentialIntegrityError)
        try coordinator.addPersistentStore(ofType: kind.type, configurationName: nil, at: shop.stack.url)
        func titles(_ format: String, _ value: Any) throws -> [String] {
            let request = Book.request()
            request.predicate = NSPredicate(format: format, argumentArray: [value])
            return try shop.titles(request, in: shop.stack.newContext())
        }
        let context = shop.stack.newContext()
        let found = try #require(try context.existingObject(with: id) as? Book)
        #expect(found.title == "Dune" && context.object(with: id) === found)
        #expect(context.registeredObject(for: id) === found)
        #expect(try context.fetch(Book.request()).contains(found))
        let fresh = shop.stack.newContext()
        #expect((fresh.object(with: id) as? Book)?.author?.name == "Herbert")
        #expect(try titles("self == %@", id) == ["Dune"] && titles("self IN %@", [id]) == ["Dune"])
        #expect(try titles("author == %@", authorID) == ["Dune"] && titles("author IN %@", [authorID]) == ["Dune"])
        #expect(try titles("author != %@", authorID) == ["Emma"])
        found.pages = 5
        try context.save()
        #expect(try titles("pages == %@", 5) == ["Dune"])
        let other = shop.stack.newContext()
        shop.book("New", in: other).author = other.object(with: authorID) as? Author
        try other.save()
        #expect(try titles("author.name == %@", "Herbert").sorted() == ["Dune", "New"])
        try shop.stack.newContext().execute(NSBatchDeleteRequest(objectIDs: [id]))
        #expect(try titles("author.name == %@", "Herbert") == ["New"])
    }

    /// Decided by reading a fault, and `save()` of a change, from before the store was removed and added again.
    /// Proves: Stores-K30
    @Test(
        "objects from before a store was removed and added again are read and saved, if its records have keys",
        .tags(.assumed), arguments: StoreKind.persistent.filter { !$0.givesIDsBeforeSaving })
    func objectsAgain(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        let book = shop.book("Dune", by: shop.author("Herbert"))
        try shop.context.save()
        let (reader, writer) = (shop.stack.newContext(), shop.stack.newContext())
        let fault = try #require(reader.object(with: book.objectID) as? Book)
        let changed = try #require(try writer.existingObject(with: book.objectID) as? Book)
        #expect(changed.title == "Dune")
        changed.pages = 7
        try shop.stack.coordinator.remove(shop.stack.store)
        #expect(writer.saveFailure()?.code == NSPersistentStoreSaveError)
        let store = try shop.stack.coordinator.addPersistentStore(
            ofType: kind.type, configurationName: nil, at: shop.stack.url)
        #expect(book.objectID.persistentStore === store)
        #expect(fault.title == "Dune" && fault.author?.name == "Herbert")
        #expect(try reader.fetch(Book.request()) == [fault])
        #expect(writer.saveFailure() == nil)
        reader.refreshAllObjects()
        #expect(fault.pages == 7)
        try shop.stack.coordinator.remove(store)
        let last = try shop.stack.coordinator.addPersistentStore(
            ofType: kind.type, configurationName: nil, at: shop.stack.url)
        #expect(try shop.stack.newContext().fetch(Book.request()).map(\.objectID) == [book.objectID])
        #expect(fault.objectID.persistentStore === last)
    }

    /// Decided by `existingObject(with:)` with an id of a removed store after another store was added.
    /// Proves: Stores-K30
    @Test("ids of a store find nothing in another store at its place", .tags(.assumed), arguments: StoreKind.all)
    func otherStoreAtPlace(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        let book = shop.book("Dune")
        try shop.context.save()
        let id = book.objectID
        try shop.stack.coordinator.remove(shop.stack.store)
        let url = kind.isPersistent ? kind.place(shop.stack.folder.appending(path: "Other.sqlite")) : nil
        try shop.stack.coordinator.addPersistentStore(ofType: kind.type, configurationName: nil, at: url)
        let context = shop.stack.newContext()
        shop.book("Emma", in: context)
        try context.save()
        let missing = failure { _ = try shop.stack.newContext().existingObject(with: id) }
        #expect(missing?.code == NSManagedObjectReferentialIntegrityError)
        #expect(context.registeredObject(for: id) == nil)
        let request = Book.request()
        request.predicate = NSPredicate(format: "self == %@", id)
        #expect(try shop.titles(request, in: context) == [])
    }

    @Test("a SQLite store keeps a copy of its model")
    func cachedModel() throws {
        let museum = try Museum(in: .sqlite)
        let model = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: museum.stack.url)
        #expect(model.entityVersionHashesByName == museum.stack.model.entityVersionHashesByName)
        let missing = failure {
            _ = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: museum.place("None.sqlite"))
        }
        #expect(missing?.code == CocoaError.fileReadNoSuchFile.rawValue)
    }

    @Test("the pool of connections is as large as the option says", arguments: [1, 2, 20])
    func pool(size: Int) async throws {
        let museum = try Museum(in: .sqlite)
        try museum.stack.reopen(options: [NSPersistentStoreConnectionPoolMaxSizeKey: size])
        try museum.fill()
        let coordinator = museum.coordinator
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                    context.persistentStoreCoordinator = coordinator
                    return try await context.perform {
                        try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Exhibit"))
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == [20, 20, 20, 20, 20, 20])
    }
}

@Suite("Requests given to the coordinator") struct CoordinatorRequestSpecification {
    @Test("a request is carried out in a context of the coordinator", arguments: StoreKind.all)
    func execute(kind: StoreKind) throws {
        let museum = try Museum(in: kind)
        try museum.fill()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Room")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let found = try museum.coordinator.execute(request, with: museum.context) as? [NSManagedObject]
        #expect(found?.map { $0.value(forKey: "name") as? String } == ["attic", "hall"])
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Room")
        ids.resultType = .managedObjectIDResultType
        let keys = try museum.coordinator.execute(ids, with: museum.context) as? [NSManagedObjectID]
        #expect(keys.map(Set.init) == found.map { Set($0.map(\.objectID)) })
        let other = try Museum(in: kind)
        let foreign = failure { try other.coordinator.execute(request, with: museum.context) }
        #expect(foreign?.code == NSCoreDataError)
        let save = NSSaveChangesRequest(inserted: nil, updated: nil, deleted: nil, locked: nil)
        let unsupported = failure { try museum.coordinator.execute(save, with: museum.context) }
        #expect(unsupported?.code == NSPersistentStoreUnsupportedRequestTypeError)
    }

    private struct Sentinel: Error, Equatable { var number: Int }

    @Test("blocks give results, throw, and keep other changes of the stores away")
    func perform() async throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: MuseumModel.make())
        let sum = coordinator.performAndWait { 1 + 1 }
        #expect(sum == 2)
        #expect(throws: Sentinel(number: 1)) {
            try coordinator.performAndWait { () throws(Sentinel) in throw Sentinel(number: 1) }
        }
        let count = try await coordinator.perform {
            try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
            return coordinator.persistentStores.count
        }
        #expect(count == 1)
        await #expect(throws: Sentinel(number: 2)) {
            try await coordinator.perform { () throws(Sentinel) -> Int in throw Sentinel(number: 2) }
        }
        await withCheckedContinuation { continuation in
            coordinator.perform { continuation.resume() }
        }
    }

    @Test("the text of a URI gives the id", arguments: StoreKind.all)
    func text(kind: StoreKind) throws {
        let museum = try Museum(in: kind)
        try museum.fill()
        let id = try #require(try museum.object("Room", "hall")?.objectID)
        #expect(museum.coordinator.managedObjectID(for: id.uriRepresentation().absoluteString) == id)
        #expect(museum.coordinator.managedObjectID(for: "hall") == nil)
    }
}
