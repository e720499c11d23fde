// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A query for the objects that have some words, the most relevant ones first.

import CoreData
import CoreDataFoundation
import Foundation

/// A full-text search, with further conditions. Two more columns show how well an object matches, and where.
struct SearchedQuery {
    /// The relevance, rounded to six digits after the point.
    static let relevance = "@relevance"
    /// The part of a text that has most matches.
    static let match = "@match"
    /// The most words of that part; for an attribute with trigrams, characters.
    private static let matchLength = 12

    private let query: Query
    private let entity: NSEntityDescription
    private let search: SearchQuery
    private let paths: [String]

    /// - Throws: `SearchQueryError`; a `ToolError` for an entity without searched attributes, and for unknown keys.
    init(_ query: Query, _ search: SearchQuery, _ entity: NSEntityDescription, _ store: OpenedStore) throws {
        (self.query, self.entity, self.search) = (query, entity, search)
        try Self.check(entity, store)
        guard !query.selection.isEmpty else {
            paths = [Self.relevance, Self.match] + Query.everything(of: entity)
            return
        }
        paths = query.selection
        for path in paths where !Self.isOwn(path) { try query.check(path, of: entity) }
    }

    private static func isOwn(_ path: String) -> Bool { path == relevance || path == match }

    /// - Throws: a sentence for the user of the tool, who may not have made the model.
    static func check(_ entity: NSEntityDescription, _ store: OpenedStore) throws {
        guard entity.searchColumns.isEmpty else { return }
        let name = entity.name ?? ""
        let hint =
            store.origin == .cache || store.origin == .file
            ? "its model marks none of its texts with Index in Spotlight."
            : "the store keeps no model, and no full-text index of this entity: name its model with --model."
        throw ToolError("\(name) has no attributes that are searched: \(hint)")
    }

    /// - Throws: as `Query.run(on:)`.
    func run(
        on store: OpenedStore, into sink: any RowSink, progress: (String, Int) -> ProgressLine
    ) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? query.entityName)
        request.predicate = try query.conditions(entity, store)
        let isByID = try query.sortsByID(entity)
        if isByID == nil {
            request.sortDescriptors = try query.sortDescriptors(entity)
            (request.fetchLimit, request.fetchOffset) = (query.limit, query.offset)
        }
        var counts = MemberCounts(paths, of: entity, type: store.type)
        let read = paths.filter { !counts.paths.contains($0) && !Self.isOwn($0) }
        request.relationshipKeyPathsForPrefetching = Query.prefetching(read, of: entity)
        try store.ask { context in
            var results = try context.search(search, in: request)
            if let isByID {
                let ids = results.map(\.object.objectID)
                let places = Query.byID(ids, ascending: isByID)
                results = query.window(places).map { results[$0] }
            }
            let line = progress("Reading \(entity.name ?? query.entityName)", results.count)
            defer { line.finish() }
            try sink.begin(QueryResult.Header(columns: paths, hasIDs: !paths.contains("objectID")))
            let reading = ObjectReading(store)
            let steps = paths.map { $0.split(separator: ".").map(String.init) }
            for (position, result) in results.enumerated() {
                if position.isMultiple(of: Query.pageSize) {
                    let page = results[position..<min(position + Query.pageSize, results.count)]
                    try counts.read(page.map(\.object.objectID), in: context)
                }
                let object = result.object
                let cells = try zip(paths, steps).map { path, steps in
                    if path == Self.relevance { return Cell.real((result.relevance * 1e6).rounded() / 1e6) }
                    if path == Self.match { return Self.match(of: result) }
                    return try counts.cell(path, of: object.objectID) ?? reading.cell(object, steps)
                }
                try sink.add(QueryResult.Row(id: object.objectID.shortText, cells: cells))
                line.advance(to: position + 1)
            }
            try sink.end(results.count)
        }
    }

    /// The excerpt with most matches of all searched attributes, by name.
    private static func match(of result: SearchResult<NSManagedObject>) -> Cell {
        var best: Cell = .null
        var most = 0
        for searched in result.object.entity.searchedAttributes {
            guard let snippet = result.snippet(in: searched.name, tokens: matchLength) else { continue }
            if snippet.highlights.count <= most { continue }
            most = snippet.highlights.count
            best = Cell(snippet, of: searched.name)
        }
        return best
    }
}
