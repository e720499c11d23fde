// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Closes the undo group of an event when the event is over.

import Foundation

/// # What ends an event
/// 1. The turn of a run loop, where one is running on this thread, in the manager's modes.
/// 2. Else the turn of the main queue, where this is the main queue or the main thread.
/// 3. Else nothing: a thread without turns.
enum EventEnd {
    // The queue and not the thread: on Linux the main actor may run the main queue on another thread, and a server's
    // main thread may have no run loop.
    private static let mainQueueKey: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Unchecked, because the manager only comes back to the thread or queue it is used on.
    private struct Pending: @unchecked Sendable {
        weak var manager: UndoManager?
    }

    /// - Returns: false where nothing ends an event.
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
