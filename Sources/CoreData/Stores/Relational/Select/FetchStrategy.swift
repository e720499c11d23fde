// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides how a relational store executes a fetch.

import CoreDataFoundation

/// The ways to execute a fetch.
package enum FetchStrategy {
    /// One statement returns the result: rows, keys or a number.
    case whole(SQLText)
    case dictionaries(SQLText, [DictionaryColumn])
    /// One statement returns rows that match the translatable part of the fetch. The rest happens in memory; the parts
    /// list it.
    case candidates(SQLText, rest: BoundFetch, [FetchExplanation.InMemoryPart])

    /// - Throws: the errors of `SelectBuilder`.
    package init(_ builder: SelectBuilder, _ plan: RowPlan) throws {
        let fetch = builder.fetch
        // A count of all rows does not depend on their order.
        if case .count = fetch.result, builder.remainder.isEmpty, fetch.limit == 0, fetch.offset == 0 {
            self = .whole(builder.count())
            return
        }
        guard builder.isComplete else {
            self = Self.candidates(builder, plan, "rows have to be looked at first")
            return
        }
        switch fetch.result {
        case .rows: self = .whole(builder.rows(plan))
        case .keys: self = .whole(builder.keys())
        case .count: self = .whole(builder.count())
        case .dictionaries(let request):
            do {
                let (sql, columns) = try builder.dictionaries(request)
                self = .dictionaries(sql, columns)
            } catch let obstacle as NotTranslatable {
                self = Self.candidates(builder, plan, obstacle.reason)
            }
        }
    }

    /// For a fetch that the database refuses: reads all rows of the entity, and does everything else in
    /// memory.
    package init(refused fetch: BoundFetch, reason: String, rows: (BoundFetch) throws -> SQLText) throws {
        var everything = fetch
        everything.predicate = nil
        everything.paging = nil
        everything.isOrdered = false
        everything.limit = 0
        everything.offset = 0
        everything.result = .rows
        var parts: [FetchExplanation.InMemoryPart] = []
        if let predicate = fetch.predicate {
            parts.append(.init(kind: .predicate, subject: predicate.withoutValues, reason: reason))
        }
        if let order = fetch.sorting.isEmpty ? nil : fetch.order(reason) { parts.append(order) }
        if fetch.paging?.start != nil { parts.append(fetch.position(reason)) }
        if let shaping = fetch.dictionaries(reason) { parts.append(shaping) }
        self = .candidates(try rows(everything), rest: fetch, parts)
    }

    private static func candidates(_ builder: SelectBuilder, _ plan: RowPlan, _ shapingReason: String) -> Self {
        let fetch = builder.fetch
        var parts = zip(builder.remainder, builder.remainderReasons).map { predicate, reason in
            FetchExplanation.InMemoryPart(kind: .predicate, subject: predicate.withoutValues, reason: reason)
        }
        if let reason = builder.orderReason { parts.append(fetch.order(reason)) }
        if let reason = builder.positionReason { parts.append(fetch.position(reason)) }
        if let shaping = fetch.dictionaries(shapingReason) { parts.append(shaping) }
        var rest = fetch
        rest.predicate = builder.remainder.isEmpty ? nil : .and(builder.remainder)
        rest.isOrdered = builder.sortsInMemory
        if builder.positionReason == nil { rest.paging = nil }
        return .candidates(builder.rows(plan), rest: rest, parts)
    }

    package var sql: SQLText {
        switch self {
        case .whole(let sql), .dictionaries(let sql, _), .candidates(let sql, _, _): sql
        }
    }

    /// The parts of the request that are executed in memory; empty if the statement executes all of it.
    package var inMemory: [FetchExplanation.InMemoryPart] {
        if case .candidates(_, _, let parts) = self { parts } else { [] }
    }
}
