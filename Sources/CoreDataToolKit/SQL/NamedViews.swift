// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Temporary views of a store in which entities and attributes have their own names.

import CoreData
package import Foundation
import SQLiteDriver

/// A read-only connection to a store with a view for each entity, and one for each many-to-many relationship.
///
/// The view of an entity has the columns `id`, its attributes, `author_id` for each to-one, and `entity` if it has
/// subentities. It includes objects of subentities. Dates are ISO 8601 in UTC with six digits of a second, so that the
/// order of the texts is that of the dates. UUIDs are text. The view `Book_tags` has the columns `Book_id` and `Tag_id`
/// (`tags_id` if both ends are one entity). The tables of the file keep their names, too.
package final class NamedViews {
    private let rows: RowStore
    /// The names of views, each with its columns.
    package let columns: [String: [String]]

    /// - Throws: `ToolError` for a file that is no store or keeps no model.
    package init(_ url: URL, model: URL? = nil, version: String? = nil) throws {
        rows = try RowStore(url, model: model, version: version)
        // SQLite's STRFTIME rounds up to the next second and day, and its year 1 begins two days later.
        try rows.connection.addFunction(Self.dateFunction, argumentCount: 1, options: [.deterministic, .innocuous]) {
            let value = $0[0]
            return value.realValue.map { .text(DateText.sortable($0)) } ?? value
        }
        var columns: [String: [String]] = [:]
        var statements: [String] = []
        for entity in rows.tables.entities {
            let parts = Self.columns(entity, rows.tables)
            columns[entity.name] = parts.map(\.name)
            let list = parts.map { "\($0.expression) AS \($0.name.sqlName)" }.joined(separator: ", ")
            statements.append(
                "CREATE TEMP VIEW \(entity.name.sqlName) AS SELECT \(list) FROM main.\(entity.tableSQL) AS R "
                    + "WHERE R.Z_ENT IN \(entity.family.sqlList)")
        }
        for join in rows.tables.joins {
            let name = "\(join.owner)_\(join.ownerProperty)"
            let other = join.owner == join.member ? join.ownerProperty : join.member
            columns[name] = ["\(join.owner)_id", "\(other)_id"]
            statements.append(
                "CREATE TEMP VIEW \(name.sqlName) AS SELECT \(join.ownerSQL) AS \("\(join.owner)_id".sqlName), "
                    + "\(join.memberSQL) AS \("\(other)_id".sqlName) FROM main.\(join.sql)")
        }
        self.columns = columns
        for statement in statements { try rows.connection.execute(statement) }
    }

    private static func columns(
        _ entity: StoreTables.Entity, _ tables: StoreTables
    ) -> [(name: String, expression: String)] {
        var result = [(name: "id", expression: "R.Z_PK")]
        if entity.family.count > 1 {
            let names = entity.family.compactMap { tables.entity(number: $0) }
                .map { "WHEN \($0.number) THEN \($0.name.sqlLiteral)" }.joined(separator: " ")
            result.append(("entity", "CASE R.Z_ENT \(names) END"))
        }
        for attribute in entity.attributes {
            for column in attribute.columns {
                let name = ([attribute.name] + column.path).joined(separator: "_")
                result.append((name, expression("R.\(column.sql)", column.kind)))
            }
        }
        for property in entity.toOnes { result.append(("\(property.name)_id", "R.\(property.keySQL)")) }
        return result
    }

    private static let dateFunction = "openCoreDataDate"

    private static func expression(_ column: String, _ kind: StoreTables.Kind) -> String {
        switch kind {
        case .date: "\(dateFunction)(\(column))"
        case .uuid:
            "CASE WHEN \(column) IS NOT NULL THEN SUBSTR(HEX(\(column)), 1, 8) || '-' || SUBSTR(HEX(\(column)), 9, 4) "
                + "|| '-' || SUBSTR(HEX(\(column)), 13, 4) || '-' || SUBSTR(HEX(\(column)), 17, 4) || '-' || "
                + "SUBSTR(HEX(\(column)), 21, 12) END"
        case .externalBinary: "CASE SUBSTR(\(column), 1, 1) WHEN x'01' THEN SUBSTR(\(column), 2) ELSE \(column) END"
        default: column
        }
    }

    /// Words that may complete the beginning of one: views, columns, tables, and words of SQL.
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

    /// Runs one statement, and passes each row to the sink.
    ///
    /// - Throws: `ToolError` with SQLite's message for an invalid statement, and for one that would write.
    package func run(_ sql: String, into sink: any RowSink) throws {
        do {
            let statement = try rows.connection.prepare(sql)
            guard statement.isReadOnly else { throw ToolError("The store is open for reading alone.") }
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
        } catch let error as SQLiteError {
            throw ToolError("SQLite says: \(error.message).")
        }
    }
}
