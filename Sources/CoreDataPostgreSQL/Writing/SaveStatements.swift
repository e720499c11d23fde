// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The statements of a save: one for each shape of rows, in an order that is the same for all saves.

import CoreData
import Foundation
import PostgreSQLDriver

/// Converts the operations of a save to statements, and records the number of rows that each of them must change.
struct SaveStatements {
    /// The maximum number of rows in one statement.
    static let rowsPerStatement = 10_000

    /// Rows that a statement writes only if they still have the version on which the change is based.
    struct Expectation {
        /// The index of the statement.
        let statement: Int
        /// The column of the number in the answer; nil if the server reports the number of rows.
        let column: Int?
        let count: Int
    }

    /// A statement that writes rows of one table. A save may combine several into one statement (MappedTables-S1).
    private struct RowStatement {
        let values: [Parameter]
        /// nil for an insertion: the server inserts all rows or none.
        let count: Int?
        /// - Parameters:
        ///   - base: the number of values before the statement's own.
        ///   - condition: an additional condition, or nil.
        let text: (_ base: Int, _ condition: String?) -> String
    }

    let opened: OpenServer
    let changes: ChangeSet
    let permanentKeys: AssignedKeys
    private(set) var statements: [Statement] = []
    private(set) var expectations: [Expectation] = []
    private(set) var orders: [OrderedMembers] = []
    private var rows: [RowStatement] = []

