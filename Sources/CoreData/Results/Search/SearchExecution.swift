// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Carries out a full-text search with relevance. Search-M6 to M8.

import CoreDataFoundation
import Foundation

struct SearchExecution<Object: NSManagedObject> {
    let context: NSManagedObjectContext
    let query: SearchQuery
    let request: NSFetchRequest<Object>

    private var state: ContextState { context.state }

    func results() throws -> [SearchResult<Object>] {
        guard request.resultType == .managedObjectResultType else {
            throw CoreDataError.general(
                "A search of '\(request.entityName ?? "")' returns objects: use a request with that result type.")
        }
        let execution = try FetchExecution(state, matching)
        let layout = execution.prepared.layout
        guard let search = try resolved(layout) else { return [] }
        if let results = try ranked(search) { return results }
        let objects = try execution.run(as: Object.self)
        if objects.isEmpty { return [] }
        let statistics =
            try counted(search, of: layout, execution.route)
            ?? statistics(search, of: layout, in: execution.prepared.model)
        var results = try state.failures.throwing {
            try objects.map { object in
                let relevance = try statistics.relevance(
                    of: SearchedTexts(of: object), object.table.layout.objectColumns)
                return SearchResult(object: object, relevance: relevance, row: object, search: search)
            }
        }
        guard isByRelevance else { return results }
        let ties = execution.tieOrder
        results.sort { $0.relevance != $1.relevance ? $0.relevance > $1.relevance : ties.precedes($0.row, $1.row) }
        let rest = results.dropFirst(request.fetchOffset)
        return Array(request.fetchLimit > 0 ? rest.prefix(request.fetchLimit) : rest)
    }

    /// The first results, ranked by the index of a store; nil if memory has to rank them: without a limit, or if
    /// unsaved changes, several stores or a pinned generation count as well. SearchIndexes-10.
    private func ranked(_ search: ResolvedSearch) throws -> [SearchResult<Object>]? {
        guard isByRelevance, request.fetchLimit > 0, context.parent == nil, !context.hasChanges else { return nil }
        let conditions = try FetchExecution(state, request)
        guard !conditions.prepared.hasCode, let (store, fetch) = conditions.route.onlyFetch(in: state.scope),
            let index = store as? any RankedSearching, let rows = try index.ranked(search, in: fetch)
        else { return nil }
        if rows.isEmpty { return [] }
        let named = matching
        let ids = rows.map { NSManagedObjectID(layout: $0.layout, key: $0.key, home: store.identity) }
        named.predicate = NSPredicate(format: "SELF IN %@", ids)
        let objects = try FetchExecution(state, named).run(as: Object.self)
        let byID = Dictionary(objects.map { ($0.objectID, $0) }, uniquingKeysWith: { first, _ in first })
        // A row may have been deleted meanwhile; then the rest is ranked again.
        guard byID.count == rows.count else { return nil }
        return zip(ids, rows).compactMap { id, row in
            byID[id].map { SearchResult(object: $0, relevance: row.relevance, row: $0, search: search) }
        }
    }

    private var isByRelevance: Bool { request.sortDescriptors?.isEmpty != false }

    /// The request with the search as a further condition. Its window comes after the order, so relevance needs all
    /// results.
    private var matching: NSFetchRequest<Object> {
        let matching = NSFetchRequest<Object>()
        matching.settings = request.settings
        matching.affectedStores = request.affectedStores
        let search = NSPredicate(format: "SELF MATCHING %@", query)
        matching.predicate = NSCompoundPredicate(
            andPredicateWithSubpredicates: [request.predicate, search].compactMap(\.self))
        matching.fetchBatchSize = 0
        if isByRelevance { (matching.fetchOffset, matching.fetchLimit) = (0, 0) }
        return matching
    }

    private func resolved(_ layout: EntityLayout) throws -> ResolvedSearch? {
        do { return try layout.resolved(query) } catch { throw CoreDataError.general(error.description) }
    }

    /// The statistics of the stores that take part; nil if one of them cannot count without reading all rows, and for
    /// the rows of a parent or of a pinned generation.
    private func counted(
        _ search: ResolvedSearch, of layout: EntityLayout, _ route: RoutedFetch
    ) throws -> SearchStatistics? {
        guard context.parent == nil, !state.scope.readsGeneration else { return nil }
        var statistics = SearchStatistics(search)
        for store in route.stores {
            guard let part = try (store as? any SearchCounting)?.statistics(of: search, layout) else { return nil }
            statistics.add(part)
        }
        return statistics
    }

    /// Statistics of the rows that the stores have: of all entities of the inheritance tree, as an index has them.
    private func statistics(
        _ search: ResolvedSearch, of layout: EntityLayout, in model: ModelLayout
    ) throws -> SearchStatistics {
        var statistics = SearchStatistics(search)
        for index in model.layouts[layout.rootIndex].familyIndexes where !model.layouts[index].isAbstract {
            let layout = model.layouts[index]
            let columns = layout.objectColumns
            for row in try rows(of: layout, columns) {
                try statistics.add(
                    SearchedTexts { columns.contains($0) ? row[$0.name] as? String : nil }, columns)
            }
        }
        return statistics
    }

    private func rows(of layout: EntityLayout, _ columns: [SearchColumn]) throws -> [NSDictionary] {
        let rows = NSFetchRequest<NSDictionary>()
        rows.entity = layout.entity
        rows.affectedStores = request.affectedStores
        rows.includesSubentities = false
        rows.includesPendingChanges = false
        rows.resultType = .dictionaryResultType
        let id = NSExpressionDescription()
        id.name = "objectID"
        id.expressionResultType = .objectIDAttributeType
        // A row without texts counts as well, so there is a column that each row has.
        rows.propertiesToFetch = columns.map(\.name) + [id]
        return try FetchExecution(state, rows).run()
    }
}
