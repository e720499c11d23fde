// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The statements that redistribute the links of a relationship when an end holds fewer of them than before.

import Foundation

/// A to-many end that becomes to-one keeps the first member: by its order if it had one, otherwise by key. A member
/// with two owners stays with the owner of the lower key.
struct MovedLink {
    let link: LinkTransition
    let transition: SchemaTransition
    /// The names of two temporary tables.
    let (all, kept): (String, String)

    init(_ link: LinkTransition, _ transition: SchemaTransition, number: Int) {
        self.link = link
        self.transition = transition
        (all, kept) = ("ZMIGRATIONLINK\(number)", "ZMIGRATIONKEPT\(number)")
    }

    private var dialect: any Dialect { transition.dialect }

    /// Run before any old table changes.
    var collection: String {
        let queries = link.sources.map { "SELECT A, B, OB, OA FROM (\($0.query(dialect)))\(dialect.subqueryName)" }
        return "CREATE TEMP TABLE \(all) AS " + queries.joined(separator: " UNION ALL ")
    }

    /// Run when all tables have their final names and rows.
    var application: [String] {
        let (one, other) = (rows(of: link.mapping), rows(of: link.target))
        var result = ["DELETE FROM \(all) WHERE B IS NULL OR A NOT IN (\(one)) OR B NOT IN (\(other))"]
        if link.isToOne { result.append(reduction("A", "OB", "B")) }
        if isOneOwner { result.append(reduction("B", "OA", "A")) }
        result += [
            "CREATE TEMP TABLE \(kept) AS SELECT A, B, \(rank("A", "OB", "B")) AS OB, \(rank("B", "OA", "A")) AS OA FROM \(all)",
            dialect.temporaryIndex("\(kept)A", on: kept, "A"), dialect.temporaryIndex("\(kept)B", on: kept, "B"),
        ]
        return result + settings + ["DROP TABLE \(dialect.temporary(all))", "DROP TABLE \(dialect.temporary(kept))"]
    }

    /// A key in the member's row names one owner.
    private var isOneOwner: Bool {
        if case .toMany(.column) = link.mapping.storage[link.slot] { return true }
        return link.isInverseToOne
    }

    private func rows(of mapping: EntityMapping) -> String {
        let numbers = transition.family(mapping).map(\.number)
        return "SELECT \(dialect.names.key) FROM \(mapping.table.sql) WHERE "
            + "\(transition.destination.entity(of: mapping.table)) IN \(transition.destination.list(numbers))"
    }

    private func order(_ own: String, _ key: String) -> String { "\(own) IS NULL, \(own), \(key)" }

    private func rank(_ owner: String, _ own: String, _ key: String) -> String {
        "1024 + 1024 * ROW_NUMBER() OVER (PARTITION BY \(owner) ORDER BY \(order(own, key)))"
    }

    private func reduction(_ owner: String, _ own: String, _ key: String) -> String {
        let place = dialect.rowPlace
        return "DELETE FROM \(all) WHERE \(place) NOT IN (SELECT R FROM (SELECT \(place) AS R, ROW_NUMBER() OVER "
            + "(PARTITION BY \(owner) ORDER BY \(order(own, key))) AS N FROM \(all))\(dialect.subqueryName) WHERE N = 1)"
    }

    private var settings: [String] {
        var result: [String] = []
        switch link.mapping.storage[link.slot] {
        case .toOne(let columns):
            result.append(
                set(link.mapping.table, columns, link.target.table, own: "A", other: "B", order: inverseOrder))
        case .toMany(.column(let key, let order, let table)):
            result.append(
                set(
                    table, ToOneColumns(key: key), link.mapping.table, own: "B", other: "A",
                    order: order.map { ($0, "OB") }))
        case .none, .attribute, .composite, .toMany(.join): break
        }
        if let inverse = link.inverse, case .toOne(let columns) = link.target.storage[inverse] {
            result.append(set(link.target.table, columns, link.mapping.table, own: "B", other: "A", order: nil))
        }
        return result
    }

    private var inverseOrder: (column: String, rank: String)? {
        guard let inverse = link.inverse, case .toMany(.column(_, let order?, _)) = link.target.storage[inverse] else {
            return nil
        }
        return (order, "OA")
    }

    private func set(
        _ table: EntityTable, _ columns: ToOneColumns, _ target: EntityTable, own: String, other: String,
        order: (column: String, rank: String)?
    ) -> String {
        func value(_ column: String) -> String {
            "(SELECT \(column) FROM \(kept) WHERE \(own) = \(table.sql).\(dialect.names.key))"
        }
        var sets = ["\(dialect.quoted(columns.key)) = \(value(other))"]
        if let entity = columns.entity {
            let kind =
                dialect.entityColumn(of: target.root).map { "D.\($0)" } ?? transition.destination.entity(of: target)
            sets.append(
                "\(dialect.quoted(entity)) = (SELECT \(kind) FROM \(target.sql) AS D WHERE D.\(dialect.names.key) = "
                    + "\(value(other)))"
            )
        }
        if let order { sets.append("\(dialect.quoted(order.column)) = \(value(order.rank))") }
        return "UPDATE \(table.sql) SET \(sets.joined(separator: ", ")) WHERE \(dialect.names.key) IN "
            + "(SELECT \(own) FROM \(kept))"
    }
}
