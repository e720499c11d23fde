// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the labels of undo groups: names, titles, custom values, and whether a group can be discarded.

import CoreDataFoundation
import Foundation
import Synchronization
import Testing

@Suite("Labels of undo groups")
struct UndoLabelTests {
    private let manager = UndoManager()

    /// A group whose action registers itself again, so that it can be redone.
    private func group(_ name: String? = nil) {
        manager.beginUndoGrouping()
        register()
        if let name { manager.setActionName(name) }
        manager.endUndoGrouping()
    }

    private func register() { Self.register(manager) }

    private static func register(_ manager: UndoManager) {
        manager.registerUndo(withTarget: manager, handler: register)
    }

    @Test("a group's name goes with it to redo and back")
    func names() {
        group()
        manager.setActionName("Typing")
        #expect(manager.undoActionName == "Typing")
        #expect(manager.undoMenuItemTitle == "Undo Typing")
        #expect(manager.redoMenuItemTitle == "Redo")
        manager.undo()
        #expect(manager.undoActionName == "")
        #expect(manager.undoMenuItemTitle == "Undo")
        #expect(manager.redoActionName == "Typing")
        #expect(manager.redoMenuItemTitle == "Redo Typing")
        manager.redo()
        #expect(manager.undoActionName == "Typing")
        #expect(manager.redoActionName == "")
    }

    @Test("each group has its name; an open one is named before it is closed")
    func severalNames() {
        group("first")
        group("second")
        #expect(manager.undoActionName == "second")
        register()
        #expect(manager.undoActionName == "")
        manager.setActionName("third")
        #expect(manager.undoActionName == "third")
        manager.setActionName("")
        #expect(manager.undoActionName == "")
        manager.undo()
        #expect(manager.undoActionName == "second")
    }

    @Test("a name given in a nested group is that of the outermost one")
    func nestedName() {
        manager.beginUndoGrouping()
        group("inner")
        manager.endUndoGrouping()
        #expect(manager.undoActionName == "inner")
    }

    @Test("without groups there is nothing to name")
    func nothing() {
        manager.setActionName("lost")
        manager.setActionIsDiscardable(true)
        manager.setActionUserInfoValue(1, forKey: .init("key"))
        #expect(manager.undoActionName == "")
        #expect(!manager.undoActionIsDiscardable)
        group()
        #expect(manager.undoActionName == "")
        #expect(manager.undoActionUserInfoValue(forKey: .init("key")) == nil)
    }

    @Test("custom values go with the group to redo and back")
    func userInfo() {
        let key = UndoManager.UserInfoKey(rawValue: "selection")
        group()
        manager.setActionUserInfoValue([1, 2], forKey: key)
        group()
        #expect(manager.undoActionUserInfoValue(forKey: key) == nil)
        manager.undo()
        #expect(manager.undoActionUserInfoValue(forKey: key) as? [Int] == [1, 2])
        #expect(manager.redoActionUserInfoValue(forKey: key) == nil)
        manager.undo()
        #expect(manager.redoActionUserInfoValue(forKey: key) as? [Int] == [1, 2])
        manager.redo()
        manager.setActionUserInfoValue(nil, forKey: key)
        #expect(manager.undoActionUserInfoValue(forKey: key) == nil)
    }

    @Test("whether an action may be lost goes with it to redo and back")
    func discardable() {
        group()
        #expect(!manager.undoActionIsDiscardable)
        manager.setActionIsDiscardable(true)
        #expect(manager.undoActionIsDiscardable)
        manager.undo()
        #expect(manager.redoActionIsDiscardable)
        #expect(!manager.undoActionIsDiscardable)
    }

    private final class Log: Sendable {
        let flags = Mutex<[Bool]>([])
    }

    @Test("the notification of a closing group says whether it may be lost")
    func closing() {
        let log = Log()
        let token = NotificationCenter.default.addObserver(
            forName: .NSUndoManagerWillCloseUndoGroup, object: manager, queue: nil
        ) { note in
            let flag = note.userInfo?[NSUndoManagerGroupIsDiscardableKey] as? Bool
            log.flags.withLock { $0.append(flag ?? false) }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        group()
        manager.beginUndoGrouping()
        register()
        manager.setActionIsDiscardable(true)
        manager.endUndoGrouping()
        #expect(log.flags.withLock { $0 } == [false, true])
    }
}
