// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs the row operations of a save with prepared statements.

import Foundation
import SQLiteDriver

/// Writes the rows of one save, within its transaction.
struct RowWriter {
    let opened: OpenDatabase
    let changes: ChangeSet
    let connection: Connection
    let files: ExternalFiles?
    let permanentKeys: AssignedKeys

    /// Changes of rows that no longer have the expected version.
    var stale: [ChangeSet.VersionedChange] = []

    init(
        opened: OpenDatabase, changes: ChangeSet, connection: Connection, files: ExternalFiles?,
        permanentKeys: AssignedKeys
    ) {
        self.opened = opened
        self.changes = changes
        self.connection = connection
        self.files = files
        self.permanentKeys = permanentKeys
    }

    var schema: Schema { opened.schema }

    mutating func perform(_ batch: OperationBatch) throws {
        switch batch {
        case .inserts(let entity, let positions): try insert(entity, positions)
        case .updates(let entity, let changed, let positions): try update(entity, changed, positions)
        case .unlinkings(let entity, let positions): try unlink(entity, positions)
        case .deletes(let entity, let positions): try delete(entity, positions)
        case .single(let operation): try perform(operation)
        }
    }

    private mutating func perform(_ operation: RowOperation) throws {
        switch operation {
        case .check(let position): try check(changes.checks[position])
        case .park(let position): try park(changes.updates[position])
        case .link(let link): try write(link, isNew: true)
        case .unlink(let link): try write(link, isNew: false)
        case .own(let link): try write(link, isNew: true)
        case .disown(let link): try write(link, isNew: false)
        case .order(let members):
            let writer = MemberOrderWriter(opened: opened, connection: connection)
            try writer.write(members.resolved(by: permanentKeys))
        case .insert, .update, .delete, .unlinkAll:
            for batch in OperationBatcher.batches([operation], changes) { try perform(batch) }
        }
    }

    func key(_ key: Int64) -> Int64 { permanentKeys.permanent(key) }

    // MARK: Rows

    private func insert(_ entity: Int, _ positions: [Int]) throws {
        let mapping = try schema.held(entity)
        let indexes = try TableIndexes.removed(
            from: mapping.table.name, inserting: positions.count,
            upTo: positions.lazy.map { key(changes.inserts[$0].key) }.max() ?? 0, on: connection)
        try insertRows(mapping, positions)
        try indexes?.make(on: connection)
    }

    private func insertRows(_ mapping: EntityMapping, _ positions: [Int]) throws {
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
                        let (insert, first) = (positions[position + offset], offset * width + 1)
                        try statement.bind(key(changes.inserts[insert].key), at: first)
                        try statement.bind(mapping.number, at: first + 1)
                        try statement.bind(changes.inserts[insert].version, at: first + 2)
                        try Uncounted(changes.inserts[insert].snapshot).look {
                            try binder.bind($0, to: statement, first: first + 3)
                        }
                    }
                    _ = try statement.step()
                    statement.reset()
                    position += count
                }
            }
        }
    }
}
