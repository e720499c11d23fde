// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Takes what others saved to the contexts that want to have it without asking. NestedContexts-15.

import Foundation
import Synchronization

/// What waits to be merged into one context. Any thread may post, the context's queue takes.
final class MergeInbox: Sendable {
    private let waiting = Mutex<[SavedIDs]>([])

    /// - Returns: whether nothing was waiting before: somebody has to be sent for it.
    func post(_ saved: SavedIDs) -> Bool {
        waiting.withLock { waiting in
            waiting.append(saved)
            return waiting.count == 1
        }
    }

    func take() -> [SavedIDs] {
        waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}

extension NSManagedObjectContext {
    /// Tells everybody who follows the level that this context saves to, and this context's own followers.
    func announce(_ saved: SavedIDs) {
        let siblings = storedParent?.children ?? persistentStoreCoordinator?.followers
        let listeners = (siblings?.all() ?? []).filter { $0 !== self } + children.all()
        forward(saved, to: listeners)
    }

    /// What was merged here is news for the contexts below as well.
    func announceMerge(_ saved: SavedIDs) { forward(saved, to: children.all()) }

    private func forward(_ saved: SavedIDs, to listeners: [NSManagedObjectContext]) {
        let following = listeners.filter(\.automaticallyMergesChangesFromParent)
        if following.isEmpty || saved.isEmpty { return }
        for context in following where context.mergeInbox.post(saved) {
            context.queue.afterTurn(of: context) { $0.mergeWaiting() }
        }
    }

    private func mergeWaiting() {
        for saved in mergeInbox.take() { RemoteChanges(self).merge(saved) }
    }
}
