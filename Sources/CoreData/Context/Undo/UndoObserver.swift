// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Connects a context and its undo manager: when records are made, and when they lose their effect.

import CoreDataFoundation
import Foundation

/// A context as undo managers call it.
protocol UndoTarget: AnyObject, Sendable {
    /// Called before a manager closes a group, undoes or redoes.
    func recordAtCheckpoint()

    /// Called by the manager, in `undo()` and `redo()`.
    func undo(_ record: UndoRecord)
}

/// Observes a manager while it is retained: before the manager closes a group, undoes or redoes, the context's pending
/// changes become a record in it.
final class UndoObserver {
    private let token: any NSObjectProtocol

    init(of manager: UndoManager, for target: any UndoTarget) {
        token = NotificationCenter.default.addObserver(forName: .NSUndoManagerCheckpoint, object: manager, queue: nil) {
            [weak target] _ in
            target?.recordAtCheckpoint()
        }
    }

    deinit { NotificationCenter.default.removeObserver(token) }
}

/// The undo records of a context, which its undo manager stores.
final class UndoHistory {
    private let settings: ContextSettings
    /// The context; set by its initializer. It is the target of the records, so that a program can remove them.
    unowned(unsafe) var target: (any UndoTarget)?
    /// Records of an earlier epoch have no effect.
    @exclusivity(unchecked) private(set) var epoch = 0

    init(_ settings: ContextSettings) { self.settings = settings }

    /// The manager that records now; nil without one, and while its registration is disabled.
    var recordingManager: UndoManager? {
        guard let manager = settings.undoManager, manager.isUndoRegistrationEnabled else { return nil }
        return manager
    }

    /// - Parameter ownGroup: whether to open a group for the record if no group would open otherwise.
    func register(_ record: UndoRecord, in manager: UndoManager, ownGroup: Bool) {
        guard let target else { return }
        let opens = ownGroup && !manager.groupsByEvent && manager.groupingLevel == 0
        if opens { manager.beginUndoGrouping() }
        register(record, in: manager, with: target)
        if opens { manager.endUndoGrouping() }
    }

    private func register<Target: UndoTarget>(_ record: UndoRecord, in manager: UndoManager, with target: Target) {
        manager.registerUndo(withTarget: target) { $0.undo(record) }
    }

    /// Called when objects are removed or rolled back: no earlier record may affect them, whichever manager stores it.
    func endEpoch() {
        epoch += 1
        removeActions()
    }

    /// Also called for a context that goes away: its manager may outlive it.
    func removeActions() {
        if let target { settings.undoManager?.removeAllActions(withTarget: target) }
    }
}
