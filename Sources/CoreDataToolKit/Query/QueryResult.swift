// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The complete result of a query, and the protocol for receiving its rows one by one.

/// Receives the rows of a result in order.
package protocol RowSink: AnyObject {
    /// Called once, before all rows.
    func begin(_ head: QueryResult.Header) throws
    func add(_ row: QueryResult.Row) throws
    /// Called when the next row may take long: shows the rows so far.
    /// Does nothing by default.
    func show() throws
    /// Called once, after all rows.
    func end(_ count: Int) throws
}

extension RowSink {
    package func show() throws {}
}

/// Rows of cells with their key paths.
package struct QueryResult: Sendable {
    package struct Row: Sendable {
        /// "Person/12"; empty for a group.
        package var id: String
        package var cells: [Cell]

        package init(id: String, cells: [Cell]) {
            self.id = id
            self.cells = cells
        }
    }

    /// The header of the rows.
    package struct Header: Sendable {
        package var columns: [String]
        /// Whether each row starts with the id of its object.
        package var hasIDs = true
        /// Whether rows are groups of objects.
        package var isGrouped = false
        /// The noun for a row, in the singular; nil for an object or a group.
        package var noun: String?
        /// Cells of typical widths; empty if all rows come at once. A table that is shown while rows arrive fits its
        /// columns to them.
        package var sample: [Cell] = []

        package init(
            columns: [String], hasIDs: Bool = true, isGrouped: Bool = false, noun: String? = nil, sample: [Cell] = []
        ) {
            self.columns = columns
            self.hasIDs = hasIDs
            self.isGrouped = isGrouped
            self.noun = noun
            self.sample = sample
        }
    }

    package var head: Header
    package var rows: [Row]

    package var columns: [String] { head.columns }

    package func text(_ format: OutputFormat) -> String {
        var text = ""
        func write(_ part: String) { text += part }
        let rendering = ResultText(format, write: write)
        do {
            try rendering.begin(head)
            for row in rows { try rendering.add(row) }
            try rendering.end(rows.count)
        } catch {
            preconditionFailure("Writing to a string threw \(error).")  // `write` does not throw
        }
        return text
    }

    /// Keeps all rows.
    final class Collector: RowSink {
        var result = QueryResult(head: Header(columns: []), rows: [])

        func begin(_ head: Header) { result.head = head }
        func add(_ row: Row) { result.rows.append(row) }
        func end(_ count: Int) {}
    }
}
