// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Posts a save to the contexts with `automaticallyMergesChangesFromParent`. NestedContexts-15.

import Foundation

struct SaveAnnouncement {
    private let notices: ContextNotices
    private let relations: ContextRelations
    private let source: any ContextSource

    init(_ state: ContextState) {
        notices = state.notices
        relations = state.relations
        source = state.source
    }

    /// Posts a save to the contexts with the same source, and to this context's children.
    func post(_ saved: SavedObjects) {
        if notices.isSilent { return }
        let siblings = source.followers.all().filter { $0 !== notices.notificationObject }
        relations.post(saved.ids, to: siblings + relations.children.all())
    }
}
