// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Leaves source objects behind that cannot come along, instead of ending the migration.

import Foundation

/// SchemaMigration-M21: a failure spoils the pass, which goes on only to find further ones.
extension MigrationSession {
    /// - Throws: the error, unless it is one of the object and there is a quarantine.
    func leave(_ object: NSManagedObject, _ error: any Error) throws {
        try checkCancellation()
        guard let quarantine, RowFailure.isOfRow(error as NSError) else { throw error }
        quarantine.add(object, error as NSError)
    }

    /// - Throws: the error, also for an object that comes from no source object.
    func leave(sourcesOf object: NSManagedObject, _ error: any Error) throws {
        let sources = sources(of: object)
        guard !sources.isEmpty else { throw error }
        for source in sources { try leave(source, error) }
    }

    /// Leaves the later ones of objects with values that must be unique.
    ///
    /// - Throws: the error, if it is another one, or concerns no object with a source.
    func leaveDuplicates(_ error: NSError) throws {
        guard quarantine != nil, error.domain == NSCocoaErrorDomain, error.code == NSManagedObjectConstraintMergeError,
            let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict]
        else { throw error }
        let cause = CocoaError(
            CocoaError.Code(rawValue: NSMigrationConstraintViolationError),
            userInfo: ["reason": "constraint violation during attempted migration"])
        var doubled: [NSManagedObject] = []
        for conflict in conflicts {
            // The saved one stays, else the first one.
            let objects = conflict.conflictingObjects.sorted { one, other in
                one.objectID.objectKey.key.magnitude < other.objectID.objectKey.key.magnitude
            }
            doubled += conflict.databaseObject == nil ? Array(objects.dropFirst()) : objects
        }
        doubled = doubled.filter { !$0.isMarkedDeleted && $0.managedObjectContext != nil }
        guard !doubled.isEmpty else { throw error }
        for object in doubled { try leave(sourcesOf: object, cause as NSError) }
        forget(doubled)
        for object in doubled { destination.context.delete(object) }
    }

    /// Leaves the objects that break a rule of the model, and then those whose rules they break by their absence.
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

/// Tells the failures of a row from those of a mapping model, of a store or of the disk.
enum RowFailure {
    /// Whether another row might have no such error.
    static func isOfRow(_ error: NSError) -> Bool {
        if error.userInfo[mappingFaultKey] != nil { return false }
        if error.domain == NSPOSIXErrorDomain { return false }
        guard error.domain == NSCocoaErrorDomain else { return true }
        let isOfFile = error.code < 1024
        let isOfStore = (134_000..<134_110).contains(error.code)
        return !isOfFile && !isOfStore && !others.contains(error.code)
    }

    /// Marks errors of a mapping model, which each row would have.
    static let mappingFaultKey = "OpenCoreDataMappingFault"

    private static let others: Set<Int> = [
        NSMigrationCancelledError, NSMigrationMissingSourceModelError, NSMigrationMissingMappingModelError,
        NSMigrationManagerSourceStoreError, NSMigrationManagerDestinationStoreError, NSEntityMigrationPolicyError,
        NSInferredMappingModelError, NSSQLiteError, CocoaError.Code.userCancelled.rawValue,
    ]
}
