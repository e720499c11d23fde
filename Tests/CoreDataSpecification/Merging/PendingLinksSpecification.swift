// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the results where a context merges the save of another one, and both have changed the same to-one.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// A thing `o` refers to `a`, or to no thing. Here it is set to `b` or to nil; another context sets it to `c`, to `b`
/// or to nil, saves, and this context merges that save.
@Suite("Unsaved links under a merge") struct PendingLinksSpecification {
    struct Situation: Sendable, CustomTestStringConvertible {
        let link: LinkedThings.Link
        let begins: Bool
        let mine: String?
        let theirs: String?
        let isRead: Bool

        static let all: [Situation] = LinkedThings.links.filter { !$0.isToMany }.flatMap { link in
            [(true, "b"), (true, nil), (false, "b")].flatMap { begins, mine in
                ["c", "b", nil].filter { begins || $0 != nil }.flatMap { theirs in
                    [false, true].map {
                        Situation(link: link, begins: begins, mine: mine, theirs: theirs, isRead: $0)
                    }
                }
            }
        }

        var testDescription: String {
            "\(link.name) from \(begins ? "a" : "nil") to \(mine ?? "nil") and \(theirs ?? "nil"), "
                + "\(isRead ? "all" : "one") read"
        }
    }

    /// Proves: C18, C23, C24
    @Test("the link made here wins at both ends, in memory and in the store", arguments: StoreKind.all, Situation.all)
    func localLink(store: StoreKind, situation: Situation) throws {
        let (stack, things) = try stackOfThings(store, situation)
        let (context, thing, link) = (stack.context, things[0], situation.link)
        context.mergeChanges(fromContextDidSave: try changeElsewhere(stack, thing, situation))
        #expect(thing.things(link.name).map(\.label) == [situation.mine].compactMap { $0 })
        let holders = things.dropFirst().filter { $0.things(link.inverse).contains(thing) }
        #expect(holders.map(\.label) == [situation.mine].compactMap { $0 })
        // The newest rows are known, so the save finds no conflict under the error policy.
        try context.save()
        #expect(thing.things(link.name).map(\.label) == [situation.mine].compactMap { $0 })
        let check = stack.newContext()
        defer { withExtendedLifetime(check) {} }
        let stored = try LinkedThings.byLabel(in: check)
        let halfLinks = LinkedThings.halfLinks(of: Array(stored.values))
        #expect(halfLinks.isEmpty)
        #expect(stored["o"]?.things(link.name).map(\.label) == [situation.mine].compactMap { $0 })
    }

    /// Proves: C18, C24
    @Test(
        "after a rollback the objects have the links that the other context saved", arguments: StoreKind.all,
        Situation.all.filter(\.isRead))
    func rollback(store: StoreKind, situation: Situation) throws {
        let (stack, things) = try stackOfThings(store, situation)
        let (context, thing, link) = (stack.context, things[0], situation.link)
        context.mergeChanges(fromContextDidSave: try changeElsewhere(stack, thing, situation))
        context.rollback()
        #expect(!context.hasChanges)
        #expect(thing.things(link.name).map(\.label) == [situation.theirs].compactMap { $0 })
        let holders = things.dropFirst().filter { $0.things(link.inverse).contains(thing) }
        #expect(holders.map(\.label) == [situation.theirs].compactMap { $0 })
    }

    /// Proves: C14, C18, C24, F67
    @Test(
        "where both have made the same change, nothing has changes after the merge, and a save writes nothing",
        arguments: StoreKind.all, Situation.all.filter { $0.mine == $0.theirs })
    func sameChange(store: StoreKind, situation: Situation) throws {
        let (stack, things) = try stackOfThings(store, situation)
        let context = stack.context
        context.mergeChanges(fromContextDidSave: try changeElsewhere(stack, things[0], situation))
        #expect(!context.hasChanges)
        #expect(context.updatedObjects.isEmpty)
        #expect(things.allSatisfy { !$0.hasChanges && $0.changedValues().isEmpty })
        // What this context wrote would be in conflict with a later save of another one.
        let other = stack.newContext()
        for (label, thing) in try LinkedThings.byLabel(in: other) { thing.setValue(label + "!", forKey: "label") }
        try other.save()
        try context.save()
        let check = stack.newContext()
        let stored = try LinkedThings.byLabel(in: check)
        #expect(stored.keys.sorted() == ["a!", "b!", "c!", "o!"])
        let end = stored["o!"]?.things(situation.link.name).map(\.label)
        #expect(end == [situation.mine].compactMap { $0.map { $0 + "!" } })
        // A further change is one again.
        context.refreshAllObjects()
        things[0].setValue(things[3], forKey: situation.link.name)
        #expect(context.hasChanges)
        try context.save()
        #expect(things[0].things(situation.link.name) == [things[3]])
    }

