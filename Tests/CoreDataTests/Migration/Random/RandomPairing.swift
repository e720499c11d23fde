// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The parts that a direct step between two versions of a random model has to keep, found only by names.

import CoreDataTestSupport
import Foundation

@testable import CoreData

/// A second implementation of the rule: the renaming identifier of an element is its name in the old version.
struct RandomPairing {
    let old: NSManagedObjectModel
    let new: NSManagedObjectModel

    func entity(_ former: String) -> NSEntityDescription? { new.entities.first { $0.renamingIdentifier == former } }

    func attribute(_ former: String, of entity: NSEntityDescription) -> NSAttributeDescription? {
        entity.attributesByName.values.first { $0.renamingIdentifier == former }
    }

    func relationship(_ former: NSRelationshipDescription, of entity: NSEntityDescription) -> NSRelationshipDescription?
    {
        entity.relationshipsByName.values.first { relationship in
            guard relationship.renamingIdentifier == former.name, let target = relationship.destinationEntity else {
                return false
            }
            guard let continued = former.destinationEntity?.name.flatMap(self.entity) else { return true }
            return continued.isKindOf(entity: target) || target.isKindOf(entity: continued)
        }
    }

    // MARK: Differences

    /// The differences between the objects of a migrated store and the expected ones.
    ///
    /// - Parameter isExact: whether rows without a value have the default of the last version, and new relationships
    ///   no members, as after a direct step.
    func differences(_ before: RandomContents, _ after: RandomContents, isExact: Bool) -> [String] {
        var result: [String] = []
        for (key, object) in before.objects.sorted(by: { $0.key < $1.key }) {
            guard let former = old.entitiesByName[object.entity], let entity = entity(object.entity) else {
                if isExact, after.objects[key] != nil { result.append("\(object.entity) \(key) of a removed entity") }
                continue
            }
            guard let found = after.objects[key], found.entity == entity.name else {
                result.append("\(object.entity) \(key) is missing")
                continue
            }
            result += values(object, found, former, entity, isExact).map { "\(object.entity) \(key).\($0)" }
            result += links(object, found, former, entity, after, isExact).map { "\(object.entity) \(key).\($0)" }
        }
        return result + after.objects.keys.filter { before.objects[$0] == nil }.map { "a new object \($0)" }
    }

    private func values(
        _ before: RandomContents.Object, _ after: RandomContents.Object, _ former: NSEntityDescription,
        _ entity: NSEntityDescription, _ isExact: Bool
    ) -> [String] {
        entity.attributesByName.values.filter { $0.name != RandomVersion.key }.compactMap { attribute in
            let source = former.attributesByName.values.first { attribute.renamingIdentifier == $0.name }
            let kept = source.flatMap { before.values[$0.name] }
            guard kept != nil || isExact else { return nil }
            let isFilled = source.map { $0.isOptional && !attribute.isOptional } ?? true
            let filler = isFilled ? attribute.defaultValue.map(RandomContents.text) : nil
            let (wanted, found) = (kept ?? filler, after.values[attribute.name])
            return found == wanted ? nil : "\(attribute.name): \(found ?? "nil") in place of \(wanted ?? "nil")"
        }
    }

    private func links(
        _ before: RandomContents.Object, _ after: RandomContents.Object, _ former: NSEntityDescription,
        _ entity: NSEntityDescription, _ contents: RandomContents, _ isExact: Bool
    ) -> [String] {
        former.relationshipsByName.values.compactMap { old in
            guard let new = relationship(old, of: entity) else { return nil }
            let members = (before.links[old.name] ?? []).filter { member in
                contents.objects[member].flatMap { self.new.entitiesByName[$0.entity] }.map { entity in
                    new.destinationEntity.map(entity.isKindOf) ?? false
                } ?? false
            }
            let found = after.links[new.name] ?? []
            if !Set(found).isSubset(of: members) { return "\(new.name): \(found) in place of \(members)" }
            guard keepsMembers(old, new) else { return nil }
            let isSame = old.isOrdered && new.isOrdered ? found == members : found.sorted() == members.sorted()
            return isSame ? nil : "\(new.name): \(found) in place of \(members)"
        }
    }

    /// Whether neither end has fewer members than before.
    private func keepsMembers(_ old: NSRelationshipDescription, _ new: NSRelationshipDescription) -> Bool {
        (new.isToMany || !old.isToMany) && (hasManyOwners(new) || !hasManyOwners(old))
    }

    /// The relationships without an inverse that had members of several objects. In a database a member then belongs to
    /// one of them: by statements to the first, by objects to the last.
    var choices: Set<String> {
        Set(
            new.entities.flatMap(\.relationshipsByName.values).filter { relationship in
                !hasManyOwners(relationship) && relationship.inverseRelationship == nil
            }.map(\.name))
    }

    /// Whether an object can be a member of several objects. Without an inverse only the destination of a to-one can.
    private func hasManyOwners(_ relationship: NSRelationshipDescription) -> Bool {
        relationship.inverseRelationship?.isToMany ?? !relationship.isToMany
    }

    // MARK: Losses

    /// The rows and values that a migration has lost, as `entity.property rows`; and for each lost link the names of
    /// its ends, one of which a plan has to name.
    func losses(_ before: RandomContents, _ after: RandomContents) -> (values: Set<String>, links: Set<Set<String>>) {
        var counts: [String: Int] = [:]
        var links: Set<Set<String>> = []
        for (key, object) in before.objects {
            guard let former = old.entitiesByName[object.entity] else { continue }
            guard let entity = entity(object.entity), let name = entity.name else {
                counts["\(object.entity).", default: 0] += 1
                continue
            }
            for value in object.values.keys where attribute(value, of: entity) == nil {
                counts["\(name).\(value)", default: 0] += 1
            }
            for (link, members) in object.links {
                guard let old = former.relationshipsByName[link] else { continue }
                let isLost = members.contains { member in
                    after.objects[member] != nil && !isLinked(key, object, member, old, before, after)
                }
                if isLost { links.insert(ends(old)) }
            }
        }
        return (Set(counts.map { "\($0.key) \($0.value)" }), links)
    }

    /// Whether one of both ends has kept a link.
    private func isLinked(
        _ owner: Int, _ object: RandomContents.Object, _ member: Int, _ relationship: NSRelationshipDescription,
        _ before: RandomContents, _ after: RandomContents
    ) -> Bool {
        func has(_ key: Int, _ entity: String, _ relationship: NSRelationshipDescription, _ other: Int) -> Bool {
            guard let entity = self.entity(entity), let new = self.relationship(relationship, of: entity) else {
                return false
            }
            return after.objects[key]?.links[new.name]?.contains(other) ?? false
        }
        if has(owner, object.entity, relationship, member) { return true }
        guard let inverse = relationship.inverseRelationship, let target = before.objects[member] else { return false }
        return has(member, target.entity, inverse, owner)
    }

    /// The names of both ends, before and afterwards.
    private func ends(_ relationship: NSRelationshipDescription) -> Set<String> {
        let former = [relationship.name, relationship.inverseRelationship?.name].compactMap { $0 }
        let names = new.entities.flatMap(\.relationshipsByName.values)
            .filter { former.contains($0.renamingIdentifier ?? "") }.map(\.name)
        return Set(former + names)
    }
}
