// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Narrows the candidates of a fetch in memory by the searches in its predicate, and counts rows for their relevance.

import CoreDataFoundation
import Foundation

/// The indexes of a store in memory, made when the first search of an entity comes.
final class SearchIndexes {
    private let lock = NSLock()
    private var indexes: [Int: SearchIndex] = [:]  // by root entity; guarded by `lock`

    /// The candidates that may match the searches that the predicate implies.
    ///
    /// - Parameter rowCount: the number of all rows below the root entity.
    func narrowed(_ candidates: [FetchedRow], _ fetch: BoundFetch, of rowCount: Int) -> [FetchedRow] {
        let searches = (fetch.predicate?.conjuncts ?? []).compactMap { Self.search($0, of: fetch.layout) }
        if searches.isEmpty { return candidates }
        let keys: Set<Int64>? = lock.withLock {
            var index = indexes.removeValue(forKey: fetch.layout.rootIndex) ?? SearchIndex()
            index.update(candidates, of: rowCount)
            var found: Set<Int64>?
            for search in searches {
                guard let keys = index.keys(matching: search) else { continue }
                found = found.map { $0.intersection(keys) } ?? keys
            }
            indexes[fetch.layout.rootIndex] = index
            return found
        }
        guard let keys else { return candidates }
        return candidates.filter { keys.contains($0.key) }
    }

    /// The statistics of all rows below a root entity.
    ///
    /// - Parameter table: nil without rows.
    func statistics(
        of search: ResolvedSearch, below root: Int, in table: MemoryTables.Table?
    ) throws -> SearchStatistics {
        let rows = table?.rows ?? [:]
        return try lock.withLock {
            var index = indexes.removeValue(forKey: root) ?? SearchIndex()
            defer { indexes[root] = index }
            index.update(rows.map { FetchedRow(key: $0.key, snapshot: $0.value) }, of: rows.count)
            return try index.statistics(of: search, in: rows)
        }
    }

    /// The search of a condition on the fetched objects themselves; nil for other conditions.
    private static func search(_ condition: PredicateSyntax, of layout: EntityLayout) -> ResolvedSearch? {
        guard case .comparison(let comparison) = condition, comparison.operation == .matching,
            comparison.modifier == .direct, case .constant(let value) = comparison.right,
            let query = try? SearchTest.query(of: value)
        else { return nil }
        switch comparison.left {
        case .evaluatedObject: return try? layout.resolved(query)
        case .keyPath(let key) where layout.hasAttribute(key): return try? layout.resolved(query, in: key)
        default: return nil
        }
    }
}
