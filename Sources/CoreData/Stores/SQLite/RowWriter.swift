// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Carries out the operations of a save with prepared statements.

import Foundation
import SQLiteDriver

/// Writes the rows of one save. Inside its transaction.
struct RowWriter {
    let opened: SQLiteStore.Opened
    let changes: ChangeSet
    let connection: Connection
    let files: ExternalFiles?
    let permanentKeys: [Int64: Int64]

    /// A change made on a version that the row no longer has.
    struct Stale {
        var key: Int64
        var layout: EntityLayout
    }

    private(set) var stale: [Stale] = []

    init(
        opened: SQLiteStore.Opened, changes: ChangeSet, connection: Connection, files: ExternalFiles?,
        permanentKeys: [Int64: Int64]
    ) {
        self.opened = opened
        self.changes = changes
        self.connection = connection
        self.files = files
        self.permanentKeys = permanentKeys
    }

    private var schema: Schema { opened.schema }

    mutating func perform(_ batch: OperationBatch) throws {
        switch batch {
        case .inserts(let entity, let positions): try insert(entity, positions)
        case .updates(let entity, let changed, let positions): try update(entity, changed, positions)
        case .deletes(let entity, let positions): try delete(entity, positions)
        case .single(let operation): try perform(operation)
        }
    }

