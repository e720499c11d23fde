// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The rows that a grid shows: an entity with filter and order, and windows on its keys. Studio-R1.

import CoreData
import CoreDataToolKit
import Foundation

/// The content of a grid.
struct ViewDefinition: Hashable, Sendable {
    var entityName: String
    /// In the predicate language; empty for all objects.
    var filter = ""
    /// The key path of the order; nil for the order of the store.
    var sortKey: String?
    var isAscending = true

    static let windowLimit = 200
    private static let filterLimit = 4000

    /// - Parameter query: `q` is the filter; `sort` a key, with "-" before it downwards.
    init(entityName: String, query: [String: String]) throws {
        self.entityName = entityName
        filter = query["q"] ?? ""
        guard filter.count <= Self.filterLimit else {
            throw SiteFailure(status: 400, message: "A filter has at most \(Self.filterLimit) characters.")
        }
        if let sort = query["sort"], !sort.isEmpty {
            isAscending = !sort.hasPrefix("-")
            sortKey = isAscending ? sort : String(sort.dropFirst())
        }
    }

    /// For links and exports.
    var query: [(String, String?)] {
        [("q", filter), ("sort", sortKey.map { (isAscending ? "" : "-") + $0 })]
    }

    func request(_ store: BrowsedStore, _ entity: NSEntityDescription) throws -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: entityName)
        request.predicate = try store.predicate(filter, of: entity)
        if let sortKey {
            guard let column = Column.all(of: entity).first(where: { $0.name == sortKey }), let path = column.sortPath
            else { throw SiteFailure(status: 400, message: "\(entityName) cannot be sorted by '\(sortKey)'.") }
            request.sortDescriptors = [NSSortDescriptor(key: path, ascending: isAscending)]
        }
        return request
    }
}

/// A window of rows.
struct RowWindow: Sendable {
    let total: Int
    let from: Int
    let rows: [Row]
}

/// One row: an object with its cells in the order of the columns.
struct Row: Sendable {
    enum Edit: String, Sendable { case none, inserted, updated }

    let id: String
    let title: String
    let edit: Edit
    let cells: [GridCell]
}

/// One cell of a grid.
struct GridCell: Sendable {
    enum Content: Sendable {
        case value(Cell)
        /// A to-one relationship: the id and the title of its object; nil without one.
        case link(id: String, title: String)
        case count(Int)
    }

    let content: Content
    var isEdited = false
}

/// The keys of a view.
struct ViewKeys {
    let results: PagedResults<NSManagedObject>
    /// The places of the results in their order; nil for the order that they have.
    private let order: [Int]?

    /// - Parameter isInPlace: whether edited objects keep their places. Without a sort key a fetch puts them last.
    init(_ results: PagedResults<NSManagedObject>, isInPlace: Bool) {
        self.results = results
        guard isInPlace else {
            order = nil
            return
        }
        let keys = results.indices.map { place -> (String, Int64) in
            let id = results.objectID(at: place)
            guard !id.isTemporaryID else { return ("\u{10FFFF}", Int64(place)) }
            return (id.entity.name ?? "", Int64(id.uriRepresentation().lastPathComponent.dropFirst()) ?? 0)
        }
        order = results.indices.sorted { keys[$0] < keys[$1] }
    }

    func object(at place: Int) throws -> NSManagedObject { try results.object(at: order?[place] ?? place) }
}

/// The keys of the last views. Belongs to the queue of their context.
final class ViewCache: @unchecked Sendable {  // confined to the queue of the context
    private static let limit = 4
    private var views: [(definition: ViewDefinition, keys: ViewKeys)] = []

    /// The keys of a view, read at most once.
    func keys(of definition: ViewDefinition, make: () throws -> ViewKeys) rethrows -> ViewKeys {
        if let place = views.firstIndex(where: { $0.definition == definition }) {
            let view = views.remove(at: place)
            views.append(view)
            return view.keys
        }
        let keys = try make()
        if views.count == Self.limit { views.removeFirst() }
        views.append((definition, keys))
        return keys
    }

    private var entityCounts: [(name: String, count: Int)]?

    /// The numbers of objects of all entities, counted at most once.
    func counts(_ make: () throws -> [(name: String, count: Int)]) rethrows -> [(name: String, count: Int)] {
        if let entityCounts { return entityCounts }
        let counts = try make()
        entityCounts = counts
        return counts
    }

    private var totals: [String: Int] = [:]

    /// The number of rows of a view, counted at most once for its entity and filter.
    func total(of definition: ViewDefinition, make: () throws -> Int) rethrows -> Int {
        let name = "\(definition.entityName)\n\(definition.filter)"
        if let known = totals[name] { return known }
        if definition.filter.isEmpty, let all = entityCounts?.first(where: { $0.name == definition.entityName }) {
            return all.count
        }
        let total = try make()
        if totals.count == 100 { totals = [:] }
        totals[name] = total
        return total
    }

    /// Keys and numbers are out of date. Studio-R2.
    func end() {
        views = []
        totals = [:]
        entityCounts = nil
    }
}

extension Desk {
    /// Reads a window of a view.
    ///
    /// - Throws: `FilterMistake`, `SiteFailure`, errors of the store.
    func window(_ definition: ViewDefinition, from: Int, count: Int) throws -> RowWindow {
        let count = min(max(count, 0), ViewDefinition.windowLimit)
        let from = max(from, 0)
        let entity = try entity(definition.entityName)
        let request = try definition.request(store, entity)
        let reading = RowReading(store, entity)
        request.relationshipKeyPathsForPrefetching = reading.prefetched
        if from == 0, definition.sortKey != nil || !context.hasChanges {
            // The beginning needs no keys.
            let total = try views.total(of: definition) { try context.count(for: request) }
            request.fetchLimit = count
            return RowWindow(total: total, from: 0, rows: try reading.rows(context.fetch(request)))
        }
        let (total, objects) = try objects(definition, request, from: from, count: count)
        return RowWindow(total: total, from: from, rows: try reading.rows(objects))
    }

    /// The objects at places of a view, by its keys.
    func objects(
        _ definition: ViewDefinition, _ request: NSFetchRequest<NSManagedObject>, from: Int, count: Int
    ) throws -> (total: Int, objects: [NSManagedObject]) {
        request.fetchBatchSize = 100
        let keys = try views.keys(of: definition) {
            let results = try context.fetchPaged(request, keptPages: 2)
            return ViewKeys(results, isInPlace: definition.sortKey == nil && context.hasChanges)
        }
        let end = min(from + count, keys.results.count)
        let objects = from < end ? try (from..<end).map { try keys.object(at: $0) } : []
        return (keys.results.count, objects)
    }
}
