// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks the computed parts of a store: derived attributes and spatial indexes.

import CoreData
import Foundation
import SQLiteDriver

extension Examination {
    func checkDerived() throws {
        guard store.tables != nil, let model = store.model else { return }
        for column in try StoreTables.derivedColumns(store.connection, model: model) { try check(column) }
        for index in try StoreTables.spatialIndexes(store.connection, model: model) { try check(index) }
    }

    // MARK: Derived attributes

    /// Sums of fractions depend on the order of their terms in the last digits, and SQLite chooses the order.
    private static let precision = "1e-9"

    private func check(_ column: StoreTables.DerivedColumn) throws {
        let (stored, value) = (column.columnSQL, column.valueSQL)
        func isNumber(_ value: String) -> String { "TYPEOF(\(value)) IN ('integer', 'real')" }
        let isNear =
            "\(isNumber(stored)) AND \(isNumber(value)) "
            + "AND ABS(\(stored) - \(value)) <= \(Self.precision) * MAX(ABS(\(stored)), ABS(\(value)))"
        let condition = "Z_ENT IN \(column.family.sqlList) AND NOT (\(stored) IS \(value) OR \(isNear))"
        let found = try tally("SELECT Z_PK, Z_ENT FROM \(column.tableSQL) WHERE \(condition)")
        try note(
            "derived.value", column.entity, column.attribute, found,
            "'\(column.attribute)' of \(Self.rows(found.count)) of \(column.entity) is not what its expression gives.",
            repair: Repair(
                .statements([Repair.update(column.tableSQL, ["\(stored) = \(value)"], where: condition)]),
                "\(Self.rows(found.count)) of \(column.table) get the value of the expression."))
    }

    // MARK: Spatial indexes

    private func check(_ index: StoreTables.SpatialIndex) throws {
        guard try store.connection.tableExists(index.name) else {
            return try note(
                "spatial.missing", index.entity, index.name, "The spatial index \(index.name) is missing.",
                repair: Repair(
                    .statements([index.creation, index.filling]),
                    "The index is made, with an entry for each row of \(index.table)."))
        }
        let isEntry = index.bounds.map { Self.holds($0, of: index.tableSQL) }.joined(separator: " AND ")
        let wrong = try tally(
            "SELECT Z_PK, Z_ENT FROM \(index.tableSQL) WHERE NOT EXISTS (SELECT 1 FROM \(index.sql) AS X "
                + "WHERE X.Z_PK = \(index.tableSQL).Z_PK AND \(isEntry))")
        let unexpected = try store.count(
            "SELECT COUNT(*) FROM \(index.sql) WHERE Z_PK NOT IN (SELECT Z_PK FROM \(index.tableSQL))")
        let text = [
            wrong.count > 0 ? "\(Self.rows(wrong.count)) of \(index.table) have no entry, or a wrong one" : nil,
            unexpected > 0 ? "\(unexpected) \(unexpected == 1 ? "entry is" : "entries are") of no row" : nil,
        ].compactMap { $0 }.joined(separator: ", ")
        try note(
            "spatial.entry", index.entity, index.name, count: wrong.count + unexpected, objects: wrong.objects,
            "The spatial index \(index.name) differs from its table: \(text).",
            repair: Repair(
                .statements(["DELETE FROM \(index.sql)", index.filling]),
                "The index is filled anew from the rows of \(index.table)."))
    }

    /// Whether an entry X has the value of a row between its bounds, and no more than that.
    ///
    /// An R-tree keeps 32-bit numbers, the least bound rounded down and the greatest one up, and 0 for no value.
    /// Numbers beyond their range are not compared.
    private static func holds(
        _ bound: (columnSQL: String, least: String, greatest: String), of table: String
    ) -> String {
        let value = "CAST(IFNULL(\(table).\(bound.columnSQL), 0) AS REAL)"
        let isNarrow = "X.\(bound.greatest) - X.\(bound.least) <= ABS(\(value)) * 1e-6 + 1e-37"
        return
            "(ABS(\(value)) > 3e38 OR X.\(bound.least) <= \(value) AND X.\(bound.greatest) >= \(value) AND \(isNarrow))"
    }
}
