// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the values at key paths of objects.

import CoreData
import CoreDataFoundation
import Foundation

/// Creates cells for the values at validated key paths. Call it on the queue of the objects' context.
final class ObjectReading {
    private let store: OpenedStore
    /// Cached, because an entity creates this dictionary for each access.
    private var properties: [ObjectIdentifier: [String: NSPropertyDescription]] = [:]

    init(_ store: OpenedStore) { self.store = store }

    /// - Parameter path: the steps of a key path.
    func cell(_ object: NSManagedObject, _ path: [String]) throws -> Cell { try cell(object, path[...]) }

    private func property(_ name: String, of entity: NSEntityDescription) -> NSPropertyDescription? {
        let key = ObjectIdentifier(entity)  // the store retains the model and its entities
        if let known = properties[key] { return known[name] }
        let found = entity.propertiesByName
        properties[key] = found
        return found[name]
    }

    private func cell(_ object: NSManagedObject, _ path: ArraySlice<String>) throws -> Cell {
        guard let step = path.first else { return .object(object.objectID.shortText) }
        let rest = path.dropFirst()
        guard let property = property(step, of: object.entity) else {
            // Otherwise the property belongs to a subentity of which this object is not an instance.
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

    /// Sets are sorted by key, so that the output is reproducible.
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
