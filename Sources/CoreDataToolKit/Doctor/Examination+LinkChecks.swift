// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks the rows of join tables, and the order of members.

import CoreData
import Foundation
import SQLiteDriver

extension Examination {
    func checkLinks() throws {
        guard let tables = store.tables else { return }
        for join in tables.joins {
            try checkEnds(join)
            if join.isReflexive { try checkMirrors(join) }
            try checkOrder(join, join.memberOrderSQL, owner: join.ownerSQL, join.owner, join.ownerProperty)
            if join.ownerOrderSQL != join.memberOrderSQL {
                try checkOrder(join, join.ownerOrderSQL, owner: join.memberSQL, join.member, join.memberProperty)
            }
        }
        for entity in tables.entities {
            for property in entity.toManys where !property.isInherited && property.join == nil {
                try checkOrder(property, entity)
            }
        }
    }

    // MARK: Ends

    private func checkEnds(_ join: StoreTables.Join) throws {
        let empty = "(\(join.ownerSQL) IS NULL OR \(join.memberSQL) IS NULL)"
        let count = try store.count("SELECT COUNT(*) FROM \(join.sql) WHERE \(empty)")
        try note(
            "link.end", join.owner, join.ownerProperty, count: count,
            "\(Self.rows(count)) of \(join.name) lack an end.",
            repair: Repair(
                .statements(["DELETE FROM \(join.sql) WHERE \(empty)"]),
                "\(Self.rows(count)) of \(join.name) are removed."))
        let missing = [(join.ownerSQL, join.owner), (join.memberSQL, join.member)].compactMap { column, name in
            store.tables?.entity(name).map { end in
                "\(join.sql).\(column) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(end.tableSQL) AS D "
                    + "WHERE D.Z_PK = \(join.sql).\(column) AND D.Z_ENT IN \(end.family.sqlList))"
            }
        }
        let condition = missing.map { "(\($0))" }.joined(separator: " OR ")
        var found = Tally(limit: options.examples)
        try store.each(
            "SELECT \(join.ownerSQL) FROM \(join.sql) WHERE \(join.ownerSQL) IS NOT NULL AND \(join.memberSQL) IS NOT NULL "
                + "AND (\(condition))"
        ) { row in
            found.add(store.uri(join.owner, row.int64(at: 0)))
        }
        try note(
            "link.dangling", join.owner, join.ownerProperty, found,
            "\(Self.rows(found.count)) of \(join.name) link an object that is not there.",
            repair: Repair(
                .statements(["DELETE FROM \(join.sql) WHERE \(condition)"]),
                "\(Self.rows(found.count)) of \(join.name) are removed."))
    }

    private func checkMirrors(_ join: StoreTables.Join) throws {
        let lacking =
            "NOT EXISTS (SELECT 1 FROM \(join.sql) AS M WHERE M.\(join.ownerSQL) = L.\(join.memberSQL) "
            + "AND M.\(join.memberSQL) = L.\(join.ownerSQL))"
        let count = try store.count(
            "SELECT COUNT(*) FROM \(join.sql) AS L WHERE L.\(join.ownerSQL) IS NOT NULL AND L.\(join.memberSQL) "
                + "IS NOT NULL AND \(lacking)")
        try note(
            "link.mirror", join.owner, join.ownerProperty, count: count,
            "\(Self.rows(count)) of \(join.name) have no row for the other direction.",
            repair: Repair(
                .statements([
                    "INSERT INTO \(join.sql) (\(join.ownerSQL), \(join.memberSQL)) SELECT L.\(join.memberSQL), "
                        + "L.\(join.ownerSQL) FROM \(join.sql) AS L WHERE \(lacking)"
                ]), "\(Self.rows(count)) are added to \(join.name)."))
    }

    // MARK: Order

    private func checkOrder(
        _ join: StoreTables.Join, _ order: String?, owner: String, _ entity: String, _ property: String
    ) throws {
        guard let order else { return }
        try checkOrder(
            table: join.sql, key: owner, order: order, row: "rowid", condition: "\(owner) IS NOT NULL", entity, property
        )
    }

    private func checkOrder(_ property: StoreTables.ToMany, _ entity: StoreTables.Entity) throws {
        guard let order = property.orderSQL, let key = property.memberKeySQL,
            let members = store.tables?.entity(property.destination)
        else { return }
        try checkOrder(
            table: members.tableSQL, key: key, order: order, row: "Z_PK",
            condition: "\(key) IS NOT NULL AND Z_ENT IN \(members.family.sqlList)", entity.name, property.name)
    }

    /// - Parameters:
    ///   - key: the column with the owner of a row.
    ///   - row: the column that identifies a row.
    private func checkOrder(
        table: String, key: String, order: String, row: String, condition: String, _ entity: String, _ property: String
    ) throws {
        func check(_ rule: String, _ owners: String, _ text: (String) -> String) throws {
            var found = Tally(limit: options.examples)
            try store.each(owners) { found.add(store.uri(entity, $0.int64(at: 0))) }
            // The framework numbers members from 2048 in steps of 1024.
            let numbered =
                "SELECT \(row) AS K, 1024 + 1024 * ROW_NUMBER() OVER (PARTITION BY \(key) "
                + "ORDER BY \(order) IS NULL, \(order), \(row)) AS N FROM \(table) WHERE \(condition) AND \(key) IN (\(owners))"
            try note(
                rule, entity, property, found, text("\(found.count) object\(found.count == 1 ? "" : "s")"),
                repair: Repair(
                    .statements([
                        "UPDATE \(table) SET \(order) = NEW.N FROM (\(numbered)) AS NEW WHERE NEW.K = \(table).\(row)"
                    ]), "The members of \(found.count) object\(found.count == 1 ? "" : "s") are numbered anew."))
        }
        try check(
            "order.missing", "SELECT DISTINCT \(key) FROM \(table) WHERE \(condition) AND \(order) IS NULL"
        ) { "\($0) of \(entity) have members without a place in '\(property)'." }
        try check(
            "order.doubled",
            "SELECT DISTINCT \(key) FROM (SELECT \(key) FROM \(table) WHERE \(condition) AND \(order) IS NOT NULL "
                + "GROUP BY \(key), \(order) HAVING COUNT(*) > 1)"
        ) { "\($0) of \(entity) have members with equal places in '\(property)'." }
    }
}
