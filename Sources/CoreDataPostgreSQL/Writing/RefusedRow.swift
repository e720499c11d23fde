// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the object and the property because of which a mapped table has refused a row.

import CoreData
import Foundation
import PostgreSQLDriver

/// The server reports which constraint was violated, but rarely by which row. So the rows are written again in halves,
/// within transactions that are rolled back (MappedTables-S3).
struct RefusedRow {
    let opened: OpenServer
    let changes: ChangeSet
    let keys: AssignedKeys
    let refusal: PostgreSQLError

    /// Whether the error concerns a row, not the statement or the connection.
    static func explains(_ error: PostgreSQLError, _ opened: OpenServer) -> Bool {
        !opened.dialect.mapped.isEmpty && error.kind == .server
            && (error.code.hasPrefix("22") || error.code.hasPrefix("23") && error.code != "23P01")
    }

    /// The error for the object; nil if the object is not found.
    func error() throws -> NSError? {
        try opened.sessions.with(repeats: true) { connection in
            for part in parts {
                guard part.count > 0, let change = try refused(part, connection) else { continue }
                return error(change, try property(change, connection))
            }
            return nil
        }
    }

    // MARK: The row

    private enum Change {
        case insert(ChangeSet.Insert)
        case update(ChangeSet.Update)
        case delete(ChangeSet.Delete)
    }

    /// Changes of one kind, in mapped tables.
    private var parts: [[Change]] {
        func isMapped(_ layout: EntityLayout) -> Bool { opened.isMapped(layout) }
        return [
            changes.inserts.filter { isMapped($0.snapshot.layout) }.map(Change.insert),
            changes.updates.filter { isMapped($0.snapshot.layout) }.map(Change.update),
            changes.deletes.filter { isMapped($0.layout) }.map(Change.delete),
        ]
    }

    private func refused(_ all: [Change], _ connection: Connection) throws -> Change? {
        // A half may violate a foreign key only because the destination is in the other half.
        if refusal.code == "23503" { return try all.first { try leadsNowhere($0, connection) } }
        guard try isRefused(all, connection) else { return nil }
        var rest = all[...]
        while rest.count > 1 {
            let half = rest.prefix(rest.count / 2)
            rest = try isRefused(Array(half), connection) ? half : rest.dropFirst(half.count)
        }
        return rest.first
    }

    private func isRefused(_ part: [Change], _ connection: Connection) throws -> Bool {
        var set = changes
        (set.inserts, set.updates, set.deletes, set.checks) = ([], [], [], [])
        for change in part {
            switch change {
            case .insert(var insert):
                insert.links = []
                set.inserts.append(insert)
            case .update(var update):
                update.links = []
                set.updates.append(update)
            case .delete(let delete): set.deletes.append(delete)
            }
        }
        let statements = try SaveStatements(opened, set, keys).statements
        defer { connection.rollBack(opened.sessions.deadline) }
        do {
            _ = try connection.run([Statement("BEGIN")] + statements, opened.sessions.deadline)
            return false
        } catch let error as PostgreSQLError where error.kind == .server && !error.endsConnection {
            return error.code == refusal.code && error.constraint == refusal.constraint
        }
    }

    /// Whether a row refers to a record that is neither stored nor part of the save; or whether a deleted record is
    /// still referenced.
    private func leadsNowhere(_ change: Change, _ connection: Connection) throws -> Bool {
        let snapshot: Snapshot
        switch change {
        case .delete: return try isRefused([change], connection)
        case .insert(let insert): snapshot = insert.snapshot
        case .update(let update): snapshot = update.snapshot
        }
        guard let slot = ruleSlots(snapshot.layout).first, snapshot.layout[slot].kind == .reference,
            let reference = snapshot.reference(slot)
        else { return false }
        let key = reference.key < 0 ? keys[reference.key] ?? 0 : reference.key
        let layout = opened.schema.model.layouts[reference.entityIndex]
        let isNew = changes.inserts.contains { insert in
            insert.snapshot.layout.rootIndex == layout.rootIndex && (keys[insert.key] ?? insert.key) == key
        }
        if isNew { return false }
        let isGone = changes.deletes.contains { $0.layout.rootIndex == layout.rootIndex && $0.key == key }
        let reader = ServerReader(opened: opened, connection: connection)
        return try isGone || reader.rows([key], root: opened.schema.model.layouts[layout.rootIndex]).isEmpty
    }

