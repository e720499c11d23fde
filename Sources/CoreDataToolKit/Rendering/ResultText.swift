// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes the rows of a result as text while they are read.

/// The text of a result in one of the formats, written in pieces. Confined to one thread.
///
/// The first thousand rows determine the layout of a table; longer values of later rows are truncated.
package final class ResultText: RowSink {
    private static let laidOutRows = 1000
    private static let pieceSize = 1 << 16

    private let format: OutputFormat
    private let width: Int?
    private let write: (String) throws -> Void
    private var head = QueryResult.Header(columns: [])
    private var piece = ""
    private var waiting: [QueryResult.Row] = []
    private var layout: TableText.Layout?
    private var isFirst = true

    /// - Parameters:
    ///   - width: the width of the terminal, to which tables are fitted; nil without one.
    ///   - write: called with each piece; an error that it throws ends the query.
    package init(_ format: OutputFormat, width: Int? = nil, write: @escaping (String) throws -> Void) {
        self.format = format
        self.width = width
        self.write = write
    }

    private var columns: [String] { head.columns }
    private var hasIDs: Bool { head.hasIDs }

    package func begin(_ head: QueryResult.Header) throws {
        self.head = head
        switch format {
        case .json: piece += "["
        case .csv: piece += CSVText.line((hasIDs ? ["objectID"] : []) + columns)
        case .table, .ndjson: break
        }
    }

    package func add(_ row: QueryResult.Row) throws {
        switch format {
        case .table:
            if layout == nil {
                waiting.append(row)
                if waiting.count == Self.laidOutRows { layOut() }
            } else {
                addLine(row)
            }
        case .json: piece += (isFirst ? "\n  " : ",\n  ") + json(row)
        case .ndjson: piece += json(row) + "\n"
        case .csv: piece += CSVText.line((hasIDs ? [row.id] : []) + row.cells.map(\.csvText))
        }
        isFirst = false
        if piece.utf8.count >= Self.pieceSize { try flush() }
    }

    package func show() throws {
        if format == .table, layout == nil { layOut() }
        try flush()
    }

    package func end(_ count: Int) throws {
        switch format {
        case .table:
            if layout == nil { layOut() }
            piece += "\(count) \(head.noun ?? (head.isGrouped ? "group" : "object"))\(count == 1 ? "" : "s")\n"
        case .json: piece += isFirst ? "]\n" : "\n]\n"
        case .csv, .ndjson: break
        }
        try flush()
    }

    private func flush() throws {
        defer { piece = "" }
        if !piece.isEmpty { try write(piece) }
    }

    // MARK: Tables

    private func layOut() {
        let alignments = columns.indices.map { column in
            let cells = waiting.map { $0.cells[column] } + (head.sample.isEmpty ? [] : [head.sample[column]])
            let isNumeric = cells.contains(where: \.isNumber) && cells.allSatisfy { $0.isNumber || $0 == .null }
            return isNumeric ? TableText.Alignment.right : .left
        }
        let table = TableText(
            columns: (hasIDs ? ["objectID"] : []) + columns, alignments: (hasIDs ? [.left] : []) + alignments,
            rows: waiting.map(texts) + (head.sample.isEmpty ? [] : [texts(.init(id: "", cells: head.sample))]))
        let layout = table.layout(width: width)
        self.layout = layout
        piece += layout.head
        for row in waiting { addLine(row) }
        waiting = []
    }

    private func addLine(_ row: QueryResult.Row) {
        if let layout { piece += layout.line(texts(row)) }
    }

    private func texts(_ row: QueryResult.Row) -> [String] { (hasIDs ? [row.id] : []) + row.cells.map(\.tableText) }

    // MARK: JSON

    /// An object on one line.
    private func json(_ row: QueryResult.Row) -> String {
        let members = zip(columns, row.cells).map { JSONValue.Member($0, $1.json) }
        return JSONValue.object((hasIDs ? [.init("objectID", .string(row.id))] : []) + members).text
    }
}
