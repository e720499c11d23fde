// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Returns SQLite's plan for a statement.

extension Connection {
    /// The lines of EXPLAIN QUERY PLAN, indented by level. Empty for statements without a plan.
    ///
    /// - Throws: an error if the text is not a valid statement for this database.
    package func queryPlan(_ sql: String) throws -> [String] {
        let statement = try prepare("EXPLAIN QUERY PLAN " + sql)
        var depths: [Int64: Int] = [:]
        var lines: [String] = []
        while try statement.step() {
            let depth = depths[statement.int64(at: 1)].map { $0 + 1 } ?? 0
            depths[statement.int64(at: 0)] = depth
            lines.append(String(repeating: "  ", count: depth) + (statement.string(at: 3) ?? ""))
        }
        return lines
    }
}
