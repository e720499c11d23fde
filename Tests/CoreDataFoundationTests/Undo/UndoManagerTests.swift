// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Undoes and redoes changes.

import CoreDataFoundation
import Foundation
import Synchronization
import Testing

@Suite("Undoing")
struct UndoManagerTests {
    final class Counter {
        var value = 0
        let manager: UndoManager
        init(_ manager: UndoManager) { self.manager = manager }

        func set(_ new: Int) {
            let old = value
            value = new
            manager.registerUndo(withTarget: self) { $0.set(old) }
        }
    }

    let manager = UndoManager()
    let counter: Counter

    init() { counter = Counter(manager) }

    private func group(_ values: Int...) {
        manager.beginUndoGrouping()
        for value in values { counter.set(value) }
        manager.endUndoGrouping()
    }

    @Test("a group is taken back and made again as a whole")
    func groups() {
        group(1)
        group(2, 3)
        #expect(manager.canUndo && !manager.canRedo)
        #expect(manager.undoCount == 2)
        manager.undo()
        #expect(counter.value == 1)
        #expect(manager.canUndo && manager.canRedo)
        manager.redo()
        #expect(counter.value == 3)
        manager.undo()
        manager.undo()
        #expect(counter.value == 0)
        #expect(!manager.canUndo)
        #expect(manager.redoCount == 2)
        manager.redo()
        manager.redo()
        #expect(counter.value == 3)
        #expect(!manager.canRedo)
        manager.redo()
        #expect(counter.value == 3)
    }

    @Test("without a begin a group opens at the first registration and closes at undo")
    func automaticGroup() {
        counter.set(1)
        counter.set(2)
        #expect(manager.groupingLevel == 1)
        #expect(manager.canUndo)
        #expect(manager.undoCount == 1)
        manager.undo()
        #expect(manager.groupingLevel == 0)
        #expect(counter.value == 0)
        counter.set(5)
        #expect(!manager.canRedo)
        manager.endUndoGrouping()
        #expect(manager.groupingLevel == 0)
        #expect(manager.undoCount == 1)
    }

    @Test("a nested group belongs to the one around it, and can be taken back by itself")
    func nesting() {
        manager.beginUndoGrouping()
        counter.set(1)
        manager.beginUndoGrouping()
        #expect(manager.groupingLevel == 2)
        counter.set(2)
        manager.endUndoGrouping()
        manager.undoNestedGroup()
        #expect(counter.value == 1)
        #expect(manager.groupingLevel == 1)
        manager.redo()
        #expect(counter.value == 2)
        manager.endUndoGrouping()
        #expect(manager.undoCount == 1)
        manager.undo()
        #expect(counter.value == 0)
    }

    @Test("a new change discards the redo stack")
    func redoIsForgotten() {
        group(1)
        manager.undo()
        group(2)
        #expect(!manager.canRedo)
        manager.redo()
        #expect(counter.value == 2)
    }

    @Test("only as many groups are kept as there are levels")
    func levels() {
        manager.levelsOfUndo = 2
        group(1)
        group(2)
        group(3)
        #expect(manager.undoCount == 2)
        manager.undo()
        manager.undo()
        manager.undo()
        #expect(counter.value == 1)
        manager.redo()
        manager.redo()
        manager.levelsOfUndo = 1
        #expect(manager.undoCount == 1)
    }

    @Test("nothing is recorded while registration is disabled, and empty groups leave nothing")
    func disabled() {
        manager.disableUndoRegistration()
        manager.disableUndoRegistration()
        manager.enableUndoRegistration()
        #expect(!manager.isUndoRegistrationEnabled)
        group(1)
        #expect(!manager.canUndo)
        manager.enableUndoRegistration()
        group(2)
        #expect(manager.canUndo)
    }

    @Test("actions are forgotten, all or those of one target")
    func removal() {
        let other = Counter(manager)
        manager.beginUndoGrouping()
        counter.set(1)
        other.set(1)
        manager.endUndoGrouping()
        group(2)
        manager.removeAllActions(withTarget: counter)
        #expect(manager.undoCount == 1)
        manager.undo()
        #expect(counter.value == 2)
        #expect(other.value == 0)
        counter.set(3)
        manager.disableUndoRegistration()
        manager.removeAllActions()
        #expect(!manager.canUndo && !manager.canRedo)
        #expect(manager.isUndoRegistrationEnabled)
        #expect(manager.groupingLevel == 0)
    }

    @Test("an action of a target that is gone does nothing")
    func deadTarget() {
        var other: Counter? = Counter(manager)
        manager.beginUndoGrouping()
        counter.set(1)
        other?.set(1)
        manager.endUndoGrouping()
        weak let gone = other
        other = nil
        #expect(gone == nil)
        manager.undo()
        #expect(counter.value == 0)
    }

    @Test("handlers see whether they undo or redo")
    func flags() {
        final class Seen {
            var flags: [Bool] = []
        }
        let seen = Seen()
        func register() {
            manager.registerUndo(withTarget: seen) { [manager] seen in
                seen.flags += [manager.isUndoing, manager.isRedoing]
                manager.registerUndo(withTarget: seen) { $0.flags += [manager.isUndoing, manager.isRedoing] }
            }
        }
        register()
        manager.undo()
        manager.redo()
        #expect(seen.flags == [true, false, false, true])
        #expect(!manager.isUndoing && !manager.isRedoing)
    }

    private final class Log: Sendable {
        let names = Mutex<[String]>([])
    }

    @Test("notifications announce undo, redo and groups")
    func notifications() {
        let log = Log()
        let names: [Notification.Name] = [
            .NSUndoManagerCheckpoint, .NSUndoManagerDidOpenUndoGroup, .NSUndoManagerWillCloseUndoGroup,
            .NSUndoManagerDidCloseUndoGroup, .NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange,
            .NSUndoManagerWillRedoChange, .NSUndoManagerDidRedoChange,
        ]
        let tokens = names.map { name in
            NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) { note in
                let short = note.name.rawValue.dropFirst("NSUndoManager".count).dropLast("Notification".count)
                log.names.withLock { $0.append(String(short)) }
            }
        }
        defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
        group(1)
        #expect(
            log.names.withLock { $0 } == ["DidOpenUndoGroup", "Checkpoint", "WillCloseUndoGroup", "DidCloseUndoGroup"])
        log.names.withLock { $0 = [] }
        manager.undo()
        #expect(
            log.names.withLock { $0 } == [
                "Checkpoint", "Checkpoint", "WillUndoChange", "DidOpenUndoGroup", "Checkpoint", "WillCloseUndoGroup",
                "DidCloseUndoGroup", "DidUndoChange",
            ])
    }
}
