// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Follows relationships: the members of to-manys, the objects at references.

import Foundation

extension NSManagedObjectContext: ObjectOwner {
    func realize(_ object: NSManagedObject, for key: String?) { FaultFulfilment(self).realize(object, for: key) }

    func realizeAll(_ objects: [NSManagedObject]) { FaultFulfilment(self).realizeAll(objects) }

    func object(at reference: Reference, from source: NSManagedObject) -> NSManagedObject {
        let object = registry.unique(
            ObjectKey(reference.entityIndex, reference.key),
            reference.key < 0 ? nil : source.table.home ?? home(of: reference), row: nil)
        retain(object)
        return object
    }

    func registeredObject(at reference: Reference, from source: NSManagedObject) -> NSManagedObject? {
        registry.object(
            ObjectKey(reference.entityIndex, reference.key),
            reference.key < 0 ? nil : source.table.home ?? home(of: reference))
    }

    func storedMembers(of slot: Int, in object: NSManagedObject) -> [NSManagedObject]? {
        noteLoneFault(object, toMany: slot)
        do {
            let members = try membersBelow(
                of: slot, layout: object.table.layout, owners: [object.key], home: object.table.home)
            let objects = unique(members.values.first ?? [])
            try FaultFulfilment(self).prime(objects.filter(\.isFault))
            return objects
        } catch {
            noteFailedRead(error, of: object, toMany: slot)
            return nil
        }
    }

    /// Realizes one to-many of several objects of one entity, in two statements: keys, then the rows of the members.
    func realizeMembers(of slot: Int, in objects: [NSManagedObject]) {
        let ordinal = objects.first.map { Int($0.table.layout[slot].ordinal) } ?? 0
        let faults = objects.filter { !$0.isInserted && $0.rare?.members[ordinal]?.isFault ?? true }
        for group in Dictionary(grouping: faults, by: { $0.table.home.map(ObjectIdentifier.init) }).values {
            guard let first = group.first else { continue }
            do {
                let members = try membersBelow(
                    of: slot, layout: first.table.layout, owners: group.map(\.key), home: first.table.home)
                var all: [NSManagedObject] = []
                for object in group {
                    let found = unique(members[object.key] ?? [])
                    all += found
                    let rare = object.extensionMade
                    if rare.members[ordinal] == nil { rare.members[ordinal] = ToManyValue() }
                    rare.members[ordinal]?.realize(found)
                }
                try FaultFulfilment(self).prime(all.filter(\.isFault))
            } catch {
                readFailure = error
            }
        }
    }

    private func unique(_ members: [Member]) -> [NSManagedObject] {
        members.map { member in
            let object = registry.unique(member.key, member.home, row: nil)
            retain(object)
            return object
        }
    }

    func fetchedValue(_ property: NSFetchedPropertyDescription, for object: NSManagedObject) -> [NSManagedObject] {
        guard let request = property.fetchRequest?.copy() as? NSFetchRequest<any NSFetchRequestResult> else {
            return []
        }
        request.predicate = request.predicate?.withSubstitutionVariables([
            "FETCH_SOURCE": object, "FETCHED_PROPERTY": property,
        ])
        do {
            return try FetchExecution(self, request).run(as: NSManagedObject.self)
        } catch {
            readFailure = error
            return []
        }
    }
}
