// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Dictionary results of several stores, as if they were one: one order, one set of groups, no dictionary twice.

import CoreDataFoundation
import Foundation

/// Stores cannot add up what is in another one, so each gives its rows, and the dictionaries are made here.
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

    /// What a store is asked: rows that match, in any order, whole.
    static func question(_ fetch: ResolvedFetch) -> ResolvedFetch {
        var fetch = fetch
        fetch.result = .rows
        fetch.sorting = []
        fetch.limit = 0
        fetch.offset = 0
        return fetch
    }

    /// - Returns: sorted, not cut; objects in them are given as ids.
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
            // Equal rows stay as they stand: by store and key, or the other way round.
            if !sorting.breaksTiesUpwards { views.reverse() }
            return try DictionaryShaping(request).shape(ObjectOrdering(sorting.map(\.descriptor)).sorted(views))
        }
    }

    /// Follows relationships in one of the stores; keys of several stores may be equal, so objects are told apart by id.
    private func related(_ part: Part, _ burst: ReadBurst?) -> RelatedRows {
        let layouts = part.fetch.model
        return RelatedRows(
            layouts, rows: { try part.source.rows($0, root: $1, in: burst) },
            members: { try part.source.members(of: $0, layout: $1, owners: $2, in: burst) },
            result: { NSManagedObjectID(layout: layouts.layouts[$0.entityIndex], key: $0.key, home: part.home) })
    }
}
