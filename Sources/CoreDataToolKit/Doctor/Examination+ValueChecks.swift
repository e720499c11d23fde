// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks that each column holds values of its property's type, and that unique values are unique.

import CoreData
import CoreDataModelFiles
import Foundation
import SQLiteDriver

extension Examination {
    /// A condition about one column, with the rule that it breaks.
    private struct ColumnCheck {
        let rule: String
        let property: String
        let column: StoreTables.Column
        let condition: String
    }

    /// One pass over each table for all its columns.
    func checkValues() throws {
        guard let tables = store.tables else { return }
        for entity in tables.entities {
            let own = entity.attributes.filter { !$0.isInherited }
            let checks = own.flatMap { attribute in attribute.columns.flatMap { Self.checks(of: $0, attribute.name) } }
            if !checks.isEmpty { try check(checks, entity) }
            for attribute in own {
                for column in attribute.columns where column.kind == .transformable && column.path.isEmpty {
                    try checkArchives(attribute.name, column, entity)
                }
            }
        }
    }

    private static func checks(of column: StoreTables.Column, _ property: String) -> [ColumnCheck] {
        let name = ([property] + column.path).joined(separator: ".")
        func check(_ rule: String, _ condition: String) -> ColumnCheck {
            ColumnCheck(rule: rule, property: name, column: column, condition: condition)
        }
        func type(_ names: String...) -> ColumnCheck {
            let list = (names + ["null"]).map(\.sqlLiteral).joined(separator: ", ")
            return check("value.type", "TYPEOF(\(column.sql)) NOT IN (\(list))")
        }
        let isBlob = "TYPEOF(\(column.sql)) = 'blob'"
        switch column.kind {
        case .integer: return [type("integer")]
        case .boolean:
            return [
                type("integer"),
                check("value.boolean", "TYPEOF(\(column.sql)) = 'integer' AND \(column.sql) NOT IN (0, 1)"),
            ]
        case .float, .double, .date: return [type("integer", "real")]
        case .decimal:
            // A decimal without a value is the text "NaN".
            let isNumber = "TYPEOF(\(column.sql)) IN ('integer', 'real', 'null')"
            return [check("value.type", "NOT (\(isNumber) OR \(column.sql) IS \(StoreTables.notANumber.sqlLiteral))")]
        case .string, .uri:
            return [
                type("text"),
                check("value.text", "TYPEOF(\(column.sql)) = 'text' AND openCoreDataIsText(\(column.sql)) = 0"),
            ]
        case .uuid: return [type("blob"), check("value.uuid", "\(isBlob) AND LENGTH(\(column.sql)) <> 16")]
        case .binary, .transformable: return [type("blob")]
        case .externalBinary:
            let mark = "SUBSTR(\(column.sql), 1, 1) NOT IN (x'01', x'02')"
            return [type("blob"), check("large.mark", "\(isBlob) AND LENGTH(\(column.sql)) > 0 AND \(mark)")]
        }
    }

    private func check(_ checks: [ColumnCheck], _ entity: StoreTables.Entity) throws {
        var tallies = checks.map { _ in Tally(limit: options.examples) }
        let columns = checks.map { "(\($0.condition))" }
        let family = "Z_ENT IN \(entity.family.sqlList)"
        // SQLite allows up to 2,000 columns and 1,000 nested conditions.
        for start in stride(from: 0, to: checks.count, by: 400) {
            let part = start..<min(start + 400, checks.count)
            try store.each(
                "SELECT Z_PK, Z_ENT, \(columns[part].joined(separator: ", ")) FROM \(entity.tableSQL) WHERE \(family) "
                    + "AND (\(columns[part].joined(separator: " OR ")))"
            ) { row in
                let name = store.tables?.entity(number: row.int64(at: 1))?.name ?? entity.name
                for position in part where row.int64(at: 2 + position - start) == 1 {
                    tallies[position].add(store.uri(name, row.int64(at: 0)))
                }
            }
        }
        for (check, tally) in zip(checks, tallies) {
            guard tally.count > 0 else { continue }
            let (text, repair) = try finding(check, tally.count, entity, family)
            try note(check.rule, entity.name, check.property, tally, text, repair: repair)
        }
    }

    private func finding(
        _ check: ColumnCheck, _ count: Int, _ entity: StoreTables.Entity, _ family: String
    ) throws -> (String, Repair?) {
        let place = "'\(check.property)' of \(Self.rows(count)) of \(entity.name)"
        let column = check.column.sql
        func update(_ value: String, _ condition: String, _ text: String) -> Repair {
            Repair(
                .statements([
                    Repair.update(entity.tableSQL, ["\(column) = \(value)"], where: "\(family) AND \(condition)")
                ]), text)
        }
        switch check.rule {
        case "value.boolean":
            return (
                "\(place) is a number that is neither 0 nor 1.",
                update("1", check.condition, "\(Self.rows(count)) of \(entity.table) get 1.")
            )
        case "value.uuid": return ("\(place) has not the 16 bytes of a UUID.", nil)
        case "value.text": return ("\(place) is no UTF-8.", nil)
        case "large.mark":
            return (
                "\(place) begins with neither of the marks of data and of a file.",
                update(
                    "CAST(x'01' || \(column) AS BLOB)", check.condition,
                    "\(Self.rows(count)) of \(entity.table) get the mark of data.")
            )
        default:
            return ("\(place) has the storage of another type.", try conversion(check.column, entity, family))
        }
    }

