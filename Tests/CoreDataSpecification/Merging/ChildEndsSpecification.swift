// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that both ends of a link agree in a child after a conflict in its save.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@MainActor @Suite("Both ends in a child after a conflict") struct ChildEndsSpecification {
    private let child = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)

    /// Saved things "a" and "d" in the child, read.
    private func things(_ stack: Stack, _ winner: Winner) throws -> (a: LinkedThing, d: LinkedThing) {
        for label in ["a", "d"] { LinkedThing(context: stack.context).setValue(label, forKey: "label") }
        try stack.context.save()
        let parent = stack.newContext(.privateQueueConcurrencyType)
        parent.mergePolicy = winner.policy
        child.parent = parent
        child.mergePolicy = winner.policy
        child.retainsRegisteredObjects = true
        let things = try LinkedThings.byLabel(in: child)
        let (a, d) = (try #require(things["a"]), try #require(things["d"]))
        for thing in [a, d] { #expect(thing.things("items").isEmpty && thing.things("box").isEmpty) }
        return (a, d)
    }

    /// Proves: C23
    @Test(
        "an object with changes of its own takes over a link that its parent has", arguments: StoreKind.all,
        [(Winner.store, "note"), (.rollback, "note"), (.store, "items"), (.rollback, "items")])
    func changedEnd(store: StoreKind, way: (winner: Winner, change: String)) throws {
        let (winner, change) = way
        let stack = try Stack(store, LinkedThings.model())
        let (a, d) = try things(stack, winner)
        a.setValue(a, forKey: "box")
        let new = LinkedThing(context: child)
        new.setValue("new", forKey: "label")
        if change == "items" { new.setValue(d, forKey: "box") } else { d.setValue("changed", forKey: "note") }
        let theirs = try LinkedThings.byLabel(in: stack.context)
        theirs["a"]?.setValue(theirs["d"], forKey: "box")
        try stack.context.save()
        try child.save()
        #expect(a.things("box") == [d])
        #expect(Set(d.things("items")) == (change == "items" ? [a, new] : [a]))
        let broken = child.innerFindings
        #expect(broken.isEmpty)
    }

    /// Proves: C23
    @Test(
        "a record that is written again keeps the links that the child has set", arguments: StoreKind.all,
        [Winner.object, .overwrite])
    func writtenAgain(store: StoreKind, winner: Winner) throws {
        let stack = try Stack(store, LinkedThings.model())
        let (a, d) = try things(stack, winner)
        a.setValue(d, forKey: "twin")
        a.setValue(d, forKey: "box")
        let theirs = try #require(try LinkedThings.byLabel(in: stack.context)["a"])
        stack.context.delete(theirs)
        try stack.context.save()
        try child.save()
        let parent = try #require(child.parent)
        try parent.performAndWait { try parent.save() }
        #expect(a.things("twin") == [d])
        let check = stack.newContext()
        defer { withExtendedLifetime(check) {} }
        let stored = try LinkedThings.byLabel(in: check)
        #expect(stored["d"]?.things("items").map(\.label) == ["a"])
        #expect(stored["d"]?.things("twin").map(\.label) == ["a"])
        let halfLinks = LinkedThings.halfLinks(of: Array(stored.values))
        #expect(halfLinks.isEmpty)
    }
}
