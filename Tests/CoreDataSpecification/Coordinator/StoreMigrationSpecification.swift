// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that a store can be exchanged for one of any other kind, with all data, while contexts keep working.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// The kinds of the old and the new store.
struct StoreMove: Sendable, CustomStringConvertible {
    var from: StoreKind
    var to: StoreKind

    static let all = StoreKind.all.flatMap { from in StoreKind.all.map { StoreMove(from: from, to: $0) } }
    /// Moves to kinds that take over keys.
    static let takingKeys = all.filter { [.sqlite, .inMemory].contains($0.to) }
    /// Moves between kinds that have keys, so that ids stay equal.
    static let keepingIDs = takingKeys.filter { [.sqlite, .inMemory].contains($0.from) }

    var description: String { "\(from) to \(to)" }
}

@Suite("Migrating a store to another one") struct StoreMigrationSpecification {
    @discardableResult
    private func migrate(_ museum: Museum, to kind: StoreKind, _ name: String = "Copy.store") throws
        -> NSPersistentStore
    {
        try museum.coordinator.migratePersistentStore(
            museum.store, to: kind.place(museum.place(name)), options: nil, withType: kind.type)
    }

    /// Proves: F80
    @Test("all data goes over: values, relationships, order, large data", arguments: StoreMove.all)
    func data(move: StoreMove) throws {
        let museum = try Museum(in: move.from)
        try museum.fill(scans: 200_000)
        let before = try museum.account()
        let store = try migrate(museum, to: move.to)
        #expect(try museum.account() == before)
        #expect(museum.coordinator.persistentStores == [store])
        #expect(store.type == move.to.type)
    }

    /// Proves: F80
    @Test("another coordinator reads all data from the new file", arguments: StoreMove.all.filter(\.to.isPersistent))
    func file(move: StoreMove) throws {
        let museum = try Museum(in: move.from)
        try museum.fill(scans: 200_000)
        let before = try museum.account()
        let store = try migrate(museum, to: move.to)
        let other = NSPersistentStoreCoordinator(managedObjectModel: MuseumModel.make())
        try museum.coordinator.remove(store)
        try other.addPersistentStore(
            ofType: move.to.type, configurationName: nil, at: move.to.place(museum.place("Copy.store")))
        #expect(try Museum.account(other) == before)
    }

    @Test("many rows go over in many batches", arguments: StoreMove.keepingIDs)
    func batches(move: StoreMove) throws {
        let museum = try Museum(in: move.from)
        try museum.fill(exhibits: 700)
        let before = try museum.account()
        try migrate(museum, to: move.to)
        #expect(try museum.account() == before)
    }

    @Test("an empty store can be migrated", arguments: StoreMove.all)
    func empty(move: StoreMove) throws {
        let museum = try Museum(in: move.from)
        try migrate(museum, to: move.to)
        #expect(try museum.account() == [])
        try museum.fill()
        #expect(try museum.account().count == 26)
    }

    @Test("a URI finds its object at every moment of a migration") func urisMeanwhile() throws {
        let museum = try Museum(in: .sqlite)
        try museum.fill()
        let room = try #require(
            try museum.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Room")).first)
        let asking = Asking(museum.coordinator, room.objectID.uriRepresentation())
        asking.start()
        for round in 0..<30 { try migrate(museum, to: round % 2 == 0 ? .inMemory : .sqlite, "Copy \(round).store") }
        #expect(asking.end() == 0)
    }

    /// Looks up the id of a URI, again and again, on another thread.
    private final class Asking: @unchecked Sendable {  // guarded by `lock`
        private let coordinator: NSPersistentStoreCoordinator
        private let uri: URL
        private let lock = NSLock()
        private var isOver = false
        private var missing = 0
        private let ended = DispatchSemaphore(value: 0)

        init(_ coordinator: NSPersistentStoreCoordinator, _ uri: URL) {
            self.coordinator = coordinator
            self.uri = uri
        }

        func start() {
            Thread.detachNewThread { [self] in
                while !lock.withLock({ isOver }) {
                    if coordinator.managedObjectID(forURIRepresentation: uri) == nil { lock.withLock { missing += 1 } }
                }
                ended.signal()
            }
        }

        /// The number of times that the URI had no id.
        func end() -> Int {
            lock.withLock { isOver = true }
            ended.wait()
            return lock.withLock { missing }
        }
    }

