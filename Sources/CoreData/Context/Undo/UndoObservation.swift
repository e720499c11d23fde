// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A context and its undo manager: who tells whom, and when records are worth nothing any more.

import CoreDataFoundation
import Foundation

/// Listens to a manager for as long as it lives: before it closes a group, undoes or redoes, the context's pending
/// changes become a record in it.
final class UndoObserver {
    private let token: any NSObjectProtocol

    init(of manager: UndoManager, for context: NSManagedObjectContext) {
        token = NotificationCenter.default.addObserver(forName: .NSUndoManagerCheckpoint, object: manager, queue: nil) {
            [weak context] _ in
            context?.recordAtCheckpoint()
        }
    }

    deinit { NotificationCenter.default.removeObserver(token) }
}

extension NSManagedObjectContext {
    /// A manager may be shared with contexts of other queues: what they have pending is not this queue's business.
    fileprivate func recordAtCheckpoint() {
        if queue.isCurrent(self), !tracker.event.isEmpty { processPendingChanges() }
    }

    /// Objects are forgotten or rolled back: no record of before shall touch them, whichever manager keeps it.
    func endUndoEpoch() {
        undoEpoch += 1
        undoManager?.removeAllActions(withTarget: self)
    }

    /// Of a context that goes away. The manager may live on with somebody else.
    func leaveUndoManager() {
        undoManager?.removeAllActions(withTarget: self)
    }
}
