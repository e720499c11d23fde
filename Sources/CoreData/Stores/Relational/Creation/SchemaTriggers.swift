// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The triggers of a new store, which maintain derived attributes and spatial indexes.

import CoreDataFoundation
import Foundation

/// Writes the SQL of triggers for simple derived attributes (`now()`, `members.@count`) and for R-tree indexes.
///
/// Other derivations have no trigger: the store computes them during a save (`DerivedColumns`).
struct SchemaTriggers {
    let schema: Schema

    var statements: [String] {
        spatialIndexes + schema.entities.flatMap(derivedAttributes(of:))
    }

    // MARK: R-tree

    private var spatialIndexes: [String] {
        schema.entities.flatMap { mapping in
            mapping.layout.entity.indexes.filter { $0.elements.contains { $0.collationType == .rTree } }.flatMap {
                spatialIndex($0, mapping)
            }
        }
    }

    /// The statements that fill the spatial indexes from the rows of their tables, by the name of the index.
    var spatialContents: [String: String] {
        var result: [String: String] = [:]
        for mapping in schema.entities {
            for index in mapping.layout.entity.indexes
            where index.elements.contains(where: { $0.collationType == .rTree }) {
                let columns = index.elements.compactMap { SchemaDDL(schema: schema).column(of: $0, mapping) }
                guard columns.count == index.elements.count, !columns.isEmpty else { continue }
                let name = "Z_RT_\(mapping.layout.name)_\(index.name)"
                let values = columns.flatMap { [$0, $0] }.joined(separator: ", ")
                result[name] =
                    "INSERT INTO \(SchemaNaming.quoted(name)) SELECT Z_PK, \(values) FROM \(mapping.table.sql)"
            }
        }
        return result
    }

    private func spatialIndex(_ index: NSFetchIndexDescription, _ mapping: EntityMapping) -> [String] {
        let columns = index.elements.compactMap { SchemaDDL(schema: schema).column(of: $0, mapping) }
        guard columns.count == index.elements.count, !columns.isEmpty else { return [] }
        let name = SchemaNaming.quoted("Z_RT_\(mapping.layout.name)_\(index.name)")
        let table = mapping.table.sql
        let bounds = columns.flatMap { ["\($0)_MIN", "\($0)_MAX"] }
        let definitions = bounds.map { "\($0) FLOAT" }.joined(separator: ", ")
        let list = "(Z_PK, \(bounds.joined(separator: ", ")))"
        let values = columns.map { "NEW.\($0) ,NEW.\($0)" }.joined(separator: ", ")
        func trigger(_ event: String) -> String {
            SchemaNaming.quoted("Z_RT_\(mapping.layout.name)_\(index.name)_\(event)")
        }
        return [
            "CREATE VIRTUAL TABLE \(name) USING RTREE (Z_PK INTEGER PRIMARY KEY, \(definitions))",
            "CREATE TRIGGER \(trigger("INSERT")) AFTER INSERT ON \(table) FOR EACH ROW BEGIN INSERT OR REPLACE INTO "
                + "\(name) \(list) VALUES (NEW.Z_PK, \(values)) ; END",
            "CREATE TRIGGER \(trigger("UPDATE")) AFTER UPDATE ON \(table) FOR EACH ROW BEGIN DELETE FROM \(name) WHERE "
                + "Z_PK = NEW.Z_PK ; INSERT INTO \(name) \(list) VALUES (NEW.Z_PK, \(values)) ; END",
            "CREATE TRIGGER \(trigger("DELETE")) AFTER DELETE ON \(table) FOR EACH ROW BEGIN DELETE FROM \(name) WHERE "
                + "Z_PK = OLD.Z_PK ; END",
        ]
    }

    // MARK: Derived attributes

    private func derivedAttributes(of mapping: EntityMapping) -> [String] {
        let layout = mapping.layout
        let inherited = layout.superIndex >= 0 ? schema.model.layouts[layout.superIndex].slotCount : 0
        return (inherited..<layout.slotCount).flatMap { slot -> [String] in
            guard case .attribute(let column) = mapping.storage[slot] else { return [] }
            switch Derivation(layout, slot: slot, model: schema.model) {
            case .now: return now(column.name, layout.properties[slot].name, mapping)
            case .count(let relationship):
                return count(relationship, column.name, layout.properties[slot].name, mapping)
            case .computed, nil: return []
            }
        }
    }

    private func report(
        _ mapping: EntityMapping, _ attribute: String, _ column: String, key: String, inserting: Bool = false
    )
        -> String
    {
        let function = "NSCoreDataDATrigger\(inserting ? "Insert" : "")UpdatedAffectedObjectValue"
        return "SELECT \(function)(\(SchemaNaming.literal(mapping.table.name)), Z_ENT, Z_PK, "
            + "\(SchemaNaming.literal(attribute)), \(column)) FROM \(mapping.table.sql) WHERE Z_PK = \(key);"
    }

