// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Refreshes, resets and drops objects, and checks which of them stay.

import CoreData

extension RandomWork {
    func refresh(_ name: String, _ merge: Bool) {
        let level = level
        let object = level.object(name)
        if !merge, object.hasChanges || level.reference.remembersMood {
            process()
            clearUndo()
        }
        context.refresh(object, mergeChanges: merge)
        if !merge { level.reference.discard(name, mood: mood(name)) }
        level.hasRefreshed = true
    }

    func refreshAll() {
        process()
        let level = level
        if level.reference.remembersMood { clearUndo() }
        let changed = level.changed
        context.refreshAllObjects()
        for name in level.reference.records.keys where !changed.contains(name) {
            level.reference.forgetMood(of: name, to: mood(name))
            level.reference.touched.remove(name)
        }
    }

    func reset() -> [String] {
        let level = level
        let objects = level.alive
        context.reset()
        level.reference = level.reference.afterReset(levels.count > 1 ? levels[levels.count - 2].reference : nil)
        var findings: [String] = []
        for (name, object) in objects {
            if object.managedObjectContext != nil { findings.append("\(name) is still in its context") }
            if !object.isFault { findings.append("\(name) is no fault") }
            level.forget(name)
        }
        if !context.registeredObjects.isEmpty { findings.append("objects are registered after a reset") }
        return findings
    }

    /// The test retains no object any more: unchanged objects have to go.
    func dropAll() -> [String] {
        let level = level
        level.held = [:]
        refreshAll()
        process()
        guard levels.count == 1, level.reference.history.isEmpty, context.undoManager?.canUndo != true else {
            return []
        }
        guard !context.hasChanges else { return [] }
        let left = level.names(context.registeredObjects)
        return left.isEmpty ? [] : ["nobody holds \(left.sorted()), but they are there"]
    }

    /// Objects that are no longer in any context.
    func forgetGone(_ level: Level) -> [String] {
        var findings: [String] = []
        for (name, object) in level.alive where level.reference.records[name] == nil {
            if (object.managedObjectContext != nil) != level.reference.orphans.contains(name) {
                findings.append("\(name) is in \(object.managedObjectContext == nil ? "no" : "its") context")
            }
            if object.isDeleted || object.isInserted || object.hasChanges { findings.append("\(name) has changes") }
            level.forget(name)
        }
        return findings
    }

    /// Transient values end with the object, and a changed or retained object must not end.
    func mourn() -> [String] {
        let level = level
        var findings: [String] = []
        for name in level.collectDead() {
            if level.held[name] != nil || level.reference.mustLive(name) { findings.append("\(name) is dead") }
            level.reference.forgetMood(of: name, to: mood(name))
            level.reference.touched.remove(name)
        }
        return findings
    }
}

extension ReferenceContext {
    /// Whether undo might bring a transient value back.
    var remembersMood: Bool {
        (history.states + [state]).contains { state in state.records.values.contains { $0.attributes["mood"] != nil } }
    }

    /// The context retains changed objects, also without another owner.
    func mustLive(_ name: String) -> Bool {
        state.inserted.contains(name) || state.deleted.contains(name) || updated.contains(name)
    }

    func afterReset(_ parent: ReferenceContext?) -> ReferenceContext {
        var result = parent?.child ?? ReferenceContext(sharing: committed)
        result.ghosts = ghosts
        result.propagatesLate = propagatesLate
        result.history.isRecording = history.isRecording
        return result
    }
}
