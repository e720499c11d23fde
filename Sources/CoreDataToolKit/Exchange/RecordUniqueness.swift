// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the records of an import with unique values that another object has, before any change.

import CoreData
import CoreDataExchange
import Foundation

/// The unique values of the records so far.
///
/// Memory grows with the number of records of entities with unique values, by some 100 bytes each.
struct RecordUniqueness {
    /// The record with a value, and the object that it describes: two records with the same key describe one object.
    private struct Owner {
        let record: String
        let object: String
    }

    private var owners: [String: Owner] = [:]

    /// - Parameters:
    ///   - found: the object of the store that the record updates; nil for a new one.
    ///   - key: the attributes that found it.
    /// - Throws: `ToolError` that names the other object, the attributes and their values.
    mutating func check(
        _ values: [String: Any?], of record: ExchangeRecord, _ entity: NSEntityDescription, _ found: NSManagedObject?,
        key: [String]?, _ context: NSManagedObjectContext
    ) throws {
        let name = "\(record.entity)/\(record.key)"
        let object = key.map { key in "\(key): \(Self.text(key.map { values[$0] ?? nil }, key, entity))" } ?? name
        for names in entity.uniquenessConstraintNames
        where !names.isEmpty && names.allSatisfy({ entity.attributesByName[$0] != nil }) {
            let unique = names.map { Self.value($0, values, entity, found) }
            // An object that lacks one of the values is unique.
            guard unique.allSatisfy({ $0 != nil }) else { continue }
            let text = Self.text(unique, names, entity)
            let root = Self.root(of: entity, names)
            let owner = owners.updateValue(Owner(record: name, object: object), forKey: "\(root)|\(text)")
            if let owner, owner.object != object {
                throw ToolError("The record \(owner.record) has the same unique value, \(text).")
            }
            guard names != key else { continue }
            let request = NSFetchRequest<NSManagedObject>(entityName: root)
            request.predicate = NSCompoundPredicate(
                andPredicateWithSubpredicates: zip(names, unique).map { name, value in
                    NSPredicate(format: "%K == %@", argumentArray: [name, value as Any])
                })
            request.fetchLimit = 2
            if let other = try context.fetch(request).first(where: { $0 != found }) {
                throw ToolError("\(other.objectID.shortText) of the store has the same unique value, \(text).")
            }
        }
    }

    /// The value after the import.
    private static func value(
        _ name: String, _ values: [String: Any?], _ entity: NSEntityDescription, _ found: NSManagedObject?
    ) -> Any? {
        if let given = values[name] { return given }
        return found.map { $0.value(forKey: name) } ?? entity.attributesByName[name]?.defaultValue
    }

    private static func text(_ values: [Any?], _ names: [String], _ entity: NSEntityDescription) -> String {
        zip(names, values).map { name, value in
            "\(name) = \(Cell(value, of: entity.attributesByName[name]).json.text)"
        }.joined(separator: ", ")
    }

    /// The topmost entity with the rule: all objects of its subentities are compared.
    private static func root(of entity: NSEntityDescription, _ names: [String]) -> String {
        var root = entity
        while let next = root.superentity, next.uniquenessConstraintNames.contains(names) { root = next }
        return root.name ?? ""
    }
}