    /// Decided by `undo()` after `mergeChanges(fromContextDidSave:)` of a save that set the to-one as well.
    /// Proves: M17, C18, C24
    @Test(
        "undo takes a change of a link back to the link before it, also after a merge; redo brings it again",
        .tags(.assumed), arguments: StoreKind.all, Situation.all)
    func undo(store: StoreKind, situation: Situation) throws {
        let (stack, things) = try stackOfThings(store, situation, recordsUndo: true)
        let (context, thing, link) = (stack.context, things[0], situation.link)
        context.mergeChanges(fromContextDidSave: try changeElsewhere(stack, thing, situation))
        func labels() -> [String] { thing.things(link.name).map(\.label) }
        func holders() -> [String] {
            things.dropFirst().filter { $0.things(link.inverse).contains(thing) }.map(\.label)
        }
        let before = situation.begins ? ["a"] : []
        let after = [situation.mine].compactMap { $0 }
        context.undo()
        #expect(labels() == before && holders() == before)
        #expect(context.hasChanges)
        #expect(context.undoManager?.canUndo == false)
        context.redo()
        #expect(labels() == after && holders() == after)
        #expect(context.hasChanges == (situation.mine != situation.theirs))
        context.undo()
        try context.save()
        #expect(labels() == before && holders() == before)
        let check = stack.newContext()
        defer { withExtendedLifetime(check) {} }
        let stored = try LinkedThings.byLabel(in: check)
        let halfLinks = LinkedThings.halfLinks(of: Array(stored.values))
        #expect(halfLinks.isEmpty)
        #expect(stored["o"]?.things(link.name).map(\.label) == before)
    }

    /// Proves: C18, C24
    @Test("a new object is not among the members of the destination that others deleted", arguments: StoreKind.all)
    func deletedElsewhere(store: StoreKind) throws {
        let link = try #require(LinkedThings.links.first { $0.name == "parent" })
        let situation = Situation(link: link, begins: true, mine: "b", theirs: "c", isRead: true)
        let (stack, things) = try stackOfThings(store, situation)
        let theirs = stack.newContext()
        let log = NotificationLog(.NSManagedObjectContextDidSave, of: theirs)
        theirs.delete(try theirs.existingObject(with: things[0].objectID))
        try theirs.save()
        stack.context.mergeChanges(fromContextDidSave: try #require(log.notifications.last))
        #expect(things[0].isDeleted)
        #expect(things[2].things("children").isEmpty)
        try stack.context.save()
        #expect(try stack.stored(LinkedThings.request(), \.label).sorted() == ["a", "b", "c"])
    }

    /// Saved things o, a, b and c, and the change here.
    private func stackOfThings(_ store: StoreKind, _ situation: Situation, recordsUndo: Bool = false) throws -> (
        Stack, [LinkedThing]
    ) {
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
        if recordsUndo { try context.startRecording() }
        context.step { things[0].setValue(situation.mine == nil ? nil : things[2], forKey: situation.link.name) }
        return (stack, things)
    }

    /// The notification of the other context's save.
    private func changeElsewhere(_ stack: Stack, _ thing: LinkedThing, _ situation: Situation) throws -> Notification {
        let theirs = stack.newContext()
        let things = try LinkedThings.byLabel(in: theirs)
        let log = NotificationLog(.NSManagedObjectContextDidSave, of: theirs)
        try theirs.existingObject(with: thing.objectID).setValue(
            situation.theirs.flatMap { things[$0] }, forKey: situation.link.name)
        try theirs.save()
        return try #require(log.notifications.last)
    }
}
