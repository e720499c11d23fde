// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Children of the working context.

import CoreData

extension RandomWork {
    func begin(undo: Bool) {
        context.performAndWait { process() }
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        var reference = level.reference.child
        reference.history.isRecording = undo
        if undo { Self.recordUndo(child) }
        levels.append(Level(child, reference, ids: level.ids))
    }

    func end() throws -> [String] {
        weak let context = level.context
        levels.removeLast()
        if context != nil { return ["a child outlives its end"] }
        return try perform(.look)
    }

    /// The parent's value of a transient property.
    func mood(_ name: String) -> Value? {
        levels.count > 1 ? levels[levels.count - 2].reference.records[name]?.attributes["mood"] : nil
    }
}
