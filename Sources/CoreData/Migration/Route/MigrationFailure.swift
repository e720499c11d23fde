// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Translates the failures of a migration to Cocoa errors.

import Foundation

/// Translates the failures of a migration to Cocoa errors.
struct MigrationFailure {
    let url: URL

    /// The caller does not know the side file, so the error names a destination as in Apple's framework.
    func translated(byObjects error: any Error) -> any Error {
        let error = error as NSError
        let isOwn = error.domain == NSCocoaErrorDomain && error.code == NSMigrationError
        guard isOwn, error.userInfo["destinationURL"] is URL else { return error }
        return CoreDataError.migrationFailed(
            url, reason: error.userInfo["reason"] as? String ?? error.localizedDescription,
            cause: error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error)
    }

    func translated(_ error: any Error) -> any Error {
        switch error {
        case let failed as FailedCheck:
            let code: CocoaError.Code =
                failed.check.kind == .duplicate
                ? CocoaError.Code(rawValue: NSMigrationConstraintViolationError) : .migration
            return CoreDataError.migrationFailed(
                url,
                cause: CoreDataError.migrationCause(
                    code, entity: failed.check.entity, attribute: failed.check.property, reason: failed.check.reason,
                    rows: failed.rows))
        case let failure as ScriptFailure:
            return CoreDataError.migrationFailed(
                url,
                cause: CoreDataError.migrationCause(
                    entity: failure.entity, attribute: failure.property, reason: failure.reason))
        default: return SQLiteMigration.translated(error, url)
        }
    }
}
