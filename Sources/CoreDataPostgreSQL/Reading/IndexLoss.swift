// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Lists the columns of mapped tables with indexes that do not serve a statement.

import CoreData
import Foundation

/// Notes for an explanation (MappedTables-C2).
enum IndexLoss {
    static func notes(on statement: String, _ opened: OpenServer) -> [String] {
        var notes: [String] = []
        for table in opened.schema.tables {
            guard let mapped = opened.dialect.mapped[table.name],
                let source = statement.range(of: table.sql, options: .backwards)
            else { continue }
            // Conditions and sort terms come after the tables.
            let tail = statement[source.upperBound...]
            for column in mapped.columns {
                let name = ".\(opened.dialect.quoted(column.name))"
                let place = "\(mapped.schema).\(mapped.table).\(column.place)"
                if !column.fit.keepsIndexes, tail.contains(name) {
                    notes.append("No index of \(place) serves: it is \(column.type), and read in another type.")
                } else if column.sortsOtherwise,
                    tail.contains("\(name) COLLATE") || tail.contains("\(name) >= ") || tail.contains("\(name) < ")
                {
                    notes.append("No index of \(place) serves: it has another collation than \"C\".")
                }
            }
        }
        return notes
    }
}
