// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A migration of a SQLite store from the values that Migration gives, and the errors that it gives back.

import Foundation
import SQLiteDriver

extension SQLiteMigration {
    init(_ migration: StatementMigration) throws {
        let options = migration.options
        self.init(
            url: migration.place, options: try SQLiteStoreOptions(options), source: migration.source,
            sourceLayout: migration.sourceLayout, target: migration.target, pairing: migration.pairing,
            expected: migration.expected, rebuilds: StoreFlag.isSet(MigrationOption.rebuilds, in: options),
            defers: StoreFlag.isSet(NSPersistentStoreDeferredLightweightMigrationOptionKey, in: options),
            quarantines: migration.quarantines,
            leavesNoTrace: StoreFlag.isSet(storeLeavesNoTraceOption, in: options), beforeLock: migration.beforeLock,
            progress: migration.progress)
    }

    /// Runs a body, and translates SQLite's errors: a lock and a full disk keep their codes.
    static func translating<T>(_ url: URL, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let failure as SQLiteError {
            if failure.isInterrupted { throw CoreDataError.migrationCancelled(url) }
            if failure.isConstraint {
                throw CoreDataError.migrationFailed(
                    url,
                    cause: CoreDataError.migrationCause(
                        CocoaError.Code(rawValue: NSMigrationConstraintViolationError), entity: nil, attribute: nil,
                        reason: "constraint violation during attempted migration",
                        underlying: SQLiteStoreErrors.underlying(failure)))
            }
            let cause = SQLiteStoreErrors.opening(failure, url: url)
            throw failure.isBusy ? cause : CoreDataError.migrationFailed(url, cause: cause as NSError)
        }
    }
}
