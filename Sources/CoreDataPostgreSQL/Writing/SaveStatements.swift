// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The statements of a save: one for each shape of rows, in an order that two saves share.

import CoreData
import Foundation
import PostgreSQLDriver

/// Turns the operations of a save into statements, and remembers the number of rows that each of them must change.
struct SaveStatements {
    /// How many rows one statement writes.
    static let rowsPerStatement = 10_000

    /// Rows that a statement writes if they have the version that the change was made on.
    struct Expectation {
        /// The place among the statements.
        let statement: Int
        let count: Int
    }

    let opened: OpenServer
    let changes: ChangeSet
    let permanentKeys: AssignedKeys
    private(set) var statements: [Statement] = []
    private(set) var expectations: [Expectation] = []
    private(set) var orders: [OrderedMembers] = []

    init(_ opened: OpenServer, _ changes: ChangeSet, _ permanentKeys: AssignedKeys) throws {
        self.opened = opened
        self.changes = changes
        self.permanentKeys = permanentKeys
        var links = LinkGroups()
        for batch in OperationBatcher.batches(opened.planner.plan(changes), changes) {
            switch batch {
            case .inserts(let entity, let positions):
                try links.flush(into: &self)
                for part in Self.parts(positions) { try insert(entity, part) }
            case .updates(let entity, let changed, let positions):
                try links.flush(into: &self)
                for part in Self.parts(positions) { try update(entity, changed, part) }
            case .unlinkings(let entity, let positions):
                try links.flush(into: &self)
                for part in Self.parts(positions) { try unlink(entity, part) }
            case .deletes(let entity, let positions):
                try links.flush(into: &self)
                for part in Self.parts(positions) { try delete(entity, part) }
            case .single(.check(let position)): links.checks.append(position)
            case .single(.link(let link)): try links.add(.link(link.table), (link.owner, link.member), into: &self)
            case .single(.unlink(let link)): try links.add(.unlink(link.table), (link.owner, link.member), into: &self)
            case .single(.own(let link)):
                try links.add(.own(link.layout, link.slot), (link.owner, link.member), into: &self)
            case .single(.disown(let link)):
                try links.add(.disown(link.layout, link.slot), (link.owner, link.member), into: &self)
            case .single(.order(let members)): orders.append(resolved(members))
            case .single: break
            }
        }
        try links.flush(into: &self)
    }

    private static func parts(_ positions: [Int]) -> [ArraySlice<Int>] {
        stride(from: 0, to: positions.count, by: rowsPerStatement).map {
            positions[$0..<min($0 + rowsPerStatement, positions.count)]
        }
    }

    private func key(_ key: Int64) -> Int64 { key < 0 ? permanentKeys[key] ?? 0 : key }

    private func resolved(_ members: OrderedMembers) -> OrderedMembers {
        var result = members
        result.owner = key(members.owner)
        result.members = members.members.map(key).filter { $0 != 0 }
        return result
    }

    private func mapping(_ entity: Int) throws -> EntityMapping {
        guard let mapping = opened.schema.mapping(entity) else {
            throw CoreDataError.storeOperation(
                "The store does not hold the entity \(opened.schema.model.layouts[entity].name).")
        }
        return mapping
    }

    private func unnest(_ count: Int) -> String { (1...count).map { "$\($0)" }.joined(separator: ", ") }

    private mutating func expect(_ statement: Statement, _ count: Int) {
        expectations.append(Expectation(statement: statements.count, count: count))
        statements.append(statement)
    }

    // MARK: Rows

