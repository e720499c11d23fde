// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that a store may be removed while it executes a request.

import CoreDataTestSupport
import Dispatch
import Foundation
import Testing

@testable import CoreData

@Suite("Removing a store that executes a request") struct StoreRemovalTests {
    @Test("waits for the answer, which may need the coordinator") func answerFirst() throws {
        let shop = try ShelfShop()
        shop.book("Dune")
        try shop.context.save()
        let run = Run(shop)
        run.start()
        try #require(run.answered.wait(timeout: .now() + 30) == .success)
        try #require(run.removed.wait(timeout: .now() + 30) == .success)
        #expect(run.found == 1)
        #expect(run.listed == 0)
        #expect(run.understood == true)
        #expect(run.second == NSPersistentStoreOperationError)
        #expect(shop.coordinator.persistentStores.isEmpty)
        #expect(shop.store.persistentStoreCoordinator == nil)
        #expect(throws: CocoaError.self) { try shop.coordinator.remove(shop.store) }
    }

    @Test("makes a write that waited for the database fail") func lateWrite() throws {
        let stack = try Stack(.sqlite, BookshopModel.make())
        let store = try #require(stack.store as? SQLiteStore)
        let opened = try store.opened()
        try stack.coordinator.remove(store)
        let error = #expect(throws: CocoaError.self) { try opened.pool.write { _ in } }
        #expect(error?.code.rawValue == NSPersistentStoreOperationError)
    }

    @Test("makes a save that waited for the store fail, and nothing is written", arguments: [StoreKind.xml, nil])
    func lateSave(kind: StoreKind?) throws {
        NSPersistentStoreCoordinator.registerStoreClass(Pad.self, forStoreType: Pad.storeType)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: BookshopModel.make())
        let url = FileManager.default.temporaryDirectory.appending(path: "OpenCoreData-\(UUID().uuidString).xml")
        defer { try? FileManager.default.removeItem(at: url) }
        let added = try coordinator.addPersistentStore(
            ofType: kind?.type ?? Pad.storeType, configurationName: nil, at: url)
        let store = try #require(added as? NSAtomicStore)
        let contents = try #require(store.contents)
        let before = try? Data(contentsOf: url)
        store.metadata["note"] = "late"
        try coordinator.remove(store)
        let error = #expect(throws: CocoaError.self) { try contents.save(ChangeSet(), persister: store) { true } }
        #expect(error?.code.rawValue == NSPersistentStoreOperationError)
        #expect((store as? Pad)?.saves ?? 0 == 0)
        #expect((try? Data(contentsOf: url)) == before)
    }

    @Test("is refused to code inside of a save of the store, which goes on") func ownSave() throws {
        NSPersistentStoreCoordinator.registerStoreClass(Pad.self, forStoreType: Pad.storeType)
        let stack = try Stack(.sqlite, BookshopModel.make())
        let other = try stack.coordinator.addPersistentStore(
            ofType: Pad.storeType, configurationName: nil, at: stack.folder.appending(path: "Pad"))
        let pad = try #require(other as? Pad)
        var codes: [Int] = []
        pad.whileSaving = {
            for store in stack.coordinator.persistentStores {
                do { try stack.coordinator.remove(store) } catch { codes.append((error as NSError).code) }
            }
        }
        pad.metadata["note"] = "changed"
        _ = Book(context: stack.context)
        stack.context.registeredObjects.first?.setValue("Dune", forKey: "title")
        try stack.context.save()
        #expect(codes == [NSPersistentStoreOperationError, NSPersistentStoreOperationError])
        #expect(pad.saves == 1)
        #expect(stack.coordinator.persistentStores.count == 2)
        pad.whileSaving = nil
        try stack.coordinator.remove(pad)
        #expect(stack.coordinator.persistentStores.count == 1)
    }

    @Test("blocks the addition of a store at the same place") func samePlace() throws {
        NSPersistentStoreCoordinator.registerStoreClass(Pad.self, forStoreType: Pad.storeType)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: BookshopModel.make())
        let url = FileManager.default.temporaryDirectory.appending(path: "OpenCoreData-\(UUID().uuidString)")
        let added = try coordinator.addPersistentStore(ofType: Pad.storeType, configurationName: nil, at: url)
        let handover = Handover(coordinator, try #require(added as? Pad))
        handover.start()
        let again = try coordinator.addPersistentStore(ofType: Pad.storeType, configurationName: nil, at: url)
        #expect(handover.isSaved)
        #expect(coordinator.persistentStores == [again])
    }

    /// A store that is being saved, slowly, and removed at the same time.
    private final class Handover: @unchecked Sendable {  // semaphores pass on the shared state
        private let coordinator: NSPersistentStoreCoordinator
        private let pad: Pad
        private let saving = DispatchSemaphore(value: 0)
        private(set) var isSaved = false

        init(_ coordinator: NSPersistentStoreCoordinator, _ pad: Pad) {
            self.coordinator = coordinator
            self.pad = pad
        }

        /// Returns when the store is no longer listed, but not closed yet.
        func start() {
            pad.whileSaving = { [self] in
                saving.signal()
                Thread.sleep(forTimeInterval: 0.5)
                isSaved = true
            }
            pad.metadata["note"] = "changed"
            Thread.detachNewThread { [self] in
                let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                context.persistentStoreCoordinator = coordinator
                context.performAndWait { try? context.save() }
            }
            saving.wait()
            Thread.detachNewThread { [self] in try? coordinator.remove(pad) }
            while !coordinator.persistentStores.isEmpty { usleep(1_000) }
        }
    }

    /// A custom store that has nothing to write, and counts its calls to save.
    private final class Pad: NSAtomicStore {
        static let storeType = "Pad"
        private(set) var saves = 0

        override var type: String { Self.storeType }
        override func loadMetadata() { metadata = [NSStoreTypeKey: type, NSStoreUUIDKey: UUID().uuidString] }
        override func load() {}
        var whileSaving: (() -> Void)?

        override func save() {
            saves += 1
            whileSaving?()
        }
        override func newReferenceObject(for managedObject: NSManagedObject) -> Any { UUID() }
    }

    /// A fetch, and a removal that begins while the store answers it.
    private final class Run: @unchecked Sendable {  // semaphores pass on the shared state
        let (asked, leaving) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let (answered, removed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        private let shop: ShelfShop
        private(set) var found: Int?
        /// The stores that the coordinator lists while the store answers.
        private(set) var listed: Int?
        private(set) var understood: Bool?
        /// The code of a second removal.
        private(set) var second: Int?

        init(_ shop: ShelfShop) { self.shop = shop }

        func start() {
            let context = shop.newContext(.privateQueueConcurrencyType)
            shop.store.leaving = { [self] in leaving.signal() }
            shop.store.answer = { [self] _, _ in
                asked.signal()
                leaving.wait()
                // Waits until the removal is about to close the store.
                Thread.sleep(forTimeInterval: 0.1)
                look()
                return nil
            }
            Thread.detachNewThread { [self] in
                found = context.performAndWait { try? context.fetch(NSFetchRequest<Book>(entityName: "Book")).count }
                answered.signal()
            }
            Thread.detachNewThread { [self] in
                asked.wait()
                try? shop.coordinator.remove(shop.store)
                removed.signal()
            }
        }

        private func look() {
            listed = shop.coordinator.persistentStores.count
            let uri = shop.store.id("Book 1").uriRepresentation()
            understood = shop.coordinator.managedObjectID(forURIRepresentation: uri) == shop.store.id("Book 1")
            do { try shop.coordinator.remove(shop.store) } catch { second = (error as NSError).code }
        }
    }
}
