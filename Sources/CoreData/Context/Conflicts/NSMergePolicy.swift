// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The five predefined policies for conflicts of a save.

public import Foundation

/// The predefined merge policies.
public enum NSMergePolicyType: UInt, Sendable {
    /// The save fails and its error lists the conflicts.
    case errorMergePolicyType = 0
    /// Both sides are merged property by property. If both changed a property, the store's value wins.
    case mergeByPropertyStoreTrumpMergePolicyType = 1
    /// Both sides are merged property by property. If both changed a property, the object's value wins.
    case mergeByPropertyObjectTrumpMergePolicyType = 2
    /// All values of the object replace those in the store, even those that the object did not change.
    case overwriteMergePolicyType = 3
    /// The object drops its changes and takes the values in the store.
    case rollbackMergePolicyType = 4
}

/// Decides the fate of changes to records that another context, coordinator or process has saved in the meantime.
///
/// Set one as the `mergePolicy` of a context; without one such a save throws 133020, or 133021 for unique values.
///
/// ```swift
/// other.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump  // both changes stay: they touch two properties
/// try await other.perform { try other.save() }
/// ```
///
/// | policy | attributes and to-ones that both sides changed | record deleted elsewhere |
/// |---|---|---|
/// | `mergeByPropertyStoreTrump` | the store's value stays | the object is deleted here |
/// | `mergeByPropertyObjectTrump` | the object's value is saved | the record is written again |
/// | `overwrite` | all values of the object are saved | the record is written again |
/// | `rollback` | all values of the store stay | the object is deleted here |
///
/// Properties that only one side changed are merged by the two policies by property. A subclass overrides the `resolve`
/// methods, and calls super for conflicts that it does not resolve itself.
///
/// - Important: immutable; may be set on any thread. `resolve(mergeConflicts:)` runs on the queue of the context that
///   saves.
/// - Complexity: each round of conflicts costs another attempt of the save. Conflicts that come back 10 times without
///   newer rows make it throw 134030.
/// - SeeAlso: `NSManagedObjectContext.mergePolicy`, `NSMergeConflict`, `NSConstraintConflict`.
/// - Source: Core Data Programming Guide, "Change Management".
open class NSMergePolicy: NSObject, @unchecked Sendable {  // immutable
    /// The kind of the policy.
    public let mergeType: NSMergePolicyType

    /// Makes one of the predefined policies.
    public init(merge ty: NSMergePolicyType) { mergeType = ty }

    /// Makes the error policy.
    public convenience override init() { self.init(merge: .errorMergePolicyType) }

    /// Conflicts fail the save. The default of new contexts.
    public static let error = NSMergePolicy(merge: .errorMergePolicyType)
    /// Property by property: changes in the store win.
    public static let mergeByPropertyStoreTrump = NSMergePolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType)
    /// Property by property: the context's changes win.
    public static let mergeByPropertyObjectTrump = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    /// The whole object in the context wins.
    public static let overwrite = NSMergePolicy(merge: .overwriteMergePolicyType)
    /// The whole record in the store wins.
    public static let rollback = NSMergePolicy(merge: .rollbackMergePolicyType)

    /// Resolves conflicts of both kinds. A save calls this method.
    ///
    /// Calls `resolve(optimisticLockingConflicts:)` with the `NSMergeConflict`s, then `resolve(constraintConflicts:)`
    /// with the `NSConstraintConflict`s; skips a call without conflicts.
    /// - Throws: the errors of these methods. The save then fails with that error, and all changes stay pending.
    open func resolve(mergeConflicts list: [Any]) throws {
        var versionConflicts: [NSMergeConflict] = []
        var uniquenessConflicts: [NSConstraintConflict] = []
        for conflict in list {
            switch conflict {
            case let conflict as NSConstraintConflict: uniquenessConflicts.append(conflict)
            case let conflict as NSMergeConflict: versionConflicts.append(conflict)
            default: break
            }
        }
        if !versionConflicts.isEmpty { try resolve(optimisticLockingConflicts: versionConflicts) }
        if !uniquenessConflicts.isEmpty { try resolve(constraintConflicts: uniquenessConflicts) }
    }

    /// Resolves version conflicts.
    ///
    /// - Throws: 133020 (`managedObjectMerge`) with the conflicts, for the error policy.
    open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        if mergeType == .errorMergePolicyType { throw CoreDataError.mergeConflicts(list) }
        VersionConflictResolution.resolve(list, mergeType)
    }

    /// Resolves conflicts of uniqueness constraints.
    ///
    /// - Throws: 133021 (`managedObjectConstraintMerge`) with the conflicts, for the error policy.
    open func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        if mergeType == .errorMergePolicyType { throw CoreDataError.uniquenessConflicts(list) }
        for conflict in list { UniquenessConflictResolution(conflict)?.apply(mergeType) }
    }
}

extension CoreDataError {
    fileprivate static func mergeConflicts(_ list: [NSMergeConflict]) -> NSError {
        let objects = list.map(\.sourceObject)
        return mergeConflicts(list, entities: objects.map { $0.entity.name ?? "" }, ids: ids(objects))
    }

    fileprivate static func uniquenessConflicts(_ list: [NSConstraintConflict]) -> NSError {
        let objects = list.flatMap(\.conflictingObjects)
        return uniquenessConflicts(
            list, entity: objects.first?.entity.name ?? "", constraint: list.first?.constraint ?? [], ids: ids(objects))
    }

    /// The ids of objects in conflict, under the same keys as in notifications.
    private static func ids(_ objects: [NSManagedObject]) -> [String: Any] {
        let kinds = Dictionary(grouping: objects) { object in
            object.isMarkedDeleted
                ? NSDeletedObjectsKey : object.isInserted ? NSInsertedObjectsKey : NSUpdatedObjectsKey
        }
        return kinds.mapValues { $0.map(\.ownID) }
    }
}

/// `NSMergePolicy.error`
nonisolated(unsafe) public let NSErrorMergePolicy: Any = NSMergePolicy.error
/// `NSMergePolicy.mergeByPropertyStoreTrump`
nonisolated(unsafe) public let NSMergeByPropertyStoreTrumpMergePolicy: Any = NSMergePolicy.mergeByPropertyStoreTrump
/// `NSMergePolicy.mergeByPropertyObjectTrump`
nonisolated(unsafe) public let NSMergeByPropertyObjectTrumpMergePolicy: Any = NSMergePolicy.mergeByPropertyObjectTrump
/// `NSMergePolicy.overwrite`
nonisolated(unsafe) public let NSOverwriteMergePolicy: Any = NSMergePolicy.overwrite
/// `NSMergePolicy.rollback`
nonisolated(unsafe) public let NSRollbackMergePolicy: Any = NSMergePolicy.rollback
