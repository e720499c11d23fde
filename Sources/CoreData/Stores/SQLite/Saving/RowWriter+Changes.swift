// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Updates and deletes rows: one by one if their values differ, in one statement otherwise.

import Foundation
import SQLiteDriver

extension RowWriter {
    // MARK: Updates

    mutating func update(_ entity: Int, _ changed: SlotSet, _ positions: [Int]) throws {
        let mapping = try schema.held(entity)
        let plan = RowPlan(schema: schema, layouts: [mapping.layout], includesDerived: false, slots: changed)
        try releaseFiles(mapping, changed, positions.map { changes.updates[$0].key })
        let emptied = emptied(changed, positions)
        if emptied.count <= KeyList.few { return try update(mapping, plan, positions) }
        try empty(mapping, plan.columns, emptied)
        let done = Set(emptied)
        try update(mapping, plan, positions.filter { !done.contains($0) })
    }

    /// Updates that set all their columns to null, for example by the nullify rule.
    private func emptied(_ changed: SlotSet, _ positions: [Int]) -> [Int] {
        let slots = changed.slots
        return positions.filter { position in
            // Excludes the greatest version, which wraps around here, but not in SQL.
            slots.allSatisfy { changes.updates[position].snapshot.isNull($0) }
                && changes.updates[position].baseVersion < .max
        }
    }

    private mutating func empty(_ mapping: EntityMapping, _ columns: [String], _ positions: [Int]) throws {
        let list = KeyList(positions.map { changes.updates[$0].key })
        let rows = positions.map { (key: changes.updates[$0].key, version: changes.updates[$0].baseVersion) }
        guard try isCurrent(mapping, rows, list) else { return }
        let sets = columns.map { "\($0) = NULL, " }.joined()
        try connection.run(
            "UPDATE OR ROLLBACK \(mapping.table.sql) SET \(sets)\(VersionColumn.increment) "
                + "WHERE Z_PK \(list.condition)",
            list.arguments)
    }

    private mutating func update(_ mapping: EntityMapping, _ plan: RowPlan, _ positions: [Int]) throws {
        if positions.isEmpty { return }
        let binder = RowBinder(plan: plan, schema: schema, files: files, permanentKeys: permanentKeys)
        let sets = plan.columns.map { "\($0) = ?, " }.joined()
        let width = plan.columns.count
        let sql = "UPDATE OR ROLLBACK \(mapping.table.sql) SET \(sets)Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?"
        let statement = try connection.statement(for: sql)
        defer { statement.reset() }
        for position in positions {
            let (key, version) = (changes.updates[position].key, changes.updates[position].baseVersion)
            try Uncounted(changes.updates[position].snapshot).look {
                try binder.bind($0, to: statement, first: 1)
            }
            try statement.bind(RowVersion.next(after: version), at: width + 1)
            try statement.bind(key, at: width + 2)
            try statement.bind(version, at: width + 3)
            _ = try statement.step()
            statement.reset()
            if connection.changes == 0 { note(key, mapping.layout, version) }
        }
    }

    // MARK: Deletions

    mutating func delete(_ entity: Int, _ positions: [Int]) throws {
        let mapping = try schema.held(entity)
        let rows = positions.map { (key: changes.deletes[$0].key, version: changes.deletes[$0].baseVersion) }
        try releaseFiles(mapping, nil, rows.map(\.key))
        if rows.count > KeyList.few {
            let list = KeyList(rows.map(\.key))
            guard try isCurrent(mapping, rows, list) else { return }
            try connection.run("DELETE FROM \(mapping.table.sql) WHERE Z_PK \(list.condition)", list.arguments)
            return
        }
        for row in rows {
            let count = try connection.run(
                "DELETE FROM \(mapping.table.sql) WHERE Z_PK = ? AND Z_OPT = ?",
                [.integer(row.key), .integer(row.version)])
            if count == 0 { note(row.key, mapping.layout, row.version) }
        }
    }

    // MARK: Versions

    private mutating func note(_ key: Int64, _ layout: EntityLayout, _ version: Int64) {
        stale.append(.init(key: key, layout: layout, version: version))
    }

    /// Whether all rows still have the expected versions; records those that do not. The transaction locks out other
    /// writers.
    private mutating func isCurrent(
        _ mapping: EntityMapping, _ rows: [(key: Int64, version: Int64)], _ list: KeyList
    ) throws -> Bool {
        if try haveOneVersion(mapping, rows, list) { return true }
        var versions: [Int64: Int64] = Dictionary(minimumCapacity: rows.count)
        try connection.withStatement(
            "SELECT Z_PK, Z_OPT FROM \(mapping.table.sql) WHERE Z_OPT IS NOT NULL AND Z_PK \(list.condition)"
        ) { statement in
            try statement.bind(list.arguments)
            while try statement.step() { versions[statement.int64(at: 0)] = statement.int64(at: 1) }
        }
        let outdated = rows.filter { versions[$0.key] != $0.version }
        for row in outdated { note(row.key, mapping.layout, row.version) }
        return outdated.isEmpty
    }

    /// Whether all changes expect the same version and all rows have it. Counts in SQL, without reading rows. `false`
    /// requires a closer check.
    private func haveOneVersion(
        _ mapping: EntityMapping, _ rows: [(key: Int64, version: Int64)], _ list: KeyList
    ) throws -> Bool {
        guard let version = rows.first?.version, rows.allSatisfy({ $0.version == version }) else { return false }
        let count = try connection.value(
            "SELECT COUNT(*) FROM \(mapping.table.sql) WHERE Z_OPT = ? AND Z_PK \(list.condition)",
            [.integer(version)] + list.arguments)
        return count?.integerValue == Int64(rows.count)
    }

    mutating func check(_ check: ChangeSet.Check) throws {
        let mapping = try schema.held(check.layout.index)
        let version = try connection.value(
            "SELECT Z_OPT FROM \(mapping.table.sql) WHERE Z_PK = ?", [.integer(check.key)])
        if version?.integerValue != check.baseVersion { note(check.key, check.layout, check.baseVersion) }
    }

    func park(_ update: ChangeSet.Update) throws {
        let mapping = try schema.held(update.snapshot.layout.index)
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

    /// Records the large-data files of rows before their columns are overwritten.
    private func releaseFiles(_ mapping: EntityMapping, _ changed: SlotSet?, _ keys: [Int64]) throws {
        let columns = externalColumns(mapping, changed)
        if columns.isEmpty { return }
        // The first 38 bytes identify a file; values stored in the row need not be read.
        let columnList = columns.map { "SUBSTR(\($0), 1, 38)" }.joined(separator: ", ")
        let list = KeyList(keys)
        let rows = try connection.rows(
            "SELECT \(columnList) FROM \(mapping.table.sql) WHERE Z_PK \(list.condition)", list.arguments)
        for row in rows {
            for value in row { files?.release(value.blobValue) }
        }
    }
}
