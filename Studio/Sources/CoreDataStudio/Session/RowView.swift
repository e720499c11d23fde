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
    /// The text of the search field: words of the searched attributes; empty without a search.
    var search = ""
    /// The key path of the order; nil for the order of the store, or of a search: the best objects first.
    var sortKey: String?
    var isAscending = true

    static let windowLimit = 200
    static let filterLimit = 4000

    /// - Parameter query: `q` is the filter; `search` the search; `sort` a key, with "-" before it downwards.
    init(entityName: String, query: [String: String]) throws {
        self.entityName = entityName
        filter = query["q"] ?? ""
        guard filter.count <= Self.filterLimit else {
            throw SiteFailure(status: 400, message: "A filter has at most \(Self.filterLimit) characters.")
        }
        search = query["search"] ?? ""
        if let sort = query["sort"], !sort.isEmpty {
            isAscending = !sort.hasPrefix("-")
            sortKey = isAscending ? sort : String(sort.dropFirst())
        }
    }

    /// For links and exports.
    var query: [(String, String?)] {
        [("search", search), ("q", filter), ("sort", sortKey.map { (isAscending ? "" : "-") + $0 })]
    }

    /// The query of the search field; nil without a search.
    func searchQuery(_ entity: NSEntityDescription) throws -> SearchQuery? {
        let query = SearchQuery(userText: search)
        if query.isEmpty { return nil }
        guard BrowsedStore.isSearched(entity) else {
            throw SiteFailure(status: 400, message: "\(entityName) has no attributes that are searched.")
        }
        return query
    }

    /// The request without the search.
    func conditions(_ store: BrowsedStore, _ entity: NSEntityDescription) throws -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: entityName)
        request.predicate = try store.predicate(filter, of: entity)
        if let sortKey {
            guard let column = Column.all(of: entity).first(where: { $0.name == sortKey }), let path = column.sortPath
            else { throw SiteFailure(status: 400, message: "\(entityName) cannot be sorted by '\(sortKey)'.") }
            request.sortDescriptors = [NSSortDescriptor(key: path, ascending: isAscending)]
        }
        return request
    }

    func request(_ store: BrowsedStore, _ entity: NSEntityDescription) throws -> NSFetchRequest<NSManagedObject> {
        let request = try conditions(store, entity)
        guard let query = try searchQuery(entity) else { return request }
        let found = NSPredicate(format: "SELF MATCHING %@", query)
        request.predicate =
            request.predicate.map { NSCompoundPredicate(andPredicateWithSubpredicates: [$0, found]) } ?? found
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

/// An object as people know it.
struct ObjectName: Sendable, Equatable {
    /// "Book/12"
    let id: String
    let title: String

    init(_ object: NSManagedObject) { (id, title) = (object.studioID, ObjectTitle.text(of: object)) }
}

/// One cell of a grid.
struct GridCell: Sendable {
    enum Content: Sendable {
        case value(Cell)
        /// A to-one relationship with an object.
        case link(ObjectName)
        /// A to-many relationship: the number of its members, the names of the first ones, and a filter that gives all
        /// of them in a grid; nil without an inverse.
        case members(total: Int, first: [ObjectName], filter: String?)
    }

    let content: Content
    var isEdited = false
    /// The part of a text that a search has found; nil without one.
    var excerpt: Cell?
}

/// The keys of a view.
struct ViewKeys {
    private enum Source {
        case results(PagedResults<NSManagedObject>)
        /// The objects of a search, by relevance.
        case ids([NSManagedObjectID])
    }

    private let source: Source
    /// The places of the results in their order; nil for the order that they have.
    private let order: [Int]?

    init(ranked ids: [NSManagedObjectID]) { (source, order) = (.ids(ids), nil) }

    /// - Parameter isInPlace: whether edited objects keep their places. Without a sort key a fetch puts them last.
    init(_ results: PagedResults<NSManagedObject>, isInPlace: Bool) {
        source = .results(results)
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

    var count: Int {
        switch source {
        case .results(let results): results.count
        case .ids(let ids): ids.count
        }
    }

    /// The objects at some places, which a request reads.
    func objects(_ places: Range<Int>, _ request: NSFetchRequest<NSManagedObject>, in context: NSManagedObjectContext)
        throws -> [NSManagedObject]
    {
        switch source {
        case .results(let results): return try places.map { try results.object(at: order?[$0] ?? $0) }
        case .ids(let ids):
            let wanted = ids[places]
            request.predicate = NSPredicate(format: "SELF IN %@", Array(wanted))
            let objects = try context.fetch(request).map { ($0.objectID, $0) }
            let byID = Dictionary(objects, uniquingKeysWith: { first, _ in first })
            return wanted.compactMap { byID[$0] }
        }
    }
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
        let name = "\(definition.entityName)\n\(definition.search)\n\(definition.filter)"
        if let known = totals[name] { return known }
        if definition.filter.isEmpty, definition.search.isEmpty,
            let all = entityCounts?.first(where: { $0.name == definition.entityName })
        {
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
        let query = try definition.searchQuery(entity)
        if from == 0, definition.sortKey != nil || !context.hasChanges {
            // The beginning needs no keys.
            let total = try views.total(of: definition) { try context.count(for: request) }
            request.fetchLimit = count
            var objects: [NSManagedObject] = []
            if let query, definition.sortKey == nil, count > 0 {
                let best = try definition.conditions(store, entity)
                (best.fetchLimit, best.relationshipKeyPathsForPrefetching) = (count, reading.prefetched)
                objects = try context.search(query, in: best).map(\.object)
            } else {
                objects = try context.fetch(request)
            }
            return RowWindow(total: total, from: 0, rows: try reading.rows(objects, query))
        }
        let (total, objects) = try objects(definition, request, from: from, count: count)
        return RowWindow(total: total, from: from, rows: try reading.rows(objects, query))
    }

    /// The objects at places of a view, by its keys.
    func objects(
        _ definition: ViewDefinition, _ request: NSFetchRequest<NSManagedObject>, from: Int, count: Int
    ) throws -> (total: Int, objects: [NSManagedObject]) {
        let keys = try views.keys(of: definition) {
            let entity = try entity(definition.entityName)
            if definition.sortKey == nil, let query = try definition.searchQuery(entity) {
                let conditions = try definition.conditions(store, entity)
                return ViewKeys(ranked: try context.search(query, in: conditions).map(\.object.objectID))
            }
            request.fetchBatchSize = 100
            let results = try context.fetchPaged(request, keptPages: 2)
            return ViewKeys(results, isInPlace: definition.sortKey == nil && context.hasChanges)
        }
        request.fetchBatchSize = 0
        let end = min(from + count, keys.count)
        return (keys.count, from < end ? try keys.objects(from..<end, request, in: context) : [])
    }
}