    init(_ opened: OpenServer, _ changes: ChangeSet, _ permanentKeys: AssignedKeys) throws {
        self.opened = opened
        self.changes = changes
        self.permanentKeys = permanentKeys
        var links = LinkGroups()
        if !changes.checks.isEmpty { try lockRows() }
        for batch in OperationBatcher.batches(opened.planner.plan(changes), changes) {
            if !batch.writesRows { flushRows() }
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
            case .single(.order(let members)): orders.append(members.resolved(by: permanentKeys))
            case .single: break
            }
        }
        flushRows()
        try links.flush(into: &self)
    }

    private static func parts(_ positions: [Int]) -> [ArraySlice<Int>] {
        stride(from: 0, to: positions.count, by: rowsPerStatement).map {
            positions[$0..<min($0 + rowsPerStatement, positions.count)]
        }
    }

    private func key(_ key: Int64) -> Int64 { permanentKeys.permanent(key) }

    private static func unnest(_ count: Int, after base: Int = 0) -> String {
        (1...count).map { "$\(base + $0)" }.joined(separator: ", ")
    }

    private mutating func expect(_ statement: Statement, _ count: Int) {
        expectations.append(Expectation(statement: statements.count, column: nil, count: count))
        statements.append(statement)
    }

    /// - Throws: 134091 for a table that cannot be written to.
    private func target(_ table: String) throws -> WriteTarget {
        if let refusal = opened.dialect.mapped[table]?.refusal {
            throw CoreDataError.unsupportedRequest("writing: \(refusal)", store: nil)
        }
        return WriteTarget(table, opened.dialect)
    }

    /// Constraints of mapped tables are usually checked at the end of each statement, so all rows are written by one.
    private mutating func flushRows() {
        defer { rows = [] }
        guard rows.count > 1, !opened.dialect.mapped.isEmpty else {
            for row in rows {
                let statement = Statement(row.text(0, nil), row.values)
                if let count = row.count { expect(statement, count) } else { statements.append(statement) }
            }
            return
        }
        var texts: [String] = []
        var values: [Parameter] = []
        for (place, row) in rows.enumerated() {
            // Each query waits for the previous one, because its count is needed.
            let condition = place == 0 ? nil : "(SELECT count(*) FROM w\(place - 1)) >= 0"
            texts.append("w\(place) AS (\(row.text(values.count, condition)) RETURNING 1)")
            values += row.values
            if let count = row.count {
                expectations.append(Expectation(statement: statements.count, column: place, count: count))
            }
        }
        let counts = rows.indices.map { "(SELECT count(*) FROM w\($0))" }.joined(separator: ", ")
        statements.append(Statement("WITH \(texts.joined(separator: ", ")) SELECT \(counts)", values))
    }

    // MARK: Rows

    private mutating func insert(_ entity: Int, _ positions: ArraySlice<Int>) throws {
        let mapping = try opened.schema.held(entity)
        let plan = RowPlan(schema: opened.schema, layouts: [mapping.layout])
        let sink = ColumnArrays(plan, opened.schema, permanentKeys, capacity: positions.count)
        var keys = ArrayBuilder(of: TypeNumber.int64, capacity: positions.count)
        var versions = ArrayBuilder(of: TypeNumber.int64, capacity: positions.count)
        for position in positions {
            keys.append(key(changes.inserts[position].key))
            versions.append(changes.inserts[position].version)
            try sink.append(changes.inserts[position].snapshot)
        }
        let target = try target(mapping.table.name)
        let kind = target.kind(of: mapping.layout.name, hasKinds: mapping.table.root.hasSubentities)
        let (stored, arrays) = Self.written(plan, sink, target)
        let columns = stored.indices.map { "c\($0)" }
        let names =
            [target.key] + [target.version, kind?.column].compactMap { $0 } + stored.map(target.column) + target.places
        let written = zip(stored, columns).map { target.insertion("u.\($1)", for: $0) } + target.places.map { _ in "0" }
        let head = "INSERT INTO \(target.sql) (\(names.joined(separator: ", ")))\(target.overriding) SELECT "
        let version = target.version == nil ? [] : ["u.v"]
        let kinds: [Parameter] = kind.map { [.text($0.text)] } ?? []
        rows.append(
            RowStatement(
                values: [keys.parameter, versions.parameter] + arrays + kinds, count: nil
            ) { base, condition in
                let terms =
                    ["u.k"] + version + (kind.map { [$0.value("$\(base + columns.count + 3)")] } ?? []) + written
                let list = (["k", "v"] + columns).joined(separator: ", ")
                return head + "\(terms.joined(separator: ", ")) "
                    + "FROM unnest(\(Self.unnest(columns.count + 2, after: base))) AS u(\(list))"
                    + (condition.map { " WHERE \($0)" } ?? "")
            })
    }

    /// The columns of a plan that the table has, with their values.
    private static func written(_ plan: RowPlan, _ sink: ColumnArrays, _ target: WriteTarget)
        -> (names: [String], values: [Parameter])
    {
        let kept = plan.columns.indices.filter { target.has(plan.columns[$0]) }
        return (kept.map { plan.columns[$0] }, kept.map { sink.columns[$0].parameter })
    }

    private mutating func update(_ entity: Int, _ changed: SlotSet, _ positions: ArraySlice<Int>) throws {
        let mapping = try opened.schema.held(entity)
        let plan = RowPlan(schema: opened.schema, layouts: [mapping.layout], slots: changed)
        // Rows are locked in the order of their keys, so deadlocks between two saves are rare.
        let sorted = positions.sorted { changes.updates[$0].key < changes.updates[$1].key }
        let sink = ColumnArrays(plan, opened.schema, permanentKeys, capacity: positions.count)
        var keys = ArrayBuilder(of: TypeNumber.int64, capacity: positions.count)
        var versions = ArrayBuilder(of: TypeNumber.int64, capacity: positions.count)
        var next = ArrayBuilder(of: TypeNumber.int64, capacity: positions.count)
        for position in sorted {
            keys.append(changes.updates[position].key)
            versions.append(changes.updates[position].baseVersion)
            next.append(changes.updates[position].version)
            try sink.append(changes.updates[position].snapshot)
        }
        let target = try target(mapping.table.name)
        let (stored, arrays) = Self.written(plan, sink, target)
        let columns = stored.indices.map { "c\($0)" }
        var sets = zip(stored, columns).map { "\(target.column($0)) = \(target.value("u.\($1)", for: $0))" }
        if let version = target.version { sets.append("\(version) = u.n") }
        // Even if only links changed, the row gets another version.
        if sets.isEmpty { sets.append("\(target.key) = t.\(target.key)") }
        let head = "UPDATE \(target.sql) AS t SET \(sets.joined(separator: ", ")) FROM unnest("
        let list = (["k", "v", "n"] + columns).joined(separator: ", ")
        let tail = ") AS u(\(list)) WHERE t.\(target.key) = u.k AND \(target.version(of: "t")) = u.v"
        rows.append(
            RowStatement(
                values: [keys.parameter, versions.parameter, next.parameter] + arrays, count: positions.count
            ) { base, condition in
                head + Self.unnest(columns.count + 3, after: base) + tail + (condition.map { " AND \($0)" } ?? "")
            })
    }

    private mutating func delete(_ entity: Int, _ positions: ArraySlice<Int>) throws {
        let rows = positions.map { changes.deletes[$0] }.sorted { $0.key < $1.key }
        let target = try target(opened.schema.held(entity).table.name)
        self.rows.append(
            RowStatement(
                values: [.int64s(rows.map(\.key)), .int64s(rows.map(\.baseVersion))], count: positions.count
            ) { base, condition in
                "DELETE FROM \(target.sql) AS t USING unnest(\(Self.unnest(2, after: base))) AS u(k, v) "
                    + "WHERE t.\(target.key) = u.k AND \(target.version(of: "t")) = u.v"
                    + (condition.map { " AND \($0)" } ?? "")
            })
    }

    /// Locks the rows that the save checks and writes, in the order of tables and keys.
    ///
    /// Two saves that each check the row which the other one writes would wait for each other, until the server ends
    /// one of them.
    private mutating func lockRows() throws {
        var keys: [String: Set<Int64>] = [:]
        let rows =
            changes.checks.map { ($0.layout.index, $0.key) } + changes.updates.map { ($0.snapshot.layoutIndex, $0.key) }
            + changes.deletes.map { ($0.layout.index, $0.key) }
        for (entity, key) in rows { keys[try opened.schema.held(entity).table.name, default: []].insert(key) }
        for (table, keys) in keys.sorted(by: { $0.key < $1.key })
        where opened.dialect.mapped[table]?.refusal == nil {
            let target = try target(table)
            statements.append(
                Statement(
                    "SELECT 1 FROM \(target.sql) AS t WHERE t.\(target.key) = ANY($1) ORDER BY t.\(target.key) "
                        + "FOR NO KEY UPDATE", [.int64s(keys.sorted())]))
        }
    }

    /// The rows are locked already.
    fileprivate mutating func check(_ positions: [Int]) throws {
        for (entity, group) in Dictionary(grouping: positions, by: { changes.checks[$0].layout.index })
            .sorted(by: { $0.key < $1.key })
        {
            let rows = group.map { changes.checks[$0] }
            let target = WriteTarget(try opened.schema.held(entity).table.name, opened.dialect)
            expect(
                Statement(
                    "SELECT 1 FROM \(target.sql) AS t JOIN unnest($1, $2) AS u(k, v) "
                        + "ON t.\(target.key) = u.k AND \(target.version(of: "t")) = u.v",
                    [.int64s(rows.map(\.key)), .int64s(rows.map(\.baseVersion))]), group.count)
        }
    }

    /// Removes all links to the rows of some deletions of one entity.
    private mutating func unlink(_ entity: Int, _ positions: ArraySlice<Int>) throws {
        let keys = Parameter.int64s(positions.map { changes.deletes[$0].key }.sorted())
        for link in opened.schema.linkColumns(of: opened.schema.model.layouts[entity]) {
            let target = try target(link.table)
            let column = target.column(link.name)
            let change = link.isJoin ? "DELETE FROM \(target.sql)" : "UPDATE \(target.sql) SET \(column) = NULL"
            statements.append(Statement("\(change) WHERE \(column) = ANY($1)", [keys]))
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
            let target = try target(table.name)
            let ends = [true, false].map { target.column(table.column(of: $0)) }
            let terms = ["u.o", "u.m"] + target.places.map { _ in "0" }
            statements.append(
                Statement(
                    "INSERT INTO \(target.sql) (\((ends + target.places).joined(separator: ", "))) "
                        + "SELECT \(terms.joined(separator: ", ")) FROM unnest($1, $2) AS u(o, m)"
                        + target.unlinked(ends[0], ends[1]), values))
        case .unlink(let position):
            let table = opened.schema.joinTables[position]
            let target = try target(table.name)
            let (owner, member) = (target.column(table.column(of: true)), target.column(table.column(of: false)))
            statements.append(
                Statement(
                    "DELETE FROM \(target.sql) AS t USING unnest($1, $2) AS u(o, m) "
                        + "WHERE t.\(owner) = u.o AND t.\(member) = u.m", values))
        case .own(let layout, let slot), .disown(let layout, let slot):
            guard case .toMany(.column(let name, _, let table)) = opened.schema.mapping(layout)?.storage[slot] else {
                return
            }
            let target = try target(table.name)
            let column = target.column(opened.dialect.quoted(name))
            let isOwn = if case .own = kind { true } else { false }
            statements.append(
                Statement(
                    "UPDATE \(target.sql) AS t SET \(column) = \(isOwn ? "u.o" : "NULL") FROM unnest($1, $2) AS u(o, m) "
                        + "WHERE t.\(target.key) = u.m\(isOwn ? "" : " AND t.\(column) = u.o")", values))
        }
    }
}

extension OperationBatch {
    fileprivate var writesRows: Bool {
        switch self {
        case .inserts, .updates, .deletes: true
        case .unlinkings, .single: false
        }
    }
}

/// Consecutive links of one kind, for one statement.
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
