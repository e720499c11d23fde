// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which members an object has after the rollback policy revokes its deletion.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Revoked deletions") struct RevokedDeletionSpecification {
    /// Proves: C23
    @Test("members that were added before the deletion do not come back", arguments: StoreKind.all)
    func addedMembers(store: StoreKind) throws {
        let stack = try Stack(store, LinkedThings.model())
        for label in ["a", "b"] { LinkedThing(context: stack.context).setValue(label, forKey: "label") }
        try stack.context.save()
        let sides = Sides(stack)
        let things = try LinkedThings.byLabel(in: sides.mine)
        let (a, b) = (try #require(things["a"]), try #require(things["b"]))
        #expect(b.things("children").isEmpty)
        try sides.their(b).setValue("theirs", forKey: "note")
        a.setValue(b, forKey: "parent")
        sides.mine.delete(b)
        #expect(try sides.save(.rollback) == nil)
        #expect(!b.isDeleted)
        #expect(b.things("children").isEmpty)
        #expect(a.things("parent").isEmpty)
        let broken = sides.mine.innerFindings
        #expect(broken.isEmpty)
        let check = stack.newContext()
        defer { withExtendedLifetime(check) {} }
        let stored = try LinkedThings.byLabel(in: check)
        #expect(stored["b"]?.things("children").isEmpty == true)
    }

    /// Proves: C23
    @Test("a member that others have added is there, and its own change is given up", arguments: StoreKind.all)
    func addedElsewhere(store: StoreKind) throws {
        let stack = try Stack(store, LinkedThings.model())
        for label in ["c", "e", "i"] { LinkedThing(context: stack.context).setValue(label, forKey: "label") }
        try stack.context.save()
        let sides = Sides(stack)
        let things = try LinkedThings.byLabel(in: sides.mine)
        let (c, e, i) = (try #require(things["c"]), try #require(things["e"]), try #require(things["i"]))
        #expect([c, i].allSatisfy { $0.things("children").isEmpty && $0.things("parent").isEmpty })
        sides.mine.delete(e)
        c.setValue(i, forKey: "parent")
        try sides.their(i).setValue(try sides.their(e), forKey: "parent")
        #expect(try sides.save(.rollback) == nil)
        #expect(i.things("parent") == [e])
        #expect(e.things("children") == [i])
        let broken = sides.mine.innerFindings
        #expect(broken.isEmpty)
    }
}
