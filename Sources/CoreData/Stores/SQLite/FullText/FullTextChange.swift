// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The full-text indexes that a migration by statements drops, keeps and makes.

import SQLiteDriver

/// A file that has full-text indexes has those of the new version afterwards. An index is kept with its contents if it
/// was right, and the migration writes no row of its table. SearchIndexes-5.
struct FullTextChange {
    private(set) var dropped: [String] = []
    private(set) var made: [ScriptStatement] = []

    /// - Parameters:
    ///   - touched: the changed column names of each kept table; nil for a dropped table.
    ///   - isWritten: whether the migration writes rows of a table.
    init(
        _ outline: DatabaseOutline, _ schema: Schema, touched: (String) -> Set<String>?, isWritten: (String) -> Bool
    ) {
        let found = FullTextTable.found(in: outline.entries) { name in (outline.columns[name] ?? []).map(\.name) }
        guard !found.isEmpty else { return }
        let wanted = FullTextTable.wanted(by: schema)
        let kept = found.filter(\.isKept).map(\.table).filter { table in
            guard wanted.contains(table), !isWritten(table.content), let touched = touched(table.content) else {
                return false
            }
            return touched.isDisjoint(with: table.columns)
        }
        dropped = found.map(\.table).filter { !kept.contains($0) }.map(\.removal)
        for table in wanted {
            if !kept.contains(table) {
                made.append(ScriptStatement(table.creation))
                made.append(ScriptStatement(table.filling, over: table.content))
            }
            made += table.triggers
        }
    }
}
