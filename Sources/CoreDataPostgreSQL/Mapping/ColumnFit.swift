// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides how an attribute is read from, and written to, a column of another type.

import CoreData
import Foundation

/// The two conversions between an attribute and a column.
struct ColumnFit {
    enum Form: Equatable {
        /// The value without conversion.
        case plain
        /// Reads the column converted to a type; writes without conversion.
        case readAs(String)
        /// Converted by casts in both directions.
        case cast(read: String, write: String)
        /// A number that is 0 for false.
        case number
        /// A date without a time zone, treated as UTC.
        case withoutZone
        case day
        /// A decimal column for a floating-point attribute: converted through text, because a cast keeps only 15
        /// digits.
        case decimal
    }

    let form: Form
    /// Whether the column is always compared by its bytes.
    let isCollated: Bool

    /// Types that the server converts to text and back.
    private static let texts: Set<String> = ["json", "jsonb", "xml", "inet", "cidr", "macaddr", "citext", "uuid"]
    private static let strings: Set<String> = ["text", "varchar", "name"]
    private static let integers = ["int2": 16, "int4": 32, "int8": 64]

    /// - Parameter bits: the width of an integer attribute.
    /// - Returns: nil if the conversion would lose values.
    init?(_ coding: ColumnCoding, bits: Int, _ column: ServerCatalog.Column) {
        guard !column.isArray, !column.isGenerated else { return nil }
        let base = column.base
        var isCollated = !column.isDeterministic
        let form: Form?
        switch coding {
        case .integer:
            if let width = Self.integers[base] {
                form = width <= bits ? .plain : nil
            } else if let precision = column.precision, precision.scale == 0 {
                // Every number with so many digits fits the attribute.
                form = precision.digits <= [16: 4, 32: 9][bits] ?? 18 ? .readAs("bigint") : nil
            } else {
                form = nil
            }
        case .boolean: form = base == "bool" ? .plain : Self.integers[base] == nil ? nil : .number
        case .float: form = base == "float4" ? .plain : nil
        case .double: form = ["float4", "float8"].contains(base) ? .plain : base == "numeric" ? .decimal : nil
        case .decimal:
            form =
                base == "numeric" ? .plain : Self.integers[base] == nil ? nil : .cast(read: "numeric", write: "numeric")
        case .date:
            form = ["timestamptz": .plain, "timestamp": .withoutZone, "date": .day][base]
        case .string, .uri:
            if Self.strings.contains(base) {
                form = base == "name" ? .readAs("text") : .plain
            } else if base == "bpchar" {
                form = .readAs("text")
            } else if Self.texts.contains(base) || column.kind == "e" {
                form = .cast(read: "text", write: column.plainType)
                isCollated = isCollated || base == "citext"
            } else {
                form = nil
            }
        case .uuid: form = base == "uuid" ? .plain : nil
        case .binary, .externalBinary, .transformable: form = base == "bytea" ? .plain : nil
        }
        guard let form else { return nil }
        (self.form, self.isCollated) = (form, isCollated)
    }

    /// A column with the key of a row; nil if it is not an integer column.
    init?(key column: ServerCatalog.Column) {
        guard Self.integers[column.base] != nil, !column.isArray, !column.isGenerated else { return nil }
        (form, isCollated) = (.plain, false)
    }

    /// Whether the column's own indexes serve comparisons.
    var keepsIndexes: Bool { form == .plain && !isCollated }

    func read(_ column: String) -> String {
        let value =
            switch form {
            case .plain: column
            case .readAs(let type): "\(column)::\(type)"
            case .cast(let type, _): "\(column)::\(type)"
            case .number: "(\(column) <> 0)"
            case .withoutZone: "(\(column) AT TIME ZONE 'UTC')"
            case .day: "(\(column)::timestamp AT TIME ZONE 'UTC')"
            case .decimal: "\(column)::double precision"
            }
        return isCollated ? "\(value) COLLATE \"C\"" : value
    }

    func write(_ value: String) -> String {
        switch form {
        case .plain, .readAs: value
        case .cast(_, let type): "\(value)::\(type)"
        case .number: "CASE WHEN \(value) THEN 1 WHEN NOT \(value) THEN 0 END"
        case .withoutZone: "(\(value) AT TIME ZONE 'UTC')"
        case .day: "(\(value) AT TIME ZONE 'UTC')::date"
        case .decimal: "\(value)::text::numeric"
        }
    }
}
