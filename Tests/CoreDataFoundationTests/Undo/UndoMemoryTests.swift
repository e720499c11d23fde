// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which objects undo managers retain, and when they release them.

import CoreDataFoundation
import Foundation
import Testing

@Suite("Objects retained by undo managers")
struct UndoMemoryTests {
    /// Represents the captures of a handler.
    private final class Baggage {}

    private let manager = UndoManager()
    private let target = NSObject()

    private func register(_ baggage: Baggage) {
        manager.registerUndo(withTarget: target) { _ in withExtendedLifetime(baggage) {} }
    }

    /// Registers in nested groups, and returns the captured objects.
    private func nested() -> [WeakBaggage] {
        let (outer, inner) = (Baggage(), Baggage())
        manager.beginUndoGrouping()
        register(outer)
        manager.beginUndoGrouping()
        register(inner)
        manager.endUndoGrouping()
        manager.endUndoGrouping()
        return [WeakBaggage(outer), WeakBaggage(inner)]
    }

    private struct WeakBaggage {
        private(set) weak var baggage: Baggage?
        init(_ baggage: Baggage) { self.baggage = baggage }
    }

    private func alive(_ baggage: [WeakBaggage]) -> Int { baggage.count { $0.baggage != nil } }

    @Test("groups are freed once they are undone, nested ones too")
    func undone() {
        let baggage = nested()
        #expect(alive(baggage) == 2)
        manager.undo()
        #expect(alive(baggage) == 0)
    }

    @Test("removing all actions frees them")
    func removal() {
        let baggage = nested()
        manager.removeAllActions()
        #expect(alive(baggage) == 0)
    }

    @Test("so does removing those of the target, and a limit")
    func otherRemovals() {
        let first = nested()
        manager.removeAllActions(withTarget: target)
        #expect(alive(first) == 0)
        let second = nested()
        manager.levelsOfUndo = 1
        let third = nested()
        #expect(alive(second) == 0)
        #expect(alive(third) == 2)
    }

    @Test("a new action frees the redo stack")
    func redo() {
        let baggage = Baggage()
        weak let gone = baggage
        func fill(_ baggage: Baggage) {
            manager.registerUndo(withTarget: target) { [manager, target] _ in
                manager.registerUndo(withTarget: target) { _ in withExtendedLifetime(baggage) {} }
            }
            manager.undo()
        }
        fill(baggage)
        #expect(manager.canRedo)
        withExtendedLifetime(baggage) {}
        register(Baggage())
        #expect(!manager.canRedo)
        #expect(gone === baggage)
    }

    @Test("a manager that goes frees everything")
    func wholeManager() {
        var manager: UndoManager? = UndoManager()
        weak var gone: Baggage?
        func fill() {
            let baggage = Baggage()
            gone = baggage
            manager?.beginUndoGrouping()
            manager?.beginUndoGrouping()
            manager?.registerUndo(withTarget: target) { _ in withExtendedLifetime(baggage) {} }
            manager?.endUndoGrouping()
            manager?.endUndoGrouping()
        }
        fill()
        #expect(gone != nil)
        manager = nil
        #expect(gone == nil)
    }
}
