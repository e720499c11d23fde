// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// How tables and columns are called: Apple's names, and what becomes of two that would be the same.

/// Hands out names within one scope (a database, or a table); a name taken before gets a number appended.
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

    /// The column that says which entity a to-one points to; `root` is the number of the root of the destination.
    static func discriminator(_ name: String, root: Int64) -> String { "Z\(root)_" + name.uppercased() }

    /// The column in the destination's table for a to-many without an inverse.
    static func oneWay(_ name: String, source: Int64) -> String { "Z\(source)" + name.uppercased() }

    static func join(_ name: String, owner: Int64) -> String { "Z_\(owner)" + name.uppercased() }

    /// The order key that belongs to a column.
    static func order(_ column: String) -> String {
        "Z_FOK_" + (column.hasPrefix("Z_") ? column.dropFirst(2) : column.dropFirst())
    }

    /// A name as it stands in SQL: as it is where SQLite takes it so, in quotes otherwise.
    static func quoted(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "_") || (byte >= 48 && byte <= 57) || (byte | 32 >= 97 && byte | 32 <= 122)
        }
        return isPlain ? name : "\"" + name.replacing("\"", with: "\"\"") + "\""
    }

    /// A string as a literal.
    static func literal(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }
}
