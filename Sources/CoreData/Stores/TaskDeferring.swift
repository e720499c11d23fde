// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store that can put off parts of a migration, and the option that asks for it.

import Foundation

/// Store option: a Boolean. A migration by statements leaves out what changes no answer: columns and tables that the
/// new version does not have stay in the file. The store is usable earlier, and
/// `NSPersistentStoreCoordinator.finishDeferredLightweightMigration()` does the rest. While something is left, the
/// store's metadata have this key, with true. A later migration without the option does the rest, too.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
    "NSPersistentStoreDeferredLightweightMigrationOptionKey"

protocol TaskDeferring: NSPersistentStore {
    /// Does the first task that is left, in one transaction.
    ///
    /// - Returns: whether another one is left.
    func finishDeferredTask() throws -> Bool
}
