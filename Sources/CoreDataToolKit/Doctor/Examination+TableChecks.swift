// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks a store that keeps no model by its tables. Documentation/Internals/InferredModels.md

import CoreData
import Foundation
import SQLiteDriver

extension Examination {
    // MARK: Z_PRIMARYKEY

    /// Compares Z_PRIMARYKEY with the entities of the metadata, with the tables, and with the numbers in their rows.
    func checkListedEntities() throws {
        let listed = store.file.entities
        let (names, known) = (Set(listed.map(\.name)), Set(store.file.hashes.keys))
        // A migration in place leaves the old name of a renamed entity, so both differ then.
        let (missing, unknown) = (known.subtracting(names), names.subtracting(known))
        if !known.isEmpty, unknown.isEmpty {
            for name in missing.sorted() {
                try note("entity.missing", name, nil, "Z_PRIMARYKEY does not list \(name), which the metadata have.")
            }
        }
        if !known.isEmpty, missing.isEmpty {
            for name in unknown.sorted() {
                try note("entity.unknown", name, nil, "Z_PRIMARYKEY lists '\(name)', which the metadata do not have.")
            }
        }
        let numbers = Set(listed.map(\.number))
        for entity in listed where entity.superNumber != 0 {
            // Numbers are given depth first, so that a superentity has the lower one.
            let isSound = numbers.contains(entity.superNumber) && entity.superNumber < entity.number
            let home = isSound ? try foreignTable(of: entity) : nil
            guard !isSound || home != nil else { continue }
            try note(
                "entity.super", entity.name, nil,
                "Z_PRIMARYKEY has a wrong superentity for \(entity.name)"
                    + (home.map { ": its rows are in \($0)." } ?? ": number \(entity.superNumber)."))
        }
    }

    /// The table that has all rows of an entity, if that is not the table of its root.
    private func foreignTable(of entity: StoreFile.KnownEntity) throws -> String? {
        let family = EntityFamily(store.file.entities)
        func table(_ number: Int64) -> String? { family.name(family.root(of: number)).map { "Z" + $0.uppercased() } }
        guard let own = table(entity.number) else { return nil }
        let tables = Set(
            store.file.entities.filter { family.parent(of: $0.number) == nil }.compactMap { table($0.number) })
        func hasRows(_ name: String) throws -> Bool {
            let columns = try store.connection.columns(of: name)
            guard columns.contains(where: { $0.name == "Z_ENT" }) else { return false }
            let found = try store.connection.value(
                "SELECT 1 FROM \(name.sqlName) WHERE Z_ENT = \(entity.number) LIMIT 1")
            return found != nil
        }
        if try hasRows(own) { return nil }
        return try tables.sorted().first { try $0 != own && hasRows($0) }
    }

    // MARK: Structure

    /// Tables, indexes and triggers that contradict one another.
    func checkStructure(_ inferred: InferredModel) throws {
        let schema = try store.connection.schema()
        try checkTables(schema)
        for entry in schema where entry.sql != nil && entry.tableName.hasPrefix("Z") {
            if entry.type == "index", !Self.isFrameworkName(entry.name), !entry.name.hasPrefix("sqlite_") {
                try note("index.leftover", nil, entry.name, "The index \(entry.name) has no name of the framework.")
            }
            if entry.type == "trigger", !Self.isFrameworkTrigger(entry.name), !SideIndexKinds.isOwn(entry.name) {
                try note("trigger.leftover", nil, entry.name, "The trigger \(entry.name) has no name of the framework.")
            }
        }
        let indexes = Set(schema.filter { $0.type == "index" }.map(\.name))
        for entity in store.tables?.entities ?? [] {
            for property in entity.toOnes where !property.isInherited {
                let name = "\(entity.table)_\(property.keyColumn)_INDEX"
                guard !indexes.contains(name) else { continue }
                try note(
                    "index.missing", entity.name, property.name,
                    "The column \(property.keyColumn) of \(entity.table) holds keys and has no index \(name).")
            }
        }
        try checkTriggers(schema)
    }

    /// Entities without a table, and tables without an entity.
    private func checkTables(_ schema: [SchemaEntry]) throws {
        let present = Set(schema.filter { $0.type == "table" }.map(\.name))
        let family = EntityFamily(store.file.entities)
        let roots = Set(
            store.file.entities.compactMap { family.name(family.root(of: $0.number)) }.map { "Z" + $0.uppercased() })
        for table in roots.subtracting(present).sorted() {
            try note("table.missing", nil, table, "The table \(table) is missing.")
        }
        let known = roots.union(store.file.hashes.keys.map { "Z" + $0.uppercased() })
        for table in present.subtracting(known).sorted() where table.hasPrefix("Z") && !table.hasPrefix("Z_") {
            try note("table.leftover", nil, table, "The table \(table) is of no entity.")
        }
    }

    /// The triggers of one derived count or spatial index come together.
    private func checkTriggers(_ schema: [SchemaEntry]) throws {
        let names = Set(schema.filter { $0.type == "trigger" }.map(\.name))
        let sets: [(prefix: String, endings: [String])] = [
            (
                "Z_DA_",
                [
                    "_PARAMETER_INSERT", "_PARAMETER_UPDATE_INCREMENT", "_PARAMETER_UPDATE_DECREMENT",
                    "_PARAMETER_DELETE",
                ]
            ), ("Z_RT_", ["_INSERT", "_UPDATE", "_DELETE"]),
        ]
        for (prefix, endings) in sets {
            var found: [String: Set<String>] = [:]
            for name in names where name.hasPrefix(prefix) {
                guard let ending = endings.filter({ name.hasSuffix($0) }).max(by: { $0.count < $1.count }) else {
                    continue
                }
                found[String(name.dropLast(ending.count)), default: []].insert(ending)
            }
            for (base, present) in found.sorted(by: { $0.key < $1.key }) {
                for ending in endings where !present.contains(ending) {
                    try note("trigger.missing", nil, base + ending, "The trigger \(base)\(ending) is missing.")
                }
                if prefix == "Z_RT_", try !store.connection.tableExists(base) {
                    try note(
                        "spatial.missing", nil, base,
                        "The spatial index \(base) is missing, and its triggers are there.")
                }
            }
        }
    }
}
