// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The triggers of a new store, which maintain derived attributes and spatial indexes.

import CoreDataFoundation
import Foundation

/// Writes the SQL of triggers for simple derived attributes (`now()`, `members.@count`, `owner.name`) and for R-tree
/// indexes.
///
/// Other derivations have no trigger; the store computes them during a save (`DerivedColumns`).
struct SchemaTriggers {
    let schema: Schema

    var statements: [String] {
        spatialIndexes.flatMap { [$0.creation] + $0.triggers } + schema.entities.flatMap(derivedAttributes(of:))
    }

    /// The names of the triggers, without quotes.
    var names: [String] { statements.compactMap(Self.name) }

    /// The name in a statement that creates a trigger; nil for any other statement.
    static func name(_ sql: String) -> String? {
        let head = "CREATE TRIGGER "
        guard sql.hasPrefix(head), let end = sql.range(of: " AFTER ") else { return nil }
        return String(sql[..<end.lowerBound].dropFirst(head.count)).replacing("\"", with: "")
    }

    // MARK: R-tree

    /// A table of SQLite's R-tree module, with an entry for each row of the table of an entity.
    struct SpatialIndex {
        let mapping: EntityMapping
        /// The name of the fetch index in the model.
        let index: String
        /// The name of the table.
        let name: String
        /// The columns of the rows, with the names of their bounds in the index.
        let bounds: [(columnSQL: String, least: String, greatest: String)]
        let creation: String
        let triggers: [String]
        /// Adds an entry for each row.
        let filling: String
    }

    var spatialIndexes: [SpatialIndex] {
        schema.entities.flatMap { mapping in
            mapping.layout.entity.indexes.filter { $0.elements.contains { $0.collationType == .rTree } }.compactMap {
                spatialIndex($0, mapping)
            }
        }
    }

    /// The statements that fill the spatial indexes from the rows of their tables, by the name of the index.
    var spatialContents: [String: String] {
        Dictionary(spatialIndexes.map { ($0.name, $0.filling) }, uniquingKeysWith: { first, _ in first })
    }

    /// nil for an index over a property without a column.
    private func spatialIndex(_ index: NSFetchIndexDescription, _ mapping: EntityMapping) -> SpatialIndex? {
        let columns = index.elements.compactMap { SchemaDDL(schema: schema).column(of: $0, mapping) }
        guard columns.count == index.elements.count, !columns.isEmpty else { return nil }
        let plain = "Z_RT_\(mapping.layout.name)_\(index.name)"
        let name = SchemaNaming.quoted(plain)
        let table = mapping.table.sql
        let bounds = columns.map { (columnSQL: $0, least: "\($0)_MIN", greatest: "\($0)_MAX") }
        let names = bounds.flatMap { [$0.least, $0.greatest] }
        let definitions = names.map { "\($0) FLOAT" }.joined(separator: ", ")
        let list = "(Z_PK, \(names.joined(separator: ", ")))"
        let values = columns.map { "NEW.\($0) ,NEW.\($0)" }.joined(separator: ", ")
        func trigger(_ event: String) -> String { SchemaNaming.quoted("\(plain)_\(event)") }
        return SpatialIndex(
            mapping: mapping, index: index.name, name: plain, bounds: bounds,
            creation: "CREATE VIRTUAL TABLE \(name) USING RTREE (Z_PK INTEGER PRIMARY KEY, \(definitions))",
            triggers: [
                "CREATE TRIGGER \(trigger("INSERT")) AFTER INSERT ON \(table) FOR EACH ROW BEGIN INSERT OR REPLACE INTO "
                    + "\(name) \(list) VALUES (NEW.Z_PK, \(values)) ; END",
                "CREATE TRIGGER \(trigger("UPDATE")) AFTER UPDATE ON \(table) FOR EACH ROW BEGIN DELETE FROM \(name) WHERE "
                    + "Z_PK = NEW.Z_PK ; INSERT INTO \(name) \(list) VALUES (NEW.Z_PK, \(values)) ; END",
                "CREATE TRIGGER \(trigger("DELETE")) AFTER DELETE ON \(table) FOR EACH ROW BEGIN DELETE FROM \(name) WHERE "
                    + "Z_PK = OLD.Z_PK ; END",
            ],
            filling: "INSERT INTO \(name) SELECT Z_PK, \(columns.flatMap { [$0, $0] }.joined(separator: ", ")) "
                + "FROM \(table)")
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
            case .computed: return copy(slot, mapping)?.triggers ?? []
            case nil: return []
            }
        }
    }

    /// Reports the rows with a new value to the connection.
    func report(
        _ mapping: EntityMapping, _ attribute: String, _ column: String, key: String, in keyColumn: String = "Z_PK",
        inserting: Bool = false
    ) -> String {
        let function = "NSCoreDataDATrigger\(inserting ? "Insert" : "")UpdatedAffectedObjectValue"
        return "SELECT \(function)(\(SchemaNaming.literal(mapping.table.name)), Z_ENT, Z_PK, "
            + "\(SchemaNaming.literal(attribute)), \(column)) FROM \(mapping.table.sql) WHERE \(keyColumn) = \(key);"
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
        return
            " AND \(row).Z_ENT IN (\(schema.familyNumbers(of: mapping.layout).map(String.init).joined(separator: ", ")))"
    }

    /// A derived attribute that counts the members of a relationship.
    struct Count {
        let mapping: EntityMapping
        /// The numbers of the entities with the attribute.
        let family: [Int64]
        let attribute: String
        /// The quoted name.
        let column: String
        /// The value that a row of the table must have, as an SQL expression.
        let value: String
    }

    var counts: [Count] {
        schema.entities.flatMap { mapping -> [Count] in
            let layout = mapping.layout
            let inherited = layout.superIndex >= 0 ? schema.model.layouts[layout.superIndex].slotCount : 0
            return (inherited..<layout.slotCount).compactMap { slot in
                guard case .attribute(let column) = mapping.storage[slot],
                    case .count(let relationship)? = Derivation(layout, slot: slot, model: schema.model),
                    let (many, key) = members(relationship, mapping)
                else { return nil }
                let member = "M.\(SchemaNaming.quoted(key))"
                return Count(
                    mapping: mapping, family: schema.familyNumbers(of: mapping.layout),
                    attribute: layout.properties[slot].name, column: SchemaNaming.quoted(column.name),
                    value: "(SELECT COUNT(\(member)) FROM \(SchemaNaming.quoted(many)) AS M WHERE \(member) = "
                        + "\(mapping.table.sql).Z_PK)")
            }
        }
    }

    /// The table with a row for each member of a relationship, and its column with the key of the owner.
    private func members(_ relationship: Int, _ mapping: EntityMapping) -> (table: String, key: String)? {
        guard case .toMany(let storage) = mapping.storage[relationship] else { return nil }
        return switch storage {
        case .column(let key, _, let table): (table.name, key)
        case .join(let join, let isOwner): (join.name, isOwner ? join.ownerColumn : join.memberColumn)
        }
    }

    private func count(_ relationship: Int, _ column: String, _ attribute: String, _ mapping: EntityMapping) -> [String]
    {
        guard let (many, key) = members(relationship, mapping) else { return [] }
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
