// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A question to a store, and how it is carried out.

import CoreData
import CoreDataFoundation
import Foundation

/// Which objects to show, in which order, and what of them.
package struct Query: Sendable {
    package var entityName: String
    /// In the predicate format language; nil for all objects.
    package var format: String?
    /// Key paths; one that begins with "-" sorts downwards.
    package var sortKeys: [String]
    /// Key paths; empty for everything the entity has.
    package var selection: [String]
    /// 0 for no limit.
    package var limit: Int

    package init(
        entityName: String, format: String? = nil, sortKeys: [String] = [], selection: [String] = [], limit: Int = 0
    ) {
        self.entityName = entityName
        self.format = format
        self.sortKeys = sortKeys
        self.selection = selection
        self.limit = limit
    }

    /// Asks the store.
    ///
    /// - Throws: an error for people, see `ToolError.text(of:)`; keys that do not exist are found before the store is asked.
    package func run(on store: OpenedStore, progress: (String, Int) -> ProgressLine = { ProgressLine($0, total: $1) })
        throws
        -> QueryResult
    {
        let entity = try store.entity(named: entityName)
        let paths = selection.isEmpty ? Self.everything(of: entity) : selection
        for path in paths { try KeyCheck.properties(path, of: entity) }
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? entityName)
        if let format {
            let predicate = try NSPredicate.parsing(format)
            try KeyCheck.check(predicate.syntax, format: format, entity: entity)
            request.predicate = predicate
        }
        request.sortDescriptors = try sortKeys.map { key in
            let path = key.hasPrefix("-") ? String(key.dropFirst()) : key
            try KeyCheck.properties(path, of: entity)
            return NSSortDescriptor(key: path, ascending: path == key)
        }
        request.fetchLimit = limit
        request.relationshipKeyPathsForPrefetching = Self.toManys(in: paths, of: entity)
        return try store.context.performAndWait {
            let objects = try store.context.fetch(request)
            let line = progress("Reading \(entity.name ?? entityName)", objects.count)
            defer { line.finish() }
            var result = QueryResult(columns: paths, rows: [])
            result.rows.reserveCapacity(objects.count)
            for (position, object) in objects.enumerated() {
                result.rows.append(
                    QueryResult.Row(id: object.objectID.shortText, cells: paths.map { ObjectReading.cell(object, $0) }))
                line.advance(to: position + 1)
            }
            return result
        }
    }

    /// Attributes, then to-ones, then to-manys, each by name.
    static func everything(of entity: NSEntityDescription) -> [String] {
        let relationships = entity.relationshipsByName
        return entity.attributesByName.keys.sorted()
            + relationships.filter { !$0.value.isToMany }.keys.sorted()
            + relationships.filter { $0.value.isToMany }.keys.sorted()
    }

    private static func toManys(in paths: [String], of entity: NSEntityDescription) -> [String]? {
        let relationships = entity.relationshipsByName
        let found = paths.filter { relationships[$0]?.isToMany == true }
        return found.isEmpty ? nil : found
    }
}

/// Reads key paths from objects.
enum ObjectReading {
    /// Call on the queue of the object's context. The path has been checked.
    static func cell(_ object: NSManagedObject, _ path: String) -> Cell {
        cell(object, path.split(separator: ".").map(String.init)[...])
    }

    private static func cell(_ object: NSManagedObject, _ path: ArraySlice<String>) -> Cell {
        guard let step = path.first else { return .object(object.objectID.shortText) }
        let rest = path.dropFirst()
        // A subentity's property that this object does not have.
        guard let property = object.entity.propertiesByName[step] else { return .null }
        let value = object.value(forKey: step)
        guard let relationship = property as? NSRelationshipDescription else {
            return cell(Cell(value, of: property as? NSAttributeDescription), elements: rest)
        }
        guard relationship.isToMany else {
            return (value as? NSManagedObject).map { cell($0, rest) } ?? .null
        }
        let members = Self.members(value, isOrdered: relationship.isOrdered)
        if rest.first == "@count" { return .integer(Int64(members.count)) }
        return .list(members.map { cell($0, rest) }, isObjects: rest.isEmpty)
    }

    private static func cell(_ cell: Cell, elements path: ArraySlice<String>) -> Cell {
        guard let step = path.first else { return cell }
        guard case .composite(let elements) = cell, let found = elements.first(where: { $0.0 == step }) else {
            return .null
        }
        return Self.cell(found.1, elements: path.dropFirst())
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
