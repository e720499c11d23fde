// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Any number of keys as one argument, so that the number of statements does not grow with the number of rows.

import SQLiteDriver

/// Keys in the condition of a statement: `"… WHERE Z_PK " + list.condition`, with `list.argument`.
struct KeyList {
    /// Up to this many rows are better read and written one by one, with a text that serves any row.
    static let few = 4

    let condition: String
    let argument: SQLiteValue

    init(_ keys: [Int64]) {
        if keys.count == 1 {
            condition = "= ?"
            argument = .integer(keys[0])
        } else {
            // SQLite reads the list as a table and looks up each key, at the price of a list of parameters.
            condition = "IN (SELECT value FROM json_each(?))"
            argument = .text(Self.text(keys))
        }
    }

    private static func text(_ keys: [Int64]) -> String {
        var text = "["
        for key in keys {
            if text.utf8.count > 1 { text += "," }
            text += String(key)
        }
        return text + "]"
    }
}
