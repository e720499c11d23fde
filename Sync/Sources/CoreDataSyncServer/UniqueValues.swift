// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the objects that have the unique values of inserted records, in few statements for a batch.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// The objects by the values of their constraints. A caller adds the objects that it makes or changes.
struct UniqueValues {
    private struct Key: Hashable {
        let entity: String
        let constraint: [String]
        let values: [SyncValue]
    }

    /// The greatest number of conditions in one statement.
    private static let part = 100
    let context: NSManagedObjectContext
    private var objects: [Key: [NSManagedObject]] = [:]

    init(context: NSManagedObjectContext) { self.context = context }

    /// Reads the objects with the unique values of insertions, and their records.
    mutating func load(_ changes: [SyncChange], _ model: SyncModel, _ table: RecordTable) throws {
        for (name, changes) in Dictionary(grouping: changes, by: \.entity).sorted(by: { $0.key < $1.key }) {
            guard let entity = model.entities[name] else { continue }
            for constraint in entity.constraints {
                let conditions = try changes.compactMap { try condition($0, constraint, entity) }
                for part in conditions.parts(of: Self.part) {
                    let request = NSFetchRequest<NSManagedObject>(entityName: name)
                    request.includesSubentities = false
                    request.returnsObjectsAsFaults = false
                    request.predicate = NSCompoundPredicate(orPredicateWithSubpredicates: part)
                    let found = try context.fetch(request)
                    try table.load(objects: found)
                    for object in found { try add(object, entity) }
                }
            }
        }
    }

    /// Makes an object known by its present values.
    mutating func add(_ object: NSManagedObject, _ entity: SyncEntity) throws {
        for constraint in entity.constraints {
            guard let key = try key(object, constraint, entity) else { continue }
            if objects[key]?.contains(where: { $0 === object }) ?? false { continue }
            objects[key, default: []].append(object)
        }
    }

    /// The objects of the same entity with equal values in a constraint. Values with nil are equal to none.
    func objects(_ change: SyncChange, _ constraint: [String], _ entity: SyncEntity) throws -> [NSManagedObject] {
        let values = constraint.compactMap { change.fields[$0]?.value }.filter { $0 != .null }
        guard values.count == constraint.count else { return [] }
        let key = Key(entity: entity.name, constraint: constraint, values: values)
        return try (objects[key] ?? []).filter { object in
            guard !object.isDeleted, let present = try self.key(object, constraint, entity) else { return false }
            return zip(present.values, values).allSatisfy { $0.isIdentical(to: $1) }
        }
    }

    private func key(_ object: NSManagedObject, _ constraint: [String], _ entity: SyncEntity) throws -> Key? {
        var values: [SyncValue] = []
        for key in constraint {
            guard let attribute = entity.attributes[key] else { return nil }
            let value = try SyncValueCoding.encode(object.value(forKey: key), attribute)
            if value == .null { return nil }
            values.append(value)
        }
        return Key(entity: entity.name, constraint: constraint, values: values)
    }

    private func condition(
        _ change: SyncChange, _ constraint: [String], _ entity: SyncEntity
    ) throws -> NSPredicate? {
        var conditions: [NSPredicate] = []
        for key in constraint {
            guard let attribute = entity.attributes[key], let field = change.fields[key],
                let value = try SyncValueCoding.decode(field.value, attribute)
            else { return nil }
            conditions.append(
                NSComparisonPredicate(
                    leftExpression: NSExpression(forKeyPath: key),
                    rightExpression: NSExpression(forConstantValue: value), modifier: .direct, type: .equalTo))
        }
        return NSCompoundPredicate(andPredicateWithSubpredicates: conditions)
    }
}

extension SyncValue {
    /// Equality of texts in Swift ignores the form of composed characters, a unique value does not.
    fileprivate func isIdentical(to other: SyncValue) -> Bool {
        if case .string(let text) = self, case .string(let otherText) = other {
            return text.utf8.elementsEqual(otherText.utf8)
        }
        return self == other
    }
}
