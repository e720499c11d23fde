// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares the full-text indexes of a file with their rows, without writing to the file.

package import CoreDataFoundation
import Foundation
package import SQLiteDriver

extension StoreTables {
    /// A full-text index of a table. The file describes it, so no model is needed.
    package struct SearchIndex: Sendable {
        /// The name of its table in the file.
        package let name: String
        /// The name of the table with the rows.
        package let content: String
        /// Whether its triggers keep it in step with the rows; searches do not use it otherwise.
        package let isKept: Bool
        /// The statement that fills it anew from the rows.
        package let filling: String
        /// The statements that make it anew, with its triggers.
        package let remaking: [String]
        package let tokenizer: SearchTokenizer
        /// The names of the columns that it has.
        package let columns: [String]
        fileprivate let sizesSQL: String
        fileprivate let copyCreation: String

        package var contentSQL: String { SchemaNaming.quoted(content) }
    }

    /// The full-text indexes of a file.
    ///
    /// - Throws: SQLite's errors.
    package static func searchIndexes(_ connection: Connection) throws -> [SearchIndex] {
        let entries = try connection.schema()
        return try FullTextTable.found(on: connection).map { found in
            let table = found.table
            let own = entries.filter { $0.name == table.name || table.triggerNames.contains($0.name) }
            return SearchIndex(
                name: table.name, content: table.content, isKept: found.isKept, filling: table.filling,
                remaking: FullTextTable.removals(of: own) + table.statements, tokenizer: table.tokenizer,
                columns: table.columns, sizesSQL: table.sizesSQL, copyCreation: table.copyCreation(SearchIndex.copy))
        }
    }
}

extension StoreTables.SearchIndex {
    /// Names of temporary tables, which live outside of the file.
    fileprivate static let copy = "OCD_COPY"
    private static let (kept, wanted) = ("OCD_KEPT_TOKENS", "OCD_WANTED_TOKENS")

    /// The number of rows that the index has with another number of tokens than they have, or without a row, and
    /// whether all tokens and their places are those of the rows.
    ///
    /// - Parameter connection: may be for reading only: a correct copy of the index is made in a temporary table, which
    ///   takes about as much room as the index. FTS5's own check would write.
    /// - Throws: SQLite's errors; those about a damaged index count as a difference.
    package func differences(_ connection: Connection) throws -> (rows: Int, isEqual: Bool) {
        func discard() {
            for table in [Self.kept, Self.wanted, Self.copy] {
                try? connection.execute("DROP TABLE IF EXISTS temp.\(table)")
            }
        }
        defer { discard() }
        do {
            let list = columns.map(SchemaNaming.quoted).joined(separator: ", ")
            try connection.execute(copyCreation)
            try connection.execute(
                "INSERT INTO temp.\(Self.copy) (rowid, \(list)) SELECT Z_PK, \(list) FROM main.\(contentSQL)")
            let rows = try connection.value(
                "SELECT (SELECT COUNT(*) FROM temp.\(Self.copy)_docsize AS W LEFT JOIN main.\(sizesSQL) AS K "
                    + "ON K.id = W.id WHERE K.sz IS NOT W.sz) + (SELECT COUNT(*) FROM main.\(sizesSQL) "
                    + "WHERE id NOT IN (SELECT id FROM temp.\(Self.copy)_docsize))")?.integerValue
            return (Int(rows ?? 0), try hasEqualTokens(connection))
        } catch let error as SQLiteError where error.isCorrupt {
            return (0, false)
        }
    }

    /// Both lists come in the order of tokens, rows, columns and places, so they are compared while they are read.
    private func hasEqualTokens(_ connection: Connection) throws -> Bool {
        try connection.execute(
            "CREATE VIRTUAL TABLE temp.\(Self.kept) USING fts5vocab(main, \(SchemaNaming.quoted(name)), instance)")
        try connection.execute("CREATE VIRTUAL TABLE temp.\(Self.wanted) USING fts5vocab(temp, \(Self.copy), instance)")
        func tokens(_ table: String) throws -> Statement {
            try connection.prepare("SELECT term, doc, col, \"offset\" FROM temp.\(table)")
        }
        let (kept, wanted) = try (tokens(Self.kept), tokens(Self.wanted))
        while try wanted.step() {
            guard try kept.step(), kept.row == wanted.row else { return false }
        }
        return try !kept.step()
    }
}

extension FullTextTable {
    /// An index of the same rows that keeps no text and has no triggers, in a temporary table.
    fileprivate func copyCreation(_ name: String) -> String {
        "CREATE VIRTUAL TABLE temp.\(name) USING \(moduleArguments(content: ""))"
    }
}
