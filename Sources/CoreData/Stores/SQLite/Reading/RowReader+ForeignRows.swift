// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Excludes rows that belong to no object from the results of fetches.

import SQLiteDriver

/// # Foreign rows
/// A row belongs to no object if its `Z_ENT` is not an entity of the table, or if its `Z_PK` is not positive. Only
/// damaged and hand-edited files have such rows.
///
/// 1. No fetch returns them, and no relationship contains them.
/// 2. Statements exclude them only after the first one was found, so for intact files only (4) has a cost.
/// 3. The first one found adds the condition to all statements of the store, and its statement runs again. Foreign rows
///    therefore count neither for the limit nor for the offset.
/// 4. Counts with a predicate and offsets skip rows without decoding them. The first such fetch of a table searches
///    it once while the store is open. A condition in each of these statements would cost more: an index that answers
///    them without reading the table does not contain the entity (40 times slower counts, 90 times slower offsets).
extension RowReader {
    /// Counts the rows of the fetched entity's table that belong to no object. Reads the whole table.
    func countForeignRows(of fetch: BoundFetch) throws -> Int {
        guard let foreignRows = opened.foreignRows(of: fetch.layout) else { return 0 }
        let foreign = Int(try connection.value("SELECT COUNT(*)\(foreignRows)")?.integerValue ?? 0)
        if foreign > 0 { opened.noticeForeignRows() }
        return foreign
    }
}

extension OpenDatabase {
    /// Searches the table of a fetch for foreign rows, if its statement could count them (4).
    func searchForeignRows(_ fetch: BoundFetch, _ connection: Connection) throws {
        guard fetch.passesOverRows, !plans.excludesForeignRows else { return }
        let root = fetch.layout.rootIndex
        guard !plans.isSearched(root: root), let foreignRows = foreignRows(of: fetch.layout) else { return }
        let found = try connection.value("SELECT 1\(foreignRows) LIMIT 1")
        plans.noteSearch(root: root)
        if found != nil { noticeForeignRows() }
    }

    /// The FROM clause and condition of a statement on the foreign rows of an entity's table.
    fileprivate func foreignRows(of layout: EntityLayout) -> String? {
        guard let table = schema.mapping(layout)?.table else { return nil }
        let entities = schema.entities.filter { $0.table === table }
        let numbers = entities.map { String($0.number) }.joined(separator: ", ")
        return " FROM \(table.sql) WHERE Z_PK < 1 OR Z_ENT IS NULL OR Z_ENT NOT IN (\(numbers))"
    }
}

extension BoundFetch {
    /// Whether the statement counts rows without decoding them. A count of all rows has its own condition.
    fileprivate var passesOverRows: Bool {
        if offset > 0 { return true }
        guard case .count = result else { return false }
        return limit > 0 || !comparisons.isEmpty || predicate != nil
    }
}
