// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares the full-text indexes of a store with its rows.

import CoreData
import Foundation
import PostgreSQLDriver

extension ServerExamination {
    /// Pending entries are right: their rows are evaluated by each search.
    mutating func checkSearches() throws {
        let remedy = "Open the store once with NSFullTextIndexOption set to false, and then with true."
        for index in opened.searches.missing {
            defects.append(
                ServerDefect(
                    rule: "search.trigger", entity: index.table.root.name, property: nil, count: 1, keys: [],
                    text: "\(index.table.name) has no full-text index of its searched attributes, or one without its "
                        + "triggers. Opening the store for writing makes it anew."))
        }
        for index in opened.searches.tables {
            let (name, table) = (index.table.root.name, index.table.name)
            try note(
                "search.entry", name, nil,
                "SELECT t.id FROM \(index.table.sql) AS t "
                    + "WHERE NOT EXISTS (SELECT 1 FROM \(index.sql) AS s WHERE s.id = t.id)"
            ) { "\($0) of \(table) have no entry in the full-text index. \(remedy)" }
            try note(
                "search.entry", name, nil,
                "SELECT s.id FROM \(index.sql) AS s "
                    + "WHERE NOT EXISTS (SELECT 1 FROM \(index.table.sql) AS t WHERE t.id = s.id)"
            ) { "\($0) of the full-text index of \(table) are of no row. \(remedy)" }
            try compare(index, remedy)
        }
    }

    /// Makes the tokens of all rows again.
    private mutating func compare(_ index: SearchTable, _ remedy: String) throws {
        let sessions = opened.sessions
        var (count, keys): (Int, [Int64]) = (0, [])
        func compare(_ rows: TokenizedRows) throws {
            try connection.run(rows.differing, sessions.unbounded).forEachRow { row in
                count += 1
                if let key = row[0].integer, keys.count < limit { keys.append(key) }
            }
        }
        // One state of rows and entries, read in parts.
        try connection.run(Statement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"), sessions.deadline)
        defer { connection.rollBack(sessions.deadline) }
        var last = Int64.min
        var rows = TokenizedRows(index)
        repeat {
            rows = TokenizedRows(index)
            let part = Statement(
                index.texts + "WHERE t.id > $1 ORDER BY t.id LIMIT \(TokenizedRows.mostRows)", [.int64(last)])
            try connection.run(part, sessions.unbounded).forEachRow { cells in
                guard let key = cells[0].integer else { return }
                last = key
                rows.append(key, index.row(cells))
            }
            try compare(rows)
        } while rows.count == TokenizedRows.mostRows
        if count == 0 { return }
        defects.append(
            ServerDefect(
                rule: "search.entry", entity: index.table.root.name, property: nil, count: count, keys: keys,
                text:
                    "\(count) row\(count == 1 ? "" : "s") of \(index.table.name) have other tokens than the full-text "
                    + "index. \(remedy)"))
    }
}
