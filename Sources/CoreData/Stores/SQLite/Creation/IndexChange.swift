// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The indexes, triggers and side indexes to drop before the tables change, and to make afterwards.

import Foundation
import SQLiteDriver

/// An index is kept if it has the name and the text of the new one, and no name in it changes. Triggers are always
/// dropped: they would run during the updates, and making them costs nothing.
struct IndexChange {
    private(set) var dropped: [String] = []
    private(set) var made: [ScriptStatement] = []

    /// - Parameters:
    ///   - touched: the changed column names of each kept table; nil for a dropped table.
    ///   - isWritten: whether the migration writes rows of a table.
    init(
        _ outline: DatabaseOutline, _ schema: Schema, touched: (String) -> Set<String>?,
        isWritten: (String) -> Bool
    ) throws {
        dropped = outline.triggers.map { "DROP TRIGGER \(SchemaNaming.quoted($0.name))" }
        let ddl = SchemaDDL(schema: schema)
        var wanted = Dictionary(
            try ddl.indexes.compactMap { sql in Self.name(sql).map { ($0, sql) } },
            uniquingKeysWith: { first, _ in first })
        for index in outline.indexes where !Self.isHistory(index.tableName) {
            guard let sql = index.sql else { continue }
            if let new = wanted[index.name], DatabaseOutline.normalized(new) == DatabaseOutline.normalized(sql),
                let touched = touched(index.tableName),
                DatabaseOutline.words(sql).isDisjoint(with: touched.map { Substring($0) })
            {
                wanted[index.name] = nil
            } else {
                dropped.append("DROP INDEX \(SchemaNaming.quoted(index.name))")
            }
        }
        dropped += outline.spatialTables.map { "DROP TABLE \(SchemaNaming.quoted($0.name))" }
        made = try ddl.indexesByTable.flatMap { table, indexes in
            indexes.filter { sql in Self.name(sql).map { wanted[$0] != nil } ?? true }
                .map { ScriptStatement($0, over: table) }
        }
        let fullText = SideIndexChange<FullTextTable>(outline, schema, touched: touched, isWritten: isWritten)
        let values = SideIndexChange<ValueTable>(outline, schema, touched: touched, isWritten: isWritten)
        dropped += fullText.dropped + values.dropped
        let triggers = SchemaTriggers(schema: schema)
        let contents = triggers.spatialContents
        for statement in triggers.statements {
            made += [statement]
            if statement.hasPrefix("CREATE VIRTUAL"), let name = Self.name(statement), let fill = contents[name] {
                made += [fill]
            }
        }
        // Last: SQLite runs the trigger that was made last first, so a derived attribute's trigger sees an indexed row.
        made += fullText.made + values.made
    }

    private static func isHistory(_ table: String) -> Bool { !table.hasPrefix("Z") }

    /// The name in a statement that makes an index or a virtual table.
    static func name(_ sql: String) -> String? {
        for head in ["CREATE UNIQUE INDEX ", "CREATE INDEX ", "CREATE VIRTUAL TABLE "] where sql.hasPrefix(head) {
            let rest = sql.dropFirst(head.count)
            guard rest.first == "\"" else { return rest.split(separator: " ").first.map(String.init) }
            var name = ""
            var characters = rest.dropFirst()[...]
            while let character = characters.popFirst() {
                if character == "\"" {
                    guard characters.first == "\"" else { return name }
                    characters.removeFirst()
                }
                name.append(character)
            }
        }
        return nil
    }
}
