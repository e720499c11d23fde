// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The scenario of batch requests, compared with plain SQL for the same rows.

import CoreData
import Foundation

enum BatchScenario: Scenario {
    static let name = "batch requests"

    static func run(_ stage: Stage) throws -> [Finding] {
        try insertions(stage) + changes(stage) + [deletionsWithRules(stage), memory(stage)]
    }

    private static func insertions(_ stage: Stage) throws -> [Finding] {
        let count = stage.size(1_000_000)
        let empty = try stage.emptyStore(BatchModel.plain)
        let byHandler = try stage.ratio(on: empty, BatchModel.plain) {
            try stage.insertMeasurements(count, in: $0)
        } toPlain: {
            try $0.insert((0..<count).lazy.map(MeasurementRow.init), count: count)
        }
        let dictionaries = (0..<count / 4).map { MeasurementRow($0).dictionary }
        let fromDictionaries = try stage.ratio(on: empty, BatchModel.plain) {
            _ = try $0.execute(NSBatchInsertRequest(entityName: "Measurement", objects: dictionaries))
        } toPlain: {
            let rows = dictionaries.lazy.map { dictionary in
                // As a careful reader of dictionaries does, each value is taken by its key.
                _ = (dictionary["code"] as? String, dictionary["date"] as? Date, dictionary["isValid"] as? Bool)
                _ = (dictionary["text"] as? String, dictionary["value"] as? Double, dictionary["weight"] as? Double)
                return MeasurementRow(Int(dictionary["number"] as? Int64 ?? 0))
            }
            try $0.insert(rows, count: dictionaries.count)
        }
        let full = try stage.measurements(BatchModel.unique, count)
        defer { stage.remove(full) }
        let update =
            "ON CONFLICT (ZNUMBER) DO UPDATE SET Z_OPT = Z_OPT + 1, ZCODE = excluded.ZCODE, ZDATE = excluded.ZDATE, "
            + "ZISVALID = excluded.ZISVALID, ZTEXT = excluded.ZTEXT, ZVALUE = excluded.ZVALUE, ZWEIGHT = excluded.ZWEIGHT"
        let upserts = try stage.ratio(on: full, BatchModel.unique) { context in
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try stage.insertMeasurements(count, in: context)
        } toPlain: {
            try $0.insert((0..<count).lazy.map(MeasurementRow.init), count: count, upsert: update)
        }
        return [
            finding(
                "1,000,000 insertions by a handler, to plain SQL", byHandler, "×", atMost: 1.15,
                because: "32 rows a statement in both; the handler's setters are all that is added"),
            finding(
                "250,000 insertions of dictionaries, to plain SQL", fromDictionaries, "×", atMost: 1.3,
                because: "both read each value by its key; types are checked once more"),
            finding(
                "1,000,000 insertions that meet others, to plain SQL", upserts, "×", atMost: 1.2,
                because: "both are one upsert a row"),
        ]
    }

    private static func changes(_ stage: Stage) throws -> [Finding] {
        let count = stage.size(1_000_000)
        let full = try stage.measurements(BatchModel.plain, count)
        defer { stage.remove(full) }
        let update = try stage.ratio(on: full, BatchModel.plain) {
            let request = NSBatchUpdateRequest(entityName: "Measurement")
            request.propertiesToUpdate = ["value": 2.5]
            _ = try $0.execute(request)
        } toPlain: {
            try $0.database.execute("UPDATE ZMEASUREMENT SET ZVALUE = 2.5, Z_OPT = Z_OPT + 1 WHERE Z_ENT = 1")
        }
        let deletion = try stage.ratio(on: full, BatchModel.plain) {
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Measurement")
            request.predicate = NSPredicate(format: "number < %ld", count / 2)
            _ = try $0.execute(NSBatchDeleteRequest(fetchRequest: request))
        } toPlain: {
            try $0.database.execute("DELETE FROM ZMEASUREMENT WHERE Z_ENT = 1 AND ZNUMBER < \(count / 2)")
        }
        return [
            finding(
                "an update of 1,000,000 rows, to its statement", update, "×", atMost: 1.1,
                because: "it is that statement"),
            finding(
                "a deletion of 500,000 rows, to its statement", deletion, "×", atMost: 1.1,
                because: "it is that statement"),
        ]
    }

    private static func deletionsWithRules(_ stage: Stage) throws -> Finding {
        let count = stage.size(200_000)
        let empty = try stage.emptyStore(BatchModel.folders)
        let filling = """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            """
        let file = try RawMeasurements(empty)
        try file.database.transaction {
            let tables = [(1, "ZFILE", ", ZFOLDER", ", i"), (2, "ZFOLDER", "", ""), (3, "ZLABEL", "", "")]
            for (entity, table, column, value) in tables + [(4, "ZREADER", ", ZFOLDER", ", i")] {
                try file.database.execute(
                    "\(filling) INSERT INTO \(table) (Z_PK, Z_ENT, Z_OPT, ZNUMBER\(column)) "
                        + "SELECT i, \(entity), 1, i\(value) FROM n")
            }
            try file.database.execute("\(filling) INSERT INTO Z_2LABELS (Z_2FOLDERS, Z_3LABELS) SELECT i, i FROM n")
            try file.database.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(count)")
        }
        try file.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let ratio = try stage.ratio(on: empty, BatchModel.folders) {
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Folder")
            request.predicate = NSPredicate(format: "number <= %ld", count / 2)
            _ = try $0.execute(NSBatchDeleteRequest(fetchRequest: request))
        } toPlain: {
            let doomed = "(SELECT Z_PK FROM ZFOLDER WHERE Z_ENT = 2 AND ZNUMBER <= \(count / 2))"
            let database = $0.database
            try database.transaction {
                try database.execute("DELETE FROM Z_2LABELS WHERE Z_2FOLDERS IN \(doomed)")
                try database.execute("UPDATE ZREADER SET ZFOLDER = NULL, Z_OPT = Z_OPT + 1 WHERE ZFOLDER IN \(doomed)")
                try database.execute("DELETE FROM ZFILE WHERE ZFOLDER IN \(doomed)")
                try database.execute("DELETE FROM ZFOLDER WHERE Z_ENT = 2 AND ZNUMBER <= \(count / 2)")
            }
        }
        return finding(
            "a deletion of 100,000 with nullify, cascade and a join table, to its statements", ratio, "×", atMost: 1.25,
            because: "one statement for each relationship, and a list of the deleted keys")
    }

    private static func memory(_ stage: Stage) throws -> Finding {
        let peaks = try [10_000, 1_000_000].map { count in
            let file = try stage.emptyStore(BatchModel.plain)
            defer { stage.remove(file) }
            let context = stage.context(try stage.coordinator(file, BatchModel.plain, history: false))
            return try context.performAndWait {
                let before = Heap.inUse ?? 0
                var peak = before
                try stage.insertMeasurements(stage.size(count), in: context) {
                    if $0 % 1_000 == 0 { peak = max(peak, Heap.inUse ?? 0) }
                }
                return peak - before
            }
        }
        return finding(
            "heap of 1,000,000 insertions by a handler, above that of 10,000", megabytes(peaks[1] - peaks[0]), "MB",
            atMost: 4, because: "rows leave memory with the statement that writes them")
    }
}
