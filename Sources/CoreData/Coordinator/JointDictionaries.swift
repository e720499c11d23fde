// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Combines the dictionary results of several stores: one order, one set of groups, no duplicates.

import CoreDataFoundation
import Foundation

/// A store cannot aggregate the rows of another one. Each store therefore returns its rows, and the dictionaries
/// are created here.
struct JointDictionaries {
    struct Part {
        let home: StoreIdentity
        let source: any RecordSource
        let fetch: ResolvedFetch
    }

    private let parts: [Part]
    private let request: ResolvedFetch.Dictionaries

    /// nil unless several stores are asked for dictionaries.
    init?(_ parts: [Part]) {
        guard parts.count > 1, case .dictionaries(let request) = parts[0].fetch.result else { return nil }
        self.parts = parts
        self.request = request
    }

    /// The fetch for each store: all matching rows, in any order.
    static func question(_ fetch: ResolvedFetch) -> ResolvedFetch {
        var fetch = fetch
        fetch.result = .rows
        fetch.sorting = []
        fetch.limit = 0
        fetch.offset = 0
        return fetch
    }

    /// - Returns: sorted dictionaries, without limit and offset; objects in them are represented by ids.
    func shape(in burst: ReadBurst?) throws -> [[String: Any]] {
        let sources = parts.map { related($0, burst) }
        return try withExtendedLifetime(sources) {
            var views: [RowView] = []
            for (part, source) in zip(parts, sources) {
                guard case .rows(var rows) = try part.source.fetch(Self.question(part.fetch), in: burst) else {
                    continue
                }
                rows.sort { $0.key < $1.key }
                try source.read(RelationshipPaths(request, from: part.fetch.layout, in: part.fetch.model), of: rows)
                try source.read(RelationshipPaths(part.fetch.sorting, in: part.fetch.model), of: rows)
                views += rows.map { RowView($0, source) }
            }
            let sorting = parts[0].fetch.sorting
            // Equal rows keep the order of store and key, or its reverse.
            if !sorting.breaksTiesUpwards { views.reverse() }
            return try DictionaryShaping(request).shape(ObjectOrdering(sorting.map(\.descriptor)).sorted(views))
        }
    }

    /// Reads related rows in one of the stores. Objects are identified by id, because the keys of different stores
    /// may be equal.
    private func related(_ part: Part, _ burst: ReadBurst?) -> RelatedRows {
        let layouts = part.fetch.model
        return RelatedRows(
            layouts, rows: { try part.source.rows($0, root: $1, in: burst) },
            members: { try part.source.members(of: $0, layout: $1, owners: $2, in: burst) },
            result: { NSManagedObjectID(layout: layouts.layouts[$0.entityIndex], key: $0.key, home: part.home) })
    }
}
