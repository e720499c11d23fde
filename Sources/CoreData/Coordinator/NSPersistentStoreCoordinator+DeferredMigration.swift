// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finishes migrations with deferred cleanup.

import Foundation

extension NSPersistentStoreCoordinator {
    /// Does all work that migrations with `NSPersistentStoreDeferredLightweightMigrationOptionKey` have deferred. Does
    /// nothing if no work is left.
    ///
    /// ```swift
    /// // When the app has time, for example in a background task:
    /// try coordinator.finishDeferredLightweightMigration()
    /// ```
    ///
    /// Contexts, other coordinators and other processes may use the stores during the call. Thread-safe.
    ///
    /// - Throws: 513 for a read-only store, 640 for a full disk, 134090 if another process writes for longer than the
    ///   timeout. Completed tasks are not undone.
    /// - Complexity: a removed column costs a pass over its table.
    public func finishDeferredLightweightMigration() throws {
        for store in deferringStores { while try store.finishDeferredTask() {} }
    }

    /// Does the next deferred task in one transaction: removes a column or a table. Does nothing if no task is left.
    ///
    /// - Throws: as `finishDeferredLightweightMigration()`.
    public func finishDeferredLightweightMigrationTask() throws {
        for store in deferringStores where store.hasDeferredTasks {
            _ = try store.finishDeferredTask()
            return
        }
    }

    private var deferringStores: [any TaskDeferring] { attachedStores.compactMap { $0 as? any TaskDeferring } }
}

extension TaskDeferring {
    fileprivate var hasDeferredTasks: Bool {
        metadata[NSPersistentStoreDeferredLightweightMigrationOptionKey].flatMap(AttributeValues.number)?.boolValue
            ?? false
    }
}