    @Test("the file of the old store stays as it was", arguments: StoreKind.all)
    func oldFile(kind: StoreKind) throws {
        let museum = try Museum(in: .sqlite)
        try museum.fill(scans: 200_000)
        let before = try museum.account()
        let old = museum.store
        try migrate(museum, to: kind)
        #expect(old.persistentStoreCoordinator == nil)
        _ = museum.insert("Room", "new")
        try museum.context.save()
        let (second, _) = try museum.stack.secondCoordinator()
        #expect(try Museum.account(second) == before)
        #expect(second.persistentStores[0].identifier == old.identifier)
    }

    /// Proves: F80
    @Test("a notification has the old store, the new one, and the ids", arguments: StoreMove.all)
    func notification(move: StoreMove) throws {
        let museum = try Museum(in: move.from)
        try museum.fill()
        let old = museum.store
        let uri = try #require(try museum.object("Keyword", "rare")?.objectID.uriRepresentation())
        let removes = NotificationLog(.NSPersistentStoreCoordinatorWillRemoveStore, of: old)
        let did = NotificationLog(.NSPersistentStoreCoordinatorStoresDidChange, of: museum.coordinator)
        let new = try migrate(museum, to: move.to)
        #expect(removes.notifications.map { $0.userInfo == nil } == [true])
        #expect(did.count == 1)
        let changed = try #require(did.notifications.last?.userInfo?[NSUUIDChangedPersistentStoresKey] as? [Any])
        #expect(changed.count == 3)
        #expect(changed[0] as? NSPersistentStore === old)
        #expect(changed[1] as? NSPersistentStore === new)
        let ids = try #require(changed[2] as? MigratedObjectIDs)
        let id = try #require(ids.objectID(forURIRepresentation: uri))
        #expect(try museum.context.existingObject(with: id).value(forKey: "name") as? String == "rare")
        #expect(id.persistentStore === new)
        #expect(id.uriRepresentation() != uri)
    }

    /// Decided by `NSPersistentStore.identifier` of the result of `migratePersistentStore(_:to:options:withType:)`.
    @Test("the new store has a UUID of its own", .tags(.assumed), arguments: StoreMove.all)
    func identifier(move: StoreMove) throws {
        let museum = try Museum(in: move.from)
        let old = museum.store
        #expect(try migrate(museum, to: move.to).identifier != old.identifier)
    }

