// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Changes that no context made: batch deletions and updates.

import CoreData
import Foundation
import Synchronization

/// Any thread notes changes, the context's actor merges them.
final class PendingRemoteChanges: Sendable {
    private struct Note: @unchecked Sendable {
        let changes: [AnyHashable: Any]
    }

    private let notes = Mutex<[Note]>([])
    private let isEmpty = Atomic<Bool>(true)

    func note(_ changes: [AnyHashable: Any]) {
        let note = Note(changes: changes)
        notes.withLock { $0.append(note) }
        isEmpty.store(false, ordering: .releasing)
    }

    func merge(into context: NSManagedObjectContext) {
        if isEmpty.load(ordering: .acquiring) { return }
        let all = notes.withLock { notes in
            defer { notes = [] }
            isEmpty.store(true, ordering: .releasing)
            return notes
        }
        for note in all {
            NSManagedObjectContext.mergeChanges(fromRemoteContextSave: note.changes, into: [context])
        }
    }
}
