// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Excludes rows that belong to no object from the results of fetches.

import SQLiteDriver

/// # Foreign rows
/// A row belongs to no object if its `Z_ENT` is not an entity of the table, or if its `Z_PK` is not positive. Only
/// damaged and hand-edited files have such rows.
///
/// 1. No fetch returns them, and no relationship contains them.
/// 2. Statements exclude them only after the first one was found, so intact files pay nothing.
/// 3. The first one found adds the condition to all statements of the store, and its statement runs again. Foreign rows
///    therefore count neither for the limit nor for the offset.
extension FetchRun {
    /// Counts the rows of the fetched entity's table that belong to no object. Reads the whole table.
    func countForeignRows() throws -> Int {
        guard let table = opened.schema.mapping(fetch.layout)?.table else { return 0 }
        let entities = opened.schema.entities.filter { $0.table === table }
        let numbers = entities.map { String($0.number) }.joined(separator: ", ")
        let count = try connection.value(
            "SELECT COUNT(*) FROM \(table.sql) WHERE Z_PK < 1 OR Z_ENT IS NULL OR Z_ENT NOT IN (\(numbers))")
        let foreign = Int(count?.integerValue ?? 0)
        if foreign > 0 { opened.noticeForeignRows() }
        return foreign
    }
}

extension NSPersistentStore {
    /// Whether a fetch has found rows that belong to no object. `NSFetchRequest.explain(in:)` counts them.
    package var hasMetForeignRows: Bool {
        (try? (self as? SQLiteStore)?.opened())?.plans.excludesForeignRows ?? false
    }
}
