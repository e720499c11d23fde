// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Fills a context with valid objects of any model: values by type, and the required relationships.

import Foundation

@testable import CoreData

/// Makes valid objects of any entity.
struct Population {
    let context: NSManagedObjectContext
    private var values: SampleValues
    /// All inserted objects, including those that others require.
    private(set) var all: [NSManagedObject] = []

    init(_ context: NSManagedObjectContext, values: SampleValues = SampleValues()) {
        self.context = context
        self.values = values
    }

    /// - Parameter owner: an object that requires the new one, and the relationship that does.
    mutating func insert(
        _ entity: NSEntityDescription,
        for owner: (object: NSManagedObject, relationship: NSRelationshipDescription)? = nil,
        depth: Int = 0
    ) -> NSManagedObject {
        let object = NSManagedObject(entity: entity, insertInto: context)
        all.append(object)
        change(object)
        // Before its own requirements: the owner may be one of them.
        if let owner { Self.link(owner.object, owner.relationship, object) }
        for relationship in entity.storedRelationships {
            guard let destination = relationship.destinationEntity?.firstConcrete else { continue }
            while object.destinations(relationship.name).count < Self.least(relationship) {
                // Cyclic chains end with an existing object.
                if depth > 4, let known = all.first(where: { $0.entity.isKindOf(entity: destination) }) {
                    Self.link(object, relationship, known)
                    break
                }
                _ = insert(destination, for: (object, relationship), depth: depth + 1)
            }
        }
        return object
    }

    /// Gives every attribute a new value.
    ///
    /// - Returns: the names of those that have one.
    @discardableResult
    mutating func change(_ object: NSManagedObject) -> Set<String> {
        var names: Set<String> = []
        for attribute in object.entity.storedAttributes {
            guard let value = values.next(attribute) else { continue }
            object.setValue(value, forKey: attribute.name)
            names.insert(attribute.name)
        }
        return names
    }

    /// Removes all objects but the first `count`.
    mutating func rollBack(to count: Int) {
        context.rollback()
        all.removeSubrange(count...)
    }

    private static func least(_ relationship: NSRelationshipDescription) -> Int {
        relationship.isOptional
            ? relationship.minCount * (relationship.isToMany ? 1 : 0) : max(1, relationship.minCount)
    }

    static func link(_ object: NSManagedObject, _ relationship: NSRelationshipDescription, _ other: NSManagedObject) {
        if !relationship.isToMany {
            object.setValue(other, forKey: relationship.name)
        } else if relationship.isOrdered {
            object.mutableOrderedSetValue(forKey: relationship.name).add(other)
        } else {
            object.mutableSetValue(forKey: relationship.name).add(other)
        }
    }
}
