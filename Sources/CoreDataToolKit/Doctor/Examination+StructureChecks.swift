// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks the tables, columns, indexes and triggers. Structures that any version of Apple's framework makes are sound.

import CoreData
import Foundation
import SQLiteDriver

extension Examination {
    func checkStructure() throws {
        if let inferred = store.inferred { return try checkStructure(inferred) }
        guard let model = store.model else { return }
        let differences = try StoreTables.differences(store.connection, model: model)
        let schema = try store.connection.schema()
        let present =
            try schema.compactMap { $0.type == "index" ? $0.sql.flatMap(IndexColumns.init) : nil } + constraintIndexes()
        let wanted = differences.filter { $0.kind == .missingIndex }.compactMap { $0.statements.last }
            .compactMap(IndexColumns.init)
        let served = wanted.filter { index in present.contains { $0.serves(index) } }
        for difference in differences {
            guard let rule = Self.rule(of: difference.kind) else { continue }
            if difference.kind == .leftoverIndex, Self.isFrameworkName(difference.name) { continue }
            // Older frameworks gave the same indexes other names, or made them as constraints of the table.
            if difference.kind == .missingIndex, let index = difference.statements.last.flatMap(IndexColumns.init),
                served.contains(index) || index.isOfEntities
            {
                continue
            }
            if difference.kind == .leftoverTrigger, Self.isFrameworkTrigger(difference.name) { continue }
            let repair: Repair? =
                difference.statements.isEmpty
                ? nil : Repair(.statements(difference.statements), difference.statements.joined(separator: "; ") + ".")
            let text = difference.text.prefix(1).uppercased() + difference.text.dropFirst() + "."
            try note(rule, nil, difference.name, text, repair: repair)
        }
        let leftovers = Set(differences.filter { $0.kind == .leftoverIndex }.map(\.name))
        try checkRedundantIndexes(model, leftovers: leftovers.filter(Self.isFrameworkName))
    }

    /// Whether the framework gives names of this form to indexes. Migrations of Apple's framework leave indexes of the
    /// older version, and of the other name of a join table.
    static func isFrameworkName(_ name: String) -> Bool { name.hasPrefix("Z") }

    /// Whether a trigger is the framework's own; the copy of the model does not contain some of them.
    static func isFrameworkTrigger(_ name: String) -> Bool {
        name.hasPrefix("ZT_") || name.hasPrefix("Z_RT_") || name.hasPrefix("Z_DA_")
    }

    /// The indexes that SQLite makes for constraints inside of `CREATE TABLE`. Frameworks before 2018 declared unique
    /// values there, and the primary key of a join table is such a constraint.
    private func constraintIndexes() throws -> [IndexColumns] {
        try store.connection.schema().filter { $0.type == "table" && $0.name.hasPrefix("Z") }.flatMap { table in
            try indexes(of: table.name).filter { $0.isOfConstraint }.map {
                IndexColumns(table: table.name, columns: $0.names, isUnique: true)
            }
        }
    }

    private struct TableIndex {
        let name: String
        let isUnique: Bool
        let isPartial: Bool
        let isOfConstraint: Bool
        let names: [String]
        /// The columns with their directions and collations.
        let columns: [String]
    }

    private func indexes(of table: String) throws -> [TableIndex] {
        try store.connection.rows(
            "SELECT name, \"unique\", partial, origin FROM pragma_index_list(?)", [.text(table)]
        ).map { row in
            let name = row[0].textValue ?? ""
            let columns = try store.connection.rows(
                "SELECT name, desc, coll FROM pragma_index_xinfo(?) WHERE key = 1", [.text(name)])
            return TableIndex(
                name: name, isUnique: row[1].integerValue == 1, isPartial: row[2].integerValue != 0,
                isOfConstraint: row[3].textValue != "c", names: columns.map { $0[0].textValue ?? "" },
                columns: columns.map {
                    "\($0[0].textValue ?? "") \($0[1].integerValue ?? 0) \($0[2].textValue ?? "")"
                })
        }
    }

    /// The table and columns of an index.
    private struct IndexColumns: Equatable {
        let table: String
        let columns: [String]
        let isUnique: Bool
        let condition: String

        /// Whether the index covers only the entity number. Apple's framework makes it for roots with
        /// subentities, but some of its stores lack it.
        var isOfEntities: Bool { columns == ["Z_ENT"] }

        init(table: String, columns: [String], isUnique: Bool) {
            (self.table, self.columns, self.isUnique, condition) = (table, columns, isUnique, "")
        }

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

        /// Whether this index makes another one redundant.
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
        // `checkEntities` reports these in more detail.
        case .entityNumbers: nil
        }
    }

    /// Indexes that the model or a user asks for, with columns that begin another index of the table in the same order.
    /// The framework makes those of relationships and entity numbers in any case.
    private func checkRedundantIndexes(_ model: NSManagedObjectModel, leftovers: Set<String>) throws {
        let asked = Dictionary(
            model.entities.flatMap { entity in
                entity.indexes.map { ("Z_\(entity.name ?? "")_\($0.name)", $0.name) }
            }, uniquingKeysWith: { first, _ in first })
        for table in try store.connection.schema().filter({ $0.type == "table" && $0.name.hasPrefix("Z") }) {
            let indexes = try indexes(of: table.name).filter { !$0.isPartial }
            for index in indexes
            where !index.isUnique && (asked[index.name] != nil || !Self.isFrameworkName(index.name)) {
                let better = indexes.first { other in
                    // The framework repeats an index of an entity for each subentity.
                    let isRepeated = asked[index.name] != nil && asked[index.name] == asked[other.name]
                    return other.name != index.name && !isRepeated && !leftovers.contains(other.name)
                        && other.columns.starts(with: index.columns)
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
}