    private mutating func insert(_ entity: Int, _ positions: ArraySlice<Int>) throws {
        let mapping = try mapping(entity)
        let plan = RowPlan(schema: opened.schema, layouts: [mapping.layout])
        var sink = ColumnArrays(plan, opened.schema, permanentKeys, capacity: positions.count)
        var keys = ArrayBuilder(of: TypeNumber.int64, capacity: positions.count)
        var versions = ArrayBuilder(of: TypeNumber.int64, capacity: positions.count)
        for position in positions {
            keys.append(key(changes.inserts[position].key))
            versions.append(changes.inserts[position].version)
            try sink.append(changes.inserts[position].snapshot)
        }
        var names = ["id", "version"]
        var terms = ["u.k", "u.v"]
        var values = [keys.parameter, versions.parameter]
        let columns = plan.columns.indices.map { "c\($0)" }
        if mapping.table.root.hasSubentities {
            names.append("kind")
            terms.append("$\(columns.count + 3)")
        }
        names += plan.columns
        terms += columns.map { "u.\($0)" }
        values += sink.columns.map(\.parameter)
        let source = unnest(columns.count + 2)
        if mapping.table.root.hasSubentities { values.append(.text(mapping.layout.name)) }
        statements.append(
            Statement(
                "INSERT INTO \(mapping.table.sql) (\(names.joined(separator: ", "))) SELECT \(terms.joined(separator: ", ")) "
                    + "FROM unnest(\(source)) AS u(\((["k", "v"] + columns).joined(separator: ", ")))", values))
    }

    private mutating func update(_ entity: Int, _ changed: SlotSet, _ positions: ArraySlice<Int>) throws {
        let mapping = try mapping(entity)
        let plan = RowPlan(schema: opened.schema, layouts: [mapping.layout], slots: changed)
        // Rows in the order of their keys: two saves seldom wait for each other in a circle.
        let sorted = positions.sorted { changes.updates[$0].key < changes.updates[$1].key }
        var sink = ColumnArrays(plan, opened.schema, permanentKeys, capacity: positions.count)
        var keys = ArrayBuilder(of: TypeNumber.int64, capacity: positions.count)
        var versions = ArrayBuilder(of: TypeNumber.int64, capacity: positions.count)
        var next = ArrayBuilder(of: TypeNumber.int64, capacity: positions.count)
        for position in sorted {
            keys.append(changes.updates[position].key)
            versions.append(changes.updates[position].baseVersion)
            next.append(changes.updates[position].version)
            try sink.append(changes.updates[position].snapshot)
        }
        let columns = plan.columns.indices.map { "c\($0)" }
        let sets = zip(plan.columns, columns).map { "\($0) = u.\($1)" } + ["version = u.n"]
        expect(
            Statement(
                "UPDATE \(mapping.table.sql) AS t SET \(sets.joined(separator: ", ")) "
                    + "FROM unnest(\(unnest(columns.count + 3))) AS u(\((["k", "v", "n"] + columns).joined(separator: ", "))) "
                    + "WHERE t.id = u.k AND t.version = u.v",
                [keys.parameter, versions.parameter, next.parameter] + sink.columns.map(\.parameter)), positions.count)
    }

    private mutating func delete(_ entity: Int, _ positions: ArraySlice<Int>) throws {
        let rows = positions.map { changes.deletes[$0] }.sorted { $0.key < $1.key }
        expect(
            Statement(
                "DELETE FROM \(try mapping(entity).table.sql) AS t USING unnest($1, $2) AS u(k, v) "
                    + "WHERE t.id = u.k AND t.version = u.v",
                [.int64s(rows.map(\.key)), .int64s(rows.map(\.baseVersion))]), positions.count)
    }

    fileprivate mutating func check(_ positions: [Int]) throws {
        for (entity, group) in Dictionary(grouping: positions, by: { changes.checks[$0].layout.index })
            .sorted(by: { $0.key < $1.key })
        {
            let rows = group.map { changes.checks[$0] }.sorted { $0.key < $1.key }
            expect(
                Statement(
                    "SELECT t.id FROM \(try mapping(entity).table.sql) AS t JOIN unnest($1, $2) AS u(k, v) "
                        + "ON t.id = u.k AND t.version = u.v FOR SHARE OF t",
                    [.int64s(rows.map(\.key)), .int64s(rows.map(\.baseVersion))]), group.count)
        }
    }

