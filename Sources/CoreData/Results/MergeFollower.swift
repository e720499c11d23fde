// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Follows merges that changed none of the registered objects.

/// Notifies a higher module of merges that changed none of the registered objects, for which no notification is posted.
package final class MergeFollower: ChangeListener {
    private let merged: () -> Void
    private var isDue = false

    /// Follows a context until it is released.
    package init(_ context: NSManagedObjectContext, _ merged: @escaping () -> Void) {
        self.merged = merged
        let listeners = context.state.notices.listeners ?? ChangeListeners()
        context.state.notices.listeners = listeners
        listeners.add(self)
    }

    func process(_ summary: EventSummary) {
        isDue = summary.objects.isEmpty && (summary.isEverything || !summary.mergedIDs.isEmpty)
    }

    func report() {
        if isDue { merged() }
        isDue = false
    }
}
