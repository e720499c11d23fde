// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The changes of a transaction that a store reports in any order, and the one change of each record that remains.

import CoreDataTestSupport
import Testing

@testable import CoreData

@Suite("Changes that a transaction reports") struct RecordedChangesTests {
    private let layout: EntityLayout

    init() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: BookshopModel.make())
        layout = try #require(coordinator.model.layout(named: "Book"))
    }

    private func settled(_ report: (inout RecordedChanges) -> Void) -> RecordedChanges {
        var changes = RecordedChanges(author: "Ada", contextName: "import")
        report(&changes)
        return changes.settled()
    }

    private func slots(_ numbers: Int...) -> SlotSet {
        var slots = SlotSet()
        for number in numbers { slots.insert(number) }
        return slots
    }

    @Test("a deletion replaces the updates of its record, before and after it")
    func updatedAndDeleted() {
        let changes = settled {
            $0.update(layout, 1, slots(0))
            $0.delete(layout, 1)
            $0.update(layout, 1, slots(1))
            $0.update(layout, 2, slots(0))
        }
        #expect(changes.updates.map(\.key) == [2])
        #expect(changes.deletes.map(\.key) == [1])
    }

    @Test("a record that is inserted and updated is an insertion, and one that is inserted and deleted is nothing")
    func inserted() {
        let changes = settled {
            $0.update(layout, 1, slots(0))
            $0.insert(layout, 1)
            $0.insert(layout, 2)
            $0.delete(layout, 2)
        }
        #expect(changes.inserts.map(\.key) == [1])
        #expect(changes.updates.isEmpty && changes.deletes.isEmpty)
    }

    @Test("several updates of a record are one, with all properties; author and context stay")
    func updatedTwice() {
        let changes = settled {
            $0.update(layout, 1, slots(0))
            $0.update(layout, 2, slots(2))
            $0.update(layout, 1, slots(1))
        }
        #expect(changes.updates.map(\.key) == [1, 2])
        #expect(changes.updates.first?.slots.slots.sorted() == [0, 1])
        #expect(changes.author == "Ada" && changes.contextName == "import")
    }
}
