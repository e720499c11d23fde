// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Apple's names of tables and columns, and the numbering of equal names.

import CoreDataModelFiles

/// Assigns names within one scope (a database, or a table) and appends a number to a used name.
package struct NameScope {
    private var taken: Set<String>
    private let limit: @Sendable (String) -> String

    /// - Parameter limit: shortens a name to what the database allows.
    package init(reserved: Set<String> = [], limit: @escaping @Sendable (String) -> String = { $0 }) {
        taken = reserved
        self.limit = limit
    }

    /// Claims a name without changing it.
    ///
    /// - Returns: false for a name in use.
    package mutating func claim(_ name: String) -> Bool { taken.insert(limit(name)).inserted }

    package mutating func unique(_ wanted: String) -> String {
        let name = limit(wanted)
        if taken.insert(name).inserted { return name }
        var number = 1
        while !taken.insert(limit("\(wanted)\(number)")).inserted { number += 1 }
        return limit("\(wanted)\(number)")
    }
}

package enum SchemaNaming {
    package static let key = "Z_PK"
    package static let entity = "Z_ENT"
    package static let version = "Z_OPT"
    package static let keyTable = "Z_PRIMARYKEY"
    package static let metadataTable = "Z_METADATA"
    package static let modelTable = "Z_MODELCACHE"
    package static let reservedTables: Set<String> = [
        keyTable, metadataTable, modelTable, "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING",
    ]
    package static let reservedColumns: Set<String> = [key, entity, version]

    package static func plain(_ name: String) -> String { "Z" + name.uppercased() }

    /// The column with the entity of a to-one destination; `root` is the number of the destination's root entity.
    package static func discriminator(_ name: String, root: Int64) -> String { "Z\(root)_" + name.uppercased() }

    /// The column in the destination's table for a to-many relationship without an inverse.
    package static func oneWay(_ name: String, source: Int64) -> String { "Z\(source)" + name.uppercased() }

    package static func join(_ name: String, owner: Int64) -> String { "Z_\(owner)" + name.uppercased() }

    /// The order key column for a column.
    package static func order(_ column: String) -> String {
        "Z_FOK_" + (column.hasPrefix("Z_") ? column.dropFirst(2) : column.dropFirst())
    }

    /// A name in SQL, with quotes if SQLite needs them.
    package static func quoted(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "_") || (byte >= 48 && byte <= 57) || (byte | 32 >= 97 && byte | 32 <= 122)
        }
        return isPlain ? name : "\"" + name.replacingEach("\"", with: "\"\"") + "\""
    }

    /// A string literal.
    package static func literal(_ text: String) -> String { "'" + text.replacingEach("'", with: "''") + "'" }
}
