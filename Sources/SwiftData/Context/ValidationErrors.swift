// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Errors of the engine's validation as errors about models.

import CoreData
import Foundation

enum ValidationErrors {
    /// The error itself, unless it is about a rule of the schema.
    static func error(_ error: any Error) -> any Error {
        let first = first(error as NSError)
        guard first.domain == NSCocoaErrorDomain, (1550...1680).contains(first.code) else { return error }
        let row = first.userInfo[NSValidationObjectErrorKey] as? ModelRow
        return ModelError(
            .modelValidationFailure, entity: row?.entity.name,
            property: first.userInfo[NSValidationKeyErrorKey] as? String,
            identifier: row.map { PersistentIdentifier($0) },
            first.localizedDescription, error)
    }

    private static func first(_ error: NSError) -> NSError {
        (error.userInfo[NSDetailedErrorsKey] as? [NSError])?.first ?? error
    }
}
