// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What one undo takes back: actions and groups of them, newest last.

/// One registered action. It does not keep its target alive; once the target is gone the action does nothing.
struct UndoAction {
    /// Compared only: another object may have the identity of one that is gone, whose actions do nothing anyway.
    let target: ObjectIdentifier
    let perform: () -> Void
}

/// What a group says of itself to the user interface.
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
    /// While it is open.
    private(set) var parent: UndoGroup?
    var labels = UndoLabels()
    /// Opened by a registration and not by `beginUndoGrouping()`.
    let isAutomatic: Bool

    init(in parent: UndoGroup?, isAutomatic: Bool) {
        self.parent = parent
        self.isAutomatic = isAutomatic
    }

    var isEmpty: Bool { steps.isEmpty }
    var level: Int { 1 + (parent?.level ?? 0) }
    /// Of this group and of those it is in.
    var hasActions: Bool { !isEmpty || (parent?.hasActions ?? false) }
    var outermost: UndoGroup { parent?.outermost ?? self }

    func append(_ step: Step) { steps.append(step) }

    /// Closes the group: what it is in may hold it from now on, so it lets go.
    func close() { parent = nil }

    /// The last group in this one, taken out of it; nil where the last step is an action.
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
