// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads and writes the properties of a managed object that travel.
package import CoreData
package import CoreDataSyncProtocol
import Foundation

extension NSManagedObject {
    /// The values of attributes and counters.
    package func syncAttributes(_ entity: SyncEntity) throws -> [String: SyncValue] {
        var values = [String: SyncValue](minimumCapacity: entity.values.count + entity.links.count)
        for (key, attribute) in entity.values {
            values[key] = try SyncValueCoding.encode(value(forKey: key), attribute)
        }
        return values
    }

    /// Sets an attribute, unless it has the value already: an unchanged object is not saved.
    package func setSync(_ value: SyncValue, _ attribute: NSAttributeDescription) throws {
        let key = attribute.name
        if isInserted, !value.isNull {
            setValue(try SyncValueCoding.decode(value, attribute), forKey: key)
            return
        }
        guard try SyncValueCoding.encode(self.value(forKey: key), attribute) != value else { return }
        setValue(try SyncValueCoding.decode(value, attribute), forKey: key)
    }

    /// Sets a to-one relationship, unless it has the destination already.
    package func setSyncLink(_ destination: NSManagedObject?, _ key: String) {
        guard value(forKey: key) as? NSManagedObject !== destination else { return }
        setValue(destination, forKey: key)
    }

    /// The object with a link to this one; nil without one, and if many objects may have such a link.
    package func syncHolder(of link: NSRelationshipDescription) -> NSManagedObject? {
        guard let inverse = link.inverseRelationship, !inverse.isToMany else { return nil }
        return value(forKey: inverse.name) as? NSManagedObject
    }

    /// The members of a to-many relationship, ordered ones in their order.
    package func syncMembers(_ key: String) -> [NSManagedObject] {
        // Most sets are empty, and ids come without a set around them.
        if objectIDs(forRelationshipNamed: key).isEmpty { return [] }
        return switch value(forKey: key) {
        case let set as NSOrderedSet: set.array.compactMap { $0 as? NSManagedObject }
        case let set as NSSet: set.allObjects.compactMap { $0 as? NSManagedObject }
        case let set as Set<NSManagedObject>: Array(set)
        default: []
        }
    }

    /// Sets the members of a to-many relationship, unless it has them already; ordered ones in the given order.
    package func setSyncMembers(_ members: [NSManagedObject], _ relationship: NSRelationshipDescription) {
        let present = syncMembers(relationship.name)
        if relationship.isOrdered {
            guard present.map(ObjectIdentifier.init) != members.map(ObjectIdentifier.init) else { return }
            setValue(NSOrderedSet(array: members), forKey: relationship.name)
        } else {
            guard Set(present) != Set(members) else { return }
            setValue(Set(members), forKey: relationship.name)
        }
    }
}