    /// Removes all links to the rows of some deletions of one entity.
    private mutating func unlink(_ entity: Int, _ positions: ArraySlice<Int>) throws {
        let mapping = try mapping(entity)
        let keys = Parameter.int64s(positions.map { changes.deletes[$0].key }.sorted())
        for slot in mapping.layout.toManySlots {
            guard case .toMany(let storage) = mapping.storage[slot] else { continue }
            switch storage {
            case .join(let table, let isOwner):
                for end in table.isReflexive ? [isOwner, !isOwner] : [isOwner] {
                    statements.append(
                        Statement("DELETE FROM \(table.sql) WHERE \(table.column(of: end)) = ANY($1)", [keys]))
                }
            case .column(let name, _, let table):
                guard mapping.layout[slot].inverse < 0 else { continue }
                let column = opened.dialect.quoted(name)
                statements.append(
                    Statement("UPDATE \(table.sql) SET \(column) = NULL WHERE \(column) = ANY($1)", [keys]))
            }
        }
    }

    // MARK: Links

    fileprivate mutating func write(_ kind: LinkGroups.Kind, _ pairs: [(owner: Int64, member: Int64)]) throws {
        let known = pairs.map { (owner: key($0.owner), member: key($0.member)) }
            .filter { $0.owner != 0 && $0.member != 0 }.sorted { ($0.owner, $0.member) < ($1.owner, $1.member) }
        if known.isEmpty { return }
        let values = [Parameter.int64s(known.map(\.owner)), .int64s(known.map(\.member))]
        switch kind {
        case .link(let position):
            let table = opened.schema.joinTables[position]
            statements.append(
                Statement(
                    "INSERT INTO \(table.sql) (\(table.column(of: true)), \(table.column(of: false))) "
                        + "SELECT * FROM unnest($1, $2) ON CONFLICT DO NOTHING", values))
        case .unlink(let position):
            let table = opened.schema.joinTables[position]
            statements.append(
                Statement(
                    "DELETE FROM \(table.sql) AS t USING unnest($1, $2) AS u(o, m) "
                        + "WHERE t.\(table.column(of: true)) = u.o AND t.\(table.column(of: false)) = u.m", values))
        case .own(let layout, let slot), .disown(let layout, let slot):
            guard case .toMany(.column(let name, _, let table)) = opened.schema.mapping(layout)?.storage[slot] else {
                return
            }
            let column = opened.dialect.quoted(name)
            let isOwn = if case .own = kind { true } else { false }
            statements.append(
                Statement(
                    "UPDATE \(table.sql) AS t SET \(column) = \(isOwn ? "u.o" : "NULL") FROM unnest($1, $2) AS u(o, m) "
                        + "WHERE t.id = u.m\(isOwn ? "" : " AND t.\(column) = u.o")", values))
        }
    }
}

/// Links of one kind that follow one another, for one statement.
private struct LinkGroups {
    enum Kind: Hashable {
        case link(Int)
        case unlink(Int)
        case own(Int, Int)
        case disown(Int, Int)
    }

    var checks: [Int] = []
    private var order: [Kind] = []
    private var pairs: [Kind: [(owner: Int64, member: Int64)]] = [:]

    mutating func add(_ kind: Kind, _ pair: (Int64, Int64), into statements: inout SaveStatements) throws {
        if pairs[kind] == nil { order.append(kind) }
        pairs[kind, default: []].append((pair.0, pair.1))
        if pairs[kind, default: []].count >= SaveStatements.rowsPerStatement { try flush(into: &statements) }
    }

    mutating func flush(into statements: inout SaveStatements) throws {
        if !checks.isEmpty { try statements.check(checks) }
        checks = []
        for kind in order { try statements.write(kind, pairs[kind] ?? []) }
        order = []
        pairs = [:]
    }
}
