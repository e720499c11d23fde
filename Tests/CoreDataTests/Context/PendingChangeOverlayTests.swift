// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The overlay of unsaved changes as a value: objects and a fetch in, objects out; no context and no store.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// The owner that tables need, in place of a context. It is never called here.
private final class StandIn: ObjectOwner {
    var queueTest: @Sendable () -> Bool { { true } }

    func realize(_ object: NSManagedObject, for key: String?) {}
    func realizeAll(_ objects: [NSManagedObject]) {}
    func object(at reference: Reference, from source: NSManagedObject) -> NSManagedObject { source }
    func registeredObject(at reference: Reference, from source: NSManagedObject) -> NSManagedObject? { nil }
    func storedMembers(of slot: Int, in object: NSManagedObject) -> [NSManagedObject]? { nil }
    func largeData(at slot: Int, of object: NSManagedObject) -> Any? { nil }
    func entity(of type: NSManagedObject.Type) -> NSEntityDescription { NSEntityDescription() }
    func insertionTable(of entity: NSEntityDescription) -> Uncounted<ObjectTable> { preconditionFailure("unused") }
    func enter(_ object: NSManagedObject) {}
    func willChange(_ object: NSManagedObject) {}
    func updateToNewestRow(_ object: NSManagedObject, losing other: NSManagedObject) {}
    func learnKeys() {}
    func checkOwnership(of object: NSManagedObject?) {}
    func fetchedValue(_ property: NSFetchedPropertyDescription, for object: NSManagedObject) -> [NSManagedObject] { [] }
}

@Suite("The overlay of unsaved changes") struct PendingChangeOverlayTests {
    private let coordinator: NSPersistentStoreCoordinator
    private let owner = StandIn()
    private let registry: ObjectRegistry

    init() {
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: EmployeesModel.make())
        registry = ObjectRegistry(model: coordinator.model, owner: owner)
    }

    /// An object with a changed name.
    private func object(_ entity: String, _ name: String) throws -> NSManagedObject {
        let layout = try #require(coordinator.model.layout(named: entity))
        let row = Snapshot.make(layout)
        row.setValue(name, try #require(layout.slot("name")))
        let object = registry.table(layout.index, nil).makeFault(TemporaryKey.next(), row: row)
        object.flags.remove(.fault)
        object.flags.insert(.updated)
        return object
    }

    private func overlay(
        _ objects: [NSManagedObject], subentities: Bool = true, _ format: String? = nil,
        isAsked: (NSManagedObject) -> Bool = { _ in true }
    ) throws -> PendingChangeOverlay? {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Employee")
        request.includesSubentities = subentities
        if let format { request.predicate = NSPredicate(format: format) }
        return PendingChangeOverlay(
            ContiguousArray(objects), over: try request.bound(in: coordinator), in: registry, isAsked: isAsked)
    }

    @Test("there is no overlay without a changed object of the entity") func nothing() throws {
        let unchanged = try object("Employee", "a")
        unchanged.flags.remove(.updated)
        #expect(try overlay([]) == nil)
        #expect(try overlay([try object("Department", "a"), unchanged]) == nil)
    }

    @Test("changed objects that match now come in, in the order in which they were changed") func matching() throws {
        let objects = try ["b", "x", "a", "b"].map { try object("Employee", $0) }
        let found = try #require(try overlay(objects, "name IN {'a', 'b'}"))
        #expect(found.count == 4)
        #expect(try found.matching().map { $0.value(forKey: "name") as? String } == ["b", "a", "b"])
    }

    @Test("a change that no longer matches hides its row and does not come in") func changedAway() throws {
        let changed = try object("Employee", "x")
        let found = try #require(try overlay([changed], "name == 'a'"))
        #expect(found.hides(changed))
        #expect(found.hides(ObjectKey(changed.table.layout.index, changed.key), nil))
        #expect(try found.matching().isEmpty)
        #expect(found.present == [changed])
    }

    @Test("a deleted object hides its row and does not come in") func deleted() throws {
        let deleted = try object("Employee", "a")
        deleted.flags.insert(.deleted)
        let found = try #require(try overlay([deleted]))
        #expect(found.hides(deleted))
        #expect(try found.matching().isEmpty)
        #expect(found.present.isEmpty)
    }

    @Test("an object without changes does not hide its row") func unchanged() throws {
        let unchanged = try object("Employee", "a")
        unchanged.flags.remove(.updated)
        let found = try #require(try overlay([try object("Employee", "b")]))
        #expect(!found.hides(unchanged))
    }

    @Test("objects of subentities count where the request includes them") func subentities() throws {
        let objects = [try object("Manager", "a"), try object("Employee", "b")]
        #expect(try overlay(objects)?.count == 2)
        #expect(try overlay(objects, subentities: false)?.matching() == [objects[1]])
    }

    @Test("objects of stores that are not asked do not count") func stores() throws {
        let objects = [try object("Employee", "here"), try object("Employee", "elsewhere")]
        let found = try overlay(objects) { $0 === objects[0] }
        #expect(try found?.matching() == [objects[0]])
        #expect(try overlay(objects) { _ in false } == nil)
    }
}
