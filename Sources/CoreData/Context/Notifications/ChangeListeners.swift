// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Passes the changes of each event of a context to its listeners in higher folders.

import Foundation

/// The changes of one event, in the form that listeners need.
struct EventSummary {
    /// Inserted, updated, deleted and refreshed objects, each once.
    var objects: [NSManagedObject] = []
    /// Records that another writer changed and this context merged. Their objects may be faults, or not registered.
    var mergedIDs: [NSManagedObjectID] = []
    /// The context was reset.
    var isReset = false
    /// The context has saved: ids are permanent.
    var isSaved = false
    /// Another writer may have changed any record.
    var isEverything = false
}

extension EventSummary {
    init(_ changes: EventChanges) {
        objects = changes.inserted + changes.updated + changes.deleted + changes.refreshed
        isReset = changes.invalidatedAll != nil
    }
}

/// A part of a higher folder that follows the events of a context.
protocol ChangeListener: AnyObject {
    /// Processes an event. Must not call code of the program that may change the context.
    func process(_ summary: EventSummary)

    /// Reports the processed event. May call the program, which may change the context.
    func report()
}

/// The listeners of one context, held weakly. Created when the first listener is added.
///
/// All listeners process an event before the first one reports it. An event that happens during a report is dispatched
/// after all have reported.
final class ChangeListeners {
    private struct Entry {
        weak var listener: (any ChangeListener)?
    }

    private var entries: [Entry] = []
    /// Records of the merge in progress.
    private var merged = EventSummary()
    private var waiting: [EventSummary] = []
    private var isReporting = false

    func add(_ listener: any ChangeListener) {
        if entries.contains(where: { $0.listener === listener }) { return }
        entries.append(Entry(listener: listener))
    }

    func receive(_ changes: EventChanges) {
        var summary = EventSummary(changes)
        (summary.mergedIDs, summary.isEverything) = (merged.mergedIDs, merged.isEverything)
        merged = EventSummary()
        dispatch(summary)
    }

    /// Called at the beginning of a merge. Its records are part of the event in which it changes objects.
    func beginMerge(_ saved: SavedIDs) {
        merged.mergedIDs += saved.updated
        merged.isEverything = merged.isEverything || saved.isEverything
    }

    /// Called at the end of a merge, which may have changed no registered object.
    func endMerge() {
        if merged.mergedIDs.isEmpty, !merged.isEverything { return }
        let summary = merged
        merged = EventSummary()
        dispatch(summary)
    }

    func receiveSave() {
        var summary = EventSummary()
        summary.isSaved = true
        dispatch(summary)
    }

    private func dispatch(_ summary: EventSummary) {
        waiting.append(summary)
        if isReporting { return }
        isReporting = true
        defer { isReporting = false }
        while !waiting.isEmpty {
            let summary = waiting.removeFirst()
            entries.removeAll { $0.listener == nil }
            let listeners = entries.compactMap(\.listener)
            for listener in listeners { listener.process(summary) }
            for listener in listeners { listener.report() }
        }
    }
}
