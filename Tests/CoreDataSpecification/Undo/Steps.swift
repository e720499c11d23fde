// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Groups of changes, for tests of undo.

import CoreData

extension NSManagedObjectContext {
    /// Saves, and keeps undo records from here on; only `step` opens groups.
    @discardableResult
    func startRecording() throws -> UndoManager {
        try save()
        let manager = UndoManager()
        manager.groupsByEvent = false
        undoManager = manager
        return manager
    }

    /// One group.
    func step(_ body: () -> Void) {
        undoManager?.beginUndoGrouping()
        body()
        undoManager?.endUndoGrouping()
    }
}
