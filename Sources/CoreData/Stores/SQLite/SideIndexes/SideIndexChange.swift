// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The full-text indexes and indexes of values that a migration by statements drops, keeps and makes.

import SQLiteDriver

/// A file that has indexes of a kind has those of the new version afterwards. An index is kept with its contents if it
/// was right, and the migration writes no row of its table. SearchIndexes-5.
struct SideIndexChange<Table: SideIndexTable> {
    private(set) var dropped: [String] = []
    private(set) var made: [ScriptStatement] = []

    /// - Parameters:
    ///   - touched: the changed column names of each kept table; nil for a dropped table.
    ///   - isWritten: whether the migration writes rows of a table.
    init(
        _ outline: DatabaseOutline, _ schema: Schema, touched: (String) -> Set<String>?, isWritten: (String) -> Bool
    ) {
        let found = Table.droppedEntries(of: outline.entries).filter { $0.type == "table" }
        guard !found.isEmpty else { return }
        let wanted = Table.wanted(by: schema)
        let kept = wanted.filter { table in
            guard table.isKept(in: outline.entries), !isWritten(table.content),
                let touched = touched(table.content)
            else { return false }
            return touched.isDisjoint(with: table.columns)
        }
        let keptNames = Set(kept.flatMap { $0.tables.map(\.name) })
        dropped = found.filter { !keptNames.contains($0.name) }
            .map { "DROP TABLE IF EXISTS \(SchemaNaming.quoted($0.name))" }
        for table in wanted {
            if !kept.contains(table) {
                made += table.tables.map { ScriptStatement($0.sql) }
                made.append(ScriptStatement(table.filling, over: table.content))
            }
            made += table.triggers.map { ScriptStatement($0.sql) }
        }
    }
}
