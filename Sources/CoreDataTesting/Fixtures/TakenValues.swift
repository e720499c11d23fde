// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Remembers the unique values of objects.

import CoreData
import Foundation

/// The values of unique constraints that objects have, of the store and of the fixture.
struct TakenValues {
    private struct Rule: Hashable {
        let entity: String
        let attributes: [String]
    }

    private var used: [Rule: Set<String>] = [:]
    /// By an entity and the attributes of a constraint: the topmost entity that has the constraint.
    private var owners: [Rule: Rule] = [:]
    private var isRead: Set<String> = []

    /// The constraints of an entity: the attributes of each.
    static func constraints(_ entity: NSEntityDescription) -> [[String]] {
        let attributes = entity.attributesByName
        return entity.uniquenessConstraints.map { names in
            names.compactMap { $0 as? String ?? ($0 as? NSPropertyDescription)?.name }
                .filter { attributes[$0] != nil }
        }.filter { !$0.isEmpty }
    }

    /// Reads the values of the objects that a context finds, once for each root entity.
    mutating func read(
        _ entity: NSEntityDescription, _ context: NSManagedObjectContext, but new: NSManagedObject
    ) throws {
        let root = sequence(first: entity, next: \.superentity).reversed().first ?? entity
        guard isRead.insert(root.name ?? "").inserted else { return }
        let request = NSFetchRequest<NSManagedObject>(entityName: root.name ?? "")
        request.returnsObjectsAsFaults = false
        for object in try context.fetch(request) where object !== new {
            for names in Self.constraints(object.entity) { _ = note(object, names) }
        }
    }

    /// Remembers the values of an object.
    ///
    /// - Returns: false if another object has them. An object that lacks one of the values is unique.
    mutating func note(_ object: NSManagedObject, _ names: [String]) -> Bool {
        let attributes = object.entity.attributesByName
        var texts: [String] = []
        for name in names {
            guard let value = object.value(forKey: name), let attribute = attributes[name] else { return true }
            texts.append(ValueText.text(value, attribute))
        }
        return used[owner(object.entity, names), default: []].insert(texts.joined(separator: "\u{1}")).inserted
    }

    /// Subentities share the constraints of the topmost entity that has them.
    private mutating func owner(_ entity: NSEntityDescription, _ names: [String]) -> Rule {
        let key = Rule(entity: entity.name ?? "", attributes: names)
        if let known = owners[key] { return known }
        var owner = entity
        while let next = owner.superentity, Self.constraints(next).contains(names) { owner = next }
        let rule = Rule(entity: owner.name ?? "", attributes: names)
        owners[key] = rule
        return rule
    }
}
