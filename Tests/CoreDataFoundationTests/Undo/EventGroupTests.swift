// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Groups that open and close automatically.

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

    @Test("a group within that of the event may end in a later turn; the event's ends with that turn")
    func groupOverTurns() async {
        set(1)
        manager.beginUndoGrouping()
        await nextTurn()
        #expect(manager.groupingLevel == 2)
        set(2)
        manager.endUndoGrouping()
        #expect(manager.groupingLevel == 1)
        await nextTurn()
        #expect(manager.groupingLevel == 0)
        manager.undo()
        #expect(counter.value == 0)
    }

    @Test("clearing a manager within a turn leaves the rest of the turn a step")
    func clearing() async {
        set(1)
        manager.removeAllActions()
        set(2)
        await nextTurn()
        #expect(manager.groupingLevel == 0)
        manager.undo()
        #expect(counter.value == 1)
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

@Suite("Undoing by the turns of a run loop")
struct RunLoopGroupTests {
    /// Registers actions in blocks of a run loop, one in each turn, and notes the number of open groups before.
    private final class Work: @unchecked Sendable {  // belongs to its thread, and to the test when that is done
        let manager = UndoManager()
        var levels: [Int] = []
        var value = 0

        func add() {
            let old = value
            value += 1
            manager.registerUndo(withTarget: self) { $0.value = old }
        }

        func run(turns: Int) {
            let timer = Timer(timeInterval: 0.002, repeats: true) { [self] timer in
                levels.append(manager.groupingLevel)
                if levels.count > turns { timer.invalidate() } else { add() }
            }
            RunLoop.current.add(timer, forMode: .default)
            while timer.isValid { _ = RunLoop.current.run(mode: .default, before: Date().addingTimeInterval(1)) }
            while manager.groupingLevel > 0 { manager.endUndoGrouping() }
        }
    }

    /// The groups that a thread with a run loop made in three turns.
    private func threeTurns(modes: [RunLoop.Mode]) -> Work {
        let work = Work()
        work.manager.runLoopModes = modes
        let done = DispatchSemaphore(value: 0)
        Thread {
            work.run(turns: 3)
            done.signal()
        }.start()
        done.wait()
        return work
    }

    @Test("each turn in the manager's modes is a step")
    func turns() {
        let work = threeTurns(modes: [.default])
        #expect(work.levels == [0, 0, 0, 0])
        #expect(work.manager.undoCount == 3)
        work.manager.undo()
        #expect(work.value == 2)
    }

    @Test("turns in other modes are not counted")
    func otherModes() {
        let work = threeTurns(modes: [RunLoop.Mode("tracking")])
        #expect(work.levels == [0, 1, 1, 1])
        #expect(work.manager.undoCount == 1)
        work.manager.undo()
        #expect(work.value == 0)
    }

    @Test("a thread without turns closes the group at undo")
    func noTurns() {
        let work = Work()
        work.add()
        work.add()
        #expect(work.manager.groupingLevel == 1)
        work.manager.undo()
        #expect(work.manager.groupingLevel == 0)
        #expect(work.value == 0)
    }
}
