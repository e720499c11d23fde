// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Classes as a generator writes them read and write like key-value coding, under any model.

import CoreDataTestSupport
import Foundation
import Observation
import Synchronization
import Testing

@testable import CoreData

@Suite("Generated classes") struct GeneratedAccessTests {
    private static func model(
        badge: NSAttributeType = .integer64AttributeType, extra: Bool = false, subclass: Bool = true
    ) -> NSManagedObjectModel {
        let thing = NSEntityDescription("Thing", class: Thing.self)
        thing.attribute("badge", badge)
        thing.attribute("day", .dateAttributeType)
        thing.attribute("isOn", .booleanAttributeType)
        thing.attribute("name", .stringAttributeType)
        thing.attribute("photo", .binaryDataAttributeType)
        thing.attribute("weight", .floatAttributeType)
        thing.attribute("worth", .doubleAttributeType)
        if extra { thing.attribute("colour", .stringAttributeType) }
        thing.relate("owner", .one, to: thing, inverse: "parts", .many)
        let tool = NSEntityDescription("Tool", class: subclass ? Tool.self : Thing.self)
        tool.attribute("angle", .doubleAttributeType)
        thing.subentities = [tool]
        return NSManagedObjectModel(thing, tool)
    }

    private func fill(_ thing: Thing, owner: Thing) {
        thing.badge = 7
        thing.day = Date(timeIntervalSinceReferenceDate: 1000)
        thing.isOn = true
        thing.name = "A name that is longer than fifteen bytes"
        thing.photo = Data([1, 2, 3])
        thing.weight = 0.1
        thing.worth = 2.5
        thing.owner = owner
    }

    private func check(_ thing: Thing, owner: Thing) {
        #expect(thing.badge == 7)
        #expect(thing.day == Date(timeIntervalSinceReferenceDate: 1000))
        #expect(thing.isOn)
        #expect(thing.name == "A name that is longer than fifteen bytes")
        #expect(thing.photo == Data([1, 2, 3]))
        #expect(thing.weight == 0.1)
        #expect(thing.worth == 2.5)
        #expect(thing.owner === owner)
        #expect(owner.parts?.contains(thing) == true)
        #expect(thing.value(forKey: "badge") as? Int64 == 7)
        #expect(thing.value(forKey: "name") as? String == thing.name)
        #expect(thing.value(forKey: "weight") as? Float == 0.1)
    }

    @Test("equal key-value coding, saved, as faults and after a rollback", arguments: StoreKind.all)
    func agreement(kind: StoreKind) throws {
        let stack = try Stack(kind, Self.model())
        let context = stack.context
        let (thing, owner) = (Thing(context: context), Thing(context: context))
        #expect(thing.flags.contains(.slotsMatch))
        #expect(thing.badge == 0 && thing.name == nil && thing.day == nil && thing.owner == nil && thing.photo == nil)
        fill(thing, owner: owner)
        check(thing, owner: owner)
        try context.save()
        check(thing, owner: owner)
        context.refreshAllObjects()
        #expect(thing.isFault)
        #expect(thing.badge == 7)
        check(thing, owner: owner)
        thing.name = nil
        thing.badge = 8
        thing.owner = nil
        #expect(thing.changedValues().keys.sorted() == ["badge", "name", "owner"])
        #expect(thing.name == nil && owner.parts?.count == 0)
        context.rollback()
        check(thing, owner: owner)
        context.delete(thing)
        try context.save()
        context.undoManager = UndoManager()
        let other = Thing(context: context)
        context.processPendingChanges()
        fill(other, owner: owner)
        context.undo()
        context.redo()
        check(other, owner: owner)
        #expect(other.flags.contains(.slotsMatch))
    }

    @Test(
        "of a superentity serve objects of subentities, with and without a subclass",
        arguments: [true, false])
    func inheritance(subclass: Bool) throws {
        let stack = try Stack(.inMemory, Self.model(subclass: subclass))
        let entity = try #require(stack.model.entitiesByName["Tool"])
        let type = subclass ? Tool.self : Thing.self
        let tool = type.init(entity: entity, insertInto: stack.context)
        #expect(tool.flags.contains(.slotsMatch))
        fill(tool, owner: tool)
        check(tool, owner: tool)
        (tool as? Tool)?.angle = 4.5
        #expect((tool as? Tool)?.angle == (subclass ? 4.5 : nil))
        #expect(tool.value(forKey: "angle") as? Double == (subclass ? 4.5 : nil))
    }

