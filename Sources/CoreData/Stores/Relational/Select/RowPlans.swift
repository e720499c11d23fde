// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Caches the plans for rows of entities.

import Synchronization

/// Thread-safe.
package final class RowPlans: Sendable {
    private let schema: Schema
    private let plans = Mutex<[Int: RowPlan]>([:])

    package init(schema: Schema) { self.schema = schema }

    /// The plan for rows of an entity and, if requested, its subentities.
    package func rows(_ layout: EntityLayout, includesSubentities: Bool) -> RowPlan {
        // A plan without subentities differs; the lowest bit of the key distinguishes the two.
        let key = layout.index * 2 + (includesSubentities ? 1 : 0)
        return plans.withLock { plans in
            if let plan = plans[key] { return plan }
            let layouts = includesSubentities ? layout.familyIndexes.map { schema.model.layouts[$0] } : [layout]
            let plan = RowPlan(schema: schema, layouts: layouts)
            plans[key] = plan
            return plan
        }
    }
}
