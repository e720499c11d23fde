// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Turns any number of keys into one condition, so that the number of statements is independent of the number of rows.

import SQLiteDriver

/// A condition on keys: `"… WHERE Z_PK " + list.condition`, with `list.arguments`.
struct KeyList {
    /// Up to this many rows are read and written one by one, with a statement that fits any row.
    static let few = 4

    let condition: String
    let arguments: [SQLiteValue]

    init(_ keys: [Int64]) {
        if keys.count == 1 {
            condition = "= ?"
            arguments = [.integer(keys[0])]
        } else if let first = keys.first, let last = keys.last, Self.areDense(keys, from: first) {
            // Consecutive keys: one range scan instead of look-ups.
            condition = "BETWEEN ? AND ?"
            arguments = [.integer(first), .integer(last)]
        } else {
            // SQLite reads the list as a table and looks up each key, which costs as much as a list of parameters.
            condition = "IN (SELECT value FROM json_each(?))"
            arguments = [.text(Self.text(keys))]
        }
    }

    /// The arguments for a statement that is assembled from pieces.
    var values: [ColumnValue] {
        arguments.map { argument in
            switch argument {
            case .integer(let key): .integer(key)
            case .text(let keys): .text(keys)
            case .null, .real, .blob: .null
            }
        }
    }

    /// Whether the keys are consecutive and ascending.
    private static func areDense(_ keys: [Int64], from first: Int64) -> Bool {
        var next = first
        for key in keys {
            if key != next { return false }
            next &+= 1
        }
        return true
    }

    /// Written digit by digit: creating a string for each key would take longer than looking up its row.
    static func text(_ keys: [Int64]) -> String {
        String(unsafeUninitializedCapacity: keys.count * 21 + 2) { bytes in
            var end = 0
            func put(_ byte: UInt8) {
                bytes[end] = byte
                end += 1
            }
            put(UInt8(ascii: "["))
            for key in keys {
                if end > 1 { put(UInt8(ascii: ",")) }
                if key < 0 { put(UInt8(ascii: "-")) }
                var rest = key.magnitude
                var place = end + digits(rest)
                end = place
                repeat {
                    place -= 1
                    bytes[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                    rest /= 10
                } while rest > 0
            }
            put(UInt8(ascii: "]"))
            return end
        }
    }

    private static func digits(_ number: UInt64) -> Int {
        var (count, rest) = (1, number / 10)
        while rest > 0 {
            count += 1
            rest /= 10
        }
        return count
    }
}
