// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One index of values at paths into the values of a table: its tables, and the triggers that keep it in step.

import Foundation

/// The tables and triggers of one index of values. A value: it runs no statement. StructuredValues-7.
///
/// Each row of the content is *pending*, or has the entries of its present values.
struct ValueTable: SideIndexTable {
    /// The version of the rules by which entries are computed. With another version, all rows are pending again.
    private static let rules = 1
    /// The beginning of the names of the tables with entries.
    static let prefix = "OCD_VAL_"
    private static let (pending, keys) = ("OCD_NEW_", "OCD_KEY_")

    let content: String
    /// The names of the columns with indexed values, sorted.
    let columns: [String]
    /// The indexed paths, each with the entity that declares its attribute: "Note/meta/tags/name". Sorted.
    let paths: [String]

    init(content: String, columns: [String], paths: [String]) {
        self.content = content
        self.columns = columns.sorted()
        self.paths = paths.sorted()
    }

    static func isOwn(_ name: String) -> Bool {
        name.hasPrefix(prefix) || name.hasPrefix(pending) || name.hasPrefix(keys)
    }

    /// The table of entries: K is the key of a row, V a form of the value at the end of a path.
    var sql: String { SchemaNaming.quoted(Self.prefix + content) }
    /// The table with the keys of pending rows.
    var pendingSQL: String { SchemaNaming.quoted(Self.pending + content) }
    var contentSQL: String { SchemaNaming.quoted(content) }
    var name: String { Self.prefix + content }

    // MARK: Tables

    var tables: [Part] {
        let list = paths.map(SchemaNaming.literal).joined(separator: ", ")
        let keys = Self.keys + content
        return [
            (
                name,
                "CREATE TABLE \(sql) (K INTEGER NOT NULL, PATH TEXT NOT NULL, V NOT NULL, PRIMARY KEY (PATH, V, K), "
                    + "CONSTRAINT RULES_\(Self.rules) CHECK (PATH IN (\(list)))) WITHOUT ROWID"
            ),
            (keys, "CREATE INDEX \(SchemaNaming.quoted(keys)) ON \(sql) (K)"),
            (Self.pending + content, "CREATE TABLE \(pendingSQL) (K INTEGER PRIMARY KEY)"),
        ]
    }

    /// Makes all rows pending.
    var filling: String { "INSERT INTO \(pendingSQL) (K) SELECT Z_PK FROM \(contentSQL) WHERE \(hasValue(""))" }

    // MARK: Triggers

    /// They call no function of ours, so any program can write to the store. Their statements never meet a conflict,
    /// which the statement of the program would resolve in its way.
    var triggers: [Part] {
        [("INSERT", insertion), ("UPDATE", update), ("DELETE", deletion)].map { event, text in
            (name + "_" + event, "CREATE TRIGGER \(SchemaNaming.quoted(name + "_" + event)) AFTER \(text); END")
        }
    }

    private func hasValue(_ row: String) -> String {
        "(" + columns.map { "\(row)\(SchemaNaming.quoted($0)) IS NOT NULL" }.joined(separator: " OR ") + ")"
    }

    private var addition: String {
        "INSERT INTO \(pendingSQL) (K) SELECT NEW.Z_PK WHERE \(hasValue("NEW.")) "
            + "AND NOT EXISTS (SELECT 1 FROM \(pendingSQL) WHERE K = NEW.Z_PK)"
    }

    /// `INSERT OR REPLACE` removes a row with this key without a trigger, so its entries are removed here.
    private var insertion: String {
        "INSERT ON \(contentSQL) FOR EACH ROW BEGIN DELETE FROM \(sql) WHERE K = NEW.Z_PK; \(addition)"
    }

    private var update: String {
        let watched = ["Z_PK", "Z_ENT"] + columns.map(SchemaNaming.quoted)
        let changes = watched.map { "OLD.\($0) IS NOT NEW.\($0)" }.joined(separator: " OR ")
        return "UPDATE OF \(watched.joined(separator: ", ")) ON \(contentSQL) FOR EACH ROW WHEN (\(changes)) BEGIN "
            + "DELETE FROM \(sql) WHERE K IN (OLD.Z_PK, NEW.Z_PK); DELETE FROM \(pendingSQL) WHERE K = OLD.Z_PK; "
            + addition
    }

    private var deletion: String {
        "DELETE ON \(contentSQL) FOR EACH ROW BEGIN DELETE FROM \(sql) WHERE K = OLD.Z_PK; "
            + "DELETE FROM \(pendingSQL) WHERE K = OLD.Z_PK"
    }
}
