// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Saves a context soon after its last change. SwiftData-C5.

import Dispatch
import Foundation

/// One task at a time: scheduled by the first change, it saves all changes until then.
final class Autosave {
    var isEnabled = false
    /// The queue of the actor that owns the context; nil for the main context, and for one without an actor.
    var queue: DispatchQueue?
    private var isScheduled = false

    func schedule(_ context: ModelContext) {
        guard isEnabled, !isScheduled, let queue = context.isMain ? .main : queue else { return }
        isScheduled = true
        let scheduledSave = ScheduledSave(context: context, autosave: self)
        queue.async { scheduledSave.run() }
    }

    fileprivate func begin() { isScheduled = false }
}

/// Runs on the queue that the context belongs to.
private struct ScheduledSave: @unchecked Sendable {
    weak var context: ModelContext?
    let autosave: Autosave

    func run() {
        autosave.begin()
        context?.saveByItself()
    }
}
