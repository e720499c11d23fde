// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The children of a context, and the messages that other contexts post to it.

import Foundation

/// A context as its parent and children use it.
protocol RelatedContext: AnyObject {
    var relations: ContextRelations { get }

    /// Merges the posted saves after the current work of the queue.
    func mergeAfterCurrentWork()
}

/// Any thread may post; the context's queue receives.
final class ContextRelations: Sendable {
    let children = ContextList()
    /// Updates from ancestors that have saved.
    let updates = MessageQueue<ParentUpdate>()
    /// Saves of other contexts to be merged.
    let merges = MessageQueue<SavedIDs>()

    /// Posts an update to all descendants. Each applies it when its queue is next entered, or when it reads from its
    /// parent.
    func post(_ update: ParentUpdate) {
        for child in children.all() {
            let relations = (child as any RelatedContext).relations
            relations.updates.post(update)
            relations.post(update)
        }
    }

    /// Posts a save to those contexts that merge automatically.
    func post(_ saved: @autoclosure () -> SavedIDs, to listeners: [NSManagedObjectContext]) {
        let following = listeners.filter(\.automaticallyMergesChangesFromParent)
        if following.isEmpty { return }
        let saved = saved()
        if saved.isEmpty { return }
        for context in following {
            let member = context as any RelatedContext
            if member.relations.merges.post(saved) { member.mergeAfterCurrentWork() }
        }
    }
}
