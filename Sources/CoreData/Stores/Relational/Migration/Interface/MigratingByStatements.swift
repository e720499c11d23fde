// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store in a database: it changes its tables and rows to another version of its model.

import Foundation

/// All in one transaction: the store has the version before or the version afterwards. Migration-M11.
package protocol MigratingByStatements: RecordStore {
    /// The metadata of the store. Another opener may hold the lock for as long as its migration takes.
    ///
    /// - Throws: 134090 after the timeout in the options.
    static func metadata(at place: URL, options: [AnyHashable: Any]?) throws -> [String: Any]
    /// The copy of its model that the store keeps; nil for none, and for an unreadable one.
    ///
    /// - Throws: 134090 after the timeout in the options: a locked store may have a copy.
    static func cachedModel(at place: URL, options: [AnyHashable: Any]?) throws -> NSManagedObjectModel?
    /// The statements, losses and refusals of a migration, for its plan. The store may be in use, and is not changed.
    static func survey(_ migration: StatementMigration) throws -> MigrationSurvey
    /// The script for a new store of the source version, for the plan of a later step; nil if only the database knows
    /// the statements.
    static func script(_ migration: StatementMigration) throws -> MigrationScript?
    /// - Returns: nil if another opener has migrated the store.
    /// - Throws: `ScriptFailure`, `FailedCheck` or a Cocoa error. The store is then unchanged.
    static func migrate(_ migration: StatementMigration) throws -> StatementMigration.Outcome?
    /// The URL to show in errors, without a password.
    static func shown(_ place: URL) -> URL
}

extension MigratingByStatements {
    package static func shown(_ place: URL) -> URL { place }
}
