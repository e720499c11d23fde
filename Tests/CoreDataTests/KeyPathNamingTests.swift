// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The names of typed key paths of classes without a model in use, and sorting by typed key paths.

import CoreDataFoundation
import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Has the accessors that the build plug-in writes for `@NSManaged` properties. No test makes a model with it.
private class Visitor: NSManagedObject {
    override class var _slots: StaticString { "age:i badge:x guide:r name:s seen:t visits:m" }
    var age: Int64 { _integer(0, "age") ?? 0 }
    var badge: UUID { _value(1, "badge") ?? _missing("badge") }
    var guide: Visitor? { _destination(2, "guide") }
    var host: Visitor { _destination(2, "guide") ?? _missing("guide") }
    var name: String? { _string(3, "name") }
    var seen: Date { _date(4, "seen") ?? _missing("seen") }
    var visits: Set<Visit>? { _members(5, "visits") }
}

private final class Member: Visitor {
    override class var _slots: StaticString { "age:i badge:x guide:r name:s seen:t visits:m number:i" }
    var number: Int16 { _integer(6, "number").flatMap { Int16(exactly: $0) } ?? 0 }
}

private final class Visit: NSManagedObject {
    override class var _slots: StaticString { "day:t" }
    var day: Date { _date(0, "day") ?? _missing("day") }
}

/// Has the accessors that the build plug-in writes for a class that is in none of its models. `ClassListTests` lists
/// it.
class Stranger: NSManagedObject {
    var plain: String?
    var age: Int { Int(truncatingIfNeeded: (_named("age") as NSNumber?)?.int64Value ?? 0) }
    var height: Double? { (_named("height") as NSNumber?)?.doubleValue }
    var isTall: Bool { (_named("isTall") as NSNumber?)?.boolValue ?? false }
    var name: String? { _named("name") }
    var seen: Date { _named("seen") ?? _missing("seen") }
    var badge: UUID? { _named("badge") }
    var photo: Data? { _named("photo") }
    var price: NSDecimalNumber? { _named("price") }
    var friend: Stranger? { _named("friend") }
    var friends: Set<Stranger> { _memberSet("friends") }
    var others: NSSet? { _named("others") }
}

private final class Guest: Stranger {
    var room: Int16 { Int16(truncatingIfNeeded: (_named("room") as NSNumber?)?.int64Value ?? 0) }
}

/// Its accessors use keys.
private final class Meeting: NSManagedObject {
    var title: String? { value(forKey: "name") as? String }
    /// Traps for a missing value, as the accessor of a non-optional property does.
    var day: Date { value(forKey: "day") as! Date }
}

@Suite("Typed key paths know their names") struct KeyPathNamingTests {
    @Test("of the properties of a class that is in no model")
    func withoutModel() {
        #expect(NSExpression(forKeyPath: \Visitor.age).keyPath == "age")
        #expect(NSExpression(forKeyPath: \Visitor.name).keyPath == "name")
        #expect(NSExpression(forKeyPath: \Visitor.seen).keyPath == "seen")
        #expect(NSExpression(forKeyPath: \Visitor.badge).keyPath == "badge")
        #expect(NSExpression(forKeyPath: \Visitor.guide).keyPath == "guide")
        #expect(NSExpression(forKeyPath: \Visitor.visits).keyPath == "visits")
        #expect(NSExpression(forKeyPath: \Member.number).keyPath == "number")
        #expect(NSExpression(forKeyPath: \Member.seen).keyPath == "seen")
    }

