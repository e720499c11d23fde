// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes links that are not in the columns of a row: join tables, and columns of one-way to-many relationships.

import Foundation
import SQLiteDriver

extension RowWriter {
    func write(_ link: JoinLink, isNew: Bool) throws {
        let table = schema.joinTables[link.table]
        let (owner, member) = (key(link.owner), key(link.member))
        guard owner != 0, member != 0 else { return }
        let sql =
            isNew
            ? "INSERT OR IGNORE INTO \(table.sql) (\(table.column(of: true)), \(table.column(of: false))) VALUES (?, ?)"
            : "DELETE FROM \(table.sql) WHERE \(table.column(of: true)) = ? AND \(table.column(of: false)) = ?"
        let statement = try connection.statement(for: sql)
        defer { statement.reset() }
        try statement.bind(owner, at: 1)
        try statement.bind(member, at: 2)
        _ = try statement.step()
    }

    func write(_ link: OneWayLink, isNew: Bool) throws {
        guard case .toMany(.column(let name, _, let table)) = schema.mapping(link.layout)?.storage[link.slot] else {
            return
        }
        let column = SchemaNaming.quoted(name)
        let (owner, member) = (key(link.owner), key(link.member))
        guard owner != 0, member != 0 else { return }
        if isNew {
            try connection.run(
                "UPDATE \(table.sql) SET \(column) = ? WHERE Z_PK = ?", [.integer(owner), .integer(member)])
        } else {
            try connection.run(
                "UPDATE \(table.sql) SET \(column) = NULL WHERE Z_PK = ? AND \(column) = ?",
                [.integer(member), .integer(owner)])
        }
    }

    /// Removes all links to the rows of some deletions of one entity.
    func unlink(_ entity: Int, _ positions: [Int]) throws {
        let list = KeyList(positions.map { changes.deletes[$0].key })
        try schema.unlink(schema.model.layouts[entity], list, on: connection)
    }
}

extension Schema {
    /// Removes all links to rows of an entity from join tables and one-way columns.
    func unlink(_ layout: EntityLayout, _ keys: KeyList, on connection: Connection) throws {
        for column in linkColumns(of: layout) {
            let change = column.isJoin ? "DELETE FROM \(column.sql)" : "UPDATE \(column.sql) SET \(column.name) = NULL"
            try connection.run("\(change) WHERE \(column.name) \(keys.condition)", keys.arguments)
        }
    }
}
