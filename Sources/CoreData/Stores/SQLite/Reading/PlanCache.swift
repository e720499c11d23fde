// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Caches plans and statements by store, entity and shape of a fetch.

import Foundation
import Synchronization

/// Thread-safe.
final class PlanCache: @unchecked Sendable {  // guarded by `lock`
    private let schema: Schema
    private let lock = NSLock()
    private var families: [Int: RowPlan] = [:]
    private var inserts: [Int: RowPlan] = [:]
    private var selects: [PreparedSelect.Key: PreparedSelect] = [:]
    private var lastSelect: PreparedSelect?

    /// Whether a table contains rows that belong to no object. Statements then exclude them by a condition; before
    /// that, decoding detects them, which costs intact files nothing.
    var excludesForeignRows: Bool { foundForeignRows.load(ordering: .acquiring) }
    private let foundForeignRows = Atomic(false)

    init(schema: Schema) { self.schema = schema }

    /// Makes all later statements exclude rows that belong to no object.
    func excludeForeignRows() {
        lock.withLock {
            foundForeignRows.store(true, ordering: .releasing)
            selects = [:]
            lastSelect = nil
        }
    }

    /// The plan for rows of an entity and, if asked for, its subentities.
    func rows(_ layout: EntityLayout, includesSubentities: Bool) -> RowPlan {
        // A plan without subentities is a different one; the lowest bit distinguishes the two.
        let key = layout.index * 2 + (includesSubentities ? 1 : 0)
        return lock.withLock {
            if let plan = families[key] { return plan }
            let layouts = includesSubentities ? layout.familyIndexes.map { schema.model.layouts[$0] } : [layout]
            let plan = RowPlan(schema: schema, layouts: layouts)
            families[key] = plan
            return plan
        }
    }

    /// The cached statement for fetches of this shape.
    func select(for fetch: BoundFetch) -> PreparedSelect? {
        let key = PreparedSelect.Key(fetch)
        return lock.withLock {
            // Look-ups often repeat a statement, and comparing two keys is cheaper than hashing one.
            if let lastSelect, lastSelect.key == key { return lastSelect }
            guard let select = selects[key] else { return nil }
            lastSelect = select
            return select
        }
    }

    /// - Parameter excludesForeignRows: whether the statement contains the conditions against foreign rows.
    func keep(_ select: PreparedSelect, excludesForeignRows: Bool) {
        guard select.isShared else { return }
        lock.withLock {
            guard excludesForeignRows == self.excludesForeignRows else { return }
            // Programs have few shapes. Emptying the cache now and then bounds it for programs with endlessly many.
            if selects.count > 1000 { selects = [:] }
            selects[select.key] = select
        }
    }

    /// The columns that an insertion of an entity writes.
    func insert(_ layout: EntityLayout) -> RowPlan {
        lock.withLock {
            if let plan = inserts[layout.index] { return plan }
            let plan = RowPlan(schema: schema, layouts: [layout], includesDerived: false)
            inserts[layout.index] = plan
            return plan
        }
    }
}
