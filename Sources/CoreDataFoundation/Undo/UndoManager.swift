// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Records undo and redo actions in groups, and performs them.

public import Foundation

/// Records actions that revert changes, and performs them on demand.
///
/// Actions are recorded in groups, and `undo()` reverts the newest outermost group. Actions registered while a group is
/// undone form the group for `redo()`.
///
/// With `groupsByEvent` a group opens at the first registration. It closes at the end of the turn of this thread's run
/// loop, or else of the main queue. Other threads have no turns: their group closes at a call of `undo()`, or of
/// `endUndoGrouping()` without a begin. Use `beginUndoGrouping()` to undo steps one by one.
///
/// Targets are not retained; an action of a deallocated target does nothing. Use a manager on one thread at a time.
///
/// # Invariants
/// (1) A group is in one place: open, in an open or stored group, on the undo stack, or on the redo stack.
/// (2) Groups on the stacks contain actions, and have no parent.
/// (3) A registration outside of undo and redo clears the redo stack.
/// (4) While a group is undone or redone, another open group records the opposite actions for the other stack.
open class UndoManager: NSObject {
    private var undoStack: [UndoGroup] = []
    private var redoStack: [UndoGroup] = []
    private var openGroup: UndoGroup?
    private var disableCount = 0
    private var isEventEndScheduled = false

    /// Whether an undo is being performed.
    open private(set) var isUndoing = false
    /// Whether a redo is being performed.
    open private(set) var isRedoing = false
    /// Whether a registration opens a group if none is open.
    open var groupsByEvent = true
    /// The run loop modes in which an event ends. A change affects the next group.
    open var runLoopModes: [RunLoop.Mode] = [.default]
    /// The greatest number of outermost groups, of which the oldest are removed; 0 means no limit.
    open var levelsOfUndo = 0 {
        didSet { dropOldGroups() }
    }

    public override init() {}

    // MARK: Groups

    /// The number of nested open groups.
    open var groupingLevel: Int { openGroup?.level ?? 0 }

    /// Opens a group within the current one. Each call requires a call of `endUndoGrouping()`.
    open func beginUndoGrouping() {
        if openGroup != nil { post(.NSUndoManagerCheckpoint) }
        open(isAutomatic: false)
    }

    /// Closes the group that was opened last. A group without actions is discarded. Traps if no group is open.
    open func endUndoGrouping() {
        post(.NSUndoManagerCheckpoint)
        guard let group = openGroup else {
            preconditionFailure("endUndoGrouping() needs an open group; call beginUndoGrouping() before it")
        }
        close(group)
    }

    /// Closes an automatically opened group, unless a nested group is open. For code that knows the end of an event.
    package func endEventGroup() {
        guard let group = openGroup, group.isAutomatic, group.parent == nil else { return }
        endUndoGrouping()
    }

    private func scheduleEventEnd() { isEventEndScheduled = EventEnd.schedule(self) }

    /// Handles the end of the turn in which the open group was opened.
    func eventDidEnd() {
        isEventEndScheduled = false
        endEventGroup()
    }

    private func open(isAutomatic: Bool) {
        openGroup = UndoGroup(in: openGroup, isAutomatic: isAutomatic)
        post(.NSUndoManagerDidOpenUndoGroup)
    }

    private func close(_ group: UndoGroup) {
        post(
            .NSUndoManagerWillCloseUndoGroup, userInfo: [NSUndoManagerGroupIsDiscardableKey: group.labels.isDiscardable]
        )
        let parent = group.parent
        openGroup = parent
        group.close()
        if !group.isEmpty {
            if let parent {
                parent.append(.group(group))
            } else if isUndoing {
                redoStack.append(group)
            } else {
                undoStack.append(group)
            }
            dropOldGroups()
        }
        checkInvariants()
        post(.NSUndoManagerDidCloseUndoGroup)
        // The turn in which the event's group was opened may be over; the group then ends with the current turn.
        if let parent, parent.isAutomatic, parent.parent == nil, !isEventEndScheduled { scheduleEventEnd() }
    }

    private func checkInvariants() {
        let newest = [undoStack.last, redoStack.last].compactMap { $0 }
        assert(newest.allSatisfy { $0 !== openGroup && $0.parent == nil }, "(1)")
        assert(newest.allSatisfy { !$0.isEmpty }, "(2)")
        assert(!(isUndoing && isRedoing), "(4)")
    }

