// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads key paths from objects.

import CoreData
import CoreDataFoundation
import Foundation

/// Makes cells of what lies at the ends of key paths. The paths have been checked. Call on the queue of the objects'
/// context.
final class ObjectReading {
    private let store: OpenedStore
    /// An entity makes this dictionary anew each time that it is asked.
    private var properties: [ObjectIdentifier: [String: NSPropertyDescription]] = [:]

    init(_ store: OpenedStore) { self.store = store }

    /// - Parameter path: the steps of a key path.
    func cell(_ object: NSManagedObject, _ path: [String]) throws -> Cell { try cell(object, path[...]) }

    private func property(_ name: String, of entity: NSEntityDescription) -> NSPropertyDescription? {
        let key = ObjectIdentifier(entity)  // the store keeps the model, and that its entities
        if let known = properties[key] { return known[name] }
        let found = entity.propertiesByName
        properties[key] = found
        return found[name]
    }

    private func cell(_ object: NSManagedObject, _ path: ArraySlice<String>) throws -> Cell {
        guard let step = path.first else { return .object(object.objectID.shortText) }
        let rest = path.dropFirst()
        guard let property = property(step, of: object.entity) else {
            // Otherwise a subentity's property that this object does not have.
            return step == "objectID" ? .object(object.objectID.shortText) : .null
        }
        if rest.first?.hasPrefix("@") == true, rest.first != "@count" {
            let value = object.value(forKeyPath: path.joined(separator: "."))
            let isComputed = rest.first == "@sum" || rest.first == "@avg"
            let last = isComputed ? nil : try KeyCheck.properties(path, of: object.entity).last
            return Cell(value, of: last as? NSAttributeDescription)
        }
        let value = object.value(forKey: step)
        guard let relationship = property as? NSRelationshipDescription else {
            let attribute = property as? NSAttributeDescription
            if value == nil, attribute?.allowsExternalBinaryDataStorage == true,
                let file = try store.missingFile(of: step, in: object)
            {
                return .missing(file: file)
            }
            return cell(Cell(value, of: attribute), elements: rest)
        }
        guard relationship.isToMany else {
            return try (value as? NSManagedObject).map { try cell($0, rest) } ?? .null
        }
        let members = Self.members(value, isOrdered: relationship.isOrdered)
        if rest.first == "@count" { return .integer(Int64(members.count)) }
        return .list(try members.map { try cell($0, rest) }, isObjects: rest.isEmpty)
    }

    private func cell(_ cell: Cell, elements path: ArraySlice<String>) -> Cell {
        guard let step = path.first else { return cell }
        guard case .composite(let elements) = cell, let found = elements.first(where: { $0.0 == step }) else {
            return .null
        }
        return self.cell(found.1, elements: path.dropFirst())
    }

    /// Sets are given in the order of their keys, so that the same store always prints the same.
    private static func members(_ value: Any?, isOrdered: Bool) -> [NSManagedObject] {
        if let set = value as? NSOrderedSet { return set.array.compactMap { $0 as? NSManagedObject } }
        let found: [NSManagedObject] =
            if let set = value as? NSSet { set.allObjects.compactMap { $0 as? NSManagedObject } } else {
                (value as? Set<NSManagedObject>).map(Array.init) ?? []
            }
        return found.sorted { one, other in
            one.objectID.shortText.compare(other.objectID.shortText, options: .numeric) == .orderedAscending
        }
    }
}
