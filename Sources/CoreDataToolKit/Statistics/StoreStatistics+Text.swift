// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The sizes of a store as rows, and in one paragraph.

extension StoreStatistics {
    /// The file, its log and its large data, in a few lines.
    ///
    /// - Parameter width: the width of a terminal, to which lines are folded; nil without one.
    package func summary(width: Int?) -> String {
        let free = freePages > 0 ? ", \(freePages) of them free" : ""
        var text = FoldedText.text(
            "\(ByteText.text(databaseBytes)), \(pages) pages of \(pageSize) bytes\(free)", width: width,
            first: "Database    ")
        if logBytes > 0 { text += "Log         \(ByteText.text(logBytes))\n" }
        if largeDataBytes > 0 { text += "Large data  \(ByteText.text(largeDataBytes))\n" }
        if let historyTransactions { text += "History     \(historyTransactions) transactions\n" }
        return text
    }

    /// Kind, name, count, bytes, bytes of files: entities, attributes, indexes, other tables.
    package var rows: [QueryResult.Row] {
        func row(_ kind: String, _ name: String, _ count: Int?, _ bytes: Int, _ files: Int) -> QueryResult.Row {
            .init(
                id: "",
                cells: [
                    .string(kind), .string(name), count.map { .integer(Int64($0)) } ?? .null, .integer(Int64(bytes)),
                    .integer(Int64(files)),
                ])
        }
        return entities.map { row("entity", $0.name, $0.objects, $0.tableBytes ?? $0.valueBytes, $0.fileBytes) }
            + attributes.filter { $0.values > 0 }
            .map { row("attribute", "\($0.entity).\($0.name)", $0.values, $0.bytes, $0.fileBytes) }
            + indexes.map { row("index", $0.name, nil, $0.bytes, 0) }
            + tables.map { row("table", $0.name, $0.rows, $0.bytes, 0) }
    }

    package var json: JSONValue {
        .members([
            "databaseBytes": .integer(databaseBytes), "logBytes": .integer(logBytes),
            "largeDataBytes": .integer(largeDataBytes), "pageSize": .integer(pageSize), "pages": .integer(pages),
            "freePages": .integer(freePages),
            "entities": .array(
                entities.map {
                    .members([
                        "name": .string($0.name), "objects": .integer($0.objects),
                        "valueBytes": .integer($0.valueBytes), "fileBytes": .integer($0.fileBytes),
                        "tableBytes": $0.tableBytes.map { JSONValue.integer($0) },
                        "indexBytes": $0.indexBytes.map { JSONValue.integer($0) },
                    ])
                }),
        ])
    }
}
