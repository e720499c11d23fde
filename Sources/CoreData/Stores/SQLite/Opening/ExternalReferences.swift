// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the large-data files to which the rows of a database refer, without a model.

import Foundation
import SQLiteDriver

/// The large-data files to which the rows of a database refer, found without a model.
enum ExternalReferences {
    /// One marker byte, 36 characters and a terminator.
    private static let length = 38

    static func names(in connection: Connection) throws -> Set<String> {
        var names: Set<String> = []
        for table in try connection.schema().filter({ $0.type == "table" }).map(\.name) where table.hasPrefix("Z") {
            let quoted = SchemaNaming.quoted(table)
            let columns = try connection.rows("PRAGMA table_info(\(quoted))").compactMap { row in
                row[2].textValue?.uppercased() == "BLOB" ? row[1].textValue.map(SchemaNaming.quoted) : nil
            }
            for column in columns {
                let rows = try connection.rows(
                    "SELECT \(column) FROM \(quoted) WHERE TYPEOF(\(column)) = 'blob' AND LENGTH(\(column)) = \(length) "
                        + "AND SUBSTR(\(column), 1, 1) = x'02'")
                for row in rows {
                    if let name = row[0].blobValue.flatMap(ExternalColumn.fileName) { names.insert(name) }
                }
            }
        }
        return names
    }

    /// Removes the folder of a store's large data, and its parent folder, if they are empty.
    static func removeIfEmpty(_ folder: URL) {
        StoreFiles.removeIfEmpty(folder)
        StoreFiles.removeIfEmpty(folder.deletingLastPathComponent())
    }
}
