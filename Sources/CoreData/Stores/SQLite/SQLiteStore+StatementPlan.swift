// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Asks SQLite for the plan of a statement, with a reader of the store.

import Foundation
import SQLiteDriver

extension SQLiteStore: PlanTelling {
    package func plan(ofStatement statement: String) throws -> [String] {
        do {
            return try opened().pool.read(in: nil, since: 0) { try $0.queryPlan(statement) }
        } catch {
            throw failure(error)
        }
    }
}
