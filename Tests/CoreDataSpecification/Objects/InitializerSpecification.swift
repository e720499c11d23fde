// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which initializers subclasses of the managed object may have, and that every creation of an object calls them.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Overrides the designated initializer, and has stored properties.
class Note: NSManagedObject {
    private(set) var steps: [String] = ["default"]
    var name: String? { value(forKey: "name") as? String }

    override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
        steps.append("override")
    }

    convenience init(name: String, context: NSManagedObjectContext) {
        self.init(context: context)
        setValue(name, forKey: "name")
        steps.append("convenience")
    }
}

/// Inherits both initializers.
class Remark: Note {
    var length = 7
}

/// A private override, with an initializer of the same name as the framework's.
final class Label: NSManagedObject {
    private(set) var isMadeHere = false
    private(set) var calls = 0

    private override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
        calls += 1
    }

    convenience init(context: NSManagedObjectContext) {
        self.init(entity: NSEntityDescription.entity(forEntityName: "Label", in: context)!, insertInto: context)
        isMadeHere = true
    }
}

/// Declares a designated initializer, and does not override the framework's.
final class Stamp: NSManagedObject {
    let colour: String

    init(colour: String, context: NSManagedObjectContext) {
        self.colour = colour
        super.init(entity: NSEntityDescription.entity(forEntityName: "Stamp", in: context)!, insertInto: context)
    }
}

/// `required` is unnecessary but harmless.
class Memo: NSManagedObject {
    private(set) var calls = 0

    required override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
        calls += 1
    }
}

/// A generic class, and one that fixes its type.
class Box<Content>: NSManagedObject {
    var contents: [Content] = []
    private(set) var calls = 0

    override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
        calls += 1
    }
}

final class NumberBox: Box<Int> {
    var limit = 3
}

/// Makes another object before it calls super.
final class Pair: NSManagedObject {
    let other: NSManagedObject

    override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        other = NSManagedObject(entity: entity, insertInto: nil)
        super.init(entity: entity, insertInto: context)
    }
}

/// Reads a property in its initializer.
final class Eager: NSManagedObject {
    private(set) var seen: String?

    override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
        seen = value(forKey: "name") as? String
    }
}

@Suite("Initializers of subclasses") struct InitializerSpecification {
    private static let classes: [NSManagedObject.Type] = [
        Note.self, Remark.self, Label.self, Stamp.self, Memo.self, NumberBox.self, Pair.self, Eager.self,
    ]

    private static func stack(_ store: StoreKind) throws -> Stack {
        try Stack(store, NamedModel.make(classes: classes))
    }

    /// The only object of a class.
    ///
    /// - Parameter context: a context in which the object is not registered.
    private func only<T: NSManagedObject>(_ type: T.Type, in context: NSManagedObjectContext) throws -> T {
        try #require(try context.fetch(NSFetchRequest<T>(entityName: String(describing: type))).first)
    }

    @Test("an override is called for insertions and for faults", arguments: StoreKind.all)
    func overrides(store: StoreKind) throws {
        let stack = try Self.stack(store)
        #expect(Note(context: stack.context).steps == ["default", "override"])
        let made = NSEntityDescription.insertNewObject(forEntityName: "Remark", into: stack.context)
        #expect((made as? Remark)?.steps == ["default", "override"])
        #expect((made as? Remark)?.length == 7)
        made.setValue("r", forKey: "name")
        try stack.context.save()
        let reader = stack.newContext()
        let fetched = try only(Remark.self, in: reader)
        #expect(fetched.steps == ["default", "override"])
        #expect(fetched.isFault)
        #expect(fetched.name == "r")
        let other = stack.newContext()
        #expect((other.object(with: made.objectID) as? Remark)?.steps == ["default", "override"])
    }

    @Test("a convenience initializer is inherited with the override", arguments: StoreKind.all)
    func convenience(store: StoreKind) throws {
        let stack = try Self.stack(store)
        let remark = Remark(name: "a", context: stack.context)
        #expect(remark.steps == ["default", "override", "convenience"])
        #expect(remark.entity.name == "Remark")
        try stack.context.save()
        let reader = stack.newContext()
        #expect(try only(Remark.self, in: reader).name == "a")
    }

