// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Validates everything that is about to be saved, and reports all failures at once.

import Foundation

struct SaveValidation {
    let tracker: ChangeTracker
    let faults: FaultFulfilment

    /// - Throws: the failure, or 1560 with all of them if there are several.
    func run() throws {
        let objects = tracker.unsavedObjects { $0.isUnsaved && !$0.flags.contains(.inaccessible) }
        prepare(objects)
        var errors: [any Error] = []
        objects.lookAtEach { object in
            do { try validate(object) } catch { errors.append(error) }
        }
        if let error = CoreDataError.multipleValidation(errors) { throw error }
    }

    private func validate(_ object: NSManagedObject) throws {
        if object.isMarkedDeleted {
            try object.validateForDelete()
        } else if object.isInserted {
            try object.validateForInsert()
        } else if object.hasPersistentChangedValues {
            try object.validateForUpdate()
        }
    }

    /// Reads the members that rules examine: for all objects of an entity at once.
    private func prepare(_ objects: ContiguousArray<NSManagedObject>) {
        var groups: [Group: [NSManagedObject]] = [:]
        // The most recent tables without anything to read, for objects and for deleted objects; usually all are such.
        var (plain, plainDeleted): (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?)
        objects.lookAtEach { object in
            let table = object.heldTable.address
            let isDeleted = object.isMarkedDeleted
            if table == (isDeleted ? plainDeleted : plain) { return }
            if slots(object).isEmpty {
                if isDeleted { plainDeleted = table } else { plain = table }
                return
            }
            let group = Group(table: ObjectIdentifier(object.table), isDeleted: isDeleted)
            groups[group, default: []].append(object)
        }
        for group in groups.values {
            let layout = group[0].table.layout
            for slot in slots(group[0]) where layout[slot].kind == .toMany && !layout[slot].isTransient {
                faults.realizeMembers(of: slot, in: group)
            }
        }
    }

    private struct Group: Hashable {
        let table: ObjectIdentifier
        let isDeleted: Bool
    }

    private func slots(_ object: NSManagedObject) -> [Int] {
        object.isMarkedDeleted ? object.table.rules.denying : object.table.checkedMembers
    }
}
