// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Builds the errors of saving: version conflicts, violated constraints, and stores that fail.

import Foundation

extension CoreDataError {
    /// A save that failed (134030).
    ///
    /// - Parameter url: the store that could not be written or read; nil if no store caused the failure.
    package static func storeSave(_ reason: String, store: Any? = nil, url: URL? = nil, underlying: (any Error)? = nil)
        -> NSError
    {
        make(
            .persistentStoreSave,
            url.map { "The store \(place($0)) could not be saved. \(reason)" } ?? "Nothing could be saved. \(reason)",
            reason: reason, url: url, underlying: underlying, userInfo: affected(store))
    }

    /// One of several stores could not be saved after others were (134040).
    package static func incompleteSave(failed: [Any], objects: [Any], underlying: any Error) -> NSError {
        make(
            .persistentStoreIncompleteSave, "Some stores were saved, others could not be.", underlying: underlying,
            userInfo: [NSAffectedStoresErrorKey: failed, NSAffectedObjectsErrorKey: objects])
    }

    /// Conflicts of a save that the merge policy did not resolve (133020).
    ///
    /// - Parameters:
    ///   - conflicts: the `NSMergeConflict` values.
    ///   - entities: the names of the entities of the objects in conflict, for the message.
    ///   - ids: the ids of these objects, grouped by their change in this context.
    package static func mergeConflicts(_ conflicts: [Any], entities: [String], ids: [String: Any] = [:]) -> NSError {
        make(
            .managedObjectMerge,
            "The changes conflict with changes that others saved to \(objects(conflicts.count, entities)).",
            userInfo: ids.merging([NSPersistentStoreSaveConflictsErrorKey: conflicts]) { _, new in new })
    }

    /// Objects that violate a uniqueness constraint (133021).
    ///
    /// - Parameters:
    ///   - conflicts: the `NSConstraintConflict` values.
    ///   - ids: the ids of these objects, grouped by their change in this context.
    package static func uniquenessConflicts(
        _ conflicts: [Any], entity: String, constraint: [String], ids: [String: Any] = [:]
    ) -> NSError {
        make(
            .managedObjectConstraintMerge,
            "There is already an object of '\(entity)' with the same \(constraint.joined(separator: ", ")).",
            userInfo: ids.merging([NSPersistentStoreSaveConflictsErrorKey: conflicts]) { _, new in new })
    }

    private static func objects(_ count: Int, _ entities: [String]) -> String {
        let names = Set(entities).sorted().map { "'\($0)'" }.joined(separator: ", ")
        return "\(count == 1 ? "an object" : "\(count) objects") of \(names)"
    }
}
