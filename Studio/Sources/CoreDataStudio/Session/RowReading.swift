// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes rows of objects, with a fixed number of statements for the sizes and members of their relationships.

import CoreData
import CoreDataToolKit
import Foundation

/// Reads the rows of one entity. Use it on the queue of the context.
struct RowReading {
    /// The members that a cell names.
    private static let membersNamed = 3
    /// The members of a relationship are read for their names if it has at most as many.
    private static let fewMembers = 20
    /// The members of one relationship that are read for one window.
    private static let membersRead = 800

    let columns: [Column]
    private let store: BrowsedStore
    private let entity: NSEntityDescription
    private let attributes: [String: NSAttributeDescription]

    init(_ store: BrowsedStore, _ entity: NSEntityDescription) {
        self.store = store
        self.entity = entity
        columns = Column.all(of: entity)
        attributes = entity.attributesByName
    }

    /// The to-one relationships, which are shown by their destinations' titles.
    var prefetched: [String] {
        columns.compactMap { column in
            if case .toOne = column.kind { return column.name }
            return nil
        }
    }

    /// - Parameters:
    ///   - query: marks the parts of texts that it finds; nil without a search.
    ///   - namesMembers: whether the first members of to-many relationships are read for their names.
    func rows(_ objects: [NSManagedObject], _ query: SearchQuery? = nil, namesMembers: Bool = true) throws -> [Row] {
        let toManys = columns.compactMap { column in
            if case .toMany = column.kind { return column.name }
            return nil
        }
        let saved = toManys.isEmpty ? [] : objects.filter { !$0.objectID.isTemporaryID }
        let counts = try store.memberCounts(of: toManys, entity: entity, ids: saved.map(\.objectID))
        let named = namesMembers ? try nameMembers(toManys, of: saved, counts) : [:]
        return try objects.map { object in
            // An edited object has newer members than the store.
            let known = object.hasChanges ? [:] : counts[object.objectID] ?? [:]
            let changed = object.isUpdated ? Set(object.changedValues().keys) : []
            return Row(
                id: object.studioID, title: ObjectTitle.text(of: object),
                edit: object.isInserted ? .inserted : object.isUpdated ? .updated : .none,
                cells: try columns.map { column in
                    GridCell(
                        content: try content(column, of: object, known, named[column.name] ?? []),
                        isEdited: changed.contains(column.name),
                        excerpt: query.flatMap { BrowsedStore.excerpt(of: column.name, in: object, matching: $0) })
                })
        }
    }

    /// Reads the members of to-many relationships that have few of them, with the same number of statements for any
    /// number of rows. Studio-R6.
    ///
    /// - Returns: for each relationship the objects whose members are read.
    private func nameMembers(
        _ relationships: [String], of objects: [NSManagedObject], _ counts: [NSManagedObjectID: [String: Int]]
    ) throws -> [String: Set<NSManagedObjectID>] {
        var named: [String: Set<NSManagedObjectID>] = [:]
        guard let context = objects.first?.managedObjectContext else { return [:] }
        for name in relationships {
            var left = Self.membersRead
            let few = objects.map(\.objectID).filter { id in
                let count = counts[id]?[name] ?? 0
                guard (1...Self.fewMembers).contains(count), count <= left else { return false }
                left -= count
                return true
            }
            guard !few.isEmpty else { continue }
            let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
            request.predicate = NSPredicate(format: "SELF IN %@", few)
            request.relationshipKeyPathsForPrefetching = [name]
            _ = try context.fetch(request)
            named[name] = Set(few)
            try readNames(of: objects.filter { named[name]?.contains($0.objectID) == true }, name, in: context)
        }
        return named
    }

    /// Reads the objects that the cells of a relationship name, with one fetch. The members are known by now, but their
    /// rows are not read: each would be read by a separate statement.
    private func readNames(of objects: [NSManagedObject], _ name: String, in context: NSManagedObjectContext) throws {
        let unread = Set(
            objects.flatMap { Members.of($0, name).prefix(Self.membersNamed) }.filter(\.isFault).map(\.objectID))
        guard !unread.isEmpty, let destination = entity.relationshipsByName[name]?.destinationEntity?.name else {
            return
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: destination)
        request.predicate = NSPredicate(format: "SELF IN %@", Array(unread))
        request.returnsObjectsAsFaults = false
        _ = try context.fetch(request)
    }

    private func content(
        _ column: Column, of object: NSManagedObject, _ counts: [String: Int], _ named: Set<NSManagedObjectID>
    ) throws -> GridCell.Content {
        switch column.kind {
        case .attribute:
            guard let attribute = attributes[column.name] else { return .value(.null) }
            return .value(try store.cell(object, attribute))
        case .toOne:
            guard let other = object.value(forKey: column.name) as? NSManagedObject else { return .value(.null) }
            return .link(ObjectName(other))
        case .toMany:
            let filter = entity.relationshipsByName[column.name].flatMap { Members.filter(for: $0, of: object) }
            let count = counts[column.name]
            guard count == nil || named.contains(object.objectID) else {
                return .members(total: count ?? 0, first: [], filter: filter)
            }
            let members = Members.of(object, column.name)
            return .members(
                total: members.count, first: members.prefix(Self.membersNamed).map(ObjectName.init), filter: filter)
        }
    }
}

/// The members of to-many relationships in a stable order.
enum Members {
    static func of(_ object: NSManagedObject, _ relationship: String) -> [NSManagedObject] {
        switch object.value(forKey: relationship) {
        case let ordered as NSOrderedSet: ordered.array.compactMap { $0 as? NSManagedObject }
        case let set as NSSet:
            set.allObjects.compactMap { $0 as? NSManagedObject }.sorted { key($0) < key($1) }
        default: []
        }
    }

    /// A filter that gives the members, by the inverse; nil for a relationship without one.
    static func filter(for relationship: NSRelationshipDescription, of object: NSManagedObject) -> String? {
        guard relationship.isToMany, !object.objectID.isTemporaryID, let inverse = relationship.inverseRelationship
        else { return nil }
        return inverse.isToMany
            ? "ANY \(inverse.name) == \"\(object.studioID)\"" : "\(inverse.name) == \"\(object.studioID)\""
    }

    private static func key(_ object: NSManagedObject) -> (String, Int64, String) {
        let name = object.objectID.uriRepresentation().lastPathComponent
        return (object.entity.name ?? "", Int64(name.dropFirst()) ?? Int64.max, name)
    }
}