    /// Proves: M12
    @Test("URIs of the old store are understood, also after two migrations", arguments: StoreMove.all)
    func uris(move: StoreMove) throws {
        let museum = try Museum(in: move.from)
        try museum.fill()
        let uri = try #require(try museum.object("Keyword", "rare")?.objectID.uriRepresentation())
        for (number, kind) in [move.to, move.from, move.to].enumerated() {
            try migrate(museum, to: kind, "Copy\(number).store")
            let id = try #require(museum.coordinator.managedObjectID(forURIRepresentation: uri))
            #expect(try museum.context.existingObject(with: id).value(forKey: "name") as? String == "rare")
        }
        #expect(
            museum.coordinator.managedObjectID(forURIRepresentation: URL(string: "x-coredata://none/Keyword/p1")!)
                == nil)
    }

    @Test("ids from before the migration identify the same objects", arguments: StoreMove.keepingIDs)
    func ids(move: StoreMove) throws {
        let museum = try Museum(in: move.from)
        try museum.fill()
        let object = try #require(try museum.object("Exhibit", "exhibit 7"))
        let id = object.objectID
        let new = try migrate(museum, to: move.to)
        #expect(object.objectID == id)
        #expect(id.persistentStore === new)
        #expect(museum.context.registeredObject(for: id) === object)
        #expect(museum.coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()) == id)
        let other = museum.stack.newContext()
        #expect(try other.existingObject(with: id).value(forKey: "name") as? String == "exhibit 7")
    }

    /// Proves: L1
    @Test(
        "contexts go on: unsaved changes, insertions and deletions reach the new store",
        arguments: StoreMove.takingKeys)
    func unsaved(move: StoreMove) throws {
        let museum = try Museum(in: move.from)
        try museum.fill()
        let changed = try #require(try museum.object("Exhibit", "exhibit 1"))
        changed.setValue("mine", forKey: "text")
        let deleted = try #require(try museum.object("Keyword", "blue"))
        museum.context.delete(deleted)
        let inserted = museum.insert("Exhibit", "new")
        inserted.setValue(changed, forKey: "neighbour")
        museum.context.assign(inserted, to: museum.store)
        let new = try migrate(museum, to: move.to)
        #expect(museum.context.updatedObjects.contains(changed))
        #expect(museum.context.saveFailure() == nil)
        #expect(inserted.objectID.persistentStore === new)
        let reader = museum.stack.newContext()
        #expect(try museum.object("Exhibit", "exhibit 1", in: reader)?.value(forKey: "text") as? String == "mine")
        #expect(try museum.object("Keyword", "blue", in: reader) == nil)
        let neighbour = try museum.object("Exhibit", "new", in: reader)?.value(forKey: "neighbour") as? NSManagedObject
        #expect(neighbour?.objectID == changed.objectID)
    }

    /// Proves: C23
    @Test("versions go over: a change made on an old one is still a conflict", arguments: StoreMove.takingKeys)
    func versions(move: StoreMove) throws {
        let museum = try Museum(in: move.from)
        try museum.fill()
        let other = museum.stack.newContext()
        let (name, stale) = ("exhibit 2", "exhibit 8")
        for title in [name, stale] {
            try museum.object("Exhibit", title)?.setValue("mine", forKey: "text")
        }
        let held = try museum.object("Exhibit", stale, in: other)
        held?.setValue("theirs", forKey: "text")
        try other.save()
        try migrate(museum, to: move.to)
        #expect(museum.context.saveFailure()?.code == NSManagedObjectMergeError)
        museum.context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        #expect(museum.context.saveFailure() == nil)
        #expect(try museum.object("Exhibit", stale)?.value(forKey: "text") as? String == "theirs")
        #expect(try museum.object("Exhibit", name)?.value(forKey: "text") as? String == "mine")
    }

    @Test("undo goes on", arguments: StoreMove.keepingIDs)
    func undo(move: StoreMove) throws {
        let museum = try Museum(in: move.from)
        try museum.fill()
        museum.context.undoManager = UndoManager()
        let object = try #require(try museum.object("Exhibit", "exhibit 1"))
        object.setValue("mine", forKey: "text")
        try museum.context.save()
        try migrate(museum, to: move.to)
        museum.context.undo()
        #expect(object.value(forKey: "text") as? String == "changed")
        #expect(museum.context.saveFailure() == nil)
    }

    @Test("contexts with queues and children go on", arguments: StoreMove.takingKeys)
    func nested(move: StoreMove) async throws {
        let museum = try Museum(in: move.from)
        try museum.fill()
        let root = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        root.persistentStoreCoordinator = museum.coordinator
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = root
        let id = try #require(try museum.object("Exhibit", "exhibit 1")?.objectID)
        await child.perform { child.object(with: id).setValue("child", forKey: "text") }
        try migrate(museum, to: move.to)
        try await child.perform { try child.save() }
        try await root.perform { try root.save() }
        let reader = museum.stack.newContext()
        #expect(try museum.object("Exhibit", "exhibit 1", in: reader)?.value(forKey: "text") as? String == "child")
    }

    @Test("a context that is pinned reads the new store", arguments: StoreMove.keepingIDs)
    func pinned(move: StoreMove) throws {
        let museum = try Museum(in: move.from)
        try museum.fill()
        try museum.context.setQueryGenerationFrom(.current)
        #expect(try museum.object("Room", "hall") != nil)
        try migrate(museum, to: move.to)
        museum.context.reset()
        #expect(try museum.object("Room", "attic") != nil)
    }

    @Test("keys are not given again", arguments: StoreMove.keepingIDs)
    func keys(move: StoreMove) throws {
        let museum = try Museum(in: move.from)
        try museum.fill()
        let last = museum.insert("Room", "gone")
        try museum.context.save()
        let id = last.objectID
        museum.context.delete(last)
        try museum.context.save()
        try migrate(museum, to: move.to)
        let next = museum.insert("Room", "new")
        try museum.context.save()
        #expect(next.objectID != id)
        #expect(throws: CocoaError.self) { try museum.stack.newContext().existingObject(with: id) }
    }

    @Test("large data is read from the new store once the old one is destroyed")
    func largeData() throws {
        let museum = try Museum(in: .sqlite)
        try museum.fill(scans: 200_000)
        let unchanged = try #require(try museum.object("Exhibit", "exhibit 3"))
        let changed = try #require(try museum.object("Exhibit", "exhibit 6"))
        #expect((unchanged.value(forKey: "scan") as? Data)?.count == 200_000)
        changed.setValue("mine", forKey: "text")
        let url = museum.stack.url
        try migrate(museum, to: .sqlite)
        try museum.coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
        #expect((unchanged.value(forKey: "scan") as? Data)?.count == 200_000)
        #expect((changed.value(forKey: "scan") as? Data)?.count == 200_000)
        #expect(museum.context.saveFailure() == nil)
        #expect(!FileManager.default.fileExists(atPath: museum.place(".Store_SUPPORT").path))
        #expect(FileManager.default.fileExists(atPath: museum.place(".Copy_SUPPORT").path))
    }

    @Test("metadata of the user's, and the options, are the new store's", arguments: StoreKind.all)
    func metadata(kind: StoreKind) throws {
        let museum = try Museum(in: kind)
        museum.store.metadata["shelf"] = 7
        try museum.fill()
        let store = try museum.coordinator.migratePersistentStore(
            museum.store, to: museum.place("Copy.store"), options: [NSReadOnlyPersistentStoreOption: true],
            type: .sqlite)
        #expect(store.isReadOnly)
        #expect(store.metadata["shelf"] as? Int == 7)
        #expect(store.metadata[NSStoreTypeKey] as? String == NSSQLiteStoreType)
        let stored = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            type: .sqlite, at: museum.place("Copy.store"))
        #expect(stored["shelf"] as? Int == 7)
        #expect(stored[NSStoreUUIDKey] as? String == store.identifier)
        _ = museum.insert("Room", "new")
        #expect(museum.context.saveFailure()?.code == CocoaError.fileWriteNoPermission.rawValue)
    }

    @Test("of several stores one is exchanged, at its place, with only its configuration's objects")
    func several() throws {
        let many = try ManyStores(StoreMixture(kinds: [.sqlite, .inMemory, .sqlite], special: 0))
        let place = FileManager.default.temporaryDirectory.appending(path: "Copy-\(UUID().uuidString).sqlite")
        defer { try? many.coordinator.destroyPersistentStore(at: place, ofType: NSSQLiteStoreType) }
        let new = try many.coordinator.migratePersistentStore(
            many.stores[1], to: place, options: nil, withType: NSSQLiteStoreType)
        #expect(many.coordinator.persistentStores == [many.stores[0], new, many.stores[2]])
        for book in many.books { book.title = "mine" }
        try many.context.save()
        #expect(many.books.map(\.objectID.persistentStore) == many.coordinator.persistentStores)
        #expect(many.cachedTitles() == ["mine", "mine", "mine"])
        try many.coordinator.remove(new)
        try FileManager.default.removeItem(at: place)
    }

    @Test("a migration that is refused leaves the old store in use", arguments: StoreKind.all)
    func refused(kind: StoreKind) throws {
        let museum = try Museum(in: kind)
        try museum.fill()
        let before = try museum.account()
        let old = museum.store
        let place = museum.place("Taken.store")
        try Data("somebody's".utf8).write(to: place)
        let files = try museum.files()
        #expect(failure { try migrate(museum, to: .sqlite, "Taken.store") } != nil)
        let unknown = failure {
            try museum.coordinator.migratePersistentStore(old, to: museum.place("x"), options: nil, withType: "None")
        }
        #expect(unknown?.code == NSPersistentStoreInvalidTypeError)
        let nowhere = failure {
            try museum.coordinator.migratePersistentStore(
                old, to: museum.place("no/folder/x"), options: nil, withType: NSSQLiteStoreType)
        }
        #expect(nowhere?.domain == NSCocoaErrorDomain)
        let foreign = failure {
            try NSPersistentStoreCoordinator(managedObjectModel: MuseumModel.make()).migratePersistentStore(
                old, to: museum.place("x"), options: nil, withType: NSSQLiteStoreType)
        }
        #expect(foreign?.code == NSPersistentStoreOperationError)
        #expect(try museum.files() == files)
        #expect(try Data(contentsOf: place) == Data("somebody's".utf8))
        #expect(museum.coordinator.persistentStores == [old])
        _ = museum.insert("Room", "new")
        #expect(museum.context.saveFailure() == nil)
        #expect(try museum.account().count == before.count + 1)
    }

    /// Decided by `migratePersistentStore(_:to:options:withType:)` to a place with a file of another program.
    @Test(
        "a place where a file lies is taken: 516", .tags(.assumed),
        arguments: StoreKind.all.filter { $0.isPersistent && !$0.isOnServer })
    func taken(kind: StoreKind) throws {
        let museum = try Museum(in: .inMemory)
        try museum.fill()
        try Data("somebody's".utf8).write(to: museum.place("Taken.store"))
        let error = failure { try migrate(museum, to: kind, "Taken.store") }
        guard StoreKind.builtIn.contains(kind) else { return #expect(error != nil) }
        #expect(error?.code == CocoaError.fileWriteFileExists.rawValue)
    }
}
