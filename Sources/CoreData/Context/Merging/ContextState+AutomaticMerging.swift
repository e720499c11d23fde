// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Merges the saves of others into contexts with `automaticallyMergesChangesFromParent`. NestedContexts-15.

import Foundation

extension ContextState {
    /// Posts a save to the contexts that follow the same source, and to this context's own children.
    func announceSave(_ saved: SavedIDs) {
        if notices.isSilent { return }
        let siblings = (storedSource?.followers.all() ?? []).filter { $0 !== owner }
        family.post(saved, to: siblings + family.children.all())
    }

    /// A merge in this context is news for its children.
    func announceMerge(_ saved: SavedIDs) { family.post(saved, to: family.children.all()) }

    /// Merges the saves that wait. On the context's queue.
    func mergePosted() {
        for saved in family.merges.take() { RemoteChanges(self).merge(saved) }
    }
}
