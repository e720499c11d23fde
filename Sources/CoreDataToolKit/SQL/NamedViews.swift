// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Statements on a store in which entities and attributes have their own names.

import CoreData
import CoreDataExchange
package import Foundation
import SQLiteDriver

/// A read-only connection to a store, with a table for each entity, and one for each many-to-many relationship.
///
/// The translation is that of `NSManagedObjectContext.rows` (NamedSQL.md), with two additions for people: dates are
/// ISO 8601 in UTC with six digits of a second, so that the order of the texts is that of the dates, and UUIDs are
/// text; and the tables of the file keep their names, too.
package final class NamedViews {
    private let rows: RowStore
    private let names: NamedTables

    /// - Throws: `ToolError` for a file that is no store or keeps no model.
    package init(
        _ url: URL, model: URL? = nil, version: String? = nil, inference: ModelInference? = nil
    ) throws {
        rows = try RowStore(url, model: model, version: version, inference: inference)
        // SQLite's STRFTIME rounds up to the next second and day, and its year 1 begins two days later.
        try rows.connection.addFunction(
            NamedTables.dateFunction, argumentCount: 1, options: [.deterministic, .innocuous]
        ) {
            let value = $0[0]
            return value.realValue.map { .text(DateText.sortable($0)) } ?? value
        }
        names = NamedTables(rows.tables, .text, allowsFileTables: true)
    }

    /// The names of entities and relationships, each with its columns.
    package var columns: [String: [String]] {
        Dictionary(names.all.map { ($0.name, $0.columns.map(\.name)) }, uniquingKeysWith: { first, _ in first })
    }

    /// Words that may complete the beginning of one: tables, columns, tables of the file, and words of SQL.
    package func completions(of word: String) -> [String] {
        let all = Set(
            columns.keys.map { $0 } + columns.values.flatMap { $0 } + rows.tables.entities.map(\.table) + Self.words)
        return all.filter { $0.lowercased().hasPrefix(word.lowercased()) }.sorted()
    }

    private static let words = [
        "SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "LIMIT", "JOIN", "LEFT JOIN", "COUNT(*)", "DISTINCT",
        "HAVING",
        "BETWEEN", "LIKE", "IS NULL", "IS NOT NULL", "EXPLAIN QUERY PLAN",
    ]

    /// Makes a running statement fail. Thread-safe.
    package var interrupt: @Sendable () -> Void {
        let connection = rows.connection
        return { connection.interrupt() }
    }

    /// Runs one statement, and passes each row to the sink.
    ///
    /// - Throws: `SQLQueryError` for an invalid statement, and for one that would write; the errors of the sink.
    package func run(_ sql: String, into sink: any RowSink) throws {
        let run = try NamedRun.typed(sql, names, on: rows.connection)
        try run.prepared(readsAllTables: true) { statement in
            try sink.begin(.init(columns: statement.columnNames, hasIDs: false, noun: "row"))
            var count = 0
            while try statement.step() {
                let cells = (0..<statement.columnCount).map {
                    StoredValue.cell(statement.value(at: $0), .binary, folder: rows.largeData)
                }
                try sink.add(.init(id: "", cells: cells))
                count += 1
            }
            try sink.end(count)
        }
    }
}