    private mutating func perform(_ operation: RowOperation) throws {
        switch operation {
        case .check(let position): try check(changes.checks[position])
        case .unlinkAll(let position): try unlinkAll(changes.deletes[position])
        case .park(let position): try park(changes.updates[position])
        case .link(let link): try write(link, isNew: true)
        case .unlink(let link): try write(link, isNew: false)
        case .own(let link): try write(link, isNew: true)
        case .disown(let link): try write(link, isNew: false)
        case .order(let members): try MemberOrderWriter(opened: opened, connection: connection).write(resolved(members))
        case .insert(let position):
            try insert(changes.inserts[position].snapshot.layout.index, [position])
        case .update(let position):
            let update = changes.updates[position]
            try self.update(update.snapshot.layout.index, update.changed, [position])
        case .delete(let position): try delete(changes.deletes[position].layout.index, [position])
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
        guard let mapping = schema.mapping(entity) else {
            throw CoreDataError.storeOperation(
                "The store does not hold the entity \(schema.model.layouts[entity].name).")
        }
        return mapping
    }

    // MARK: Rows

    private func insert(_ entity: Int, _ positions: [Int]) throws {
        let mapping = try mapping(entity)
        let plan = opened.plans.insert(mapping.layout)
        let binder = RowBinder(plan: plan, schema: schema, files: files, permanentKeys: permanentKeys)
        let width = plan.columns.count + 3
        let many = max(1, min(OperationBatcher.rowsPerInsert, connection.maximumParameterCount / width))
        let head =
            "INSERT OR ROLLBACK INTO \(mapping.table.sql) "
            + "(Z_PK, Z_ENT, Z_OPT\(plan.columns.map { ", " + $0 }.joined())) VALUES "
        let row = "(" + Array(repeating: "?", count: width).joined(separator: ", ") + ")"
        var position = 0
        while position < positions.count {
            let count = positions.count - position >= many ? many : 1
            let last = count == 1 ? positions.count : position + (positions.count - position) / many * many
            try connection.withStatement(head + Array(repeating: row, count: count).joined(separator: ", ")) {
                statement in
                while position + count <= last {
                    for offset in 0..<count {
                        let insert = changes.inserts[positions[position + offset]]
                        let first = offset * width + 1
                        try statement.bind(key(insert.key), at: first)
                        try statement.bind(mapping.number, at: first + 1)
                        try statement.bind(Int64(1), at: first + 2)
                        try binder.bind(insert.snapshot, to: statement, first: first + 3)
                    }
                    _ = try statement.step()
                    statement.reset()
                    position += count
                }
            }
        }
    }

    private mutating func update(_ entity: Int, _ changed: SlotSet, _ positions: [Int]) throws {
        let mapping = try mapping(entity)
        let plan = RowPlan(schema: schema, layouts: [mapping.layout], includesDerived: false, slots: changed)
        let binder = RowBinder(plan: plan, schema: schema, files: files, permanentKeys: permanentKeys)
        let external = externalColumns(mapping, changed)
        let sets = plan.columns.map { "\($0) = ?, " }.joined()
        let width = plan.columns.count
        let sql = "UPDATE OR ROLLBACK \(mapping.table.sql) SET \(sets)Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?"
        let statement = try connection.statement(for: sql)
        defer { statement.reset() }
        for position in positions {
            let update = changes.updates[position]
            if !external.isEmpty { try releaseFiles(mapping, external, update.key) }
            try binder.bind(update.snapshot, to: statement, first: 1)
            // Wraps around: a damaged file may hold the greatest number, and only being different counts.
            try statement.bind(update.baseVersion &+ 1, at: width + 1)
            try statement.bind(update.key, at: width + 2)
            try statement.bind(update.baseVersion, at: width + 3)
            _ = try statement.step()
            statement.reset()
            if connection.changes == 0 { stale.append(Stale(key: update.key, layout: mapping.layout)) }
        }
    }

    private mutating func delete(_ entity: Int, _ positions: [Int]) throws {
        let mapping = try mapping(entity)
        let external = externalColumns(mapping, nil)
        let statement = try connection.statement(
            for: "DELETE FROM \(mapping.table.sql) WHERE Z_PK = ? AND Z_OPT = ?")
        defer { statement.reset() }
        for position in positions {
            let delete = changes.deletes[position]
            if !external.isEmpty { try releaseFiles(mapping, external, delete.key) }
            try statement.bind(delete.key, at: 1)
            try statement.bind(delete.baseVersion, at: 2)
            _ = try statement.step()
            statement.reset()
            if connection.changes == 0 { stale.append(Stale(key: delete.key, layout: mapping.layout)) }
        }
    }

    private mutating func check(_ check: ChangeSet.Check) throws {
        let mapping = try mapping(check.layout.index)
        let version = try connection.value(
            "SELECT Z_OPT FROM \(mapping.table.sql) WHERE Z_PK = ?", [.integer(check.key)])
        if version?.integerValue != check.baseVersion { stale.append(Stale(key: check.key, layout: check.layout)) }
    }

    private func park(_ update: ChangeSet.Update) throws {
        let mapping = try mapping(update.snapshot.layout.index)
        let columns = opened.planner.parkedSlots(update).compactMap { slot -> String? in
            switch mapping.storage[slot] {
            case .attribute(let column): "\(SchemaNaming.quoted(column.name)) = NULL"
            case .toOne(let columns): "\(SchemaNaming.quoted(columns.key)) = NULL"
            default: nil
            }
        }
        guard !columns.isEmpty else { return }
        try connection.run(
            "UPDATE \(mapping.table.sql) SET \(columns.joined(separator: ", ")) WHERE Z_PK = ?", [.integer(update.key)])
    }

    // MARK: Data in files

    private func externalColumns(_ mapping: EntityMapping, _ changed: SlotSet?) -> [String] {
        guard files != nil else { return [] }
        return mapping.layout.attributeSlots.compactMap { slot in
            guard changed?.contains(slot) != false, case .attribute(let column) = mapping.storage[slot],
                case .externalBinary = column.coding
            else { return nil }
            return SchemaNaming.quoted(column.name)
        }
    }

    /// Notes the files that a row refers to before its columns are overwritten.
    private func releaseFiles(_ mapping: EntityMapping, _ columns: [String], _ key: Int64) throws {
        // The first 38 bytes: what lies in the row itself need not be read.
        let list = columns.map { "SUBSTR(\($0), 1, 38)" }.joined(separator: ", ")
        for row in try connection.rows("SELECT \(list) FROM \(mapping.table.sql) WHERE Z_PK = ?", [.integer(key)]) {
            for value in row { files?.release(value.blobValue) }
        }
    }

    // MARK: Links

    private func write(_ link: JoinLink, isNew: Bool) throws {
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

    private func write(_ link: OneWayLink, isNew: Bool) throws {
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

    private func unlinkAll(_ delete: ChangeSet.Delete) throws {
        let mapping = try mapping(delete.layout.index)
        for slot in delete.layout.toManySlots {
            guard case .toMany(let storage) = mapping.storage[slot] else { continue }
            switch storage {
            case .join(let table, let isOwner):
                try connection.run(
                    "DELETE FROM \(table.sql) WHERE \(table.column(of: isOwner)) = ?", [.integer(delete.key)])
                if table.isReflexive {
                    try connection.run(
                        "DELETE FROM \(table.sql) WHERE \(table.column(of: !isOwner)) = ?", [.integer(delete.key)])
                }
            case .column(let name, _, let table):
                guard delete.layout[slot].inverse < 0 else { continue }
                let column = SchemaNaming.quoted(name)
                try connection.run(
                    "UPDATE \(table.sql) SET \(column) = NULL WHERE \(column) = ?", [.integer(delete.key)])
            }
        }
    }
}
