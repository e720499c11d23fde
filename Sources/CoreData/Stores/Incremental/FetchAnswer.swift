// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Passes a fetch to a custom incremental store and interprets its answer.

import Foundation

/// An answer may always consist of objects or ids. If a request needs dictionaries or a number, they are then computed
/// here. Stores-I5.
struct FetchAnswer {
    private let answers: StoreAnswers
    private let fetch: BoundFetch
    private let request: StoreFetchRequest

    init(_ answers: StoreAnswers, _ fetch: BoundFetch) {
        self.answers = answers
        self.fetch = fetch
        request = StoreFetchRequest(fetch.paging == nil ? fetch : fetch.wholeList, answers.store.identity)
    }

    func outcome() throws -> FetchOutcome {
        if fetch.paging != nil { return try page() }
        let answer = try answers.store.execute(request, with: answers.context)
        if case .count = fetch.result, let number = AttributeValues.number(answer) { return .count(try count(number)) }
        guard let list = StoreAnswers.list(answer) else {
            throw wrong("answered a fetch with a \(type(of: answer)) where an array is expected")
        }
        switch fetch.result {
        case .rows: return .rows(try rows(try ids(list)))
        case .keys: return .keys(try ids(list).map { ObjectKey(try answers.concrete($0).index, $0.key) })
        case .count:
            if list.count == 1, let number = AttributeValues.number(list[0]) { return .count(try count(number)) }
            return .count(try ids(list).count)
        case .dictionaries(let dictionaries):
            if let given = try dictionariesGiven(list) { return .dictionaries(given) }
            let rows = try rows(try ids(list))
            return try answers.withRelatedRows { source in
                .dictionaries(try DictionaryShaping(dictionaries, of: fetch).shape(rows.map { RowView($0, source) }))
            }
        }
    }

    /// A page of the store's whole list: no request of Apple's has a position.
    private func page() throws -> FetchOutcome {
        guard let list = StoreAnswers.list(try answers.store.execute(request, with: answers.context)) else {
            throw wrong("answered a fetch with something else than an array")
        }
        let rows = try rows(try ids(list)).sorted { $0.key < $1.key }
        var rest = fetch
        rest.predicate = nil
        return try answers.withRelatedRows { try RowFetch(rest, $0).run(over: rows) }
    }

    /// Skips rows that no longer exist.
    private func rows(_ ids: [NSManagedObjectID]) throws -> [FetchedRow] {
        let rows = try ids.compactMap { try request.rows[$0.key] ?? answers.row($0.key, $0.layout) }
        answers.permit.record(rows)
        return rows
    }

    private func ids(_ list: [Any]) throws -> [NSManagedObjectID] {
        try list.map { member in
            guard let id = StoreAnswers.id(of: member) else {
                throw wrong("answered a fetch with a \(type(of: member)) among the results")
            }
            try answers.check(id, fetch.layout, nil)
            return id
        }
    }

    private func count(_ number: NSNumber) throws -> Int {
        guard let count = Snapshot.integer(number).flatMap(Int.init(exactly:)), count >= 0 else {
            throw wrong("answered a fetch with the number \(number)")
        }
        return count
    }

    /// nil if the list contains other values; an empty list is a list of dictionaries.
    private func dictionariesGiven(_ list: [Any]) throws -> [[String: Any]]? {
        guard !list.contains(where: { StoreAnswers.id(of: $0) != nil }) else { return nil }
        return try list.map { member in
            guard let dictionary = member as? [String: Any] else {
                throw wrong("answered a fetch for dictionaries with a \(type(of: member))")
            }
            return dictionary.compactMapValues { $0 is NSNull ? nil : StoreAnswers.id(of: $0) ?? $0 }
        }
    }

    private func wrong(_ what: String) -> NSError { answers.wrong(what, fetch.layout) }
}

extension BoundFetch {
    /// All rows that match, in any order.
    fileprivate var wholeList: BoundFetch {
        var fetch = self
        fetch.result = .rows
        fetch.isOrdered = false
        fetch.paging = nil
        (fetch.limit, fetch.offset) = (0, 0)
        return fetch
    }
}

extension StoreAnswers {
    /// Reads related rows for evaluation in memory.
    func withRelatedRows<T>(_ body: (RelatedRows) throws -> T) throws -> T {
        let source = RelatedRows(
            model, rows: { keys, root in try keys.compactMap { try row($0, root) } },
            members: { slot, layout, owners in try members(of: slot, layout, owners) },
            result: { id($0.key, model.layouts[$0.entityIndex]) })
        return try withExtendedLifetime(source) { try body(source) }
    }
}
