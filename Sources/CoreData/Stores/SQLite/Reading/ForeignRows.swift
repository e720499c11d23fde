// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds rows in the tables of entities that belong to no object.

import SQLiteDriver

/// # Foreign rows
/// A row belongs to no object if its `Z_ENT` is none of the numbers of the table's entities, or if its `Z_PK` is not positive. Only damaged
/// and hand-edited files have such rows.
///
/// 1. No fetch gives them, and no relationship has them as members.
/// 2. A statement has no condition against them until one was met: sound files pay nothing.
/// 3. The first that is met makes all statements of the store have that condition, and the statement that met it is run again: it
///    counts neither against the limit nor against the offset.
extension FetchRun {
    func noticeForeignRows() {
        if !opened.plans.excludesForeignRows { opened.plans.excludeForeignRows() }
    }

    /// How many rows of the fetched entity's table belong to no object. Reads the whole table.
    func countForeignRows() throws -> Int {
        guard let table = opened.schema.mapping(fetch.layout)?.table else { return 0 }
        let entities = opened.schema.entities.filter { $0.table === table }
        let numbers = entities.map { String($0.number) }.joined(separator: ", ")
        let count = try connection.value(
            "SELECT COUNT(*) FROM \(table.sql) WHERE Z_PK < 1 OR Z_ENT IS NULL OR Z_ENT NOT IN (\(numbers))")
        let foreign = Int(count?.integerValue ?? 0)
        if foreign > 0 { noticeForeignRows() }
        return foreign
    }
}

extension NSPersistentStore {
    /// Whether a fetch has met rows that belong to no object. `NSFetchRequest.explain(in:)` counts them.
    package var hasMetForeignRows: Bool {
        (try? (self as? SQLiteStore)?.opened())?.plans.excludesForeignRows ?? false
    }
}
