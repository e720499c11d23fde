// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Copies the values of an object into its node.

import Foundation

struct NodeUpdate {
    private let store: NSAtomicStore
    private let object: NSManagedObject

    init(_ store: NSAtomicStore, _ object: NSManagedObject) {
        self.store = store
        self.object = object
    }

    func apply(to node: NSAtomicStoreCacheNode) {
        for property in object.entity.properties where !property.isTransient {
            switch property {
            case is NSAttributeDescription:
                node.setValue(object.value(forKey: property.name), forKey: property.name)
            case let relationship as NSRelationshipDescription:
                node.setValue(nodes(relationship), forKey: property.name)
            default: break
            }
        }
    }

    private func nodes(_ relationship: NSRelationshipDescription) -> Any? {
        guard relationship.isToMany else {
            return (object.value(forKey: relationship.name) as? NSManagedObject).flatMap {
                store.cacheNode(for: $0.objectID)
            }
        }
        let members = object.objectIDs(forRelationshipNamed: relationship.name)
        let nodes = members.compactMap { store.cacheNode(for: $0) }
        return relationship.isOrdered ? NSOrderedSet(array: nodes) : NSSet(array: nodes)
    }
}