    @Test("go by name where the model has other properties, or others kinds of them")
    func otherModel() throws {
        let more = try Stack(.inMemory, Self.model(extra: true))
        let thing = Thing(context: more.context)
        #expect(!thing.flags.contains(.slotsMatch))
        fill(thing, owner: thing)
        check(thing, owner: thing)
        #expect(thing.value(forKey: "colour") == nil)

        let text = try Stack(.inMemory, Self.model(badge: .stringAttributeType))
        let other = Thing(context: text.context)
        #expect(!other.flags.contains(.slotsMatch))
        other.setValue("seven", forKey: "badge")
        #expect(other.badge == 0)
        other.worth = 2.5
        #expect(other.value(forKey: "worth") as? Double == 2.5)
    }

    @Test("sets of members are sets like any other, in the requested class", arguments: StoreKind.all)
    func setsOfMembers(kind: StoreKind) throws {
        let stack = try Stack(kind, Self.model())
        let context = stack.context
        let owner = Thing(context: context)
        let entity = try #require(stack.model.entitiesByName["Tool"])
        for number in 0..<300 {
            let part = Tool(entity: entity, insertInto: context)
            (part.badge, part.owner) = (number, owner)
        }
        try context.save()
        context.refreshAllObjects()
        var tools: Set<Tool> = try #require(owner._members(5, "parts"))
        #expect(tools.count == 300)
        #expect(Set(tools.map(\.badge)) == Set(0..<300))
        let more = (0..<600).map { _ in Tool(entity: entity, insertInto: context) }
        tools.formUnion(more)
        tools.subtract(tools.filter { $0.badge == 7 })
        #expect(tools.count == 899)
        #expect(tools.isSuperset(of: more))
        #expect((tools as Any as? Set<NSManagedObject>)?.count == 899)
        let things: Set<Thing> = try #require(owner._members(5, "parts"))
        #expect(things.count == 300)
        #expect(things.isSuperset(of: things.filter { tools.contains($0 as? Tool ?? more[0]) }))
        #expect(Set(things.compactMap { $0 as? Tool }).subtracting(tools).map(\.badge) == [7])
    }

    @Test("a member of another class than the property says stops the program") func wrongMember() async {
        await #expect(processExitsWith: .failure) {
            let stack = try Stack(.inMemory, Self.model())
            let (part, owner) = (Thing(context: stack.context), Thing(context: stack.context))
            part.owner = owner
            let _: Set<Tool>? = owner._members(5, "parts")
        }
    }

    @Test("signatures end at the end of a property")
    func signature() throws {
        let stack = try Stack(.inMemory, Self.model())
        let thing = Thing(context: stack.context)
        let signature = SlotSignature(thing.table.layout)
        #expect(signature.text == "badge:i day:t isOn:b name:s owner:r parts:m photo:x weight:f worth:d")
        #expect(signature.begins(with: "badge:i day:t"))
        #expect(!signature.begins(with: "badge:i da"))
        #expect(!signature.begins(with: "badge:i day:t isOn:i"))
        #expect(!signature.begins(with: ""))
    }

    @Test("report reads and writes to Swift's Observation") func observation() throws {
        let stack = try Stack(.inMemory, Self.model())
        let thing = Thing(context: stack.context)
        try stack.context.save()
        let isTold = Mutex(false)
        withObservationTracking {
            _ = thing.worth
        } onChange: {
            isTold.withLock { $0 = true }
        }
        thing.worth = 3
        #expect(isTold.withLock { $0 })
    }
}

class Thing: NSManagedObject {
    override class var _slots: StaticString { "badge:i day:t isOn:b name:s owner:r parts:m photo:x weight:f worth:d" }

    var badge: Int {
        get { Int(_integer(0, "badge") ?? 0) }
        set { _setInteger(Int64(newValue), 0, "badge") }
    }
    var day: Date? {
        get { _date(1, "day") }
        set { _setDate(newValue, 1, "day") }
    }
    var isOn: Bool {
        get { _boolean(2, "isOn") ?? false }
        set { _setBoolean(newValue, 2, "isOn") }
    }
    var name: String? {
        get { _string(3, "name") }
        set { _setString(newValue, 3, "name") }
    }
    var owner: Thing? {
        get { _destination(4, "owner") }
        set { _setDestination(newValue, 4, "owner") }
    }
    var parts: NSSet? {
        get { _members(5, "parts") }
        set { _setValue(newValue, 5, "parts") }
    }
    var photo: Data? {
        get { _value(6, "photo") }
        set { _setValue(newValue, 6, "photo") }
    }
    var weight: Float {
        get { Float(_double(7, "weight") ?? 0) }
        set { _setFloat(newValue, 7, "weight") }
    }
    var worth: Double {
        get { _double(8, "worth") ?? 0 }
        set { _setDouble(newValue, 8, "worth") }
    }
}

final class Tool: Thing {
    override class var _slots: StaticString {
        "badge:i day:t isOn:b name:s owner:r parts:m photo:x weight:f worth:d angle:d"
    }

    var angle: Double {
        get { _double(9, "angle") ?? 0 }
        set { _setDouble(newValue, 9, "angle") }
    }
}
