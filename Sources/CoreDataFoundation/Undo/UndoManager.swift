// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Remembers how to take changes back, in groups, and how to make them again.

public import Foundation

/// Records actions that revert changes, and performs them on demand.
///
/// Actions are recorded in groups, and the outermost groups are what `undo()` takes back. While a group is undone, the
/// actions that are registered make up the group that `redo()` performs.
///
/// With `groupsByEvent` a group opens at the first registration. On the main queue it closes at the end of the queue's turn, as
/// Apple's does with each turn of the run loop. Other queues have no such turns: there it closes when `undo()`, or
/// `endUndoGrouping()` without a begin, is called. Use `beginUndoGrouping()` where steps shall be taken back one by one.
///
/// Targets are not kept alive; an action whose target is gone does nothing. Use a manager on one thread at a time.
open class UndoManager: NSObject {
    private var undoStack: [UndoGroup] = []
    private var redoStack: [UndoGroup] = []
    private var openGroup: UndoGroup?
    private var disableCount = 0

    /// Whether an undo is being performed.
    open private(set) var isUndoing = false
    /// Whether a redo is being performed.
    open private(set) var isRedoing = false
    /// Whether a registration opens a group where none is open.
    open var groupsByEvent = true
    /// How many outermost groups are kept, the oldest going first; 0 means no limit.
    open var levelsOfUndo = 0 {
        didSet { dropOldGroups() }
    }

    public override init() {}

    // MARK: Groups

    /// The number of groups that are open, each in the one before.
    open var groupingLevel: Int { openGroup?.level ?? 0 }

    open func beginUndoGrouping() {
        if openGroup != nil { post(.NSUndoManagerCheckpoint) }
        open(isAutomatic: false)
    }

    /// Closes the group that was opened last. A group without actions leaves nothing behind.
    open func endUndoGrouping() {
        post(.NSUndoManagerCheckpoint)
        guard let group = openGroup else {
            preconditionFailure("endUndoGrouping() needs an open group; call beginUndoGrouping() before it")
        }
        close(group)
    }

    /// Closes the group that opened by itself, unless another is open in it: for whoever knows where an event ends.
    package func endEventGroup() {
        guard let group = openGroup, group.isAutomatic, group.parent == nil else { return }
        endUndoGrouping()
    }

    private func open(isAutomatic: Bool) {
        openGroup = UndoGroup(in: openGroup, isAutomatic: isAutomatic)
        post(.NSUndoManagerDidOpenUndoGroup)
    }

    private func close(_ group: UndoGroup) {
        post(.NSUndoManagerWillCloseUndoGroup, userInfo: [NSUndoManagerGroupIsDiscardableKey: group.isDiscardable])
        openGroup = group.parent
        if !group.isEmpty {
            if let parent = group.parent {
                parent.append(.group(group))
            } else if isUndoing {
                redoStack.append(group)
            } else {
                undoStack.append(group)
            }
            dropOldGroups()
        }
        post(.NSUndoManagerDidCloseUndoGroup)
    }

    private func dropOldGroups() {
        guard levelsOfUndo > 0 else { return }
        undoStack.removeFirst(max(0, undoStack.count - levelsOfUndo))
        redoStack.removeFirst(max(0, redoStack.count - levelsOfUndo))
    }

    // MARK: Registering

    /// Whether actions are recorded; false while there were more calls to disable than to enable.
    open var isUndoRegistrationEnabled: Bool { disableCount == 0 }

    open func disableUndoRegistration() { disableCount += 1 }

    open func enableUndoRegistration() {
        precondition(
            disableCount > 0,
            "enableUndoRegistration() is called more often than disableUndoRegistration(); balance them")
        disableCount -= 1
    }

    /// Records how a change is taken back. Ignored while registration is disabled.
    ///
    /// - Parameters:
    ///   - target: is held weakly.
    ///   - handler: gets the target; it should not capture it, or the target lives as long as the action.
    public func registerUndo<TargetType>(
        withTarget target: TargetType, handler: @escaping (TargetType) -> Void
    ) where TargetType: AnyObject {
        guard isUndoRegistrationEnabled else { return }
        if openGroup == nil {
            precondition(
                groupsByEvent,
                "registerUndo(withTarget:handler:) needs an open group; call beginUndoGrouping() before it")
            open(isAutomatic: true)
            EventEnd.schedule(self)
        }
        if !isUndoing && !isRedoing { redoStack.removeAll() }
        let action = UndoAction(target: target) { [weak target] in
            if let target { handler(target) }
        }
        openGroup?.append(.action(action))
    }

