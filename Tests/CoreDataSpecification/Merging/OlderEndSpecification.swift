// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that a link is cut at both ends, even if one end was read before others made it.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Ends that were read before a link was made") struct OlderEndSpecification {
    /// Proves: C23
    @Test(
        "an object that takes another's partner takes it at both ends", arguments: StoreKind.all,
        ["twin", "next", "previous"])
    func taken(store: StoreKind, key: String) throws {
        let (stack, early, late) = try linkedElsewhere(store, key)
        let new = LinkedThing(context: stack.context)
        new.setValue("new", forKey: "label")
        new.setValue(late, forKey: key)
        #expect(early.things(key).isEmpty)
        try stack.context.save()
        let stored = try stored(stack)
        #expect(stored.halfLinks.isEmpty)
        #expect(stored.partners(key) == (key == "twin" ? ["late new", "new late"] : ["new late"]))
    }

    /// Proves: C23
    @Test(
        "an object that is deleted leaves no reference to it", arguments: StoreKind.all, ["twin", "next", "previous"])
    func deleted(store: StoreKind, key: String) throws {
        let (stack, early, late) = try linkedElsewhere(store, key)
        stack.context.delete(late)
        try stack.context.save()
        #expect(early.things(key).isEmpty)
        let stored = try stored(stack)
        #expect(stored.halfLinks.isEmpty)
        #expect(stored.partners(key).isEmpty)
    }

    /// Proves: C23
    @Test("a to-one that is set to nil is nil at both ends", arguments: StoreKind.all, ["twin", "next", "previous"])
    func cut(store: StoreKind, key: String) throws {
        let (stack, early, late) = try linkedElsewhere(store, key)
        let inverse = try #require(LinkedThings.links.first { $0.name == key }).inverse
        late.setValue(nil, forKey: inverse)
        try stack.context.save()
        #expect(early.things(key).isEmpty)
        let stored = try stored(stack)
        #expect(stored.halfLinks.isEmpty)
        #expect(stored.partners(key).isEmpty)
    }

    /// Proves: C23
    @Test(
        "members of a many-to-many that are removed at one end go at both", arguments: StoreKind.all, ["peers", "fans"])
    func removedMember(store: StoreKind, key: String) throws {
        let inverse = try #require(LinkedThings.links.first { $0.name == key }).inverse
        let stack = try Stack(store, LinkedThings.model())
        let context = stack.context
        for label in ["c", "d"] { LinkedThing(context: context).setValue(label, forKey: "label") }
        try context.save()
        let things = try LinkedThings.byLabel(in: context)
        let (c, d) = (try #require(things["c"]), try #require(things["d"]))
        context.refreshAllObjects()
        #expect(d.things(inverse).isEmpty)
        c.setValue(d, forKey: "twin")
        let theirs = stack.newContext()
        theirs.retainsRegisteredObjects = true
        let others = try LinkedThings.byLabel(in: theirs)
        others["c"]?.mutableSetValue(forKey: key).add(try #require(others["d"]))
        try theirs.save()
        c.setValue(NSSet(), forKey: key)
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try context.save()
        #expect(c.things(key).isEmpty)
        #expect(d.things(inverse).isEmpty)
        #expect(try self.stored(stack).halfLinks.isEmpty)
    }

    /// Proves: C23
    @Test(
        "members that were read without an object take it back when it gives its own link up", arguments: StoreKind.all,
        [Winner.store, .rollback])
    func givenUp(store: StoreKind, winner: Winner) throws {
        let sides = Sides(try Stack(store, LinkedThings.model()))
        for label in ["c", "d", "i1", "i2"] { LinkedThing(context: sides.mine).setValue(label, forKey: "label") }
        try sides.mine.save()
        let things = try LinkedThings.byLabel(in: sides.mine)
        let (c, d) = (try #require(things["c"]), try #require(things["d"]))
        let (i1, i2) = (try #require(things["i1"]), try #require(things["i2"]))
        sides.mine.refreshAllObjects()
        #expect(c.things("box").isEmpty && i1.things("box").isEmpty)
        try sides.their(c).setValue(try sides.their(i2), forKey: "box")
        try sides.theirs.save()
        i1.setValue(i2, forKey: "box")
        d.mutableSetValue(forKey: "items").add(c)
        #expect(i2.things("items") == [i1])
        #expect(try sides.save(winner) == nil)
        #expect(Set(i2.things("items")) == [c, i1])
        #expect(d.things("items").isEmpty)
        #expect(try stored(sides.stack).partners("box") == ["c i2", "i1 i2"])
    }

    /// Proves: C23
    @Test(
        "a member whose row is older than its owner's members can be removed", arguments: StoreKind.all,
        [("children", "parent"), ("items", "box")])
    func olderMember(store: StoreKind, link: (key: String, inverse: String)) throws {
        let stack = try Stack(store, LinkedThings.model())
        let context = stack.context
        for label in ["c", "e"] { LinkedThing(context: context).setValue(label, forKey: "label") }
        try context.save()
        let things = try LinkedThings.byLabel(in: context)
        let (c, e) = (try #require(things["c"]), try #require(things["e"]))
        #expect(e.things(link.inverse).isEmpty)
        let theirs = stack.newContext()
        let theirC = try theirs.existingObject(with: c.objectID)
        try theirs.existingObject(with: e.objectID).setValue(theirC, forKey: link.inverse)
        try theirs.save()
        context.refresh(c, mergeChanges: false)
        #expect(c.things(link.key) == [e])
        c.setValue(link.key == "items" ? NSOrderedSet() : NSSet(), forKey: link.key)
        #expect(c.things(link.key).isEmpty)
        #expect(e.things(link.inverse).isEmpty)
        try context.save()
        #expect(try stored(stack).partners(link.inverse).isEmpty)
    }

    /// "early" was read before another context linked it to "late"; "late" is a fault.
    private func linkedElsewhere(_ store: StoreKind, _ key: String) throws -> (Stack, LinkedThing, LinkedThing) {
        let stack = try Stack(store, LinkedThings.model())
        let context = stack.context
        let things = ["early", "late"].map { label in
            let thing = LinkedThing(context: context)
            thing.setValue(label, forKey: "label")
            return thing
        }
        try context.save()
        context.refresh(things[1], mergeChanges: false)
        #expect(things[0].things(key).isEmpty)
        let theirs = stack.newContext()
        let late = try theirs.existingObject(with: things[1].objectID)
        try theirs.existingObject(with: things[0].objectID).setValue(late, forKey: key)
        try theirs.save()
        return (stack, things[0], things[1])
    }

    private struct Stored {
        var halfLinks: [String]
        var things: [[String: [String]]]

        func partners(_ key: String) -> [String] { things.flatMap { $0[key] ?? [] }.sorted() }
    }

    /// The values that a new context reads; partners as "label of the one, label of the other".
    private func stored(_ stack: Stack) throws -> Stored {
        let context = stack.newContext()
        return try withExtendedLifetime(context) {
            let things = try context.fetch(LinkedThings.request())
            let partners = things.map { thing in
                Dictionary(
                    uniqueKeysWithValues: LinkedThings.toOnes.map { key in
                        (key, thing.things(key).map { "\(thing.label) \($0.label)" })
                    })
            }
            return Stored(halfLinks: LinkedThings.halfLinks(of: things), things: partners)
        }
    }
}
