// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What SQLite would do to run a statement.

extension Connection {
    /// The lines of EXPLAIN QUERY PLAN, each indented below the one it is part of. None for statements without a plan.
    ///
    /// - Throws: where the text is no statement for this database.
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
