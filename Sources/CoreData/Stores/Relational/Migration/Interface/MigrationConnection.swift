// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The connection of a migration by statements, as the steps that all databases share use it.

import Foundation

/// A connection within the transaction of a migration, or within one that only reads for a plan.
package protocol MigrationConnection {
    func execute(_ statement: String) throws
    /// The rows of a query for integers. Null is 0.
    func integers(_ query: String) throws -> [[Int64]]
}

extension MigrationConnection {
    /// The only value of a query for one integer of any type.
    func count(_ query: String) throws -> Int64 {
        try integers("SELECT CAST((\(query)) AS bigint)").first?.first ?? 0
    }

    /// The first rule that some rows break; nil if all rows pass.
    package func failure(of checks: [ScriptCheck]) throws -> FailedCheck? {
        for check in checks {
            let rows = try count(check.query)
            if rows > 0 { return FailedCheck(check: check, rows: rows) }
        }
        return nil
    }

    /// The rows of each entity in some tables, by its number in the schema.
    package func rows(of tables: [EntityTable], in schema: Schema) throws -> [Int64: Int64] {
        var result: [Int64: Int64] = [:]
        for table in tables {
            let query = "SELECT \(schema.entityNumber(in: table)), COUNT(*) FROM \(table.sql) GROUP BY 1"
            for row in try integers(query) { result[row[0], default: 0] += row[1] }
        }
        return result
    }
}
