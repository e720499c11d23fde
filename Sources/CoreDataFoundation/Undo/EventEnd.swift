// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Closes the undo group of an event on the main queue when the event is over.

import Foundation

enum EventEnd {
    // The queue and not the thread: on Linux the main actor may run the main queue on another thread, and a server's main
    // thread may have no run loop. A main run loop serves the main queue too.
    private static let mainQueueKey: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Unchecked, because the manager only comes back to the queue it is used on.
    private struct Pending: @unchecked Sendable {
        weak var manager: UndoManager?
    }

    /// Does nothing on other queues.
    static func schedule(_ manager: UndoManager) {
        guard DispatchQueue.getSpecific(key: mainQueueKey) == true || Thread.isMainThread else { return }
        let pending = Pending(manager: manager)
        DispatchQueue.main.async { pending.manager?.endEventGroup() }
    }
}
