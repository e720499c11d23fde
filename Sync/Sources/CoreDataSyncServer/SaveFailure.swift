// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tells errors of the model's rules from conflicts with other saves and from failures of the store.
import CoreData
import CoreDataSyncProtocol
import Foundation

/// The meaning of a failed save for a batch.
enum SaveFailure {
    /// The model's rules forbid it. Each error with the object that it names.
    case rules([NSError])
    /// Another save changed the same records: try again.
    case conflict
    /// The store failed.
    case other

    init(_ error: any Error) {
        let error = error as NSError
        guard error.domain == NSCocoaErrorDomain else {
            self = .other
            return
        }
        switch error.code {
        case NSValidationMultipleErrorsError:
            self = .rules(error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [error])
        case NSManagedObjectValidationError..<1700, NSManagedObjectConstraintMergeError: self = .rules([error])
        case NSManagedObjectMergeError: self = .conflict
        default: self = .other
        }
    }
}

extension SaveFailure {
    /// Whether transactions after a place were deleted from a history.
    static func isExpiredHistory(_ error: any Error) -> Bool {
        let error = error as NSError
        return error.domain == NSCocoaErrorDomain && error.code == NSPersistentHistoryTokenExpiredError
    }
}

extension SyncRefusal {
    /// - Parameter name: gives the name of the record of an object.
    init(_ error: NSError, name: (NSManagedObject) -> UUID?) {
        let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict] ?? []
        let object = error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject
        self.init(
            name: (object ?? conflicts.first?.conflictingObjects.first).flatMap(name), domain: error.domain,
            code: error.code,
            key: error.userInfo[NSValidationKeyErrorKey] as? String
                ?? conflicts.first?.constraint.joined(separator: ","),
            text: error.localizedDescription)
    }
}
