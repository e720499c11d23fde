// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes rows of objects, with one statement for the sizes of all their relationships.

import CoreData
import CoreDataToolKit
import Foundation

/// Reads the rows of one entity. Use it on the queue of the context.
struct RowReading {
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

    /// - Parameter query: marks what it finds in the texts; nil without a search.
    func rows(_ objects: [NSManagedObject], _ query: SearchQuery? = nil) throws -> [Row] {
        let toManys = columns.compactMap { column in
            if case .toMany = column.kind { return column.name }
            return nil
        }
        let counts = try store.memberCounts(
            of: toManys, entity: entity,
            ids: toManys.isEmpty ? [] : objects.map(\.objectID).filter { !$0.isTemporaryID })
        return try objects.map { object in
            // An edited object has newer numbers than the store.
            let known = object.hasChanges ? [:] : counts[object.objectID] ?? [:]
            let changed = object.isUpdated ? Set(object.changedValues().keys) : []
            return Row(
                id: object.studioID, title: ObjectTitle.text(of: object),
                edit: object.isInserted ? .inserted : object.isUpdated ? .updated : .none,
                cells: try columns.map { column in
                    GridCell(
                        content: try content(column, of: object, known), isEdited: changed.contains(column.name),
                        excerpt: query.flatMap { BrowsedStore.excerpt(of: column.name, in: object, matching: $0) })
                })
        }
    }

    private func content(_ column: Column, of object: NSManagedObject, _ counts: [String: Int]) throws
        -> GridCell.Content
    {
        switch column.kind {
        case .attribute:
            guard let attribute = attributes[column.name] else { return .value(.null) }
            return .value(try store.cell(object, attribute))
        case .toOne:
            guard let other = object.value(forKey: column.name) as? NSManagedObject else { return .value(.null) }
            return .link(id: other.studioID, title: ObjectTitle.text(of: other))
        case .toMany:
            return .count(counts[column.name] ?? Members.of(object, column.name).count)
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

    private static func key(_ object: NSManagedObject) -> (String, Int64, String) {
        let name = object.objectID.uriRepresentation().lastPathComponent
        return (object.entity.name ?? "", Int64(name.dropFirst()) ?? Int64.max, name)
    }
}
