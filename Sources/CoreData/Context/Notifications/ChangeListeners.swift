// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Passes the changes of each event of a context on to parts above the context.

import Foundation

/// The changes of one event, as listeners need them.
struct EventNews {
    /// Inserted, updated, deleted and refreshed objects, each once.
    var objects: [NSManagedObject] = []
    /// Records that others changed and this context merged. Their objects may be faults, or not registered.
    var mergedIDs: [NSManagedObjectID] = []
    /// The context was reset.
    var isReset = false
    /// The context has saved: ids are permanent.
    var isSaved = false
    /// Any record may have been changed by others.
    var isEverything = false
}

extension EventNews {
    init(_ changes: EventChanges) {
        objects = changes.inserted + changes.updated + changes.deleted + changes.refreshed
        isReset = changes.invalidatedAll != nil
    }
}

/// A part above the context that follows its events.
protocol ChangeListener: AnyObject {
    /// Takes an event up. Calls nothing of the program's that may change the context.
    func absorb(_ news: EventNews)

    /// Reports the event that was taken up. May call the program, which may change the context.
    func report()
}

/// The listeners of one context, held weakly. A context that never had one has no list.
///
/// All listeners take an event up before the first one reports it. An event that happens during a report waits until
/// all have reported.
final class ChangeListeners {
    private struct Entry {
        weak var listener: (any ChangeListener)?
    }

    private var entries: [Entry] = []
    /// Records of the merge that is under way.
    private var merged = EventNews()
    private var waiting: [EventNews] = []
    private var isReporting = false

    func add(_ listener: any ChangeListener) {
        if entries.contains(where: { $0.listener === listener }) { return }
        entries.append(Entry(listener: listener))
    }

    func receive(_ changes: EventChanges) {
        var news = EventNews(changes)
        (news.mergedIDs, news.isEverything) = (merged.mergedIDs, merged.isEverything)
        merged = EventNews()
        dispatch(news)
    }

    /// A merge begins. Its records come with the event in which it changes objects.
    func beginMerge(_ saved: SavedIDs) {
        merged.mergedIDs += saved.updated
        merged.isEverything = merged.isEverything || saved.isEverything
    }

    /// A merge has ended; it may have changed none of the registered objects.
    func endMerge() {
        if merged.mergedIDs.isEmpty, !merged.isEverything { return }
        let news = merged
        merged = EventNews()
        dispatch(news)
    }

    func receiveSave() {
        var news = EventNews()
        news.isSaved = true
        dispatch(news)
    }

    private func dispatch(_ news: EventNews) {
        waiting.append(news)
        if isReporting { return }
        isReporting = true
        defer { isReporting = false }
        while !waiting.isEmpty {
            let news = waiting.removeFirst()
            entries.removeAll { $0.listener == nil }
            let listeners = entries.compactMap(\.listener)
            for listener in listeners { listener.absorb(news) }
            for listener in listeners { listener.report() }
        }
    }
}
