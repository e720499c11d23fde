// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States how other threads see a store while one thread removes it, and that all of it is released.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Proves: P3, C23
@Suite("A store that is removed while others use it") struct StoreRemovalSpecification {
    @Test("goes once, however many want it to go", arguments: StoreKind.all)
    func once(kind: StoreKind) throws {
        let stack = try Stack(kind, BookshopModel.make())
        let will = NotificationLog(.NSPersistentStoreCoordinatorWillRemoveStore, of: stack.store)
        let did = NotificationLog(.NSPersistentStoreCoordinatorStoresDidChange, of: stack.coordinator)
        let removal = Removal(stack.coordinator, stack.store)
        onThreads(4) { _ in removal.remove() }
        #expect(removal.codes == Array(repeating: NSPersistentStoreOperationError, count: 3))
        #expect(stack.coordinator.persistentStores.isEmpty)
        #expect(will.count == 1)
        #expect(did.count == 1)
    }

    @Test("gives its objects their values, or no record", arguments: StoreKind.all)
    func faults(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        for number in 0..<60 { shop.book("guest", pages: number, by: shop.author("Somebody")) }
        try shop.context.save()
        let removal = Removal(shop.stack.coordinator, shop.stack.store)
        let readers = try (0..<3).map { _ in try FaultReader(shop.stack) }
        onThreads(4) { number in
            if number < 3 { return readers[number].read() }
            readers[0].waitUntilHalfway()
            removal.remove()
        }
        #expect(removal.codes == [])
        for reader in readers {
            #expect(reader.oddities == [])
            // The objects that were found without a record cannot be saved; that is all.
            #expect([nil, NSPersistentStoreSaveError].contains(reader.saveCode()))
        }
    }

    @Test("can be reached through ids while it is removed", arguments: StoreKind.all)
    func ids(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        let url = kind.isPersistent ? shop.stack.folder.appending(path: "Guest.sqlite") : nil
        let guests = Guests(shop.stack.coordinator, kind, url)
        onThreads(4) { number in
            if number == 0 { return guests.comeAndGo(15) }
            while !guests.areOver { guests.ask() }
        }
        #expect(guests.failures == [])
        #expect(guests.last?.persistentStore == nil)
        #expect(guests.last?.isTemporaryID == false)
    }

    @Test("is let go of by a context that is reset", arguments: StoreKind.all)
    func letGo(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        let url = kind.isPersistent ? shop.stack.folder.appending(path: "Guest.sqlite") : nil
        let guest = try visit(shop, kind, url)
        shop.context.reset()
        #expect(guest.isGone)
        shop.book("home")
        try shop.context.save()
        #expect(try shop.context.count(for: Book.request()) == 1)
    }

    private func visit(_ shop: Bookshop, _ kind: StoreKind, _ url: URL?) throws -> WeakStore {
        let coordinator = shop.stack.coordinator
        let store = try coordinator.addPersistentStore(
            ofType: kind.type, configurationName: nil, at: url.map(kind.place))
        let book = shop.book("guest")
        shop.context.assign(book, to: store)
        try shop.context.save()
        shop.context.refresh(book, mergeChanges: false)
        #expect(book.title == "guest")
        try coordinator.remove(store)
        return WeakStore(store)
    }

    @Test("is released with its coordinator, even if an object is retained", arguments: StoreKind.all)
    func heldObject(kind: StoreKind) throws {
        let (book, store) = try held(kind)
        #expect(store.isGone)
        #expect(book.managedObjectContext == nil)
        #expect(book.objectID.persistentStore == nil)
    }

    private func held(_ kind: StoreKind) throws -> (Book, WeakStore) {
        let shop = try Bookshop(in: kind)
        let book = shop.book("held")
        try shop.context.save()
        return (book, WeakStore(shop.stack.store))
    }
}

private final class WeakStore {
    private weak var store: NSPersistentStore?

    init(_ store: NSPersistentStore) { self.store = store }

