// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What each merge policy does to the object in conflict.

import Foundation

/// # For a record with another version
///     store trump:  values changed in the store win, other local changes stay
///     object trump: local changes win, everything else is the store's
///     overwrite:    everything local wins
///     rollback:     everything is the store's
/// # For a record that is gone
///     store trump, rollback: the deletion stands
///     object trump, overwrite: the record is written again under its id
struct VersionConflictResolution {
    private let object: NSManagedObject
    private let row: Snapshot?

    init(_ object: NSManagedObject, _ row: Snapshot?) {
        self.object = object
        self.row = row
    }

    func apply(_ policy: NSMergePolicyType) {
        guard let row else { return resolveDeleted(policy) }
        if object.isDeleted {
            // A deletion has no values to merge: it stands, on the newer row, unless the store's word is final.
            if policy == .rollbackMergePolicyType {
                object.flags.subtract([.deleted, .propagated])
                take(row)
            } else {
                object.rebase(on: row)
            }
            return
        }
        switch policy {
        case .mergeByPropertyStoreTrumpMergePolicyType:
            let base = object.rare?.committed ?? row
            var lost: [Int] = []
            for slot in object.rare?.changed.slots ?? [] where !row.isEqual(base, slot: slot) { lost.append(slot) }
            for slot in lost { object.rare?.changed.remove(slot) }
            object.adopt(row)
        case .mergeByPropertyObjectTrumpMergePolicyType:
            object.adopt(row)
        case .overwriteMergePolicyType:
            object.rebase(on: row)
            for slot in row.layout.attributeSlots + row.layout.toOneSlots { object.rare?.changed.insert(slot) }
        case .rollbackMergePolicyType:
            take(row)
        case .errorMergePolicyType:
            break
        }
    }

    private func take(_ row: Snapshot) {
        object.revert()
        object.rare?.committed = nil
        object.snapshot = row
        object.flags.remove(.updated)
        object.awake(fromSnapshotEvents: .mergePolicy)
    }

    private func resolveDeleted(_ policy: NSMergePolicyType) {
        switch policy {
        case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType:
            guard !object.isDeleted else {
                object.flags.insert(.inaccessible)
                return
            }
            object.flags.remove(.updated)
            object.flags.insert([.inserted, .hasPermanentKey])
        case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType:
            object.flags.insert([.deleted, .propagated, .inaccessible])
        case .errorMergePolicyType:
            break
        }
    }
}

/// # For a uniqueness constraint, the record in the store (or the first of several new objects) being the older one
///     store trump, rollback: the new object goes away
///     object trump, overwrite: the older one goes away, the new one takes its place
struct ConstraintConflictResolution {
    private let conflict: NSConstraintConflict

    init(_ conflict: NSConstraintConflict) { self.conflict = conflict }

    func apply(_ policy: NSMergePolicyType) {
        guard let object = conflict.conflictingObjects.first, let context = object.managedObjectContext else { return }
        let others = Array(conflict.conflictingObjects.dropFirst())
        switch policy {
        case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType:
            if conflict.databaseObject != nil { context.delete(object) } else { others.forEach(context.delete) }
        case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType:
            if let older = conflict.databaseObject { context.delete(older) } else { others.forEach(context.delete) }
        case .errorMergePolicyType:
            break
        }
    }
}

extension NSManagedObject {
    /// Keeps all local values, but counts them as changes of a newer row.
    final func rebase(on row: Snapshot) {
        let rare = extensionMade
        if let snapshot, snapshot === rare.committed || rare.committed == nil { self.snapshot = snapshot.copy() }
        rare.committed = row
    }
}
