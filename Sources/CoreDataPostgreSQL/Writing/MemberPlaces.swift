// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes the order keys of the members of ordered relationships.

import CoreData
import Foundation
import PostgreSQLDriver

/// One save, after its rows and links are written.
struct MemberPlaces {
    let opened: OpenServer
    let connection: Connection

    private var dialect: PostgreSQLDialect { opened.dialect }

    /// - Parameter placed: receives the rows of mapped tables that get another version with their order key.
    func write(_ members: OrderedMembers, _ placed: inout PlacedRows.Changes) throws {
        guard case .toMany(let storage) = opened.schema.mapping(members.layout)?.storage[members.slot] else { return }
        switch storage {
        case .column(let key, let order?, let destination):
            let target = WriteTarget(destination.name, dialect)
            let known = try current(
                destination.sql, owner: dialect.quoted(key), member: "id", order: dialect.quoted(order),
                version: target.hasSystemVersions ? "t.version" : "0", of: members.owner)
            let written = try write(
                target, owner: dialect.quoted(key), member: target.key, order: dialect.quoted(order),
                version: target.hasSystemVersions ? target.version(of: "t") : "0", members, known)
            guard target.hasSystemVersions else { return }
            for (key, version) in written {
                if let old = known[key]?.version {
                    placed[ObjectKey(destination.root.rootIndex, key)] = .init(before: old, after: version)
                }
            }
        case .join(let join, let isOwner):
            guard let order = join.order(of: isOwner) else { return }
            let target = WriteTarget(join.name, dialect)
            let (owner, member) = (join.column(of: isOwner), join.column(of: !isOwner))
            let known = try current(
                join.sql, owner: owner, member: member, order: order, version: "0", of: members.owner)
            _ = try write(
                target, owner: owner, member: target.column(member), order: order, version: "0", members, known)
        case .column: return
        }
    }

    private typealias Member = (place: Int64?, version: Int64)

    private func current(
        _ table: String, owner: String, member: String, order: String, version: String, of key: Int64
    ) throws -> [Int64: Member] {
        var result: [Int64: Member] = [:]
        // Locked if the version matters: it must be the version of the row that is then written.
        let lock = version == "0" ? "" : " FOR NO KEY UPDATE OF t"
        try connection.run(
            Statement(
                "SELECT \(member), \(order), \(version) FROM \(table) AS t WHERE \(owner) = $1\(lock)", [.int64(key)]),
            opened.sessions.deadline
        ).forEachRow { cells in
            if let key = cells[0].integer { result[key] = (cells[1].integer, cells[2].integer ?? 0) }
        }
        return result
    }

    /// - Returns: the new versions of the rows that were written.
    private func write(
        _ target: WriteTarget, owner: String, member: String, order: String, version: String,
        _ members: OrderedMembers, _ known: [Int64: Member]
    ) throws -> [Int64: Int64] {
        let wanted = OrderKeys.assigned(members.members.map { known[$0]?.place }, target.spacing)
        let changed = zip(members.members, wanted).filter { known[$0]?.place != $1 }.sorted { $0.0 < $1.0 }
        if changed.isEmpty { return [:] }
        var result: [Int64: Int64] = [:]
        try connection.run(
            Statement(
                "UPDATE \(target.sql) AS t SET \(target.column(order)) = u.p FROM unnest($1, $2) AS u(m, p) "
                    + "WHERE t.\(member) = u.m AND t.\(target.column(owner)) = $3 RETURNING u.m, \(version)",
                [.int64s(changed.map(\.0)), .int64s(changed.map(\.1)), .int64(members.owner)]),
            opened.sessions.deadline
        ).forEachRow { cells in
            if let key = cells[0].integer { result[key] = cells[1].integer }
        }
        return result
    }
}
