// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The statements of a migration in order, and the checks that run before them.

import Foundation

/// A value: printed in plans, compared in tests, run by `ScriptRun`. Documentation/Internals/Migration.md.
package struct MigrationScript {
    /// Queries that run before anything changes. A result above 0 ends the migration.
    var checks: [ScriptCheck] = []
    /// Queries for the columns that name files of large data to which no row refers afterwards.
    var released: [String] = []
    /// The changes of tables and rows, and of `Z_PRIMARYKEY`.
    var statements: [ScriptStatement] = []
    /// The tables of the destination with rows to write.
    var written: [WrittenTable] = []
    /// The root entities of derived attributes that the store recomputes, by layout index.
    var computedRoots: Set<Int> = []

    init() {}

    /// The statements of a database whose checks and tables are not needed again.
    package init(statements: [String], written: [WrittenTable]) {
        self.statements = statements.map { ScriptStatement($0) }
        self.written = written
    }

    /// A table with written rows.
    package struct WrittenTable: Sendable {
        package let name: String
        /// The source table; nil for a new one.
        package let source: String?
        let isRebuilt: Bool
        /// Whether all rows belong to one entity, in the source table as well.
        let isSole: Bool
        /// The old and the new number of each entity with rows.
        package let numbers: [(old: Int64, new: Int64)]
        let entities: [String]
    }
}

package struct ScriptStatement {
    package let text: String
    /// The destination table with the rows that the statement reads or writes; nil if it touches few pages.
    let table: String?

    /// Whether it sorts the rows of a table to make an index.
    var makesIndex: Bool { text.hasPrefix("CREATE INDEX ") || text.hasPrefix("CREATE UNIQUE INDEX ") }

    package init(_ text: String, over table: String? = nil) {
        self.text = text
        self.table = table
    }
}

extension Array where Element == ScriptStatement {
    static func += (statements: inout Self, texts: [String]) { statements += texts.map { ScriptStatement($0) } }
}
