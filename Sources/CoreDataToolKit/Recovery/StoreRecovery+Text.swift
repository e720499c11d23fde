// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The report of a recovery, as text and as JSON.

extension StoreRecovery.Report {
    package var hasLosses: Bool {
        !unreadablePages.isEmpty || damagedCells > 0 || cutRows > 0 || conflicts > 0 || !lostObjects.isEmpty
            || missingFiles > 0 || !hasFoundModel || !hasFoundMetadata
    }

    package var text: String {
        let shown = tables.map {
            [$0.name, "\($0.rows)", $0.unreachedRows == 0 ? "" : "\($0.unreachedRows) of them on stray pages"]
        }
        var text = TableText(
            columns: ["table", "rows", ""], alignments: [.left, .right, .left], rows: shown
        ).text
        text += "\nPages: \(pages), \(unreadablePages.count) of them unreadable.\n"
        if !unreadablePages.isEmpty {
            let numbers = unreadablePages.sorted().prefix(20).map { "\($0)" }.joined(separator: ", ")
            text += "Unreadable: \(numbers)\(unreadablePages.count > 20 ? ", …" : "").\n"
        }
        func line(_ count: Int, _ what: String) { if count > 0 { text += "\(what): \(count).\n" } }
        line(damagedCells, "Rows without a sense")
        line(cutRows, "Rows with values whose end is lost")
        line(conflicts, "Rows with a key or unique value of another row")
        line(unknownRows, "Rows of no table of the model")
        line(missingFiles, "Missing files of large data")
        if !hasFoundModel { text += "The copy of the model is lost; the given or inferred one took its place.\n" }
        if !hasFoundMetadata { text += "The metadata are lost; the store has a new identifier.\n" }
        if !lostObjects.isEmpty {
            text +=
                "Lost objects that others refer to: \(lostObjects.prefix(50).joined(separator: ", "))"
                + (lostObjects.count > 50 ? " and \(lostObjects.count - 50) more.\n" : ".\n")
        }
        return text + (hasLosses ? "" : "Nothing was lost.\n")
    }

    package var json: JSONValue {
        .members([
            "tables": .array(
                tables.map {
                    .members([
                        "name": .string($0.name), "rows": .integer($0.rows), "strayRows": .integer($0.unreachedRows),
                    ])
                }),
            "pages": .integer(pages), "unreadablePages": .array(unreadablePages.sorted().map { JSONValue.integer($0) }),
            "damagedCells": .integer(damagedCells), "cutRows": .integer(cutRows), "conflicts": .integer(conflicts),
            "unknownRows": .integer(unknownRows), "missingFiles": .integer(missingFiles),
            "lostObjects": .array(lostObjects.map(JSONValue.string)), "hasFoundModel": .boolean(hasFoundModel),
            "hasFoundMetadata": .boolean(hasFoundMetadata),
        ])
    }
}
