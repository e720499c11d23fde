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
        let sources = parts.map { JointRowSource($0, burst) }
        return try withExtendedLifetime(sources) {
            var views: [RowView] = []
            for (part, source) in zip(parts, sources) {
                guard case .rows(let rows) = try part.source.fetch(Self.question(part.fetch), in: burst) else {
                    continue
                }
                views += rows.map { RowView($0, source) }
            }
            let sorted = try ObjectOrdering(parts[0].fetch.sorting.map(\.descriptor)).sorted(views)
            return try DictionaryShaping(request).shape(sorted)
        }
    }
}

/// Follows relationships in one of several stores, for the time of one fetch.
private final class JointRowSource: RowSource {
    private let part: JointDictionaries.Part
    private let burst: ReadBurst?

    init(_ part: JointDictionaries.Part, _ burst: ReadBurst?) {
        self.part = part
        self.burst = burst
    }

    var layouts: ModelLayout { part.fetch.model }

    func storedRow(_ reference: Reference) throws -> FetchedRow? {
        let root = layouts.layouts[layouts.layouts[reference.entityIndex].rootIndex]
        return try part.source.rows([reference.key], root: root, in: burst).first
    }

    func storedMembers(of slot: Int, layout: EntityLayout, key: Int64) throws -> [Reference] {
        try part.source.members(of: slot, layout: layout, owners: [key], in: burst)[key] ?? []
    }

    /// Keys of several stores may be equal.
    func result(for key: ObjectKey) -> AnyHashable {
        NSManagedObjectID(layout: layouts.layouts[key.entityIndex], key: key.key, home: part.home)
    }
}
