// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Remembers how to take changes back, in groups, and how to make them again.

public import Foundation

/// Records actions that revert changes, and performs them on demand.
///
/// Actions are recorded in groups, and the outermost groups are what `undo()` takes back. While a group is undone, the
/// actions that are registered make up the group that `redo()` performs.
///
/// With `groupsByEvent` a group opens at the first registration. It closes at the end of the turn of the run loop that
/// runs on this thread, or else of the main queue. Other threads have no turns: there it closes when `undo()`, or
/// `endUndoGrouping()` without a begin, is called. Use `beginUndoGrouping()` where steps shall be taken back one by
/// one.
///
/// Targets are not kept alive; an action whose target is gone does nothing. Use a manager on one thread at a time.
///
/// # Invariants
/// (1) A group is in one place: open, in a group that is open or kept, on the undo stack, or on the redo stack.
/// (2) Groups on the stacks have actions, and no parent.
/// (3) A registration that neither undo nor redo makes leaves nothing to redo.
/// (4) While a group is undone or redone another one is open that takes the opposite actions; it goes to the other
///     stack.
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
    /// Whether a registration opens a group where none is open.
    open var groupsByEvent = true
    /// In which modes a run loop ends the group of an event. Counts from the next group on.
    open var runLoopModes: [RunLoop.Mode] = [.default]
    /// How many outermost groups are kept, the oldest going first; 0 means no limit.
    open var levelsOfUndo = 0 {
        didSet { dropOldGroups() }
    }

    public override init() {}

    // MARK: Groups

    /// The number of groups that are open, each in the one before.
    open var groupingLevel: Int { openGroup?.level ?? 0 }

    /// Opens a group, within the one that is open. Each call needs one of `endUndoGrouping()`.
    open func beginUndoGrouping() {
        if openGroup != nil { post(.NSUndoManagerCheckpoint) }
        open(isAutomatic: false)
    }

    /// Closes the group that was opened last. A group without actions leaves nothing behind. Traps when no group is
    /// open.
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

    private func scheduleEventEnd() { isEventEndScheduled = EventEnd.schedule(self) }

    /// The turn is over that the open group was opened in.
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
        // The turn that the event's group was opened in may be over by now: then it ends with this one.
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

    /// Whether actions are recorded; false while there were more calls to disable than to enable.
    open var isUndoRegistrationEnabled: Bool { disableCount == 0 }

    /// Nothing is recorded until `enableUndoRegistration()` has been called as often.
    open func disableUndoRegistration() { disableCount += 1 }

    /// Takes back one call of `disableUndoRegistration()`. Traps when there was none.
    open func enableUndoRegistration() {
        precondition(
            disableCount > 0,
            "enableUndoRegistration() is called more often than disableUndoRegistration(); balance them")
        disableCount -= 1
    }

    /// Records how a change is taken back. Ignored while registration is disabled.
    ///
    /// Traps when no group is open and `groupsByEvent` is off.
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
            scheduleEventEnd()
        }
        if !isUndoing && !isRedoing { redoStack.removeAll() }
        let action = UndoAction(target: ObjectIdentifier(target)) { [weak target] in
            if let target { handler(target) }
        }
        openGroup?.append(.action(action))
    }

    /// Records that a property is set to a value to take a change back, by the name of its setter (`"setTitle:"`).
    ///
    /// There are no methods to be called by name here: the target is asked through key-value coding. What takes that
    /// setting back in turn has to be registered by the target, as contexts do for managed objects. Traps for other
    /// selectors and other targets.
    /// - Parameters:
    ///   - target: a managed object or another `KeyValueCoding` one; is held weakly.
    ///   - selector: `"set<Key>:"`.
    ///   - object: the value; is held strongly.
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

    /// Forgets all actions of one target. May be called while the target goes away.
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

    /// Whether there is anything to undo, the open group included.
    open var canUndo: Bool { !undoStack.isEmpty || (openGroup?.hasActions ?? false) }

    /// Whether there is anything to redo. Observers of the checkpoint notification register what they hold back before
    /// it is told.
    open var canRedo: Bool {
        post(.NSUndoManagerCheckpoint)
        return !redoStack.isEmpty
    }

    /// How often `undo()` would find something to take back.
    open var undoCount: Int { undoStack.count + (openGroup?.hasActions ?? false ? 1 : 0) }
    /// How often `redo()` would find something to make again.
    open var redoCount: Int { redoStack.count }

    /// Closes the open group, if there is one, and takes back the newest outermost group. Does nothing where there is
    /// none.
    ///
    /// Traps while nested groups are open, and within an undo or redo.
    open func undo() {
        refuseWhileReverting("undo()")
        post(.NSUndoManagerCheckpoint)
        if groupingLevel == 1 { endUndoGrouping() }
        precondition(groupingLevel == 0, "undo() was called with nested groups open; call endUndoGrouping() for each")
        undoNestedGroup()
    }

    /// Takes back the newest group, which may be a nested one within a group that is still open.
    ///
    /// Traps when actions were registered after it in the group that is open, and within an undo or redo.
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

    /// Makes again what was undone last. Does nothing where there is nothing to redo. Traps within an undo or redo.
    open func redo() {
        refuseWhileReverting("redo()")
        post(.NSUndoManagerCheckpoint)
        guard let group = redoStack.popLast() else { return }
        post(.NSUndoManagerWillRedoChange)
        isRedoing = true
        // Within an open group what was redone belongs to it, or later undos would come in the wrong order.
        revert(group)
        isRedoing = false
        post(.NSUndoManagerDidRedoChange)
    }

    private func refuseWhileReverting(_ call: String) {
        precondition(
            !isUndoing && !isRedoing,
            "\(call) was called while an action is undone or redone; let the action only change and register")
    }

    /// Performs a group; what is registered meanwhile becomes one group with the same labels.
    private func revert(_ group: UndoGroup) {
        let outer = openGroup
        open(isAutomatic: false)
        openGroup?.labels = group.labels
        group.perform()
        // An observer that batches changes, as a managed object context does, registers them now.
        post(.NSUndoManagerCheckpoint)
        while let open = openGroup, open !== outer { close(open) }
    }

    // MARK: Names

    /// The name of what `undo()` would take back; empty without one.
    open var undoActionName: String { groupToUndo?.labels.name ?? "" }
    /// The name of what `redo()` would make again; empty without one.
    open var redoActionName: String { redoStack.last?.labels.name ?? "" }

    /// Names the open outermost group, or else the newest one. The name goes with it to redo and back.
    open func setActionName(_ actionName: String) { groupToLabel?.labels.name = actionName }

    /// Whether losing the action would be no loss to the user, as a change of selection.
    open var undoActionIsDiscardable: Bool { groupToUndo?.labels.isDiscardable ?? false }
    open var redoActionIsDiscardable: Bool { redoStack.last?.labels.isDiscardable ?? false }
    /// Says so of the open outermost group, or else the newest one.
    open func setActionIsDiscardable(_ discardable: Bool) { groupToLabel?.labels.isDiscardable = discardable }

    /// A value that was attached to what `undo()` would take back; nil without one.
    open func undoActionUserInfoValue(forKey key: UserInfoKey) -> Any? { groupToUndo?.labels.userInfo[key] }
    open func redoActionUserInfoValue(forKey key: UserInfoKey) -> Any? { redoStack.last?.labels.userInfo[key] }
    /// Attaches a value to the open outermost group, or else the newest one; nil takes it away.
    open func setActionUserInfoValue(_ info: Any?, forKey key: UserInfoKey) {
        groupToLabel?.labels.userInfo[key] = info
    }

    /// "Undo", and the name of the action. English; override `undoMenuTitle(forUndoActionName:)` for other languages.
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

    private var groupToLabel: UndoGroup? { openGroup?.outermost ?? undoStack.last }

    private func post(_ name: Notification.Name, userInfo: [AnyHashable: Any]? = nil) {
        NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
    }
}