    /// Forgets all actions and enables registration. Groups that were begun stay open.
    open func removeAllActions() {
        undoStack.removeAll()
        redoStack.removeAll()
        disableCount = 0
        if let group = openGroup, group.isAutomatic, group.parent == nil {
            openGroup = nil
        } else {
            var group = openGroup
            while let current = group {
                current.removeAll()
                group = current.parent
            }
        }
    }

    /// Forgets all actions of one target.
    open func removeAllActions(withTarget target: Any) {
        let target = target as AnyObject
        var group = openGroup
        while let current = group {
            current.removeActions(of: target)
            group = current.parent
        }
        for group in undoStack + redoStack { group.removeActions(of: target) }
        undoStack.removeAll(where: \.isEmpty)
        redoStack.removeAll(where: \.isEmpty)
    }

    // MARK: Undoing

    /// Whether there is anything to undo, the open group included.
    open var canUndo: Bool { !undoStack.isEmpty || (openGroup?.hasActions ?? false) }

    open var canRedo: Bool {
        post(.NSUndoManagerCheckpoint)
        return !redoStack.isEmpty
    }

    /// How often `undo()` would find something to take back.
    open var undoCount: Int { undoStack.count + (openGroup?.hasActions ?? false ? 1 : 0) }
    open var redoCount: Int { redoStack.count }

    /// Closes the open group, if there is one, and takes back the newest outermost group. Does nothing where there is none.
    open func undo() {
        post(.NSUndoManagerCheckpoint)
        if groupingLevel == 1 { endUndoGrouping() }
        precondition(groupingLevel == 0, "undo() was called with nested groups open; call endUndoGrouping() for each")
        undoNestedGroup()
    }

    /// Takes back the newest group, which may be a nested one within a group that is still open.
    open func undoNestedGroup() {
        post(.NSUndoManagerCheckpoint)
        let outer = openGroup
        let found: UndoGroup?
        if let outer {
            found = outer.removeLastGroup()
            precondition(
                found != nil || outer.isEmpty,
                "undoNestedGroup() was called after a registration in an open group; end it")
        } else {
            found = undoStack.popLast()
        }
        guard let found else { return }
        post(.NSUndoManagerWillUndoChange)
        openGroup = nil
        isUndoing = true
        revert(found)
        isUndoing = false
        openGroup = outer
        post(.NSUndoManagerDidUndoChange)
    }

    /// Makes again what was undone last. Does nothing where there is nothing to redo.
    open func redo() {
        post(.NSUndoManagerCheckpoint)
        guard let group = redoStack.popLast() else { return }
        post(.NSUndoManagerWillRedoChange)
        isRedoing = true
        // Within an open group what was redone belongs to it, or later undos would come in the wrong order.
        revert(group)
        isRedoing = false
        post(.NSUndoManagerDidRedoChange)
    }

    /// Performs a group; what is registered meanwhile becomes one group with the same name.
    private func revert(_ group: UndoGroup) {
        let outer = openGroup
        open(isAutomatic: false)
        let opposite = openGroup
        opposite?.name = group.name
        opposite?.isDiscardable = group.isDiscardable
        group.perform()
        // An observer that batches changes, as a managed object context does, registers them now.
        post(.NSUndoManagerCheckpoint)
        while let open = openGroup, open !== outer { close(open) }
    }

    // MARK: Names

    /// The name of what `undo()` would take back; empty without one.
    open var undoActionName: String { groupToUndo?.name ?? "" }
    open var redoActionName: String { redoStack.last?.name ?? "" }

    /// Names the open outermost group, or else the newest one.
    open func setActionName(_ actionName: String) {
        (openGroup?.outermost ?? undoStack.last)?.name = actionName
    }

    /// Whether losing the action would be no loss to the user, as a change of selection.
    open var undoActionIsDiscardable: Bool { groupToUndo?.isDiscardable ?? false }
    open var redoActionIsDiscardable: Bool { redoStack.last?.isDiscardable ?? false }
    open func setActionIsDiscardable(_ discardable: Bool) {
        (openGroup?.outermost ?? undoStack.last)?.isDiscardable = discardable
    }

    open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }
    open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }
    open func undoMenuTitle(forUndoActionName actionName: String) -> String {
        actionName.isEmpty ? "Undo" : "Undo \(actionName)"
    }
    open func redoMenuTitle(forUndoActionName actionName: String) -> String {
        actionName.isEmpty ? "Redo" : "Redo \(actionName)"
    }

    private var groupToUndo: UndoGroup? {
        if let openGroup, openGroup.hasActions { return openGroup.outermost }
        return undoStack.last
    }

    private func post(_ name: Notification.Name, userInfo: [AnyHashable: Any]? = nil) {
        NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
    }
}
