// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Combines the dictionary results of several stores: one order, one set of groups, no duplicates.

import CoreDataFoundation
import Foundation

/// A store cannot aggregate the rows of another one. Each store therefore returns its rows, and the dictionaries
/// are created here.
struct JointDictionaries {
    private let questions: [StoreFetch]
    private let request: DictionaryRequest

    /// nil unless the fetch is for dictionaries from several stores.
    init?(_ questions: [StoreFetch]) {
        guard questions.count > 1, case .dictionaries(let request) = questions[0].fetch.result else { return nil }
        self.questions = questions
        self.request = request
    }

    /// The fetch for each store: all matching rows, in any order.
    static func rows(_ fetch: BoundFetch) -> BoundFetch {
        var fetch = fetch
        fetch.result = .rows
        fetch.isOrdered = false
        fetch.limit = 0
        fetch.offset = 0
        return fetch
    }

    /// - Returns: sorted dictionaries, without limit and offset; objects in them are represented by ids.
    /// - Throws: 134060 for a request that names an object. Keys of different stores may be equal.
    func shape(in sharedRead: SharedReadTransaction?) throws -> [[String: Any]] {
        if request.namesObjects {
            throw CoreDataError.general(
                "A request for dictionaries of several stores cannot name objects in its columns and in its condition on "
                    + "groups: set 'affectedStores' to the store of the object.")
        }
        let sources = questions.map { related($0, sharedRead) }
        return try withExtendedLifetime(sources) {
            var views: [RowView] = []
            for (question, source) in zip(questions, sources) {
                guard case .rows(var rows) = try question.source.fetch(Self.rows(question.fetch), in: sharedRead) else {
                    continue
                }
                rows.sort { $0.key < $1.key }
                let fetch = question.fetch
                try source.read(RelationshipPaths(request, from: fetch.layout, in: fetch.model), of: rows)
                try source.read(RelationshipPaths(fetch.sorting, in: fetch.model), of: rows)
                views += rows.map { RowView($0, source) }
            }
            let sorting = questions[0].fetch.sorting
            // Equal rows keep the order of store and key, or its reverse.
            if !sorting.breaksTiesAscending { views.reverse() }
            return try DictionaryShaping(request, of: questions[0].fetch)
                .shape(ObjectOrdering(sorting.map(\.descriptor)).sorted(views))
        }
    }

    /// Reads related rows in one of the stores. Objects are identified by id, because the keys of different stores
    /// may be equal.
    private func related(_ question: StoreFetch, _ sharedRead: SharedReadTransaction?) -> RelatedRows {
        let layouts = question.fetch.model
        return RelatedRows(
            layouts, rows: { try question.source.rows($0, root: $1, in: sharedRead) },
            members: { try question.source.members(of: $0, layout: $1, owners: $2, in: sharedRead) },
            result: { NSManagedObjectID(layout: layouts.layouts[$0.entityIndex], key: $0.key, home: question.home) })
    }
}