    @Test("of a class with accessors by name, because no model of the build plug-in has it")
    func byName() {
        #expect(NSExpression(forKeyPath: \Stranger.age).keyPath == "age")
        #expect(NSExpression(forKeyPath: \Stranger.height).keyPath == "height")
        #expect(NSExpression(forKeyPath: \Stranger.isTall).keyPath == "isTall")
        #expect(NSExpression(forKeyPath: \Stranger.name).keyPath == "name")
        #expect(NSExpression(forKeyPath: \Stranger.seen).keyPath == "seen")
        #expect(NSExpression(forKeyPath: \Stranger.badge).keyPath == "badge")
        #expect(NSExpression(forKeyPath: \Stranger.photo).keyPath == "photo")
        #expect(NSExpression(forKeyPath: \Stranger.price).keyPath == "price")
        #expect(NSExpression(forKeyPath: \Stranger.friend).keyPath == "friend")
        #expect(NSExpression(forKeyPath: \Stranger.friend?.friend?.name).keyPath == "friend.friend.name")
        #expect(NSExpression(forKeyPath: \Stranger.friends).keyPath == "friends")
        #expect(NSExpression(forKeyPath: \Stranger.friend?.friends.count).keyPath == "friend.friends.@count")
        #expect(NSExpression(forKeyPath: \Stranger.others).keyPath == "others")
        #expect(NSExpression(forKeyPath: \Guest.room).keyPath == "room")
        #expect(NSExpression(forKeyPath: \Guest.friend?.seen).keyPath == "friend.seen")
        #expect(NSSortDescriptor(keyPath: \Stranger.name?.count, ascending: true).key == nil)
        #expect(NSSortDescriptor(keyPath: \Stranger.plain, ascending: true).key == nil)
        #expect(generic(\Stranger.age) == "age")
    }

    private func generic<Root, Value>(_ path: KeyPath<Root, Value>) -> String {
        NSExpression(forKeyPath: path).keyPath
    }

    @Test("of paths over to-ones of such a class")
    func chains() {
        #expect(NSExpression(forKeyPath: \Visitor.guide?.name).keyPath == "guide.name")
        #expect(NSExpression(forKeyPath: \Visitor.guide?.guide?.seen).keyPath == "guide.guide.seen")
        #expect(NSExpression(forKeyPath: \Member.host.age).keyPath == "guide.age")
        #expect(NSExpression(forKeyPath: \Visitor.guide?.visits).keyPath == "guide.visits")
        #expect(NSSortDescriptor(keyPath: \Visitor.guide?.name, ascending: true).key == "guide.name")
    }

    @Test("but not of a value that is computed from a property")
    func computed() {
        #expect(NSSortDescriptor(keyPath: \Visitor.name?.count, ascending: true).key == nil)
        #expect(NSSortDescriptor(keyPath: \Visitor.objectID.isTemporaryID.description, ascending: true).key == nil)
    }
}

@Suite("Sorting by typed key paths") struct TypedSortingTests {
    private func meetings() throws -> (stack: Stack, list: [Meeting]) {
        ObjectClasses.register(Meeting.self)
        let stack = try Stack(.sqlite, NamedModel.make(Meeting.self))
        let list = ["late", "none", "early"].map { title in
            let meeting = Meeting(context: stack.context)
            meeting.setValue(title, forKey: "name")
            return meeting
        }
        list[0].setValue(Date(timeIntervalSinceReferenceDate: 2), forKey: "day")
        list[2].setValue(Date(timeIntervalSinceReferenceDate: 1), forKey: "day")
        return (stack, list)
    }

    @Test("a value that is missing comes first, saved or not, though the property is declared as never nil")
    func missingDate() throws {
        let (stack, list) = try meetings()
        let request = NSFetchRequest<Meeting>(entityName: "Meeting")
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Meeting.day, ascending: true)]
        #expect(try stack.context.fetch(request).map(\.title) == ["none", "early", "late"])
        try stack.context.save()
        #expect(try stack.context.fetch(request).map(\.title) == ["none", "early", "late"])
        list[1].setValue("changed", forKey: "name")
        #expect(try stack.context.fetch(request).map(\.title) == ["changed", "early", "late"])
    }

    @Test("Foundation's collections sort by it likewise, in both directions")
    func collections() throws {
        let (stack, list) = try meetings()
        let descriptor = NSSortDescriptor(keyPath: \Meeting.day, ascending: true)
        let reversed = try #require(descriptor.reversedSortDescriptor as? NSSortDescriptor)
        let upwards = NSArray(array: list).sortedArray(using: [descriptor]) as? [Meeting]
        #expect(upwards?.map(\.title) == ["none", "early", "late"])
        let downwards = NSArray(array: list).sortedArray(using: [reversed]) as? [Meeting]
        #expect(downwards?.map(\.title) == ["late", "early", "none"])
        #expect(descriptor.key == "day" && descriptor.selector == "compare:" && descriptor.ascending)
        #expect(reversed.key == "day" && reversed.selector == "compare:" && !reversed.ascending)
        withExtendedLifetime(stack) {}
    }
}
