// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes the order of an ordered relationship's members with as few row changes as possible.

import Foundation
import SQLiteDriver

struct MemberOrderWriter {
    let opened: OpenDatabase
    let connection: Connection

    /// - Parameter members: with permanent keys.
    func write(_ members: OrderedMembers) throws {
        guard case .toMany(let storage) = opened.schema.mapping(members.layout)?.storage[members.slot] else { return }
        let (table, owner, member, order): (String, String, String, String?)
        switch storage {
        case .column(let key, let name, let destination):
            (table, owner, member) = (destination.sql, SchemaNaming.quoted(key), "Z_PK")
            order = name.map(SchemaNaming.quoted)
        case .join(let join, let isOwner):
            (table, owner, member) = (join.sql, join.column(of: isOwner), join.column(of: !isOwner))
            order = join.order(of: isOwner)
        }
        guard let order else { return }
        var current: [Int64: Int64] = [:]
        let sql = "SELECT \(member), \(order) FROM \(table) WHERE \(owner) = ?"
        for row in try connection.rows(sql, [.integer(members.owner)]) {
            if let key = row[0].integerValue, let position = row[1].integerValue { current[key] = position }
        }
        let wanted = OrderKeys.assigned(members.members.map { current[$0] })
        let update = try connection.statement(
            for: "UPDATE \(table) SET \(order) = ? WHERE \(member) = ? AND \(owner) = ?")
        defer { update.reset() }
        for (key, position) in zip(members.members, wanted) where current[key] != position {
            try update.bind(position, at: 1)
            try update.bind(key, at: 2)
            try update.bind(members.owner, at: 3)
            _ = try update.step()
            update.reset()
        }
    }
}
