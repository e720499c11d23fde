// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that both ends of a link agree after a refresh that keeps a local to-one.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// A thing `o` refers to `a`, or to no thing. Here it is set to `b` or to nil, and another context sets it to `c`.
@Suite("Links of refreshed objects") struct RefreshedLinksSpecification {
    struct Situation: Sendable, CustomTestStringConvertible {
        let link: LinkedThings.Link
        let begins: Bool
        let destination: String?
        let isRead: Bool

        static let all: [Situation] = LinkedThings.links.filter { !$0.isToMany }.flatMap { link in
            [(true, "b"), (true, nil), (false, "b")].flatMap { begins, destination in
                [false, true].map {
                    Situation(link: link, begins: begins, destination: destination, isRead: $0)
                }
            }
        }

        var testDescription: String {
            "\(link.name) from \(begins ? "a" : "nil") to \(destination ?? "nil"), \(isRead ? "all" : "one") read"
        }
    }

    /// Proves: C18, C23
    @Test("a local to-one wins at both ends, in memory and in the store", arguments: StoreKind.all, Situation.all)
    func localToOne(store: StoreKind, situation: Situation) throws {
        let (stack, things) = try stackOfThings(store, situation)
        let (context, thing, link) = (stack.context, things[0], situation.link)
        try changeElsewhere(stack, thing, link)
        context.refresh(thing, mergeChanges: true)
        #expect(thing.things(link.name).map(\.label) == [situation.destination].compactMap { $0 })
        #expect(!things[3].things(link.inverse).contains(thing))
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try context.save()
        #expect(thing.things(link.name).map(\.label) == [situation.destination].compactMap { $0 })
        #expect(!things[3].things(link.inverse).contains(thing))
        let check = stack.newContext()
        defer { withExtendedLifetime(check) {} }
        let stored = try check.fetch(LinkedThings.request())
        let halfLinks = LinkedThings.halfLinks(of: stored)
        #expect(halfLinks.isEmpty)
        let storedThing = try #require(stored.first { $0.label == "o" })
        #expect(storedThing.things(link.name).map(\.label) == [situation.destination].compactMap { $0 })
    }

    /// Proves: C18
    @Test(
        "the members of the newer destination lack the refreshed object, whenever they are read",
        arguments: StoreKind.all)
    func membersReadLater(store: StoreKind) throws {
        let parent = try #require(LinkedThings.links.first { $0.name == "parent" })
        let situation = Situation(link: parent, begins: true, destination: "b", isRead: true)
        let (stack, things) = try stackOfThings(store, situation)
        try changeElsewhere(stack, things[0], parent)
        // The row with that link has not been read here yet.
        stack.context.refresh(things[3], mergeChanges: true)
        #expect(things[3].things("children").isEmpty)
        stack.context.refresh(things[0], mergeChanges: true)
        stack.context.refresh(things[3], mergeChanges: true)
        #expect(things[3].things("children").isEmpty)
        stack.context.rollback()
        #expect(things[0].things("parent") == [things[3]])
        #expect(things[3].things("children") == [things[0]])
    }

