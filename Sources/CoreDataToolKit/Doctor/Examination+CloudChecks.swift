// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks the tables of CloudKit's mirror: records and the objects, zones and keys that they name.

import CoreData
import Foundation
import SQLiteDriver

extension Examination {
    private static let records = CloudTables.records
    /// The tables with the name of a record and the name of its entity in each row.
    private static let named = ["ANSCKMIRROREDRELATIONSHIP", "ANSCKIMPORTPENDINGRELATIONSHIP"]

    func checkCloud() throws {
        let mirror = try CloudTables(store.connection)
        if mirror.isEmpty { return }
        for table in mirror.tables(with: "ZENTITYID") {
            try checkNumbers(table)
            try checkDoubles(table)
        }
        if mirror.has(Self.records) {
            try checkNames(mirror)
            try checkOrphans(mirror)
            try checkRecordNames(mirror)
        }
        try checkParts(mirror)
        try checkKeys(mirror)
    }

    // MARK: Entities

    private func checkNumbers(_ table: String) throws {
        let numbers = store.file.entities.map(\.number).sqlList
        let condition = "ZENTITYID NOT IN \(numbers)"
        let unexpected = try store.count("SELECT COUNT(*) FROM \(table) WHERE \(condition)")
        try note(
            "cloud.entity", nil, table, count: unexpected,
            "\(Self.rows(unexpected)) of \(table) have the number of no entity (ZENTITYID).",
            repair: Repair(
                .statements(["DELETE FROM \(table) WHERE \(condition)"]), "\(Self.rows(unexpected)) are removed."))
        for root in store.tables?.entities ?? [] where root.isRoot {
            let family = (store.tables?.entities ?? []).filter { $0.table == root.table }.map(\.number).sqlList
            let high = try store.count(
                "SELECT COUNT(*) FROM \(table) WHERE ZENTITYID IN \(family) AND ZENTITYPK > "
                    + "(SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(root.number))")
            try note(
                "cloud.entity", root.name, table, count: high,
                "\(Self.rows(high)) of \(table) have keys that no object of \(root.name) ever had.")
        }
    }

    /// A relationship names the entity of the record, or a superentity.
    private func checkNames(_ mirror: CloudTables) throws {
        let entities = store.tables?.entities ?? []
        for root in entities where root.isRoot {
            let family = entities.filter { $0.table == root.table }
            let names = "(\(family.map(\.name.sqlLiteral).joined(separator: ", ")))"
            for table in Self.named {
                for (entity, record) in [
                    ("ZCDENTITYNAME", "ZRECORDNAME"), ("ZRELATEDENTITYNAME", "ZRELATEDRECORDNAME"),
                ] where mirror.has(entity, in: table) && mirror.has(record, in: table) {
                    let condition =
                        "ZENTITYID NOT IN \(family.map(\.number).sqlList) AND ZCKRECORDNAME IN "
                        + "(SELECT \(record) FROM \(table) WHERE \(entity) IN \(names))"
                    let wrong = try store.count("SELECT COUNT(*) FROM \(Self.records) WHERE \(condition)")
                    try note(
                        "cloud.entity", root.name, Self.records, count: wrong,
                        "\(Self.rows(wrong)) of \(Self.records) have another entity than \(table) gives the record.",
                        repair: repair(wrong, condition, root))
                }
            }
        }
    }

    /// Assigns records to the entity of the object with their key.
    private func repair(_ wrong: Int, _ condition: String, _ root: StoreTables.Entity) -> Repair {
        let number = "(SELECT O.Z_ENT FROM \(root.tableSQL) AS O WHERE O.Z_PK = ZENTITYPK)"
        return Repair(
            .statements([
                "UPDATE OR IGNORE \(Self.records) SET ZENTITYID = -\(number) WHERE \(condition) AND \(number) NOT NULL",
                "UPDATE OR IGNORE \(Self.records) SET ZENTITYID = -ZENTITYID WHERE ZENTITYID < 0",
                "DELETE FROM \(Self.records) WHERE ZENTITYID < 0",
            ]), "\(Self.rows(wrong)) get the entity of their object; rows of objects that have another record go.")
    }

    // MARK: Objects

