// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The answer to a query, and its text in each format.

/// Rows of cells under their key paths.
package struct QueryResult: Sendable {
    package struct Row: Sendable {
        /// "Person/12"
        package var id: String
        package var cells: [Cell]
    }

    package var columns: [String]
    package var rows: [Row]

    package func text(_ format: OutputFormat) -> String {
        switch format {
        case .table: table
        case .json: json.isEmpty ? "[]\n" : "[\n" + json.map { "  \($0)" }.joined(separator: ",\n") + "\n]\n"
        case .csv: CSVText.text(columns: ["objectID"] + columns, rows: rows.map { [$0.id] + $0.cells.map(\.csvText) })
        }
    }

    private var table: String {
        let alignments = columns.indices.map { column in
            let cells = rows.map { $0.cells[column] }
            let isNumeric = cells.contains(where: \.isNumber) && cells.allSatisfy { $0.isNumber || $0 == .null }
            return isNumeric ? TableText.Alignment.right : .left
        }
        let text = TableText(
            columns: ["objectID"] + columns, alignments: [.left] + alignments,
            rows: rows.map { [$0.id] + $0.cells.map(\.tableText) }
        ).text
        return text + (rows.count == 1 ? "1 object\n" : "\(rows.count) objects\n")
    }

    /// One object a line.
    private var json: [String] {
        rows.map { row in
            let members = zip(columns, row.cells).map { JSONValue.Member($0, $1.json) }
            return JSONValue.object([.init("objectID", .string(row.id))] + members).text
        }
    }
}
