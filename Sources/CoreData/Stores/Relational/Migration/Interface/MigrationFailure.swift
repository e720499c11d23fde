// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Translates the failures of a migration to Cocoa errors.

import Foundation

/// Translates the failures of a migration to Cocoa errors.
struct MigrationFailure {
    let url: URL

    /// The codes of Cocoa errors that name a failure well enough.
    private static let passed = [
        CocoaError.Code.fileWriteOutOfSpace.rawValue, NSPersistentStoreTimeoutError, NSMigrationError,
        NSMigrationMissingSourceModelError, NSMigrationMissingMappingModelError, NSMigrationCancelledError,
    ]

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
        default:
            let cause = error as NSError
            let isPassed = cause.domain == NSCocoaErrorDomain && Self.passed.contains(cause.code)
            return isPassed ? cause : CoreDataError.migrationFailed(url, cause: cause)
        }
    }
}

/// A rule of the destination that some rows of the source violate.
package struct FailedCheck: Error {
    package let check: ScriptCheck
    package let rows: Int64

    package init(check: ScriptCheck, rows: Int64) { (self.check, self.rows) = (check, rows) }
}