    private func checkOrphans(_ mirror: CloudTables) throws {
        guard let tables = store.tables else { return }
        var waiting: [String] = []
        for column in ["ZNEEDSCLOUDDELETE", "ZNEEDSLOCALDELETE"] where mirror.has(column, in: Self.records) {
            waiting.append("IFNULL(\(column), 0) <> 0")
        }
        if try store.connection.tableExists("ACHANGE") {
            waiting.append(
                "EXISTS (SELECT 1 FROM ACHANGE AS C WHERE C.ZCHANGETYPE = 2 AND C.ZENTITY = ZENTITYID "
                    + "AND C.ZENTITYPK = \(Self.records).ZENTITYPK)")
        }
        let isSettled = waiting.isEmpty ? "" : " AND NOT (\(waiting.joined(separator: " OR ")))"
        for entity in tables.entities {
            let condition =
                "ZENTITYID = \(entity.number) AND NOT EXISTS (SELECT 1 FROM \(entity.tableSQL) AS O "
                + "WHERE O.Z_PK = ZENTITYPK AND O.Z_ENT = ZENTITYID)\(isSettled)"
            let lost = try store.count("SELECT COUNT(*) FROM \(Self.records) WHERE \(condition)")
            try note(
                "cloud.orphan", entity.name, Self.records, count: lost,
                "\(Self.rows(lost)) of \(Self.records) belong to objects of \(entity.name) that are not there.",
                repair: Repair(
                    .statements(["DELETE FROM \(Self.records) WHERE \(condition)"]), "\(Self.rows(lost)) are removed."))
        }
    }

    // MARK: Rows

    private func checkDoubles(_ table: String) throws {
        let groups =
            "SELECT COUNT(*) - 1 FROM \(table) WHERE ZENTITYID IS NOT NULL AND ZENTITYPK IS NOT NULL "
            + "GROUP BY ZENTITYID, ZENTITYPK HAVING COUNT(*) > 1"
        let doubled = try store.connection.rows(groups).reduce(0) { $0 + Int($1[0].integerValue ?? 0) }
        let name = table == Self.records ? ", ZCKRECORDNAME" : ""
        try note(
            "cloud.doubled", nil, table, count: doubled,
            "\(Self.rows(doubled)) of \(table) name an object that an earlier row has.",
            repair: Repair(
                .statements([
                    "DELETE FROM \(table) WHERE ZENTITYID IS NOT NULL AND ZENTITYPK IS NOT NULL AND Z_PK NOT IN "
                        + "(SELECT MIN(Z_PK) FROM \(table) GROUP BY ZENTITYID, ZENTITYPK\(name))"
                ]), "Of rows that are equal the first stays."))
    }

    private func checkRecordNames(_ mirror: CloudTables) throws {
        guard mirror.has("ZCKRECORDNAME", in: Self.records), mirror.has("ZRECORDZONE", in: Self.records) else { return }
        let groups =
            "SELECT COUNT(*) - 1 FROM \(Self.records) WHERE ZCKRECORDNAME IS NOT NULL AND ZRECORDZONE IS NOT NULL "
            + "GROUP BY ZCKRECORDNAME, ZRECORDZONE HAVING COUNT(DISTINCT ZENTITYID || '/' || ZENTITYPK) > 1"
        let doubled = try store.connection.rows(groups).reduce(0) { $0 + Int($1[0].integerValue ?? 0) }
        try note(
            "cloud.doubled", nil, Self.records, count: doubled,
            "\(Self.rows(doubled)) of \(Self.records) have the record of another object.")
    }

    /// Rows that belong to a record or a zone.
    private func checkParts(_ mirror: CloudTables) throws {
        let zones = "ANSCKRECORDZONEMETADATA"
        for (column, target) in [("ZRECORDMETADATA", Self.records), ("ZRECORDZONE", zones)] where mirror.has(target) {
            for table in mirror.tables(with: column) {
                let condition = "\(column) IS NOT NULL AND \(column) NOT IN (SELECT Z_PK FROM \(target))"
                let lost = try store.count("SELECT COUNT(*) FROM \(table) WHERE \(condition)")
                try note(
                    "cloud.reference", nil, "\(table).\(column)", count: lost,
                    "\(Self.rows(lost)) of \(table) belong to \(target == zones ? "a zone" : "a record") that is not there.",
                    repair: target == zones
                        ? nil
                        : Repair(
                            .statements(["DELETE FROM \(table) WHERE \(condition)"]),
                            "\(Self.rows(lost)) are removed."))
            }
        }
    }

    private func checkKeys(_ mirror: CloudTables) throws {
        for row in try store.connection.rows(
            "SELECT Z_ENT, Z_NAME, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT BETWEEN 17000 AND 17999")
        {
            guard let number = row[0].integerValue, let name = row[1].textValue else { continue }
            let table = "A" + name.uppercased()
            guard mirror.has(table) else { continue }
            let highest = try store.connection.value("SELECT MAX(Z_PK) FROM \(table)")?.integerValue ?? 0
            guard highest > row[2].integerValue ?? 0 else { continue }
            try note(
                "cloud.key", nil, name, "The highest key of \(table) is \(highest), and Z_MAX is below.",
                repair: Repair(
                    .statements(["UPDATE Z_PRIMARYKEY SET Z_MAX = \(highest) WHERE Z_ENT = \(number)"]),
                    "Z_MAX of \(name) becomes \(highest)."))
        }
    }
}
