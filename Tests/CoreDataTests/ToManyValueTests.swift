// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The members of a to-many without a row: removals and additions are one list.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// `ToManyValue` (1) to (5).
@Suite("Members of an object that no store has") struct ToManyValueTests {
    private let objects: [NSManagedObject]
    /// Entities refer to their model weakly.
    private let model = NamedModel.make()

    init() {
        let entity = model.entities[0]
        objects = (0..<40).map { _ in NSManagedObject(entity: entity, insertInto: nil) }
    }

    private func insertion(_ count: Int, ordered: Bool) -> ToManyValue {
        var value = ToManyValue.empty
        for object in objects.prefix(count) { value.appendNew(object, ordered: ordered) }
        return value
    }

    private func members(_ value: ToManyValue) -> [NSManagedObject]? { value.members.map { Array($0.objects) } }

    @Test("all were added, and none removed, in any order", arguments: [false, true], [3, 40])
    func additions(isOrdered: Bool, count: Int) {
        var value = insertion(count, ordered: isOrdered)
        let isGone = value.remove(objects[1], ordered: isOrdered)
        let isGoneAgain = value.remove(objects[1], ordered: isOrdered)
        let isNew = value.insert(objects[1], at: 0, ordered: isOrdered)
        let isNewAgain = value.insert(objects[1], at: nil, ordered: isOrdered)
        #expect(isGone && !isGoneAgain && isNew && !isNewAgain)
        #expect(value.members?.count == count)
        #expect(Set(value.added.objects) == Set(objects.prefix(count)))
        #expect(value.removed.isEmpty)
        #expect(value.hasChanges)
        if isOrdered { #expect(members(value)?.first === objects[1]) }
        for object in objects.prefix(count) { _ = value.remove(object, ordered: isOrdered) }
        #expect(value.added.isEmpty && value.removed.isEmpty)
    }

    @Test("a fault keeps the additions, and gives them back", arguments: [3, 40]) func fault(count: Int) {
        var value = insertion(count, ordered: false)
        value.refault()
        #expect(value.isFault)
        #expect(Array(value.added.objects) == Array(objects.prefix(count)))
        let isKnown = value.contains(objects[0])
        #expect(isKnown == true)
        value.realize([])
        #expect(members(value) == Array(objects.prefix(count)))
        let isGone = value.remove(objects[0], ordered: false)
        #expect(isGone)
        #expect(value.added.count == count - 1 && value.removed.isEmpty)
    }

    @Test("one that is forgotten is no addition", arguments: [false, true]) func forgotten(isOrdered: Bool) {
        var value = insertion(3, ordered: isOrdered)
        value.forget(objects[1])
        #expect(Array(value.added.objects) == [objects[0], objects[2]])
        value.realize([])
        #expect(members(value) == [objects[0], objects[2]])
    }

    @Test("after a save the members are there, and later changes are noted in two lists") func saved() {
        var value = insertion(3, ordered: false)
        let before = value
        value.commit()
        #expect(!value.hasChanges && value.added.isEmpty)
        #expect(members(value) == Array(objects.prefix(3)))
        #expect(value.committedMembers == Array(objects.prefix(3)))
        _ = value.insert(objects[3], at: nil, ordered: false)
        _ = value.remove(objects[0], ordered: false)
        #expect(Array(value.added.objects) == [objects[3]])
        #expect(Array(value.removed.objects) == [objects[0]])
        // An earlier copy keeps its contents.
        #expect(Array(before.added.objects) == Array(objects.prefix(3)))
        #expect(before.differs(from: ToManyValue.empty))
    }

    @Test("a row of a store is there once, in any order of arrival", arguments: [3, 40], [false, true])
    func stored(count: Int, areOfOneContext: Bool) throws {
        let stack = try Stack(.inMemory, model)
        let entity = try #require(model.entities.first)
        let registered = (0..<count).map { _ in NSManagedObject(entity: entity, insertInto: stack.context) }
        let ascending = (areOfOneContext ? registered : Array(objects.prefix(count))).sorted { $0.key < $1.key }
        for given in [
            ascending, ascending.reversed(), ascending + ascending, [ascending[1], ascending[1], ascending[2]],
        ] {
            var value = ToManyValue()
            value.realize(given)
            var seen: Set<NSManagedObject> = []
            #expect(members(value) == given.filter { seen.insert($0).inserted })
            let isKnown = value.contains(given[0])
            let isNew = value.insert(given[0], at: nil, ordered: false)
            let isGone = value.remove(given[0], ordered: false)
            #expect(isKnown == true && !isNew && isGone)
            #expect(value.members?.count == seen.count - 1)
            #expect(value.removed.count == 1 && value.added.isEmpty)
        }
    }
}