    @Test(
        "a class may have an initializer with the name of the framework's, and a private override",
        arguments: StoreKind.all)
    func sameName(store: StoreKind) throws {
        let stack = try Self.stack(store)
        let label = Label(context: stack.context)
        #expect(label.isMadeHere && label.calls == 1)
        try stack.context.save()
        let reader = stack.newContext()
        let fetched = try only(Label.self, in: reader)
        #expect(!fetched.isMadeHere && fetched.calls == 1)
    }

    @Test("`required` overrides and generic classes are made as others are", arguments: StoreKind.all)
    func others(store: StoreKind) throws {
        let stack = try Self.stack(store)
        #expect(Memo(context: stack.context).calls == 1)
        #expect(NumberBox(context: stack.context).limit == 3)
        try stack.context.save()
        let reader = stack.newContext()
        #expect(try only(Memo.self, in: reader).calls == 1)
        let box = try only(NumberBox.self, in: reader)
        #expect(box.calls == 1 && box.limit == 3 && box.contents.isEmpty)
    }

    @Test("an initializer may make other objects before it calls super", arguments: StoreKind.all)
    func nested(store: StoreKind) throws {
        let stack = try Self.stack(store)
        let pair = Pair(context: stack.context)
        pair.setValue("p", forKey: "name")
        try stack.context.save()
        let reader = stack.newContext()
        let fetched = try only(Pair.self, in: reader)
        #expect(fetched.objectID == pair.objectID)
        #expect(fetched.value(forKey: "name") as? String == "p")
        #expect(fetched.other.managedObjectContext == nil)
        #expect(fetched.other.objectID.isTemporaryID)
        #expect(fetched.other !== fetched)
    }

    @Test("an initializer may read properties of a fault", arguments: StoreKind.all)
    func eager(store: StoreKind) throws {
        let stack = try Self.stack(store)
        let eager = Eager(context: stack.context)
        #expect(eager.seen == nil)
        eager.setValue("e", forKey: "name")
        try stack.context.save()
        let reader = stack.newContext()
        #expect(try only(Eager.self, in: reader).seen == "e")
    }

    @Test("a class known only at run time makes its own objects", arguments: StoreKind.all)
    func metatypes(store: StoreKind) throws {
        let stack = try Self.stack(store)
        func make<T: NSManagedObject>(_ type: T.Type) -> T { T(context: stack.context) }
        func makeOf<T: NSManagedObject>(_ type: T.Type, _ entity: NSEntityDescription) -> T {
            T(entity: entity, insertInto: stack.context)
        }
        let type: NSManagedObject.Type = Remark.self
        let entity = try #require(NSEntityDescription.entity(forEntityName: "Remark", in: stack.context))
        #expect((make(Remark.self) as Remark).length == 7)
        #expect((type.init(context: stack.context) as? Remark)?.steps == ["default", "override"])
        #expect((type.init(entity: entity, insertInto: stack.context) as? Remark)?.length == 7)
        #expect(makeOf(Remark.self, entity).length == 7)
        #expect(stack.context.insertedObjects.count == 4)
    }

    @Test("a class may have only a new designated initializer", arguments: StoreKind.all)
    func ownDesignated(store: StoreKind) throws {
        let stack = try Self.stack(store)
        let stamp = Stamp(colour: "red", context: stack.context)
        stamp.setValue("s", forKey: "name")
        try stack.context.save()
        #expect(stamp.colour == "red" && !stamp.hasChanges)
    }

    @Test("of objects that the framework cannot make stop the program with the name of the class")
    func unimplemented() async {
        await #expect(processExitsWith: .failure) {
            let stack = try Self.stack(.inMemory)
            _ = Stamp(colour: "red", context: stack.context)
            try stack.context.save()
            _ = try stack.newContext().fetch(NSFetchRequest<Stamp>(entityName: "Stamp"))
        }
    }
}