    /// Whether the store was released. Waits a little: an incremental store is notified of registrations on a private
    /// queue.
    var isGone: Bool {
        for _ in 0..<500 where store != nil { Thread.sleep(forTimeInterval: 0.01) }
        return store == nil
    }
}

/// Removes one store, once for each call.
private final class Removal: @unchecked Sendable {  // `list` is guarded by `lock`
    private let coordinator: NSPersistentStoreCoordinator
    private let store: NSPersistentStore
    private let lock = NSLock()
    private var list: [Int] = []

    init(_ coordinator: NSPersistentStoreCoordinator, _ store: NSPersistentStore) {
        self.coordinator = coordinator
        self.store = store
    }

    /// The codes of the thrown errors.
    var codes: [Int] { lock.withLock { list } }

    func remove() {
        do { try coordinator.remove(store) } catch { lock.withLock { list.append((error as NSError).code) } }
    }
}

/// Fires the faults of all books, each of which reads the store.
private final class FaultReader: @unchecked Sendable {  // `list` is read when the thread has ended
    private let context: NSManagedObjectContext
    private let books: [Book]
    private var list: [String] = []
    private let halfway = DispatchSemaphore(value: 0)

    init(_ stack: Stack) throws {
        let context = stack.newContext(.privateQueueConcurrencyType)
        context.stalenessInterval = 0
        let request = Book.request()
        request.includesPropertyValues = false
        books = try context.performAndWait { try context.fetch(request) }
        self.context = context
    }

    /// Read values other than the saved one and nil.
    var oddities: [String] { list }

    func waitUntilHalfway() { halfway.wait() }

    func read() {
        context.performAndWait {
            for (number, book) in books.enumerated() {
                if number == books.count / 2 { halfway.signal() }
                let (title, author) = (book.title, book.author)
                if let title, title != "guest" { list.append(title) }
                if let name = author?.name, name != "Somebody" { list.append(name) }
                _ = author?.books.count
                _ = book.objectID.persistentStore?.identifier
            }
        }
    }

    /// The code of the error that a save throws; nil if it succeeds.
    func saveCode() -> Int? {
        context.performAndWait {
            do { try context.save() } catch { return (error as NSError).code }
            return nil
        }
    }
}

/// Stores that are added and removed one after the other, and the id of an object in the latest.
private final class Guests: @unchecked Sendable {  // variables are guarded by `lock`
    private let coordinator: NSPersistentStoreCoordinator
    private let kind: StoreKind
    private let url: URL?
    private let lock = NSLock()
    private var id: NSManagedObjectID?
    private var list: [String] = []
    private var isOver = false

    init(_ coordinator: NSPersistentStoreCoordinator, _ kind: StoreKind, _ url: URL?) {
        self.coordinator = coordinator
        self.kind = kind
        self.url = url
    }

    var failures: [String] { lock.withLock { list } }
    var last: NSManagedObjectID? { lock.withLock { id } }
    var areOver: Bool { lock.withLock { isOver } }

    func comeAndGo(_ rounds: Int) {
        for _ in 0..<rounds {
            do { try visit() } catch { lock.withLock { list.append("\(error)") } }
        }
        lock.withLock { isOver = true }
    }

    private func visit() throws {
        let store = try coordinator.addPersistentStore(
            ofType: kind.type, configurationName: nil, at: url.map(kind.place))
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let added = try context.performAndWait {
            let book = Book(context: context)
            book.title = "guest"
            context.assign(book, to: store)
            try context.save()
            return book.objectID
        }
        lock.withLock { id = added }
        try coordinator.remove(store)
    }

    func ask() {
        guard let id = last else { return }
        if let store = id.persistentStore, store.type != kind.type { lock.withLock { list.append(store.type) } }
        _ = coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation())
        _ = id.persistentStore?.persistentStoreCoordinator?.name
        _ = id.persistentStore?.isReadOnly
    }
}
