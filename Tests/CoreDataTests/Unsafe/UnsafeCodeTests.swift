// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests that the assumptions of unsafe code hold here, or that the portable mode is on, which does not rely on them.

import CRuntime
import Foundation
import Synchronization
import Testing

@testable import CoreData

/// Documentation/Internals/UnsafeCode.md.
@Suite("Unsafe code") struct UnsafeCodeTests {
    private class Base: NSObject {}
    private final class Derived: Base {}

    @Test("layouts are as expected, unless the portable mode uses none of them") func layouts() {
        #expect(StringWords.isAsExpected == !PortableMode.isOn)
        #expect(CollectionCasts.areAsExpected == !PortableMode.isOn)
        #expect(MethodTable(Derived.self, of: Base.self).indices.isEmpty == PortableMode.isOn)
        // This program opens tracking scopes.
        #expect(ocd_may_track_reads())
    }

    @Test("a set or array of a subclass has the same members") func casts() {
        let members = (0..<100).map { _ in Derived() }
        let array: [Derived] = CollectionCasts.array(members.map { $0 as Base })
        let set: Set<Derived> = CollectionCasts.set(Set(members.map { $0 as Base }))
        #expect(array == members)
        #expect(set == Set(members))
        #expect(!set.contains(Derived()))
    }

    @Test("a counted reference releases its object: at the next assignment, and at its end") func counting() {
        weak var first: Base?
        weak var second: Base?
        do {
            var reference = Counted(Base())
            first = reference.object
            let isFirstUnshared = reference.isUnshared()
            #expect(isFirstUnshared)
            do {
                let shared = reference.object
                let isUnshared = reference.isUnshared()
                #expect(!isUnshared)
                withExtendedLifetime(shared) {}
            }
            let other = Base()
            reference.set(Uncounted(other))
            second = other
            #expect(first == nil)
            let isOther = reference.uncounted?.look { $0 === other }
            #expect(isOther == true)
        }
        #expect(second == nil)
        weak var last: Base?
        do {
            var (one, two) = (Base() as Base?, Base() as Base?)
            last = two
            var held = Counted(one)
            var behind = Counted(two)
            (one, two) = (nil, nil)
            NestedReleases.release(&held, before: &behind)
            #expect(last == nil)
            let (first, second) = (held.object, behind.object)
            #expect(first == nil && second == nil)
        }
    }

    @Test("a page of strong references owns its cells") func pages() {
        let page = CountedPage<Base>()
        weak var (first, last) = (Base?.none, Base?.none)
        do {
            let (one, other) = (Base(), Base())
            (first, last) = (one, other)
            page.set(Uncounted(one), at: 0)
            page.set(Uncounted(other), at: 255)
            #expect(!page.isUnshared(0))
        }
        #expect(first != nil && last != nil)
        page.set(nil, at: 0)
        #expect(first == nil && page[0] == nil)
        page.free()
        #expect(last == nil)
    }

    @Test("a list of strong references owns its objects") func lists() {
        weak var object: Base?
        do {
            var list = CountedList<Base>()
            do {
                let made = Base()
                object = made
                list.set(made, at: 3)
            }
            let (count, kept) = (list.count, [list[3] != nil, list[2] == nil, list[9] == nil])
            #expect(count == 4 && kept == [true, true, true])
            #expect(object != nil)
            list.set(Base(), at: 3)
            #expect(object == nil)
        }
    }

    @Test("a weak word finds its object as long as that lives") func weakWords() {
        let object = Derived()
        let word = WeakWord<Base>(object)
        #expect(word.object === object)
        #expect(word.isOf(object) && !word.isOf(Derived()))
    }
}
