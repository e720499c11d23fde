// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads relationships: the members of to-many relationships, the objects for references.

import Foundation

extension FaultFulfilment {
    /// The object for an id.
    func object(with id: NSManagedObjectID) -> NSManagedObject {
        let object = registry.unique(registry.key(of: id), id.home, row: nil)
        retained.retain(object)
        return object
    }

    func object(at reference: Reference, from source: NSManagedObject) -> NSManagedObject {
        let object = registry.unique(
            ObjectKey(reference.entityIndex, reference.key), home(of: reference, in: source), row: nil)
        retained.retain(object)
        return object
    }

    func registeredObject(at reference: Reference, from source: NSManagedObject) -> NSManagedObject? {
        registry.object(ObjectKey(reference.entityIndex, reference.key), home(of: reference, in: source))
    }

    private func home(of reference: Reference, in object: NSManagedObject) -> StoreIdentity? {
        reference.key < 0 ? nil : object.table.home ?? home(of: reference)
    }

    /// The store of a record that an unsaved object refers to.
    func home(of reference: Reference) -> StoreIdentity? {
        guard let coordinator = source.coordinator else { return nil }
        let stores = coordinator.attachedStores
        if stores.count == 1 { return stores[0].identity }
        return registry.home(of: reference) ?? source.home(of: reference)
    }

    func storedMembers(of slot: Int, in object: NSManagedObject) -> [NSManagedObject]? {
        countLoneFault(object, toMany: slot)
        do {
            let members = try source.members(
                of: slot, layout: object.table.layout, owners: [object.key], home: object.table.home)
            let objects = unique(members.values.first ?? [], of: slot, in: object)
            try prime(objects.filter(\.isFault))
            return objects
        } catch {
            failures.note(error, of: object, toMany: slot, isDeciding: tracker.isProcessing)
            return nil
        }
    }

    /// Realizes one to-many relationship of several objects of one entity, in two statements: keys, then the rows of
    /// the members.
    func realizeMembers(of slot: Int, in objects: [NSManagedObject]) {
        let ordinal = objects.first.map { Int($0.table.layout[slot].ordinal) } ?? 0
        let faults = objects.filter { !$0.isInserted && $0.objectExtension?.members[ordinal]?.isFault ?? true }
        for group in Dictionary(grouping: faults, by: { $0.table.home.map(ObjectIdentifier.init) }).values {
            guard let first = group.first else { continue }
            do {
                let members = try source.members(
                    of: slot, layout: first.table.layout, owners: group.map(\.key), home: first.table.home)
                var all: [NSManagedObject] = []
                for object in group {
                    let found = unique(members[object.key] ?? [], of: slot, in: object)
                    all += found
                    let objectExtension = object.extensionMade
                    if objectExtension.members[ordinal] == nil { objectExtension.members[ordinal] = ToManyValue() }
                    objectExtension.members[ordinal]?.realize(found)
                }
                try prime(all.filter(\.isFault))
            } catch {
                failures.note(error)
            }
        }
    }

    /// The objects of members, without those that refer to another owner by a local change that this owner has not
    /// recorded (Merging-29).
    private func unique(_ members: [Member], of slot: Int, in owner: NSManagedObject) -> [NSManagedObject] {
        let inverse = owner.table.layout.toOneInverse(slot)
        var removed = owner.memberValue(slot)?.removed ?? MemberList()
        return members.compactMap { member in
            let object = registry.unique(member.key, member.home, row: nil)
            retained.retain(object)
            if let inverse, object.wasUnlinked(owner.key, inverse), !removed.contains(object) { return nil }
            return object
        }
    }
}
