// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides how one join table changes: it is renamed, or made and filled from links.

import Foundation

package struct JoinChange {
    package let join: JoinTable
    package let workName: String
    /// The table of the file that is altered in place; nil if a new one is made.
    package let source: JoinTable?
    /// The links that fill a new table, seen from its owner.
    let links: [SourceLink]
    private(set) var renames: [String] = []
    private(set) var touched: Set<String> = []
    private var dropped: [String] = []
    private let dialect: any Dialect

    init(
        _ join: JoinTable, _ transition: SchemaTransition, _ present: [String: [DatabaseOutline.Column]],
        _ names: inout ScratchNames, used: inout Set<String>
    ) {
        self.join = join
        dialect = transition.dialect
        let link = transition.destination.mapping(join.owner).flatMap {
            LinkTransition($0, join.ownerSlot, in: transition)
        }
        links = link?.sources ?? []
        if links.count == 1, let old = links[0].join, Self.fits(old, join), used.insert(old.table.name).inserted {
            source = old.table
            workName = old.table.name == join.name ? join.name : names.claim(join.name)
            planRenames(old.table, present)
        } else {
            source = nil
            workName = names.claim(join.name)
        }
    }

    /// The primary key begins with the owner, and order keys of a newly ordered end have to be counted.
    private static func fits(_ old: SourceLink.Join, _ join: JoinTable) -> Bool {
        guard old.isOwner, old.table.isReflexive == join.isReflexive else { return false }
        return (join.memberOrder == nil || old.table.memberOrder != nil)
            && (join.ownerOrder == nil || old.table.ownerOrder != nil)
    }

    private mutating func planRenames(_ old: JoinTable, _ columns: [String: [DatabaseOutline.Column]]) {
        let pairs = [
            (old.ownerColumn, Optional(join.ownerColumn)), (old.memberColumn, join.memberColumn),
            (old.memberOrder, join.memberOrder), (old.ownerOrder, join.ownerOrder),
        ]
        let targets = Dictionary(
            pairs.compactMap { from, to in from.flatMap { from in to.map { (from, $0) } } },
            uniquingKeysWith: { first, _ in first })
        let present = (columns[old.name] ?? []).map(\.name)
        var names = ScratchNames(present + Array(targets.values))
        var current: [String: String] = [:]
        let wanted = Set(targets.filter { $0.key != $0.value }.map { $0.value.uppercased() })
        func rename(_ from: String, _ to: String) -> String {
            "ALTER TABLE \(old.sql) RENAME COLUMN \(dialect.quoted(from)) TO \(dialect.quoted(to))"
        }
        for column in present where wanted.contains(column.uppercased()) {
            let free = names.free()
            renames.append(rename(column, free))
            current[column] = free
        }
        for column in present {
            let name = current[column] ?? column
            guard let target = targets[column] else {
                dropped.append(name)
                touched.insert(column)
                continue
            }
            guard target != name else { continue }
            renames.append(rename(name, target))
            touched.formUnion([column, target])
        }
    }

    /// Run when the new table exists, before any old table changes.
    var fillings: [String] {
        guard source == nil else { return [] }
        return links.map { link in
            let both = join.isReflexive && link.join == nil
            let links = link.query(dialect)
            let query =
                both ? "\(links) UNION SELECT B, A, OA, OB FROM (\(links))\(dialect.subqueryName)" : links
            func order(_ own: String, _ other: String, _ key: String) -> String {
                "1024 + 1024 * ROW_NUMBER() OVER (PARTITION BY \(other) ORDER BY \(own) IS NULL, \(own), \(key))"
            }
            var columns = [join.column(of: true), join.column(of: false)]
            var values = ["A", "B"]
            if let column = join.order(of: true) {
                columns.append(column)
                values.append(order("OB", "A", "B"))
            }
            if let column = join.order(of: false) {
                columns.append(column)
                values.append(order("OA", "B", "A"))
            }
            let (head, tail) = dialect.insertionOfNew
            return
                "\(head) \(dialect.qualified(workName)) (\(columns.joined(separator: ", "))) SELECT "
                + "\(values.joined(separator: ", ")) FROM (\(query))\(dialect.subqueryName) ORDER BY 1, 2\(tail)"
        }
    }

    /// The alterations without the renames.
    ///
    /// - Parameter defers: whether columns that the destination lacks are kept.
    ///
    /// - Parameter defers: whether columns without a place in the destination stay.
    func alterations(defers: Bool) -> [String] {
        guard let source else { return [] }
        let table = dialect.qualified(workName)
        var result: [String] = []
        if workName != source.name {
            result.append("ALTER TABLE \(source.sql) RENAME TO \(dialect.quoted(workName))")
        }
        return result + (defers ? [] : dropped).map { "ALTER TABLE \(table) DROP COLUMN \(dialect.quoted($0))" }
    }

    /// Removes the links of deleted rows, once all tables have their final names.
    func cleanup(_ transition: SchemaTransition) -> [String] {
        guard !links.isEmpty else { return [] }
        let owners = transition.destination.mapping(join.owner)
        let members = transition.destination.mapping(join.member)
        var result: [String] = []
        for (mapping, isOwner) in [(owners, true), (members, false)] {
            guard let mapping else { continue }
            let family = transition.family(mapping)
            let kept = Set(family.map(\.number))
            let before = Set(links.flatMap { isOwner ? $0.targetsOfB : $0.targetsOfA })
            let isNarrower = before.contains { old in
                transition.entity(old: old).map { !kept.contains($0.newNumber) } ?? true
            }
            guard isNarrower else { continue }
            let numbers =
                family.count == transition.destination.entities.filter { $0.table === mapping.table }.count
                ? ""
                : " WHERE \(transition.destination.entity(of: mapping.table)) IN "
                    + transition.destination.list(kept)
            result.append(
                "DELETE FROM \(join.sql) WHERE \(join.column(of: isOwner)) NOT IN (SELECT \(dialect.names.key) FROM "
                    + "\(mapping.table.sql)\(numbers))")
        }
        return result
    }
}