    /// Proves: C18
    @Test("members of an ordered to-many that both sides added are there", arguments: StoreKind.all)
    func orderedMembers(store: StoreKind) throws {
        let stack = try Stack(store, LinkedThings.model())
        for label in ["a", "b", "c"] { LinkedThing(context: stack.context).setValue(label, forKey: "label") }
        try stack.context.save()
        stack.context.retainsRegisteredObjects = true
        let things = try LinkedThings.byLabel(in: stack.context)
        let (a, b, c) = (try #require(things["a"]), try #require(things["b"]), try #require(things["c"]))
        #expect(a.things("items").isEmpty)
        b.setValue(a, forKey: "box")
        let theirs = stack.newContext()
        let others = try LinkedThings.byLabel(in: theirs)
        others["c"]?.setValue(others["a"], forKey: "box")
        try theirs.save()
        stack.context.refresh(a, mergeChanges: true)
        #expect(Set(a.things("items")) == [b, c])
        try stack.context.save()
        #expect(Set(a.things("items")) == [b, c])
    }

    /// Proves: C18, C23
    @Test(
        "a refreshed object does not lead to a partner that left it by a change of its own", arguments: StoreKind.all)
    func partnerThatLeft(store: StoreKind) throws {
        let next = try #require(LinkedThings.links.first { $0.name == "next" })
        let situation = Situation(link: next, begins: false, destination: "b", isRead: true)
        let (stack, things) = try stackOfThings(store, situation)
        things[3].setValue("changed", forKey: "note")
        try changeElsewhere(stack, things[0], next)
        stack.context.refresh(things[0], mergeChanges: true)
        stack.context.refresh(things[3], mergeChanges: true)
        #expect(things[3].things("previous").isEmpty)
        try stack.context.save()
        let check = stack.newContext()
        defer { withExtendedLifetime(check) {} }
        let stored = try LinkedThings.byLabel(in: check)
        let halfLinks = LinkedThings.halfLinks(of: Array(stored.values))
        #expect(halfLinks.isEmpty)
        #expect(stored["o"]?.things("next").map(\.label) == ["b"])
    }

    /// Saved things o, a, b and c, and the change here.
    private func stackOfThings(_ store: StoreKind, _ situation: Situation) throws -> (Stack, [LinkedThing]) {
        let stack = try Stack(store, LinkedThings.model())
        let context = stack.context
        context.retainsRegisteredObjects = true
        let things = ["o", "a", "b", "c"].map { label in
            let thing = LinkedThing(context: context)
            thing.setValue(label, forKey: "label")
            return thing
        }
        if situation.begins { things[0].setValue(things[1], forKey: situation.link.name) }
        try context.save()
        context.refreshAllObjects()
        for thing in things where situation.isRead || thing === things[0] { _ = thing.text }
        things[0].setValue(situation.destination == nil ? nil : things[2], forKey: situation.link.name)
        return (stack, things)
    }

    private func changeElsewhere(_ stack: Stack, _ thing: LinkedThing, _ link: LinkedThings.Link) throws {
        let theirs = stack.newContext()
        let things = try theirs.fetch(LinkedThings.request())
        let destination = try #require(things.first { $0.label == "c" })
        try theirs.existingObject(with: thing.objectID).setValue(destination, forKey: link.name)
        try theirs.save()
    }

    /// Proves: C18
    @Test("a newer link to an object that is deleted here is cut", arguments: StoreKind.all, ["box", "parent"])
    func newerLinkToDeleted(store: StoreKind, key: String) throws {
        let stack = try Stack(store, LinkedThings.model())
        let context = stack.context
        for label in ["c", "e"] { LinkedThing(context: context).setValue(label, forKey: "label") }
        try context.save()
        let things = try LinkedThings.byLabel(in: context)
        let (c, e) = (try #require(things["c"]), try #require(things["e"]))
        #expect(e.things("items").isEmpty && e.things("children").isEmpty)
        let theirs = stack.newContext()
        try theirs.existingObject(with: c.objectID).setValue(
            try theirs.existingObject(with: e.objectID), forKey: key)
        context.delete(e)
        context.processPendingChanges()
        c.setValue("mine", forKey: "note")
        try theirs.save()
        context.refresh(c, mergeChanges: true)
        #expect(c.things(key).isEmpty)
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try context.save()
        let check = stack.newContext()
        defer { withExtendedLifetime(check) {} }
        let stored = try check.fetch(LinkedThings.request())
        #expect(stored.map(\.label) == ["c"])
        #expect(stored.first?.value(forKey: "note") as? String == "mine")
        let halfLinks = LinkedThings.halfLinks(of: stored)
        #expect(halfLinks.isEmpty)
    }

    /// Proves: C18, C23
    @Test(
        "a refresh without merge drops a one-to-one at both ends", arguments: StoreKind.all,
        ["twin", "next", "previous"])
    func withoutMerge(store: StoreKind, key: String) throws {
        let inverse = try #require(LinkedThings.links.first { $0.name == key }).inverse
        let stack = try Stack(store, LinkedThings.model())
        let context = stack.context
        let (a, b, c) = (LinkedThing(context: context), LinkedThing(context: context), LinkedThing(context: context))
        for (thing, label) in zip([a, b, c], ["a", "b", "c"]) { thing.setValue(label, forKey: "label") }
        a.setValue(c, forKey: key)
        try context.save()
        a.setValue(b, forKey: key)
        context.refresh(a, mergeChanges: false)
        #expect(a.isFault)
        #expect(b.things(inverse).isEmpty)
        #expect(c.things(inverse) == [a])
        #expect(a.things(key) == [c])
        try context.save()
        let check = stack.newContext()
        defer { withExtendedLifetime(check) {} }
        let halfLinks = LinkedThings.halfLinks(of: try check.fetch(LinkedThings.request()))
        #expect(halfLinks.isEmpty)
    }
}
