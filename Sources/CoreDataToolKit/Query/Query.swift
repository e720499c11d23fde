// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A query of a store and its execution.

import CoreData
import CoreDataFoundation
import Foundation

/// The objects to show, their order, and the columns.
package struct Query: Sendable {
    package var entityName: String
    /// In the predicate format language; nil for all objects.
    package var format: String?
    /// In the language of `SearchQuery`; nil without a search.
    package var search: String?
    /// Key paths; a leading "-" sorts in descending order.
    package var sortKeys: [String]
    /// Key paths; empty for all properties of the entity.
    package var selection: [String]
    /// 0 for no limit.
    package var limit: Int
    /// The number of objects to skip.
    package var offset: Int
    /// Key paths. With group keys, or with only aggregates in the selection, a row is a group of objects.
    package var groupKeys: [String]

    /// The number of objects read at a time.
    static let pageSize = 500

    package init(
        entityName: String, format: String? = nil, sortKeys: [String] = [], selection: [String] = [], limit: Int = 0,
        offset: Int = 0, groupKeys: [String] = [], search: String? = nil
    ) {
        self.entityName = entityName
        self.format = format
        self.sortKeys = sortKeys
        self.selection = selection
        self.limit = limit
        self.offset = offset
        self.groupKeys = groupKeys
        self.search = search
    }

    /// Runs the query and returns the whole result.
    ///
    /// - Throws: an error for the user, see `ToolError.text(of:)`. Unknown keys are found before the store is read.
    package func run(on store: OpenedStore) throws -> QueryResult {
        let collector = QueryResult.Collector()
        try run(on: store, into: collector)
        return collector.result
    }

    /// Runs the query and passes each row to the sink while reading.
    ///
    /// - Throws: as `run(on:)`, and the errors of the sink; an `OutputFailure` is rethrown unchanged.
    /// - Complexity: memory for the keys of all results and the objects of one page.
    package func run(
        on store: OpenedStore, into sink: any RowSink,
        progress: (String, Int) -> ProgressLine = { ProgressLine($0, total: $1) }
    ) throws {
        let entity = try store.entity(named: entityName)
        if isGrouped { return try GroupedQuery(self, entity).run(on: store, into: sink) }
        if let search {
            let searched = try SearchedQuery(self, SearchQuery(search), entity, store)
            return try searched.run(on: store, into: sink, progress: progress)
        }
        let paths = try columns(of: entity)
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? entityName)
        request.predicate = try conditions(entity, store)
        let isByID = try sortsByID(entity)
        if let isByID {
            // Offset and limit apply to the order by id, which a fetch does not support.
            request.sortDescriptors = nil
            _ = isByID
        } else {
            request.sortDescriptors = try sortDescriptors(entity)
            (request.fetchLimit, request.fetchOffset) = (limit, offset)
        }
        request.fetchBatchSize = Self.pageSize
        var counts = MemberCounts(paths, of: entity, type: store.type)
        let read = paths.filter { !counts.paths.contains($0) }
        request.relationshipKeyPathsForPrefetching = Self.prefetching(read, of: entity)
        try store.ask { context in
            let results = try context.fetchPaged(request, keptPages: 1)
            let order = isByID.map { window(Self.byID(results.indices.map(results.objectID), ascending: $0)) }
            let total = order?.count ?? results.count
            let line = progress("Reading \(entity.name ?? entityName)", total)
            defer { line.finish() }
            try sink.begin(QueryResult.Header(columns: paths, hasIDs: !paths.contains("objectID")))
            let reading = ObjectReading(store)
            let steps = paths.map { $0.split(separator: ".").map(String.init) }
            for position in 0..<total {
                if position.isMultiple(of: Self.pageSize) {
                    let page = position..<min(position + Self.pageSize, total)
                    try counts.read(page.map { results.objectID(at: order?[$0] ?? $0) }, in: context)
                }
                let object = try results.object(at: order?[position] ?? position)
                let cells = try zip(paths, steps).map { path, steps in
                    try counts.cell(path, of: object.objectID) ?? reading.cell(object, steps)
                }
                try sink.add(QueryResult.Row(id: object.objectID.shortText, cells: cells))
                line.advance(to: position + 1)
            }
            try sink.end(total)
        }
    }

    /// The number of matching objects, within offset and limit.
    ///
    /// - Throws: as `run(on:)`.
    package func count(on store: OpenedStore) throws -> Int {
        let entity = try store.entity(named: entityName)
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? entityName)
        request.predicate = try predicate(entity, store)
        (request.fetchLimit, request.fetchOffset) = (limit, offset)
        return try store.ask { try $0.count(for: request) }
    }

    // MARK: Parts

    private var isGrouped: Bool {
        !groupKeys.isEmpty || (!selection.isEmpty && selection.allSatisfy { GroupedQuery.isAggregate($0) })
    }

    private func columns(of entity: NSEntityDescription) throws -> [String] {
        guard !selection.isEmpty else { return Self.everything(of: entity) }
        for path in selection { try check(path, of: entity) }
        return selection
    }

    /// Checks a column of objects.
    func check(_ path: String, of entity: NSEntityDescription) throws {
        guard !GroupedQuery.isAggregate(path) else {
            throw ToolError(
                "'\(path)' is computed over many objects: group them with --group-by, or select nothing beside it.")
        }
        try KeyCheck.properties(path, of: entity)
    }

    /// The conditions together with the search.
    func predicate(_ entity: NSEntityDescription, _ store: OpenedStore) throws -> NSPredicate? {
        let conditions = try conditions(entity, store)
        guard let search else { return conditions }
        let query = try SearchQuery(search)
        try SearchedQuery.check(entity, store)
        let found = NSPredicate(format: "SELF MATCHING %@", query)
        return conditions.map { NSCompoundPredicate(andPredicateWithSubpredicates: [$0, found]) } ?? found
    }

    func conditions(_ entity: NSEntityDescription, _ store: OpenedStore) throws -> NSPredicate? {
        guard let format else { return nil }
        let syntax = try NSPredicate.parsing(format).syntax
        try KeyCheck.check(syntax, format: format, entity: entity)
        return try ConstantReading(store, entity).read(syntax).predicate
    }

    func sortDescriptors(_ entity: NSEntityDescription) throws -> [NSSortDescriptor] {
        try sortKeys.map { key in
            let (path, isAscending) = Self.sort(key)
            guard path != "objectID" else {
                throw ToolError("objectID is another one for each object: sort by it alone.")
            }
            try KeyCheck.properties(path, of: entity)
            return NSSortDescriptor(key: path, ascending: isAscending)
        }
    }

    static func sort(_ key: String) -> (path: String, isAscending: Bool) {
        key.hasPrefix("-") ? (String(key.dropFirst()), false) : (key, true)
    }

    /// Whether the id is the only sort key, and if so, whether it is ascending.
    func sortsByID(_ entity: NSEntityDescription) throws -> Bool? {
        guard let first = sortKeys.first.map(Self.sort), first.path == "objectID", sortKeys.count == 1,
            entity.propertiesByName["objectID"] == nil
        else { return nil }
        return first.isAscending
    }

    /// Positions sorted by entity name and key. This is usually the order of the results, so that pages
    /// are read sequentially.
    static func byID(_ ids: [NSManagedObjectID], ascending: Bool) -> [Int] {
        var names: [String] = []
        var keys: [(name: Int, key: Int64)] = []
        keys.reserveCapacity(ids.count)
        for id in ids {
            let name = id.entity.name ?? ""
            let number =
                names.firstIndex(of: name)
                ?? {
                    names.append(name)
                    return names.count - 1
                }()
            keys.append((number, Int64(id.uriRepresentation().lastPathComponent.dropFirst()) ?? 0))
        }
        let ranks = names.map { name in names.count { $0 < name } }
        func precedes(_ one: Int, _ other: Int) -> Bool {
            (ranks[keys[one].name], keys[one].key) < (ranks[keys[other].name], keys[other].key)
        }
        return ids.indices.sorted { ascending ? precedes($0, $1) : precedes($1, $0) }
    }

    func window(_ positions: [Int]) -> [Int] {
        let rest = positions.dropFirst(offset)
        return Array(limit > 0 ? rest.prefix(limit) : rest)
    }

    /// Attributes, then to-one, then to-many relationships, each by name.
    static func everything(of entity: NSEntityDescription) -> [String] {
        let relationships = entity.relationshipsByName
        return entity.attributesByName.keys.sorted()
            + relationships.filter { !$0.value.isToMany }.keys.sorted()
            + relationships.filter { $0.value.isToMany }.keys.sorted()
    }

    /// The relationships on the paths, and to-many relationships at their ends. They are read once for a page, not
    /// for each object.
    static func prefetching(_ paths: [String], of entity: NSEntityDescription) -> [String]? {
        var found: Set<String> = []
        for path in paths {
            var current: NSEntityDescription? = entity
            var steps: [String] = []
            for step in path.split(separator: ".").map(String.init) {
                guard let relationship = current?.relationshipsByName[step] else { break }
                steps.append(step)
                guard relationship.isToMany || steps.joined(separator: ".") != path else { break }
                found.insert(steps.joined(separator: "."))
                current = relationship.destinationEntity
            }
        }
        return found.isEmpty ? nil : found.sorted()
    }
}
