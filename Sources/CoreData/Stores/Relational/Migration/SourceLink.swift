// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the columns and tables in which a source database keeps the links of a relationship.

import Foundation

/// The links between the rows of two ends, A and B, in the tables of the source.
struct SourceLink: Equatable {
    struct Join: Equatable {
        let table: JoinTable
        /// Whether A is the owner of the join table.
        let isOwner: Bool

        static func == (one: Join, other: Join) -> Bool { one.table === other.table && one.isOwner == other.isOwner }
    }

    /// The columns in the rows of A with the key of B, and the entity of B.
    var keyInA: ToOneColumns?
    var keyInB: ToOneColumns?
    /// The order key of B's row among the members of A, in B's table; and the other way round.
    var orderOfB: String?
    var orderOfA: String?
    var join: Join?
    /// The names of the tables with the rows.
    var tableA: String
    var tableB: String
    /// The entities that B's rows may have, as the relationship of A names them.
    var targetsOfA: [Int64]
    var targetsOfB: [Int64]

    static func == (one: SourceLink, other: SourceLink) -> Bool {
        one.keyInA?.key == other.keyInA?.key && one.keyInB?.key == other.keyInB?.key && one.join == other.join
            && one.tableA == other.tableA && one.tableB == other.tableB
    }

    /// The links of the relationship in a slot of a source entity, which is end A.
    init?(_ mapping: EntityMapping, _ slot: Int, _ schema: Schema) {
        let place = mapping.layout[slot]
        guard let other = schema.mapping(Int(place.destination)) else { return nil }
        let inverse = place.inverse >= 0 ? other.storage[Int(place.inverse)] : SlotStorage.none
        tableA = mapping.table.name
        tableB = other.table.name
        targetsOfA = (Int(place.destination)..<Int(place.destinationEnd)).compactMap { schema.mapping($0)?.number }
        targetsOfB = mapping.layout.familyIndexes.compactMap { schema.mapping($0)?.number }
        switch mapping.storage[slot] {
        case .toOne(let columns):
            keyInA = columns
            switch inverse {
            case .toOne(let columns): keyInB = columns
            case .toMany(.column(_, let order, _)): orderOfA = order
            default: break
            }
        case .toMany(.column(let key, let order, let table)):
            if case .toOne(let columns) = inverse { keyInB = columns } else { keyInB = ToOneColumns(key: key) }
            orderOfB = order
            tableB = table.name
        case .toMany(.join(let table, let isOwner)):
            join = Join(table: table, isOwner: isOwner)
        case .none, .attribute, .composite: return nil
        }
    }

    /// The same links, seen from the other end.
    var reversed: SourceLink {
        var result = self
        (result.keyInA, result.keyInB) = (keyInB, keyInA)
        (result.orderOfA, result.orderOfB) = (orderOfB, orderOfA)
        (result.tableA, result.tableB) = (tableB, tableA)
        (result.targetsOfA, result.targetsOfB) = (targetsOfB, targetsOfA)
        result.join = join.map { Join(table: $0.table, isOwner: $0.table.isReflexive ? $0.isOwner : !$0.isOwner) }
        return result
    }

    /// A query for all links: the key of A, the key of B, the order of B in A, and the order of A in B.
    func query(_ dialect: any Dialect) -> String {
        let none = dialect.noKey
        if let join {
            let (one, other) = (join.table.column(of: join.isOwner), join.table.column(of: !join.isOwner))
            let (orderB, orderA) = (join.table.order(of: join.isOwner), join.table.order(of: !join.isOwner))
            return "SELECT \(one) AS A, \(other) AS B, \(orderB ?? none) AS OB, \(orderA ?? none) AS OA "
                + "FROM \(join.table.sql)"
        }
        let own = dialect.names.key
        if let keyInA {
            let key = dialect.quoted(keyInA.key)
            return "SELECT \(own) AS A, \(key) AS B, \(none) AS OB, \(orderOfA.map(dialect.quoted) ?? none) AS OA "
                + "FROM \(dialect.qualified(tableA)) WHERE \(key) IS NOT NULL"
        }
        let key = dialect.quoted(keyInB?.key ?? own)
        return "SELECT \(key) AS A, \(own) AS B, \(orderOfB.map(dialect.quoted) ?? none) AS OB, \(none) AS OA "
            + "FROM \(dialect.qualified(tableB)) WHERE \(key) IS NOT NULL"
    }
}