    private func dropOldGroups() {
        guard levelsOfUndo > 0 else { return }
        undoStack.removeFirst(max(0, undoStack.count - levelsOfUndo))
        redoStack.removeFirst(max(0, redoStack.count - levelsOfUndo))
    }

    // MARK: Registering

    /// Whether actions are recorded; false after more calls to disable than to enable.
    open var isUndoRegistrationEnabled: Bool { disableCount == 0 }

    /// Stops recording until `enableUndoRegistration()` has been called as often.
    open func disableUndoRegistration() { disableCount += 1 }

    /// Reverts one call of `disableUndoRegistration()`. Traps without such a call.
    open func enableUndoRegistration() {
        precondition(
            disableCount > 0,
            "enableUndoRegistration() is called more often than disableUndoRegistration(); balance them")
        disableCount -= 1
    }

    /// Records the action that reverts a change. Ignored while registration is disabled.
    ///
    /// Traps if no group is open and `groupsByEvent` is off.
    /// - Parameters:
    ///   - target: not retained.
    ///   - handler: receives the target. It should not capture the target, which would be retained by the action.
    public func registerUndo<TargetType>(
        withTarget target: TargetType, handler: @escaping (TargetType) -> Void
    ) where TargetType: AnyObject {
        guard isUndoRegistrationEnabled else { return }
        if openGroup == nil {
            precondition(
                groupsByEvent,
                "registerUndo(withTarget:handler:) needs an open group; call beginUndoGrouping() before it")
            open(isAutomatic: true)
            scheduleEventEnd()
        }
        if !isUndoing && !isRedoing { redoStack.removeAll() }
        let action = UndoAction(target: ObjectIdentifier(target)) { [weak target] in
            if let target { handler(target) }
        }
        openGroup?.append(.action(action))
    }

    /// Records an action that sets a property, by the name of its setter (`"setTitle:"`).
    ///
    /// Without Objective-C methods cannot be called by name, so key-value coding sets the property. The target
    /// must register the opposite action itself, as contexts do for managed objects. Traps for other selectors
    /// and other targets.
    /// - Parameters:
    ///   - target: a managed object or another `KeyValueCoding` object; not retained.
    ///   - selector: `"set<Key>:"`.
    ///   - object: the value; retained.
    open func registerUndo(withTarget target: Any, selector: Selector, object: Any?) {
        guard let key = selector.keyOfSetter, let target = target as? any KeyValueCoding else {
            preconditionFailure(
                "registerUndo(withTarget:selector:object:) cannot call '\(selector)' of a \(type(of: target)): it sets properties of objects "
                    + "with key-value coding, by selectors like 'setTitle:'. Use registerUndo(withTarget:handler:)")
        }
        registerUndo(withTarget: target as AnyObject) { target in
            (target as? any KeyValueCoding)?.setValue(object, forKey: key)
        }
    }

    /// Removes all actions and enables registration. Open groups stay open.
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

