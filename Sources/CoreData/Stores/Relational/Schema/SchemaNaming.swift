// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Apple's names of tables and columns, and the numbering of equal names.

/// Assigns names within one scope (a database, or a table) and appends a number to a used name.
struct NameScope {
    private var taken: Set<String>

    init(reserved: Set<String> = []) { taken = reserved }

    mutating func unique(_ name: String) -> String {
        if taken.insert(name).inserted { return name }
        var number = 1
        while !taken.insert("\(name)\(number)").inserted { number += 1 }
        return "\(name)\(number)"
    }
}

enum SchemaNaming {
    static let key = "Z_PK"
    static let entity = "Z_ENT"
    static let version = "Z_OPT"
    static let keyTable = "Z_PRIMARYKEY"
    static let metadataTable = "Z_METADATA"
    static let modelTable = "Z_MODELCACHE"
    static let reservedTables: Set<String> = [
        keyTable, metadataTable, modelTable, "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING",
    ]
    static let reservedColumns: Set<String> = [key, entity, version]

    static func plain(_ name: String) -> String { "Z" + name.uppercased() }

    /// The column with the entity of a to-one destination; `root` is the number of the destination's root entity.
    static func discriminator(_ name: String, root: Int64) -> String { "Z\(root)_" + name.uppercased() }

    /// The column in the destination's table for a to-many relationship without an inverse.
    static func oneWay(_ name: String, source: Int64) -> String { "Z\(source)" + name.uppercased() }

    static func join(_ name: String, owner: Int64) -> String { "Z_\(owner)" + name.uppercased() }

    /// The order key column for a column.
    static func order(_ column: String) -> String {
        "Z_FOK_" + (column.hasPrefix("Z_") ? column.dropFirst(2) : column.dropFirst())
    }

    /// A name in SQL, with quotes if SQLite needs them.
    static func quoted(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "_") || (byte >= 48 && byte <= 57) || (byte | 32 >= 97 && byte | 32 <= 122)
        }
        return isPlain ? name : "\"" + name.replacing("\"", with: "\"\"") + "\""
    }

    /// A string literal.
    static func literal(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }
}
