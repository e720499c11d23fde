// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Closes the undo group of an event at the end of the event.

import Foundation

/// # End of an event
/// 1. If a run loop is running on this thread in one of the manager's modes: the end of its turn.
/// 2. Otherwise, on the main queue or the main thread: the end of the main queue's turn.
/// 3. Otherwise events have no end.
enum EventEnd {
    // Tests the queue, not the thread: on Linux another thread may run the main queue, and a server's main thread may
    // have no run loop.
    private static let mainQueueKey: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Unchecked, because the manager returns to the thread or queue that uses it.
    private struct Pending: @unchecked Sendable {
        weak var manager: UndoManager?
    }

    /// - Returns: false if the event has no end.
    static func schedule(_ manager: UndoManager) -> Bool {
        let pending = Pending(manager: manager)
        let loop = RunLoop.current
        if loop.currentMode != nil {
            loop.perform(inModes: manager.runLoopModes) { pending.manager?.eventDidEnd() }
            return true
        }
        guard DispatchQueue.getSpecific(key: mainQueueKey) == true || Thread.isMainThread else { return false }
        DispatchQueue.main.async { pending.manager?.eventDidEnd() }
        return true
    }
}
