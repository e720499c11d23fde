// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Groups that open and close by themselves.

import CoreDataFoundation
import Foundation
import Testing

@Suite("Undoing by event")
@MainActor struct EventGroupTests {
    private final class Counter {
        var value = 0
    }

    private let manager = UndoManager()
    private let counter = Counter()

    private func set(_ new: Int) {
        let old = counter.value
        counter.value = new
        manager.registerUndo(withTarget: counter) { $0.value = old }
    }

    private func nextTurn() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.main.async { continuation.resume() }
        }
    }

    @Test("each turn of the main queue is a step")
    func turns() async {
        set(1)
        set(2)
        #expect(manager.groupingLevel == 1)
        await nextTurn()
        #expect(manager.groupingLevel == 0)
        set(3)
        await nextTurn()
        #expect(manager.undoCount == 2)
        manager.undo()
        #expect(counter.value == 2)
        manager.undo()
        #expect(counter.value == 0)
    }

    @Test("a group that was begun stays open over turns")
    func explicitGroup() async {
        manager.beginUndoGrouping()
        set(1)
        await nextTurn()
        #expect(manager.groupingLevel == 1)
        set(2)
        manager.endUndoGrouping()
        manager.undo()
        #expect(counter.value == 0)
    }

    @Test("a manager that is gone by then is let go")
    func lifetime() async {
        weak var gone: UndoManager?
        func register() {
            let manager = UndoManager()
            gone = manager
            manager.registerUndo(withTarget: counter) { _ in }
        }
        register()
        #expect(gone == nil)
        await nextTurn()
    }
}
