// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the calls to a user's subclass of NSAtomicStore, and that such a store behaves like the built-in ones.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Decided by the calls of a subclass of `NSAtomicStore` during `addPersistentStore`, `save()` and `remove(_:)`.
@Suite("Atomic stores of one's own", .serialized, .tags(.assumed)) final class AtomicSubclassSpecification {
    private let url = FileManager.default.temporaryDirectory.appending(path: "Notes-\(UUID().uuidString).plist")
    private let model: NSManagedObjectModel
    private var coordinator: NSPersistentStoreCoordinator
    private var context: NSManagedObjectContext

    init() throws {
        NSPersistentStoreCoordinator.registerStoreClass(NotebookStore.self, forStoreType: NotebookStore.storeType)
        NotebookStore.refusesToSave = false
        NotebookStore.removed = []
        model = Self.makeModel()
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        context = NSManagedObjectContext(concurrencyType: .confined)
        try open()
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// A tree of notes.
    private static func makeModel(derived: Bool = false) -> NSManagedObjectModel {
        let note = NSEntityDescription("Note")
        note.attribute("title", .stringAttributeType)
        note.relate("parent", .one, to: note, inverse: "children", .many)
        if derived {
            note.derived("lower", .stringAttributeType, "lowercase:(title)")
            note.derived("parentTitle", .stringAttributeType, "parent.title")
        }
        return NSManagedObjectModel(note)
    }

    private func open() throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NotebookStore.storeType, configurationName: nil, at: url)
        context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
    }

    private var store: NSAtomicStore? { coordinator.persistentStores.first as? NSAtomicStore }

    private func note(_ title: String, in parent: NSManagedObject? = nil) -> NSManagedObject {
        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
        note.setValue(title, forKey: "title")
        note.setValue(parent, forKey: "parent")
        return note
    }

    private func find(_ title: String) throws -> NSManagedObject? {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        request.predicate = NSPredicate(format: "title == %@", title)
        return try context.fetch(request).first
    }

    @Test("saved objects are there in the next launch, with relationships between new objects")
    func launch() throws {
        let root = note("Root")
        let leaf = note("Leaf", in: note("Branch", in: root))
        try context.save()
        #expect(!leaf.objectID.isTemporaryID)
        try open()
        let found = try #require(try find("Leaf"))
        #expect((found.value(forKeyPath: "parent.parent.title")) as? String == "Root")
        #expect((try find("Root")?.value(forKey: "children") as? NSSet)?.count == 1)
    }

    @Test("the store names new objects, and knows nodes and objects by these names")
    func references() throws {
        let root = note("Root")
        try context.save()
        let store = try #require(store)
        let reference = try #require(store.referenceObject(for: root.objectID) as? String)
        #expect(UUID(uuidString: reference) != nil)
        #expect(store.objectID(for: root.entity, withReferenceObject: reference) == root.objectID)
        #expect(store.cacheNode(for: root.objectID)?.value(forKey: "title") as? String == "Root")
        #expect(store.cacheNodes().map(\.objectID) == [root.objectID])
    }

    @Test("nodes follow changes and deletions; those that go are announced while they are there")
    func changes() throws {
        let root = note("Root")
        let leaf = note("Leaf", in: root)
        try context.save()
        root.setValue("Trunk", forKey: "title")
        let id = leaf.objectID
        context.delete(leaf)
        try context.save()
        #expect(store?.cacheNode(for: root.objectID)?.value(forKey: "title") as? String == "Trunk")
        #expect(store?.cacheNode(for: id) == nil)
        #expect(NotebookStore.removed == ["Leaf"])
        try open()
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Note")) == 1)
        #expect(try find("Trunk") != nil)
    }

    @Test("a save that the store refuses leaves its nodes and rows as they were, and can be repeated")
    func refusal() throws {
        let root = note("Root")
        try context.save()
        root.setValue("Changed", forKey: "title")
        let leaf = note("Leaf", in: root)
        NotebookStore.refusesToSave = true
        let error = #expect(throws: CocoaError.self) { try context.save() }
        #expect(error?.code == .fileWriteUnknown)
        #expect(store?.cacheNodes().count == 1)
        #expect(store?.cacheNode(for: root.objectID)?.value(forKey: "title") as? String == "Root")
        let other = NSManagedObjectContext(concurrencyType: .confined)
        other.persistentStoreCoordinator = coordinator
        #expect(other.object(with: root.objectID).value(forKey: "title") as? String == "Root")
        NotebookStore.refusesToSave = false
        try context.save()
        #expect(leaf.hasChanges == false)
        try open()
        #expect(try find("Leaf")?.value(forKeyPath: "parent.title") as? String == "Changed")
    }

    @Test("a file that cannot be read is the error of adding the store")
    func damaged() throws {
        try Data("nonsense".utf8).write(to: url)
        #expect(throws: (any Error).self) { try open() }
        #expect(coordinator.persistentStores.isEmpty)
    }

    @Test("the built-in stores have nodes, too, with the values of their rows")
    func builtIn() throws {
        let shop = try Bookshop(in: .xml)
        let book = shop.book("Dune")
        let tag = shop.tag("desert")
        book.tags = [tag]
        try shop.context.save()
        let store = try #require(shop.stack.store as? NSAtomicStore)
        let node = try #require(store.cacheNode(for: book.objectID))
        #expect(node.value(forKey: "title") as? String == "Dune")
        let tags = try #require(node.value(forKey: "tags") as? NSSet)
        #expect(tags.contains(try #require(store.cacheNode(for: tag.objectID))))
        #expect(store.cacheNodes().count == 2)
        let reference = store.referenceObject(for: book.objectID)
        #expect(store.objectID(for: book.entity, withReferenceObject: reference) == book.objectID)
    }

    @Test("a store of any kind can be migrated to a custom one, and back", arguments: StoreKind.all)
    func migration(kind: StoreKind) throws {
        let stack = try Stack(kind, model)
        let root = NSEntityDescription.insertNewObject(forEntityName: "Note", into: stack.context)
        root.setValue("Root", forKey: "title")
        for title in ["One", "Two"] {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: stack.context)
            note.setValue(title, forKey: "title")
            note.setValue(root, forKey: "parent")
        }
        try stack.context.save()
        if !kind.isPersistent {
            try FileManager.default.createDirectory(at: stack.folder, withIntermediateDirectories: true)
        }
        let notebook = try stack.coordinator.migratePersistentStore(
            stack.store, to: url, options: nil, withType: NotebookStore.storeType)
        #expect(try titles(stack) == ["One in Root", "Root in nothing", "Two in Root"])
        #expect(notebook is NotebookStore)
        // The next launch has only the file.
        let other = NSPersistentStoreCoordinator(managedObjectModel: model)
        let again =
            try other.addPersistentStore(
                ofType: NotebookStore.storeType, configurationName: nil, at: url) as? NSAtomicStore
        #expect(again?.cacheNodes().count == 3)
        try stack.coordinator.migratePersistentStore(
            notebook, to: kind.place(stack.folder.appending(path: "Back.store")), options: nil, withType: kind.type)
        #expect(try titles(stack) == ["One in Root", "Root in nothing", "Two in Root"])
        #expect(stack.store.type == kind.type)
    }

    private func titles(_ stack: Stack) throws -> [String] {
        let context = stack.newContext()
        let notes = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
        return withExtendedLifetime(context) {
            notes.map { note in
                let parent = note.value(forKeyPath: "parent.title") as? String
                return "\(note.value(forKey: "title") as? String ?? "") in \(parent ?? "nothing")"
            }.sorted()
        }
    }

    @Test("nodes have the derived attributes that a save computes, of objects that it did not change too")
    func derived() throws {
        let model = Self.makeModel(derived: true)
        let note = model.entities[0]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let place = url.appendingPathExtension("derived")
        defer { try? FileManager.default.removeItem(at: place) }
        let store =
            try coordinator.addPersistentStore(
                ofType: NotebookStore.storeType, configurationName: nil, at: place) as? NSAtomicStore
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        let (root, leaf) = (
            NSManagedObject(entity: note, insertInto: context), NSManagedObject(entity: note, insertInto: context)
        )
        root.setValue("Root", forKey: "title")
        leaf.setValue("Leaf", forKey: "title")
        leaf.setValue(root, forKey: "parent")
        try context.save()
        func value(_ key: String) -> String? { store?.cacheNode(for: leaf.objectID)?.value(forKey: key) as? String }
        #expect(value("lower") == "leaf")
        #expect(value("parentTitle") == "Root")
        NotebookStore.refusesToSave = true
        root.setValue("New", forKey: "title")
        #expect(throws: (any Error).self) { try context.save() }
        #expect(value("parentTitle") == "Root")
        NotebookStore.refusesToSave = false
        try context.save()
        #expect(value("parentTitle") == "New")
    }
}
