// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One full-text index of a store: its FTS5 table, and the triggers that keep it equal to the table of the rows.

import CoreDataFoundation
import Foundation
import SQLiteDriver

/// The words, or the trigrams, of some columns of one table. A value: it runs no statement.
///
/// The file describes an index completely, so it can be checked and rebuilt without a model.
/// SearchIndexes-1, SearchIndexes-2.
struct FullTextTable: SideIndexTable {
    /// The name of the table with the rows.
    let content: String
    let tokenizer: SearchTokenizer
    /// The names of its indexed columns, sorted.
    let columns: [String]

    init(content: String, tokenizer: SearchTokenizer, columns: [String]) {
        self.content = content
        self.tokenizer = tokenizer
        self.columns = columns.sorted()
    }

    /// Whether an entry of the schema belongs to a full-text index.
    static func isOwn(_ name: String) -> Bool { SearchTokenizer.allCases.contains { name.hasPrefix($0.indexPrefix) } }

    var name: String { tokenizer.indexPrefix + content }
    var sql: String { SchemaNaming.quoted(name) }
    /// The table in which FTS5 keeps the number of tokens of each row; it has one entry for each indexed row.
    var sizesSQL: String { SchemaNaming.quoted(name + "_docsize") }
    /// The table in which FTS5 keeps the tokens, and in its first entry their numbers.
    var dataSQL: String { SchemaNaming.quoted(name + "_data") }

    // MARK: Statements

    var creation: String {
        "CREATE VIRTUAL TABLE \(sql) USING \(moduleArguments(content: content))"
    }

    /// The module with its arguments.
    ///
    /// - Parameter content: the table with the rows; empty for an index that is filled by other means.
    func moduleArguments(content: String) -> String {
        let names = columns.map { "\(SchemaNaming.quoted($0)), " }.joined()
        let key = content.isEmpty ? "" : ", content_rowid='Z_PK'"
        return "fts5(\(names)content=\(SchemaNaming.literal(content))\(key), tokenize='\(tokenizer.moduleArgument)')"
    }

    /// Indexes all rows anew. FTS5 reads row by row, so memory does not grow with the table.
    var filling: String { "INSERT INTO \(sql) (\(sql)) VALUES ('rebuild')" }

    /// FTS5 makes further tables, and drops them with this one.
    var tables: [Part] { [(name, creation)] }

    static func isDropped(_ table: SchemaEntry) -> Bool { DatabaseOutline.isVirtual(table) }

    func requireModule(on connection: Connection) throws { _ = try connection.columns(of: name) }

    /// The triggers, which call no function of ours: any program with FTS5 can write to the store.
    var triggers: [Part] { zip(triggerNames, [insertion, update, deletion]).map { ($0, $1) } }

    var triggerNames: [String] { ["INSERT", "UPDATE", "DELETE"].map { "\(name)_\($0)" } }

    private var list: String { columns.map(SchemaNaming.quoted).joined(separator: ", ") }
    private var table: String { SchemaNaming.quoted(content) }

    private func values(_ row: String) -> String {
        (["Z_PK"] + columns.map(SchemaNaming.quoted)).map { "\(row).\($0)" }.joined(separator: ", ")
    }

    /// FTS5 keeps no text here, so it needs the old values to remove a row.
    private var removalOfOld: String {
        "INSERT INTO \(sql) (\(sql), rowid, \(list)) VALUES ('delete', \(values("OLD")));"
    }

    /// `INSERT OR REPLACE` removes the old row without a trigger. Its text is lost then, so the index is built anew.
    private var insertion: String {
        let known = "EXISTS (SELECT 1 FROM \(sizesSQL) WHERE id = NEW.Z_PK)"
        return "CREATE TRIGGER \(SchemaNaming.quoted(triggerNames[0])) AFTER INSERT ON \(table) FOR EACH ROW BEGIN "
            + "INSERT INTO \(sql) (\(sql)) SELECT 'rebuild' WHERE \(known); "
            + "INSERT INTO \(sql) (rowid, \(list)) SELECT \(values("NEW")) WHERE NOT \(known); END"
    }

    private var update: String {
        let changes = (["Z_PK"] + columns.map(SchemaNaming.quoted)).map { "OLD.\($0) IS NOT NEW.\($0)" }
        return "CREATE TRIGGER \(SchemaNaming.quoted(triggerNames[1])) AFTER UPDATE OF Z_PK, \(list) ON \(table) "
            + "FOR EACH ROW WHEN (\(changes.joined(separator: " OR "))) BEGIN \(removalOfOld) "
            + "INSERT INTO \(sql) (rowid, \(list)) VALUES (\(values("NEW"))); END"
    }

    private var deletion: String {
        "CREATE TRIGGER \(SchemaNaming.quoted(triggerNames[2])) AFTER DELETE ON \(table) FOR EACH ROW BEGIN "
            + "\(removalOfOld) END"
    }
}

extension SearchTokenizer {
    /// The beginning of the names of its indexes. No such name begins with Z: Apple's framework, and all code that
    /// lists the tables of entities, pass over these tables.
    var indexPrefix: String {
        switch self {
        case .words: "OCD_FTS_"
        case .trigrams: "OCD_TRI_"
        }
    }

    /// SQLite's name of the tokenizer, with its arguments.
    fileprivate var moduleArgument: String {
        switch self {
        case .words: "unicode61 remove_diacritics 2"
        case .trigrams: "trigram"
        }
    }
}