    // MARK: The property

    private func mapped(_ layout: EntityLayout) -> MappedTable? {
        opened.schema.mapping(layout).flatMap { opened.dialect.mapped[$0.table.name] }
    }

    /// The slots of the columns of the violated constraint.
    private func ruleSlots(_ layout: EntityLayout) -> [Int] {
        guard let table = mapped(layout) else { return [] }
        let places = refusal.column.map { [$0] } ?? refusal.constraint.flatMap { table.rules[$0] } ?? []
        // Subentities may share a column.
        return places.flatMap { place in
            table.columns.filter { $0.place == place }.compactMap { column in
                layout.slot(column.property.split(separator: ".").first.map(String.init) ?? column.property)
            }
        }
    }

    /// nil if no single property is at fault.
    private func property(_ change: Change, _ connection: Connection) throws -> Int? {
        let snapshot: Snapshot
        let written: [Int]
        switch change {
        case .delete(let delete): return delete.layout.relationshipSlots.first
        case .insert(let insert):
            snapshot = insert.snapshot
            written = snapshot.layout.attributeSlots + snapshot.layout.toOneSlots
        case .update(let update): (snapshot, written) = (update.snapshot, update.changed.slots)
        }
        if let slot = ruleSlots(snapshot.layout).first { return slot }
        return try written.first { try isUnfit($0, snapshot, connection) }
    }

    /// Whether a value is too long, or cannot be converted to the type of its column.
    private func isUnfit(_ slot: Int, _ snapshot: Snapshot, _ connection: Connection) throws -> Bool {
        guard let table = mapped(snapshot.layout), !snapshot.isNull(slot) else { return false }
        var slots = SlotSet()
        slots.insert(slot)
        let plan = RowPlan(schema: opened.schema, layouts: [snapshot.layout], slots: slots)
        let sink = ColumnArrays(plan, opened.schema, keys, capacity: 1)
        try sink.append(snapshot)
        let target = WriteTarget(opened.schema.mapping(snapshot.layout)?.table.name ?? "", opened.dialect)
        for (name, values) in zip(plan.columns, sink.columns) {
            guard let column = table.columns.first(where: { opened.dialect.quoted($0.name) == name }) else { continue }
            // A cast would truncate the text.
            if refusal.code == "22001", let length = column.length,
                try connection.run(
                    Statement(
                        "SELECT 1 FROM unnest($1) AS u(c) WHERE char_length(u.c::text) > \(length)",
                        [values.parameter], isReused: false), opened.sessions.deadline
                ).rowCount > 0
            {
                return true
            }
            do {
                try connection.run(
                    Statement(
                        "SELECT CAST(\(target.value("u.c", for: name)) AS \(column.type)) FROM unnest($1) AS u(c)",
                        [values.parameter], isReused: false), opened.sessions.deadline)
            } catch let error as PostgreSQLError where error.code.hasPrefix("22") {
                return true
            }
        }
        return false
    }

    // MARK: The error

    private func error(_ change: Change, _ slot: Int?) -> NSError {
        let (layout, key): (EntityLayout, Int64) =
            switch change {
            case .insert(let insert): (insert.snapshot.layout, insert.key)
            case .update(let update): (update.snapshot.layout, update.key)
            case .delete(let delete): (delete.layout, delete.key)
            }
        let code: CocoaError.Code
        switch (refusal.code, change) {
        case ("23502", _): code = .validationMissingMandatoryProperty
        case ("22001", _): code = .validationStringTooLong
        case ("22003", _): code = .validationNumberTooLarge
        case ("23503", .delete): code = .validationRelationshipDeniedDelete
        default: code = .managedObjectValidation
        }
        let rule = refusal.constraint.map { "the constraint \($0)" } ?? "\(refusal.message)"
        let table = mapped(layout).map { "\($0.schema).\($0.table)" } ?? ""
        return CoreDataError.refusedRow(
            code, entity: layout.name, root: layout.rootIndex, key: key,
            property: slot.map { layout.properties[$0].name },
            reason: "is refused by the table \(table): \(rule) (SQLSTATE \(refusal.code))",
            underlying: StoreErrors.underlying(refusal))
    }
}
