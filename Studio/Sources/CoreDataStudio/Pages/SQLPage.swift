// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Statements in SQL with the names of the model, their rows and their plan. Studio-Q1.

import CoreDataToolKit
import Foundation

extension Site {
    private static let rowsOfStatement = 500
    private static let timeOfStatement = Duration.seconds(10)
    private static let longestStatement = 20_000

    /// - Parameter query: `q` is the statement; without one the page explains the names.
    func sqlPage(_ session: StudioSession, _ query: [String: String]) async throws -> HTML {
        let counts = try await session.read { try $0.entityCounts() }
        let (sql, store) = (query["q"] ?? "", session.store)
        let result: HTML
        if sql.allSatisfy(\.isWhitespace) {
            result = try names(of: store)
        } else if sql.utf8.count > Self.longestStatement {
            result = "<p class=\"error\" role=\"alert\">A statement has at most \(Self.longestStatement) bytes.</p>"
        } else {
            do {
                result = statement(
                    try await store.rows(of: sql, limit: Self.rowsOfStatement, time: Self.timeOfStatement))
            } catch {
                result = "<p class=\"error\" role=\"alert\">\(error.description)</p>"
            }
        }
        return Shell(self).page(
            title: "SQL", section: .sql, entities: counts,
            """
            <h1>SQL</h1>
            <form method="get" action="\(address("sql"))" class="sql" data-still="true">
            <label for="sql">A statement that reads; tables and columns have the names of the model</label>
            <textarea id="sql" name="q" rows="4" class="code" spellcheck="false" autocapitalize="off" aria-keyshortcuts="Control+Enter" data-submit="true">\("\n" + (sql.isEmpty ? example(counts) : sql))</textarea>
            <div class="buttons"><button type="submit" class="primary">Run</button><span class="faint">At most \(Self.rowsOfStatement) rows and \(Int(Self.timeOfStatement.components.seconds)) s. Rows are those of the file, without unsaved edits.</span></div>
            </form>
            \(result)
            """)
    }

    private func example(_ counts: [(name: String, count: Int)]) -> String {
        guard let largest = counts.max(by: { $0.count < $1.count }) else { return "" }
        return "SELECT * FROM \(largest.name) LIMIT 20"
    }

    private func names(of store: BrowsedStore) throws -> HTML {
        let tables = try store.tablesForStatements().html { table in
            "<dt><code>\(table.name)</code></dt><dd><code>\(table.columns.joined(separator: ", "))</code></dd>"
        }
        return """
            <h2>Names</h2><p>A path such as <code>author.name</code> follows a relationship of one object.</p>
            <dl class="facts">\(tables)</dl>
            """
    }

    private func statement(_ result: BrowsedRows) -> HTML {
        let milliseconds = Int(result.time / .milliseconds(1))
        let heads = result.columns.html { "<th scope=\"col\">\($0)</th>" }
        let rows = result.rows.html { row in
            let cells = row.html { cell in
                let (style, content) = CellHTML.grid(cell)
                return "<td class=\"\(style)\">\(content)</td>"
            }
            return "<tr>\(cells)</tr>"
        }
        let more: HTML = result.isCut ? ", and there are more" : ""
        let plan: HTML =
            result.plan.isEmpty
            ? .nothing
            : """
            <details class="plan"><summary>Plan</summary><pre>\(result.plan.joined(separator: "\n"))</pre></details>
            """
        return """
            <p role="status">\(CountText.text(result.rows.count, "row"))\(more) · \(CountText.text(milliseconds)) ms</p>\(plan)
            <div class="table-wrap" tabindex="0" role="region" aria-label="Rows of the statement"><table class="plain sql"><thead><tr>\(heads)</tr></thead><tbody>\(rows)</tbody></table></div>
            """
    }
}
