// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Links the objects of a fixture within the limits of the model.

import CoreData
import Foundation

/// # Rules
/// (1) A link is made only where both ends have room: an empty to-one, or fewer members than the limit.
/// (2) Links at random come first. Then each object gets the destinations that it must have: objects with room, else
/// new ones, which in turn get those that they need.
extension Fixture {
    /// The greatest number of objects that are made because others need them, for one call.
    private static func mostNeeded(_ count: Int) -> Int { 1_000 + 50 * count }

    private func relationships(_ object: NSManagedObject) -> [NSRelationshipDescription] {
        plan(object.entity.name ?? "")?.relationships ?? []
    }

    // MARK: At random

    func linkAtRandom(_ objects: [NSManagedObject]) {
        for object in objects {
            for relationship in relationships(object) {
                // The to-one end of a pair decides.
                if relationship.isToMany, relationship.inverseRelationship?.isToMany == false { continue }
                let wanted = relationship.isToMany ? numbers.below(4) : numbers.chance(0.75) ? 1 : 0
                for _ in 0..<wanted {
                    guard hasRoom(object, relationship),
                        let destination = destination(for: object, relationship, attempts: 8, isThorough: false)
                    else { continue }
                    link(object, relationship, destination)
                }
            }
        }
    }

    // MARK: Needs

    func completeRelationships(of objects: [NSManagedObject]) throws {
        var waiting = objects
        var index = 0
        let most = objects.count + Self.mostNeeded(objects.count)
        while index < waiting.count {
            let object = waiting[index]
            index += 1
            for relationship in relationships(object) {
                while needsMore(object, relationship) {
                    if let found = destination(for: object, relationship, attempts: 8, isThorough: true) {
                        link(object, relationship, found)
                        // A first member may oblige it to have more.
                        waiting.append(found)
                        continue
                    }
                    guard waiting.count < most else {
                        throw FixtureError.tooManyObjects(
                            entity: object.entity.name ?? "", relationship: relationship.name)
                    }
                    let new = try insert(try concreteEntity(relationship))
                    link(object, relationship, new)
                    waiting.append(new)
                }
            }
        }
    }

    private func needsMore(_ object: NSManagedObject, _ relationship: NSRelationshipDescription) -> Bool {
        if !relationship.isToMany { return !relationship.isOptional && object.value(forKey: relationship.name) == nil }
        let count = memberCount(object, relationship)
        return count == 0 ? !relationship.isOptional && relationship.minCount > 0 : count < relationship.minCount
    }

    // MARK: Destinations

    private func concreteEntities(_ entity: NSEntityDescription) -> [String] {
        ((entity.isAbstract ? [] : [entity.name ?? ""]) + entity.subentities.flatMap(concreteEntities)).sorted()
    }

    private func concreteEntity(_ relationship: NSRelationshipDescription) throws -> String {
        let names = relationship.destinationEntity.map(concreteEntities) ?? []
        guard !names.isEmpty else { throw FixtureError.noEntity(relationship.destinationEntity?.name ?? "") }
        return numbers.one(of: names)
    }

    /// An object of the fixture that has room for the link.
    ///
    /// - Parameter isThorough: whether all objects are tried if some random ones have no room.
    private func destination(
        for object: NSManagedObject, _ relationship: NSRelationshipDescription, attempts: Int, isThorough: Bool
    ) -> NSManagedObject? {
        let lists = (relationship.destinationEntity.map(concreteEntities) ?? []).compactMap { made[$0] }
        let count = lists.reduce(0) { $0 + $1.count }
        guard count > 0 else { return nil }
        func at(_ index: Int) -> NSManagedObject {
            var rest = index
            for list in lists {
                if rest < list.count { return list[rest] }
                rest -= list.count
            }
            return lists[0][0]
        }
        for _ in 0..<attempts {
            let candidate = at(numbers.below(count))
            if fits(candidate, object, relationship) { return candidate }
        }
        guard isThorough else { return nil }
        let start = numbers.below(count)
        for offset in 0..<count {
            let candidate = at((start + offset) % count)
            if fits(candidate, object, relationship) { return candidate }
        }
        return nil
    }

    private func fits(
        _ candidate: NSManagedObject, _ object: NSManagedObject, _ relationship: NSRelationshipDescription
    ) -> Bool {
        guard candidate !== object, !candidate.isDeleted else { return false }
        if let inverse = relationship.inverseRelationship, !hasRoom(candidate, inverse) { return false }
        return !(relationship.isToMany && isMember(candidate, object, relationship))
    }

    private func hasRoom(_ object: NSManagedObject, _ relationship: NSRelationshipDescription) -> Bool {
        if !relationship.isToMany { return object.value(forKey: relationship.name) == nil }
        return relationship.maxCount == 0 || memberCount(object, relationship) < relationship.maxCount
    }

    private func memberCount(_ object: NSManagedObject, _ relationship: NSRelationshipDescription) -> Int {
        relationship.isOrdered
            ? object.mutableOrderedSetValue(forKey: relationship.name).count
            : object.mutableSetValue(forKey: relationship.name).count
    }

    private func isMember(
        _ candidate: NSManagedObject, _ object: NSManagedObject, _ relationship: NSRelationshipDescription
    ) -> Bool {
        relationship.isOrdered
            ? object.mutableOrderedSetValue(forKey: relationship.name).contains(candidate)
            : object.mutableSetValue(forKey: relationship.name).contains(candidate)
    }

    private func link(
        _ object: NSManagedObject, _ relationship: NSRelationshipDescription, _ destination: NSManagedObject
    ) {
        if !relationship.isToMany {
            object.setValue(destination, forKey: relationship.name)
        } else if relationship.isOrdered {
            object.mutableOrderedSetValue(forKey: relationship.name).add(destination)
        } else {
            object.mutableSetValue(forKey: relationship.name).add(destination)
        }
    }
}
