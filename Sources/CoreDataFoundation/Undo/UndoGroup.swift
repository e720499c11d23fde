// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The unit of undo: actions and nested groups, newest last.

/// One registered action. It does not retain its target, and does nothing after the target was deallocated.
struct UndoAction {
    /// Only compared. A new object may have the identity of a deallocated one; the actions of that one
    /// do nothing anyway.
    let target: ObjectIdentifier
    let perform: () -> Void
}

/// The attributes of a group for the user interface.
struct UndoLabels {
    var name = ""
    var isDiscardable = false
    var userInfo: [UndoManager.UserInfoKey: Any] = [:]
}

/// Actions that are undone together.
final class UndoGroup {
    enum Step {
        case action(UndoAction)
        case group(UndoGroup)
    }

    private(set) var steps: [Step] = []
    /// The enclosing group while this one is open.
    private(set) var parent: UndoGroup?
    var labels = UndoLabels()
    /// Whether a registration opened the group, not `beginUndoGrouping()`.
    let isAutomatic: Bool

    init(in parent: UndoGroup?, isAutomatic: Bool) {
        self.parent = parent
        self.isAutomatic = isAutomatic
    }

    var isEmpty: Bool { steps.isEmpty }
    var level: Int { 1 + (parent?.level ?? 0) }
    /// Whether this group or an enclosing one contains actions.
    var hasActions: Bool { !isEmpty || (parent?.hasActions ?? false) }
    var outermost: UndoGroup { parent?.outermost ?? self }

    func append(_ step: Step) { steps.append(step) }

    /// Closes the group and releases its parent, which may retain it from now on.
    func close() { parent = nil }

    /// Removes and returns the last nested group; nil if the last step is an action.
    func removeLastGroup() -> UndoGroup? {
        guard case .group(let group) = steps.last else { return nil }
        steps.removeLast()
        return group
    }

    /// Performs all steps, newest first.
    func perform() {
        for step in steps.reversed() {
            switch step {
            case .action(let action): action.perform()
            case .group(let group): group.perform()
            }
        }
    }

    func removeAll() { steps.removeAll() }

    func removeActions(of target: ObjectIdentifier) {
        steps.removeAll { step in
            switch step {
            case .action(let action): return action.target == target
            case .group(let group):
                group.removeActions(of: target)
                return group.isEmpty
            }
        }
    }
}
