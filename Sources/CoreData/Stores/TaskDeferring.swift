// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store that can defer parts of a migration, and the option for it.

import Foundation

/// Store option: a Boolean. A migration by statements defers changes that do not affect results: columns and tables
/// that the new version lacks are kept in the file. The store is usable earlier, and
/// `NSPersistentStoreCoordinator.finishDeferredLightweightMigration()` removes them. Until then, the store's metadata
/// have this key, with true. A later migration without the option also removes them.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
    "NSPersistentStoreDeferredLightweightMigrationOptionKey"

protocol TaskDeferring: NSPersistentStore {
    /// Does the next deferred task, in one transaction.
    ///
    /// - Returns: whether another task is left.
    func finishDeferredTask() throws -> Bool
}
