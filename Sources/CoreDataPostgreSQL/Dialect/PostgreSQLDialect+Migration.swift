// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The syntax of migrations in PostgreSQL.

package import CoreData
import Foundation
import PostgreSQLDriver

extension PostgreSQLDialect {
    package func entityColumn(of root: EntityLayout) -> String? {
        root.hasSubentities ? Self.quoted(SnakeNames.kind) : nil
    }

    package func literal(_ entity: StoredEntity) -> String { Self.literal(entity.name) }

    package func literal(_ value: ColumnValue, _ coding: ColumnCoding) -> String? {
        switch value {
        case .null, .list: nil
        case .integer(let number): "\(number)::bigint"
        case .boolean(let value): value ? "TRUE" : "FALSE"
        case .double(let number): "'\(Self.name(number))'::double precision"
        case .decimal(let number): "'\(NSDecimalNumber(decimal: number).stringValue)'::numeric"
        case .date(let date): Self.literal(date)
        case .text(let text): text.contains("\0") ? nil : Self.literal(text) + "::text"
        case .uuid(let uuid): "'\(uuid.uuidString)'::uuid"
        case .bytes(let data):
            "'\\x\(data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())'::bytea"
        }
    }

    private static func name(_ number: Double) -> String {
        number.isNaN ? "NaN" : number.isInfinite ? (number < 0 ? "-Infinity" : "Infinity") : "\(number)"
    }

    /// As days, seconds and microseconds, because older servers cannot read an interval of many microseconds.
    private static func literal(_ date: Date) -> String {
        let all = WireTimestamp.microseconds(date.timeIntervalSinceReferenceDate)
        if all == .max { return "'infinity'::timestamptz" }
        if all == .min { return "'-infinity'::timestamptz" }
        let (days, rest) = (all / 86_400_000_000, all % 86_400_000_000)
        return
            "('2000-01-01 00:00:00+00'::timestamptz + interval '\(days) days' + interval '\(rest / 1_000_000) seconds' "
            + "+ interval '\(rest % 1_000_000) microseconds')"
    }

    /// Floating-point numbers become decimals through their shortest text, because a cast keeps only 15 digits.
    package func converted(_ old: AttributeColumn, type oldType: String, to coding: ColumnCoding, type: String)
        -> RowExpression
    {
        if oldType == type { return .column(old.name) }
        switch (old.coding, coding) {
        case (.float, .decimal), (.double, .decimal):
            return RowExpression(.sql("CAST(CAST("), .column(old.name), .sql("::double precision AS text) AS numeric)"))
        case (.boolean, .integer):
            // A Boolean can be cast only to this type of number.
            return RowExpression(.sql("CAST(CAST("), .column(old.name), .sql(" AS integer) AS \(type))"))
        default: return RowExpression(.sql("CAST("), .column(old.name), .sql(" AS \(type))"))
        }
    }

    package func isWhole(_ column: String) -> String { "\(column) = trunc(\(column))" }
    package var noKey: String { "NULL::bigint" }
    package func temporary(_ table: String) -> String { "pg_temp.\(table)" }
    package func temporaryIndex(_ name: String, on table: String, _ column: String) -> String {
        "CREATE INDEX \(name) ON pg_temp.\(table) (\(column))"
    }
    package var rowPlace: String { "ctid" }
    package var insertionOfNew: (head: String, tail: String) { ("INSERT INTO", " ON CONFLICT DO NOTHING") }
    /// An UPDATE cannot count rows, so the script does.
    package func nextOrder(_ key: String) -> RowExpression? { nil }
}