    /// Removes all actions of one target. May be called while the target is being deallocated.
    open func removeAllActions(withTarget target: Any) {
        let target = ObjectIdentifier(target as AnyObject)
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

    /// Whether there are actions to undo, including those of the open group.
    open var canUndo: Bool { !undoStack.isEmpty || (openGroup?.hasActions ?? false) }

    /// Whether there are actions to redo. Observers of the checkpoint notification first register
    /// their pending changes.
    open var canRedo: Bool {
        post(.NSUndoManagerCheckpoint)
        return !redoStack.isEmpty
    }

    /// The number of groups that `undo()` can revert.
    open var undoCount: Int { undoStack.count + (openGroup?.hasActions ?? false ? 1 : 0) }
    /// The number of groups that `redo()` can restore.
    open var redoCount: Int { redoStack.count }

    /// Closes the open group, if any, and reverts the newest outermost group. Does nothing without a group.
    ///
    /// Traps while nested groups are open, and within an undo or redo.
    open func undo() {
        refuseWhileReverting("undo()")
        post(.NSUndoManagerCheckpoint)
        if groupingLevel == 1 { endUndoGrouping() }
        precondition(groupingLevel == 0, "undo() was called with nested groups open; call endUndoGrouping() for each")
        undoNestedGroup()
    }

    /// Reverts the newest group, which may be nested in an open group.
    ///
    /// Traps if the open group contains later actions, and within an undo or redo.
    open func undoNestedGroup() {
        refuseWhileReverting("undoNestedGroup()")
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

    /// Restores the last reverted group. Does nothing without one. Traps within an undo or redo.
    open func redo() {
        refuseWhileReverting("redo()")
        post(.NSUndoManagerCheckpoint)
        guard let group = redoStack.popLast() else { return }
        post(.NSUndoManagerWillRedoChange)
        isRedoing = true
        // Within an open group the restored actions belong to that group; otherwise later undos would have
        // the wrong order.
        revert(group)
        isRedoing = false
        post(.NSUndoManagerDidRedoChange)
    }

    private func refuseWhileReverting(_ call: String) {
        precondition(
            !isUndoing && !isRedoing,
            "\(call) was called while an action is undone or redone; let the action only change and register")
    }

    /// Performs a group. Actions registered while it runs form a group with the same labels.
    private func revert(_ group: UndoGroup) {
        let outer = openGroup
        open(isAutomatic: false)
        openGroup?.labels = group.labels
        group.perform()
        // An observer that batches changes, such as a managed object context, registers them now.
        post(.NSUndoManagerCheckpoint)
        while let open = openGroup, open !== outer { close(open) }
    }

    // MARK: Names

    /// The name of the group that `undo()` would revert; empty without one.
    open var undoActionName: String { groupToUndo?.labels.name ?? "" }
    /// The name of the group that `redo()` would restore; empty without one.
    open var redoActionName: String { redoStack.last?.labels.name ?? "" }

    /// Names the open outermost group, or otherwise the newest one. Redo and undo keep the name.
    open func setActionName(_ actionName: String) { groupToLabel?.labels.name = actionName }

    /// Whether the action may be lost without harm, for example a change of selection.
    open var undoActionIsDiscardable: Bool { groupToUndo?.labels.isDiscardable ?? false }
    /// As `undoActionIsDiscardable`, for the group that `redo()` would restore.
    open var redoActionIsDiscardable: Bool { redoStack.last?.labels.isDiscardable ?? false }
    /// Sets the property for the open outermost group, or otherwise the newest one.
    open func setActionIsDiscardable(_ discardable: Bool) { groupToLabel?.labels.isDiscardable = discardable }

    /// A value attached to the group that `undo()` would revert; nil without one.
    open func undoActionUserInfoValue(forKey key: UserInfoKey) -> Any? { groupToUndo?.labels.userInfo[key] }
    /// A value attached to the group that `redo()` would restore; nil without one.
    open func redoActionUserInfoValue(forKey key: UserInfoKey) -> Any? { redoStack.last?.labels.userInfo[key] }
    /// Attaches a value to the open outermost group, or otherwise the newest one; nil removes it.
    open func setActionUserInfoValue(_ info: Any?, forKey key: UserInfoKey) {
        groupToLabel?.labels.userInfo[key] = info
    }

    /// "Undo" and the name of the action, in English; override `undoMenuTitle(forUndoActionName:)` for other languages.
    open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }
    /// "Redo" and the name of the action, in English; override `redoMenuTitle(forUndoActionName:)` for other languages.
    open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }
    /// The title of a menu item that undoes an action: just "Undo" for an empty name.
    open func undoMenuTitle(forUndoActionName actionName: String) -> String {
        actionName.isEmpty ? "Undo" : "Undo \(actionName)"
    }
    /// The title of a menu item that repeats an action: just "Redo" for an empty name.
    open func redoMenuTitle(forUndoActionName actionName: String) -> String {
        actionName.isEmpty ? "Redo" : "Redo \(actionName)"
    }

    private var groupToUndo: UndoGroup? {
        if let openGroup, openGroup.hasActions { return openGroup.outermost }
        return undoStack.last
    }

    private var groupToLabel: UndoGroup? { openGroup?.outermost ?? undoStack.last }

    private func post(_ name: Notification.Name, userInfo: [AnyHashable: Any]? = nil) {
        NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
    }
}
