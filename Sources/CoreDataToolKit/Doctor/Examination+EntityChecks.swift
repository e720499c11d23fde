// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks Z_PRIMARYKEY, and the three columns that begin each row.

import CoreData
import Foundation
import SQLiteDriver

extension Examination {
    // MARK: Z_PRIMARYKEY

    func checkEntities() throws {
        if store.inferred == nil { try checkMissingEntities() } else { try checkListedEntities() }
        guard let tables = store.tables else { return }
        let listed = try store.connection.rows(
            "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT < \(StoreFile.firstReservedNumber)")
        for row in listed {
            guard let number = row[0].integerValue else { continue }
            guard let entity = tables.entity(number: number) else {
                try noteUnknown(number, row[1].textValue ?? "")
                continue
            }
            if (row[2].integerValue ?? 0) != entity.superNumber {
                try note(
                    "entity.super", entity.name, nil, "Z_PRIMARYKEY has a wrong superentity for \(entity.name).",
                    repair: Repair(
                        .statements([
                            "UPDATE Z_PRIMARYKEY SET Z_SUPER = \(entity.superNumber) WHERE Z_ENT = \(number)"
                        ]), "The number of the superentity is set to \(entity.superNumber)."))
            }
            if !entity.isRoot, (row[3].integerValue ?? 0) != 0 {
                try note(
                    "key.subentity", entity.name, nil,
                    "Z_PRIMARYKEY has a highest key for \(entity.name), a subentity.",
                    repair: Repair(
                        .statements(["UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_ENT = \(number)"]), "It is set to 0."))
            }
            if entity.isRoot { try checkHighestKey(entity, row[3].integerValue ?? 0) }
        }
    }

    private func checkHighestKey(_ entity: StoreTables.Entity, _ highest: Int64) throws {
        let used = try store.connection.value("SELECT MAX(Z_PK) FROM \(entity.tableSQL)")?.integerValue ?? 0
        // Other programs wrote -1 for a table without rows.
        guard used > max(highest, 0) else { return }
        try note(
            "key.low", entity.name, nil,
            "The highest key of \(entity.table) is \(used), and Z_PRIMARYKEY would give keys anew from \(highest + 1).",
            repair: Repair(
                .statements(["UPDATE Z_PRIMARYKEY SET Z_MAX = \(used) WHERE Z_ENT = \(entity.number)"]),
                "Z_MAX is raised to \(used)."))
    }

    private func noteUnknown(_ number: Int64, _ name: String) throws {
        var used = 0
        for table in Set(store.tables?.entities.map(\.tableSQL) ?? []) {
            used += try store.count("SELECT COUNT(*) FROM \(table) WHERE Z_ENT = \(number)")
        }
        try note(
            "entity.unknown", name, nil,
            "Z_PRIMARYKEY lists '\(name)' as number \(number), and the model has no such entity.",
            repair: used > 0
                ? nil
                : Repair(.statements(["DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)"]), "The entity is removed."))
    }

    /// An entity without a row has no number, so its table cannot be assigned.
    private func checkMissingEntities() throws {
        let gaps = store.missing.filter { $0.hasPrefix("entity ") }.map { String($0.dropFirst("entity ".count)) }
        guard !gaps.isEmpty, let model = store.model else { return }
        let taken = Dictionary(
            store.file.entities.map { ($0.name, $0.number) }, uniquingKeysWith: { first, _ in first })
        let numbers = Self.numbers(of: model)
        for name in gaps {
            guard let entity = model.entitiesByName[name], let number = numbers[name] else { continue }
            var root = entity
            while let parent = root.superentity { root = parent }
            let isFree = !taken.values.contains(number)
            let parent = entity.superentity.flatMap { $0.name }.flatMap { taken[$0] ?? numbers[$0] } ?? 0
            let table = "Z" + (root.name ?? "").uppercased()
            let hasTable = try store.connection.tableExists(table)
            let highest =
                entity.superentity == nil && hasTable ? "(SELECT IFNULL(MAX(Z_PK), 0) FROM \(table.sqlName))" : "0"
            try note(
                "entity.missing", name, nil, "Z_PRIMARYKEY does not list \(name).",
                repair: isFree
                    ? Repair(
                        .statements([
                            "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES "
                                + "(\(number), \(name.sqlLiteral), \(parent), \(highest))"
                        ]), "\(name) is listed as number \(number).") : nil)
        }
    }

    /// The numbers of a new store: depth first, by name without case.
    private static func numbers(of model: NSManagedObjectModel) -> [String: Int64] {
        var result: [String: Int64] = [:]
        func add(_ entities: [NSEntityDescription]) {
            let sorted = entities.sorted { one, other in
                let (first, second) = (one.name ?? "", other.name ?? "")
                let (a, b) = (first.lowercased(), second.lowercased())
                return a == b ? first < second : a < b
            }
            for entity in sorted {
                result[entity.name ?? ""] = Int64(result.count + 1)
                add(entity.subentities)
            }
        }
        add(model.entities.filter { $0.superentity == nil })
        return result
    }

    // MARK: Rows

    func checkRows() throws {
        guard let tables = store.tables else { return }
        for root in tables.entities where root.isRoot {
            let own = tables.entities.filter { $0.table == root.table }
            try checkEntityNumbers(root, own)
            let keys = try tally("SELECT Z_PK, Z_ENT FROM \(root.tableSQL) WHERE Z_PK <= 0")
            try note("row.key", root.name, nil, keys, "\(Self.rows(keys.count)) of \(root.table) have keys below 1.")
            let condition = "(Z_OPT IS NULL OR TYPEOF(Z_OPT) <> 'integer' OR Z_OPT < 1)"
            let versions = try tally("SELECT Z_PK, Z_ENT FROM \(root.tableSQL) WHERE \(condition)")
            try note(
                "row.version", root.name, nil, versions,
                "\(Self.rows(versions.count)) of \(root.table) have no version (Z_OPT).",
                repair: Repair(
                    .statements(["UPDATE \(root.tableSQL) SET Z_OPT = 1 WHERE \(condition)"]),
                    "\(Self.rows(versions.count)) of \(root.table) get the version 1."))
        }
    }

    private func checkEntityNumbers(_ root: StoreTables.Entity, _ own: [StoreTables.Entity]) throws {
        let numbers = own.map(\.number)
        let condition = "(Z_ENT IS NULL OR Z_ENT NOT IN \(numbers.sqlList))"
        let unexpected = try tally("SELECT Z_PK, Z_ENT FROM \(root.tableSQL) WHERE \(condition)")
        let concrete = own.filter { !$0.isAbstract }
        try note(
            "row.entity", root.name, nil, unexpected,
            "\(Self.rows(unexpected.count)) of \(root.table) have the number of no entity of the table (Z_ENT).",
            repair: concrete.count == 1
                ? Repair(
                    .statements(["UPDATE \(root.tableSQL) SET Z_ENT = \(concrete[0].number) WHERE \(condition)"]),
                    "\(Self.rows(unexpected.count)) of \(root.table) become objects of \(concrete[0].name).") : nil)
        for entity in own where entity.isAbstract {
            let found = try tally("SELECT Z_PK, Z_ENT FROM \(root.tableSQL) WHERE Z_ENT = \(entity.number)")
            try note(
                "row.abstract", entity.name, nil, found,
                "\(Self.rows(found.count)) of \(root.table) are of \(entity.name), which is abstract.")
        }
    }
}