    private func now(_ column: String, _ attribute: String, _ mapping: EntityMapping) -> [String] {
        let column = SchemaNaming.quoted(column)
        let table = mapping.table.sql
        func name(_ event: String) -> String {
            SchemaNaming.quoted("Z_DA_\(mapping.table.name)_\(mapping.layout.name)_\(attribute)_\(event)")
        }
        let entities = condition(mapping, row: "NEW")
        let set = "UPDATE \(table) SET \(column) = NSCoreDataNow() WHERE Z_PK = NEW.Z_PK;"
        return [
            "CREATE TRIGGER \(name("INSERT")) AFTER INSERT ON \(table) FOR EACH ROW WHEN (NEW.Z_OPT NOT NULL\(entities)) "
                + "BEGIN \(set) \(report(mapping, attribute, column, key: "NEW.Z_PK", inserting: true)) END",
            "CREATE TRIGGER \(name("UPDATE")) AFTER UPDATE OF Z_OPT ON \(table) FOR EACH ROW WHEN "
                + "(NEW.Z_OPT NOT NULL\(entities)) BEGIN \(set) "
                + "\(report(mapping, attribute, column, key: "NEW.Z_PK")) END",
        ]
    }

    /// Excludes rows of other entities in the same table, which lack the attribute.
    private func condition(_ mapping: EntityMapping, row: String) -> String {
        guard mapping.layout !== mapping.table.root else { return "" }
        let numbers = mapping.layout.familyIndexes.compactMap { schema.mapping($0)?.number }.map(String.init)
        return " AND \(row).Z_ENT IN (\(numbers.joined(separator: ", ")))"
    }

    private func count(_ relationship: Int, _ column: String, _ attribute: String, _ mapping: EntityMapping) -> [String]
    {
        guard case .toMany(let storage) = mapping.storage[relationship] else { return [] }
        let (many, key): (String, String)
        switch storage {
        case .column(let key_, _, let table): (many, key) = (table.name, key_)
        case .join(let join, let isOwner): (many, key) = (join.name, isOwner ? join.ownerColumn : join.memberColumn)
        }
        let (manyTable, keyColumn) = (SchemaNaming.quoted(many), SchemaNaming.quoted(key))
        let (table, counted) = (mapping.table.sql, SchemaNaming.quoted(column))
        func name(_ table: String, _ event: String) -> String {
            SchemaNaming.quoted("Z_DA_\(table)_\(mapping.layout.name)_\(attribute)_\(event)")
        }
        func step(_ row: String, _ value: String) -> String {
            "BEGIN UPDATE \(table) SET \(counted) = \(value) WHERE Z_PK = \(row).\(keyColumn); "
                + report(mapping, attribute, counted, key: "\(row).\(keyColumn)") + " END"
        }
        return [
            "CREATE TRIGGER \(name(many, "PARAMETER_INSERT")) AFTER INSERT ON \(manyTable) FOR EACH ROW WHEN "
                + "(NEW.\(keyColumn) NOT NULL) \(step("NEW", "IFNULL(\(counted), 0) + 1"))",
            "CREATE TRIGGER \(name(many, "PARAMETER_UPDATE_INCREMENT")) AFTER UPDATE OF \(keyColumn) ON \(manyTable) FOR EACH "
                + "ROW WHEN (NEW.\(keyColumn) NOT NULL) \(step("NEW", "\(counted) + 1"))",
            "CREATE TRIGGER \(name(many, "PARAMETER_UPDATE_DECREMENT")) AFTER UPDATE OF \(keyColumn) ON \(manyTable) FOR EACH "
                + "ROW WHEN (OLD.\(keyColumn) NOT NULL) \(step("OLD", "\(counted) - 1"))",
            "CREATE TRIGGER \(name(many, "PARAMETER_DELETE")) AFTER DELETE ON \(manyTable) FOR EACH ROW WHEN "
                + "(OLD.\(keyColumn) NOT NULL) \(step("OLD", "\(counted) - 1"))",
            "CREATE TRIGGER \(name(mapping.table.name, "SOURCE_INSERT")) AFTER INSERT ON \(table) FOR EACH ROW BEGIN UPDATE "
                + "\(table) SET \(counted) = (SELECT IFNULL(COUNT(\(keyColumn)), 0) FROM \(manyTable) WHERE \(keyColumn) = "
                + "NEW.Z_PK) WHERE Z_PK = NEW.Z_PK; "
                + report(mapping, attribute, counted, key: "NEW.Z_PK", inserting: true) + " END",
        ]
    }
}