    /// The repair for values that have another type's storage; nil if none can be converted without a loss.
    private func conversion(_ column: StoreTables.Column, _ entity: StoreTables.Entity, _ family: String) throws
        -> Repair?
    {
        let name = column.sql
        let (value, condition, noun): (String, String, String)
        switch column.kind {
        case .integer, .boolean, .float, .double, .date, .decimal:
            let isFloatingPoint = column.kind != .integer && column.kind != .boolean
            let number = "CAST(\(name) AS \(isFloatingPoint ? "REAL" : "INTEGER"))"
            // The number prints as the same text, so nothing is lost.
            let (text, bare) = ("CAST(\(number) AS TEXT)", "CAST(\(name) AS TEXT)")
            let isExact = isFloatingPoint ? "(\(text) = \(bare) OR \(text) = \(bare) || '.0')" : "\(text) = \(bare)"
            (value, condition, noun) = (number, "TYPEOF(\(name)) IN ('text', 'blob') AND \(isExact)", "numbers")
        case .string, .uri:
            let isText =
                "TYPEOF(\(name)) IN ('integer', 'real') OR TYPEOF(\(name)) = 'blob' AND "
                + "openCoreDataIsText(CAST(\(name) AS TEXT)) = 1"
            (value, condition, noun) = ("CAST(\(name) AS TEXT)", isText, "text")
        case .binary, .externalBinary, .transformable, .uuid: return nil
        }
        let place = "\(family) AND (\(condition))"
        let count = try store.count("SELECT COUNT(*) FROM \(entity.tableSQL) WHERE \(place)")
        guard count > 0 else { return nil }
        return Repair(
            .statements([Repair.update(entity.tableSQL, ["\(name) = \(value)"], where: place)]),
            "The values of \(Self.rows(count)) become \(noun); other values stay.")
    }

    // MARK: Archives

    /// The transformers that make keyed archives.
    private static let archiving: Set<String> = [
        "", "NSKeyedUnarchiveFromData", "NSKeyedUnarchiveFromDataTransformerName", "NSSecureUnarchiveFromData",
        "NSSecureUnarchiveFromDataTransformer",
    ]

    private func checkArchives(
        _ property: String, _ column: StoreTables.Column, _ entity: StoreTables.Entity
    ) throws {
        let attribute = (store.document ?? store.inferred?.document)?.entities.first { $0.name == entity.name }?
            .attributes.first {
                $0.traits.name == property
            }
        guard Self.archiving.contains(attribute?.valueTransformerName ?? "") else { return }
        var found = Tally(limit: options.examples)
        try store.each(
            "SELECT Z_PK, Z_ENT, \(column.sql) FROM \(entity.tableSQL) WHERE Z_ENT IN \(entity.family.sqlList) "
                + "AND TYPEOF(\(column.sql)) = 'blob'"
        ) { row in
            guard let data = row.data(at: 2), !Self.isArchive(data) else { return }
            found.add(store.uri(store.tables?.entity(number: row.int64(at: 1))?.name ?? entity.name, row.int64(at: 0)))
        }
        try note(
            "value.archive", entity.name, property, found,
            "'\(property)' of \(Self.rows(found.count)) of \(entity.name) is no keyed archive.")
    }

    private static func isArchive(_ data: Data) -> Bool {
        // Archives from before keyed ones begin with "streamtyped".
        if data.prefix(16).range(of: Data("streamtyped".utf8)) != nil { return true }
        guard let list = try? PropertyListBounds.values(of: data) as? [String: Any] else { return false }
        return list["$archiver"] != nil && list["$objects"] != nil
    }

    // MARK: Unique values

    func checkUniqueValues() throws {
        guard let tables = store.tables, let model = store.model else { return }
        for entity in tables.entities {
            guard let description = model.entitiesByName[entity.name] else { continue }
            let inherited = description.superentity?.uniquenessConstraintNames ?? []
            for constraint in description.uniquenessConstraintNames where !inherited.contains(constraint) {
                try checkUnique(constraint, entity)
            }
        }
    }

    private func checkUnique(_ constraint: [String], _ entity: StoreTables.Entity) throws {
        let columns = constraint.compactMap { name in
            entity.attributes.first { $0.name == name }.flatMap { $0.columns.count == 1 ? $0.columns[0].sql : nil }
                ?? entity.toOnes.first { $0.name == name }?.keySQL
        }
        guard columns.count == constraint.count, !columns.isEmpty else { return }
        let list = columns.joined(separator: ", ")
        let present = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
        let family = "Z_ENT IN \(entity.family.sqlList)"
        let same = columns.map { "R.\($0) = D.\($0)" }.joined(separator: " AND ")
        let found = try tally(
            "SELECT R.Z_PK, R.Z_ENT FROM (SELECT \(list) FROM \(entity.tableSQL) WHERE \(family) AND \(present) "
                + "GROUP BY \(list) HAVING COUNT(*) > 1) AS D JOIN \(entity.tableSQL) AS R ON \(same) WHERE R.\(family)"
        )
        try note(
            "unique.doubled", entity.name, constraint.joined(separator: ","), found,
            "\(Self.rows(found.count)) of \(entity.name) share values of '\(constraint.joined(separator: "', '"))', "
                + "which are unique.")
    }
}
