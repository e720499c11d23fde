// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Caches plans and statements by store, entity and shape of a fetch.

import Foundation
import Synchronization

/// Thread-safe.
final class PlanCache: Sendable {
    private struct State {
        var inserts: [Int: RowPlan] = [:]
        var selects: [SelectKey: PreparedSelect] = [:]
        var lastSelect: PreparedSelect?
        /// The root entities whose tables were searched for rows that belong to no object.
        var searchedRoots: Set<Int> = []
    }

    private let schema: Schema
    let rowPlans: RowPlans
    private let state = Mutex(State())

    /// Whether a table contains rows that belong to no object. Statements then exclude them by a condition; before
    /// that, decoding detects them, which costs intact files nothing.
    var excludesForeignRows: Bool { foundForeignRows.load(ordering: .acquiring) }
    private let foundForeignRows = Atomic(false)

    init(schema: Schema) {
        self.schema = schema
        rowPlans = RowPlans(schema: schema)
    }

    /// Makes all later statements exclude rows that belong to no object.
    func excludeForeignRows() {
        state.withLock { state in
            foundForeignRows.store(true, ordering: .releasing)
            state.selects = [:]
            state.lastSelect = nil
        }
    }

    /// Whether the table of a root entity was searched for rows that belong to no object.
    func isSearched(root: Int) -> Bool { state.withLock { $0.searchedRoots.contains(root) } }

    func noteSearch(root: Int) { state.withLock { _ = $0.searchedRoots.insert(root) } }

    /// The cached statement for fetches of this shape.
    func select(for fetch: BoundFetch) -> PreparedSelect? {
        let key = SelectKey(fetch)
        return state.withLock { state in
            // Look-ups often repeat a statement, and comparing two keys is cheaper than hashing one.
            if let last = state.lastSelect, last.key == key { return last }
            guard let select = state.selects[key] else { return nil }
            state.lastSelect = select
            return select
        }
    }

    /// - Parameter excludesForeignRows: whether the statement contains the conditions against foreign rows.
    func keep(_ select: PreparedSelect, excludesForeignRows: Bool) {
        guard select.isShared else { return }
        state.withLock { state in
            guard excludesForeignRows == self.excludesForeignRows else { return }
            // Programs use few shapes. Emptying the cache limits it for programs with endlessly many.
            if state.selects.count > 1000 { state.selects = [:] }
            state.selects[select.key] = select
        }
    }

    /// The columns that an insertion of an entity writes.
    func insert(_ layout: EntityLayout) -> RowPlan {
        state.withLock { state in
            if let plan = state.inserts[layout.index] { return plan }
            let plan = RowPlan(schema: schema, layouts: [layout], includesDerived: false)
            state.inserts[layout.index] = plan
            return plan
        }
    }
}
