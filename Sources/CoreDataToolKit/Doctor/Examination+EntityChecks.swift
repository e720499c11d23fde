// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks Z_PRIMARYKEY, the tables, columns, indexes and triggers, and the three columns that begin each row.

import CoreData
import Foundation
import SQLiteDriver

extension Examination {
    // MARK: Z_PRIMARYKEY

    func checkEntities() throws {
        try checkMissingEntities()
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
                    mend: Mend(
                        .statements([
                            "UPDATE Z_PRIMARYKEY SET Z_SUPER = \(entity.superNumber) WHERE Z_ENT = \(number)"
                        ]), "The number of the superentity is set to \(entity.superNumber)."))
            }
            if !entity.isRoot, (row[3].integerValue ?? 0) != 0 {
                try note(
                    "key.subentity", entity.name, nil,
                    "Z_PRIMARYKEY has a highest key for \(entity.name), a subentity.",
                    mend: Mend(
                        .statements(["UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_ENT = \(number)"]), "It is set to 0."))
            }
            if entity.isRoot { try checkHighestKey(entity, row[3].integerValue ?? 0) }
        }
    }

    private func checkHighestKey(_ entity: StoreTables.Entity, _ highest: Int64) throws {
        let used = try store.connection.value("SELECT MAX(Z_PK) FROM \(entity.tableSQL)")?.integerValue ?? 0
        guard used > highest else { return }
        try note(
            "key.low", entity.name, nil,
            "The highest key of \(entity.table) is \(used), and Z_PRIMARYKEY would give keys anew from \(highest + 1).",
            mend: Mend(
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
            mend: used > 0
                ? nil
                : Mend(.statements(["DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)"]), "The entity is removed."))
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
                mend: isFree
                    ? Mend(
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

    // MARK: Tables and indexes

    func checkStructure() throws {
        guard let model = store.model else { return }
        let differences = try StoreTables.differences(store.connection, model: model)
        let schema = try store.connection.schema()
        let present = schema.compactMap { $0.type == "index" ? $0.sql.flatMap(IndexColumns.init) : nil }
        let wanted = differences.filter { $0.kind == .missingIndex }.compactMap { $0.statements.last }
            .compactMap(IndexColumns.init)
        let served = wanted.filter { index in present.contains { $0.serves(index) } }
        for difference in differences {
            guard let rule = Self.rule(of: difference.kind) else { continue }
            // Older frameworks gave the same indexes other names.
            let columns =
                (difference.kind == .leftoverIndex
                ? schema.first { $0.type == "index" && $0.name == difference.name }?.sql : difference.statements.last)
                .flatMap(IndexColumns.init)
            if let columns, difference.kind == .missingIndex, served.contains(columns) { continue }
            if let columns, difference.kind == .leftoverIndex, served.contains(where: columns.serves) { continue }
            // The framework's own, of which the copy of the model knows nothing.
            if difference.kind == .leftoverTrigger,
                difference.name.hasPrefix("ZT_") || difference.name.hasPrefix("Z_RT_")
                    || difference.name.hasPrefix("Z_DA_")
            {
                continue
            }
            let mend: Mend? =
                difference.statements.isEmpty
                ? nil : Mend(.statements(difference.statements), difference.statements.joined(separator: "; ") + ".")
            let text = difference.text.prefix(1).uppercased() + difference.text.dropFirst() + "."
            try note(rule, nil, difference.name, text, mend: mend)
        }
        try checkRedundantIndexes()
    }

    /// The table and columns of a statement that makes an index.
    private struct IndexColumns: Equatable {
        let table: String
        let columns: [String]
        let isUnique: Bool
        let condition: String

        init?(_ sql: String) {
            let text = sql.replacing("\"", with: "").replacing(" COLLATE BINARY", with: "").replacing(" ASC", with: "")
            guard text.hasPrefix("CREATE "), text.contains(" INDEX "),
                let match = text.firstMatch(of: /\ ON (\S+) ?\(([^)]*)\)(.*)/.dotMatchesNewlines())
            else { return nil }
            table = String(match.output.1)
            columns = match.output.2.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            isUnique = text.hasPrefix("CREATE UNIQUE")
            condition = match.output.3.trimmingCharacters(in: .whitespaces)
        }

        /// Whether this index does the work of another one.
        func serves(_ other: IndexColumns) -> Bool {
            table == other.table && condition == other.condition && (isUnique || !other.isUnique)
                && (other.isUnique ? columns == other.columns : columns.starts(with: other.columns))
        }
    }

    private static func rule(of kind: StoreTables.Difference.Kind) -> String? {
        switch kind {
        case .missingTable: "table.missing"
        case .leftoverTable: "table.leftover"
        case .missingColumn: "column.missing"
        case .columnType: "column.type"
        case .leftoverColumn: "column.leftover"
        case .missingIndex: "index.missing"
        case .changedIndex: "index.changed"
        case .leftoverIndex: "index.leftover"
        case .missingTrigger: "trigger.missing"
        case .changedTrigger: "trigger.changed"
        case .leftoverTrigger: "trigger.leftover"
        // `checkEntities` says more.
        case .entityNumbers: nil
        }
    }

    /// Indexes with columns that begin another index of the table in the same order.
    private func checkRedundantIndexes() throws {
        struct Index {
            let name: String
            let isUnique: Bool
            let columns: [String]
        }
        for table in try store.connection.schema().filter({ $0.type == "table" && $0.name.hasPrefix("Z") }) {
            let listed = try store.connection.rows(
                "SELECT name, \"unique\", partial, origin FROM pragma_index_list(?)", [.text(table.name)])
            let indexes = try listed.filter { $0[2].integerValue == 0 }.map { row in
                let name = row[0].textValue ?? ""
                let columns = try store.connection.rows(
                    "SELECT name, desc, coll FROM pragma_index_xinfo(?) WHERE key = 1", [.text(name)])
                return Index(
                    name: name, isUnique: row[1].integerValue == 1 || row[3].textValue != "c",
                    columns: columns.map {
                        "\($0[0].textValue ?? "") \($0[1].integerValue ?? 0) \($0[2].textValue ?? "")"
                    })
            }
            for index in indexes where !index.isUnique {
                let better = indexes.first { other in
                    other.name != index.name && other.columns.starts(with: index.columns)
                        && (other.columns.count > index.columns.count || other.isUnique || other.name < index.name)
                }
                guard let better else { continue }
                try note(
                    "index.redundant", nil, index.name,
                    "The index \(better.name) begins with the columns of \(index.name)."
                )
            }
        }
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
                mend: Mend(
                    .statements(["UPDATE \(root.tableSQL) SET Z_OPT = 1 WHERE \(condition)"]),
                    "\(Self.rows(versions.count)) of \(root.table) get the version 1."))
        }
    }

    private func checkEntityNumbers(_ root: StoreTables.Entity, _ own: [StoreTables.Entity]) throws {
        let numbers = own.map(\.number)
        let condition = "(Z_ENT IS NULL OR Z_ENT NOT IN \(numbers.sqlList))"
        let strange = try tally("SELECT Z_PK, Z_ENT FROM \(root.tableSQL) WHERE \(condition)")
        let concrete = own.filter { !$0.isAbstract }
        try note(
            "row.entity", root.name, nil, strange,
            "\(Self.rows(strange.count)) of \(root.table) have the number of no entity of the table (Z_ENT).",
            mend: concrete.count == 1
                ? Mend(
                    .statements(["UPDATE \(root.tableSQL) SET Z_ENT = \(concrete[0].number) WHERE \(condition)"]),
                    "\(Self.rows(strange.count)) of \(root.table) become objects of \(concrete[0].name).") : nil)
        for entity in own where entity.isAbstract {
            let found = try tally("SELECT Z_PK, Z_ENT FROM \(root.tableSQL) WHERE Z_ENT = \(entity.number)")
            try note(
                "row.abstract", entity.name, nil, found,
                "\(Self.rows(found.count)) of \(root.table) are of \(entity.name), which is abstract.")
        }
    }
}
