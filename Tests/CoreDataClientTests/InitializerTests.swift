// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Initializers and subclasses that Apple's classes allow because they are Objective-C's, as apps write them.

import CoreData
import Testing

final class AuditingContext: NSManagedObjectContext, @unchecked Sendable {
    private(set) var saves = 0

    override func save() throws {
        saves += 1
        try super.save()
    }
}

final class Sorter: ValueTransformer {
    let separator: String

    init(separator: String) {
        self.separator = separator
        super.init()
    }

    override func transformedValue(_ value: Any?) -> Any? {
        (value as? [String])?.sorted().joined(separator: separator)
    }
}

final class Doubler: ValueTransformer {
    override func transformedValue(_ value: Any?) -> Any? { (value as? Int).map { 2 * $0 } }
}

final class NamedCoordinator: NSPersistentStoreCoordinator, @unchecked Sendable {
    var isOurs = true
}

extension NSPersistentStoreCoordinator {
    static func empty(named name: String) -> Self {
        let coordinator = self.init(managedObjectModel: NSManagedObjectModel())
        coordinator.name = name
        return coordinator
    }

    convenience init(entities: [NSEntityDescription]) {
        let model = NSManagedObjectModel()
        model.entities = entities
        self.init(managedObjectModel: model)
    }
}

extension NSPersistentContainer {
    static func empty() -> Self { self.init(name: "Empty", managedObjectModel: NSManagedObjectModel()) }
}

extension NSAttributeDescription {
    static func text(_ name: String) -> Self {
        let attribute = self.init()
        attribute.name = name
        attribute.attributeType = .stringAttributeType
        return attribute
    }
}

extension NSManagedObjectContext {
    convenience init(child parent: NSManagedObjectContext) {
        self.init(concurrencyType: .privateQueueConcurrencyType)
        self.parent = parent
    }
}

extension NSManagedObject {
    static func insert(into context: NSManagedObjectContext) -> Self { Self(context: context) }
}

@Suite("Initializers as apps use them") struct InitializerTests {
    @available(*, deprecated)
    @Test("a context without a type is confined") func plain() {
        let context = NSManagedObjectContext()
        #expect(context.concurrencyType == .confinementConcurrencyType)
        context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
        #expect(!context.hasChanges)
    }

    @Test("a context can be subclassed") func contextSubclass() throws {
        let shelf = try Shelf()
        let context = AuditingContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = shelf.container.persistentStoreCoordinator
        try context.performAndWait {
            _ = Book(context: context)
            try (context as NSManagedObjectContext).save()
        }
        #expect(context.saves == 1)
        #expect(NSManagedObjectContext(child: context).parent === context)
    }

    @Test("conflicts and policies can be made without arguments") func conflicts() {
        #expect(NSConstraintConflict().constraint.isEmpty)
        #expect(NSConstraintConflict().conflictingObjects.isEmpty)
        #expect(NSMergeConflict().newVersionNumber == 0)
        #expect(NSMergePolicy().mergeType == .errorMergePolicyType)
        #expect(NSFetchIndexDescription().elements.isEmpty)
        #expect(NSSaveChangesRequest().insertedObjects == nil)
    }

    @Test("coordinators, containers and descriptions are made by `self.init` in extensions") func extensions() {
        let coordinator = NamedCoordinator.empty(named: "a")
        #expect(coordinator.isOurs && coordinator.name == "a")
        #expect(NSPersistentStoreCoordinator(entities: []).persistentStores.isEmpty)
        #expect(NSPersistentContainer.empty().name == "Empty")
        #expect(NSAttributeDescription.text("t").name == "t")
        #expect(NSDerivedAttributeDescription.text("t").attributeType == .stringAttributeType)
    }

    @Test("a managed object makes itself in a static function") func ownFactory() throws {
        let shelf = try Shelf()
        let context = shelf.container.newBackgroundContext()
        let isBook = context.performAndWait { type(of: Book.insert(into: context)) == Book.self }
        #expect(isBook)
    }

    @Test("a transformer may have another initializer, and one is made by its name") func transformers() {
        #expect(Sorter(separator: "-").transformedValue(["b", "a"]) as? String == "a-b")
        let made = ValueTransformer(forName: NSValueTransformerName("CoreDataClientTests.Doubler"))
        #expect(made?.transformedValue(2) as? Int == 4)
        let type: ValueTransformer.Type = Doubler.self
        #expect(type.init() is Doubler)
    }
}
