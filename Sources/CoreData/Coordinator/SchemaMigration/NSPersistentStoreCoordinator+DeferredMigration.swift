// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finishes migrations of which a part was put off.

import Foundation

extension NSPersistentStoreCoordinator {
    /// Does all that migrations with `NSPersistentStoreDeferredLightweightMigrationOptionKey` have left. Without
    /// anything left it does nothing.
    ///
    /// ```swift
    /// // When the app has time, for example in a background task:
    /// try coordinator.finishDeferredLightweightMigration()
    /// ```
    ///
    /// Contexts, other coordinators and other processes may use the stores meanwhile. Thread-safe.
    ///
    /// - Throws: 513 for a read-only store, 640 for a full disk, 134090 if another process writes for longer than the
    ///   timeout. The tasks that are done stay done.
    /// - Complexity: a removed column costs a pass over its table.
    public func finishDeferredLightweightMigration() throws {
        for store in deferringStores { while try store.finishDeferredTask() {} }
    }

    /// Does the first task that is left, in one transaction: a column or a table goes. Without any left it does
    /// nothing.
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
