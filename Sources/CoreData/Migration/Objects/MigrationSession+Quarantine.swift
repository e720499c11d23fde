// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Leaves out source objects that cannot be migrated, instead of ending the migration.

import Foundation

/// Migration-M60: a failure spoils the pass, which continues only to find more of them.
extension MigrationSession {
    /// - Throws: the error if it does not concern the object, or if there is no quarantine.
    func leave(_ object: NSManagedObject, _ error: any Error) throws {
        try checkCancellation()
        guard let quarantine, RowFailure.isOfRow(error as NSError) else { throw error }
        quarantine.add(object, error as NSError)
    }

    /// - Throws: the error, also for an object without a source object.
    func leave(sourcesOf object: NSManagedObject, _ error: any Error) throws {
        let sources = sources(of: object)
        guard !sources.isEmpty else { throw error }
        for source in sources { try leave(source, error) }
    }

    /// Leaves out the later ones of several objects with the same unique values.
    ///
    /// - Throws: the error if it is not a constraint conflict, or concerns no object with a source.
    func leaveDuplicates(_ error: NSError) throws {
        guard quarantine != nil, error.domain == NSCocoaErrorDomain, error.code == NSManagedObjectConstraintMergeError,
            let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict]
        else { throw error }
        let cause = CocoaError(
            CocoaError.Code(rawValue: NSMigrationConstraintViolationError),
            userInfo: ["reason": "constraint violation during attempted migration"])
        var doubled: [NSManagedObject] = []
        for conflict in conflicts {
            // The saved object is kept, otherwise the one with the lowest key: a server reads rows in no order.
            let objects = conflict.conflictingObjects.map { (object: $0, key: sourceKey(of: $0)) }
                .sorted { $0.key < $1.key }.map(\.object)
            doubled += conflict.databaseObject == nil ? Array(objects.dropFirst()) : objects
        }
        doubled = doubled.filter { !$0.isMarkedDeleted && $0.managedObjectContext != nil }
        guard !doubled.isEmpty else { throw error }
        for object in doubled { try leave(sourcesOf: object, cause as NSError) }
        forget(doubled)
        for object in doubled { destination.context.delete(object) }
    }

    private func sourceKey(of object: NSManagedObject) -> Int64 {
        sources(of: object).map(\.objectID.objectKey.key).min() ?? .max
    }

    /// Leaves out the objects that break a rule of the model, and then those that break one because of the missing
    /// objects.
    func leaveInvalid() throws {
        try save()
        var isComplete = false
        while !isComplete {
            isComplete = true
            for object in try invalid() {
                try leave(sourcesOf: object.0, object.1)
                destination.context.delete(object.0)
                isComplete = false
            }
            if !isComplete { try save() }
        }
    }

    private func invalid() throws -> [(NSManagedObject, NSError)] {
        var result: [(NSManagedObject, NSError)] = []
        for entity in destination.model.entities where entity.superentity == nil {
            let request = NSFetchRequest<NSManagedObject>()
            request.entity = entity
            request.fetchBatchSize = MigrationPass.batch
            request.returnsObjectsAsFaults = false
            let objects = try destination.context.fetchPaged(request, keptPages: 1)
            for position in 0..<objects.count {
                let object = try objects.object(at: position)
                do {
                    try object.validateForInsert()
                } catch {
                    result.append((object, error as NSError))
                }
                if position % MigrationPass.batch == 0 { try checkCancellation() }
            }
        }
        return result
    }
}

/// Distinguishes failures of a row from those of a mapping model, a store or the disk.
enum RowFailure {
    /// Whether the error depends on the row, so that other rows may be valid.
    static func isOfRow(_ error: NSError) -> Bool {
        if error.userInfo[mappingFaultKey] != nil { return false }
        if error.domain == NSPOSIXErrorDomain { return false }
        guard error.domain == NSCocoaErrorDomain else { return true }
        let isOfFile = error.code < 1024
        let isOfStore = (134_000..<134_110).contains(error.code)
        return !isOfFile && !isOfStore && !others.contains(error.code)
    }

    /// Marks errors of a mapping model, which would occur for every row.
    static let mappingFaultKey = "OpenCoreDataMappingFault"

    private static let others: Set<Int> = [
        NSMigrationCancelledError, NSMigrationMissingSourceModelError, NSMigrationMissingMappingModelError,
        NSMigrationManagerSourceStoreError, NSMigrationManagerDestinationStoreError, NSEntityMigrationPolicyError,
        NSInferredMappingModelError, NSSQLiteError, CocoaError.Code.userCancelled.rawValue,
    ]
}
