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
        let mapping = try schema.held(entity)
        let list = KeyList(positions.map { changes.deletes[$0].key })
        for slot in mapping.layout.toManySlots {
            guard case .toMany(let storage) = mapping.storage[slot] else { continue }
            switch storage {
            case .join(let table, let isOwner):
                for end in table.isReflexive ? [isOwner, !isOwner] : [isOwner] {
                    try connection.run(
                        "DELETE FROM \(table.sql) WHERE \(table.column(of: end)) \(list.condition)", list.arguments)
                }
            case .column(let name, _, let table):
                guard mapping.layout[slot].inverse < 0 else { continue }
                let column = SchemaNaming.quoted(name)
                try connection.run(
                    "UPDATE \(table.sql) SET \(column) = NULL WHERE \(column) \(list.condition)", list.arguments)
            }
        }
    }
}
