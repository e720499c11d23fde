// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which values the nodes of a user's atomic store may have when it is loaded.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Decided by `load()` of a subclass of `NSAtomicStore` that sets relationships of its nodes.
@Suite("Nodes that an atomic store loads", .serialized, .tags(.assumed)) struct AtomicNodeSpecification {
    private let coordinator: NSPersistentStoreCoordinator
    private let context = NSManagedObjectContext(concurrencyType: .confined)

    init() {
        NSPersistentStoreCoordinator.registerStoreClass(GivenStore.self, forStoreType: GivenStore.storeType)
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: LinkedThings.model())
        context.persistentStoreCoordinator = coordinator
    }

    /// Opens a store with the things o, a and b.
    private func open(_ relate: @escaping ([String: NSAtomicStoreCacheNode]) -> Void) throws -> [String: LinkedThing] {
        GivenStore.relate = relate
        let url = FileManager.default.temporaryDirectory.appending(path: "Given-\(UUID().uuidString)")
        try coordinator.addPersistentStore(ofType: GivenStore.storeType, configurationName: nil, at: url)
        return try LinkedThings.byLabel(in: context)
    }

    private func labels(_ thing: LinkedThing?, _ key: String) -> [String] { thing?.things(key).map(\.label) ?? [] }

    @Test("members are sets, lists or ordered sets, of nodes or of ids")
    func forms() throws {
        let things = try open { nodes in
            guard let (o, a, b) = GivenStore.three(nodes) else { return }
            o.setValue(NSSet(array: [a, b]), forKey: "peers")
            a.setValue(Set([a]), forKey: "peers")
            o.setValue(NSOrderedSet(array: [b, a]), forKey: "likes")
            a.setValue([b.objectID, o.objectID], forKey: "likes")
            b.setValue(Set([b.objectID]), forKey: "fans")
        }
        #expect(labels(things["o"], "peers").sorted() == ["a", "b"])
        #expect(labels(things["a"], "peers").sorted() == ["a", "o"])
        #expect(labels(things["o"], "likes") == ["b", "a"])
        #expect(labels(things["a"], "likes") == ["b", "o"])
        #expect(labels(things["b"], "likes") == ["b"])
        let halfLinks = LinkedThings.halfLinks(of: Array(things.values))
        #expect(halfLinks.isEmpty)
    }

    @Test("members of a one-to-many that only the owner's node has are not lost")
    func ownersAlone() throws {
        let things = try open { nodes in
            guard let (o, a, b) = GivenStore.three(nodes) else { return }
            o.setValue(NSSet(array: [a]), forKey: "children")
            o.setValue(NSOrderedSet(array: [b, a]), forKey: "items")
            // The to-one is what counts where both ends are given.
            a.setValue(NSSet(array: [b]), forKey: "children")
            b.setValue(o, forKey: "parent")
        }
        #expect(labels(things["o"], "children").sorted() == ["a", "b"])
        #expect(labels(things["o"], "items") == ["b", "a"])
        #expect(labels(things["a"], "children").isEmpty)
        let halfLinks = LinkedThings.halfLinks(of: Array(things.values))
        #expect(halfLinks.isEmpty)
    }

    @Test(
        "values that a relationship cannot have are an error with the property",
        arguments: [("peers", 0), ("peers", 1), ("likes", 2), ("twin", 0), ("label", 0)])
    func wrong(key: String, form: Int) throws {
        let error = #expect(throws: CocoaError.self) {
            try open { nodes in
                let values: [Any] = [key == "label" ? 7 : "x", NSSet(array: ["x"]), ["x", "y"]]
                nodes["o"]?.setValue(values[form], forKey: key)
            }
        }
        #expect(error?.code == .fileReadCorruptFile)
        #expect(error?.localizedDescription.contains("Thing.\(key)") == true)
        #expect(coordinator.persistentStores.isEmpty)
    }

    @Test("an object that is a member of two owners of a one-to-many is an error")
    func twoOwners() throws {
        let error = #expect(throws: CocoaError.self) {
            try open { nodes in
                guard let (o, a, b) = GivenStore.three(nodes) else { return }
                o.setValue(NSSet(array: [b]), forKey: "children")
                a.setValue(NSSet(array: [b]), forKey: "children")
            }
        }
        #expect(error?.localizedDescription.contains("Thing.children") == true)
    }

    @Test("a store that does not ask for deletions, and nodes with dictionaries of their own")
    func plainNodes() throws {
        let things = try open { _ in }
        let store = try #require(coordinator.persistentStores.first as? NSAtomicStore)
        let o = try #require(things["o"])
        let node = try #require(store.cacheNode(for: o.objectID))
        #expect(node.description == "<NSAtomicStoreCacheNode \(o.objectID)>")
        context.delete(o)
        try context.save()
        #expect(store.cacheNodes().count == 2)
        let shop = try Bookshop(in: .binary)
        let book = shop.book("Dune")
        try shop.context.save()
        let row = try #require((shop.stack.store as? NSAtomicStore)?.cacheNode(for: book.objectID))
        row.propertyCache = NSMutableDictionary(dictionary: ["title": "Mine"])
        #expect(row.value(forKey: "title") as? String == "Mine")
        #expect(row.value(forKey: "pages") == nil)
        #expect(try shop.titles(Book.request()) == ["Dune"])
    }
}

/// Things o, a and b, with the relationships that a test gives them.
private final class GivenStore: NSAtomicStore {
    static let storeType = "Given"
    nonisolated(unsafe) static var relate: (([String: NSAtomicStoreCacheNode]) -> Void)?

    static func three(_ nodes: [String: NSAtomicStoreCacheNode])
        -> (NSAtomicStoreCacheNode, NSAtomicStoreCacheNode, NSAtomicStoreCacheNode)?
    {
        guard let o = nodes["o"], let a = nodes["a"], let b = nodes["b"] else { return nil }
        return (o, a, b)
    }

    override var type: String { Self.storeType }

    override func loadMetadata() throws { metadata = [NSStoreTypeKey: type, NSStoreUUIDKey: UUID().uuidString] }

    override func load() throws {
        guard let entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName["Thing"] else { return }
        var nodes: [String: NSAtomicStoreCacheNode] = [:]
        for label in ["o", "a", "b"] {
            let node = NSAtomicStoreCacheNode(objectID: objectID(for: entity, withReferenceObject: label))
            node.setValue(label, forKey: "label")
            nodes[label] = node
        }
        Self.relate?(nodes)
        addCacheNodes(Set(nodes.values))
    }

    override func save() throws {}

    override func newReferenceObject(for managedObject: NSManagedObject) -> Any { UUID().uuidString }
}
