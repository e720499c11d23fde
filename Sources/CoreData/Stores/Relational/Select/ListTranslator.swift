// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// IN with a list of any length, null among its members or not, and none at all.

import CoreDataFoundation
import Foundation
import SQLiteDriver

struct ListTranslator {
    /// Placeholders of one list; a longer one travels as a single JSON text.
    static let longestInline = 500

    let expressions: ExpressionTranslator

    func membership(
        of element: SQLOperand, in list: [ExpressionSyntax], _ options: ComparisonSyntax.Options, _ negated: Bool
    ) throws
        -> SQLText
    {
        if isFolded(options), element.isString { return try oneByOne(element, list, options, negated) }
        var values: [SQLiteValue] = []
        values.reserveCapacity(list.count)
        var hasNull = false
        for member in list {
            guard case .constant(let value) = member else { return try oneByOne(element, list, options, negated) }
            let operand = try expressions.constant(value)
            switch (element.kind, operand.kind) {
            case (_, .null):
                hasNull = true
                continue
            case (.object(let one), .object(let other)):
                guard one.rootIndex == other.rootIndex else { continue }
            case (.object, _), (_, .object): continue
            case (.value(let coding?), _):
                switch coding {
                case .transformable, .externalBinary: throw NotTranslatable(reason: "a value that is no plain column")
                default: break
                }
            default: break
            }
            values += operand.sql.values
        }
        return negated ? absence(element.sql, values, hasNull) : presence(element.sql, values, hasNull)
    }

    private func isFolded(_ options: ComparisonSyntax.Options) -> Bool {
        !options.contains(.normalized) && !options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive])
    }

    private func presence(_ element: SQLText, _ values: [SQLiteValue], _ hasNull: Bool) -> SQLText {
        let isNull: SQLText = "\(element) IS NULL"
        if values.isEmpty { return hasNull ? isNull : .no }
        let isMember: SQLText = "\(element) IN \(Self.list(values))"
        return hasNull ? "(\(isMember) OR \(isNull))" : isMember
    }

    private func absence(_ element: SQLText, _ values: [SQLiteValue], _ hasNull: Bool) -> SQLText {
        if values.isEmpty { return hasNull ? "\(element) IS NOT NULL" : .yes }
        // NOT IN is null for null, so that a list with null in it needs no more.
        let isMissing: SQLText = "\(element) NOT IN \(Self.list(values))"
        return hasNull ? "IFNULL(\(isMissing), 0)" : "(\(element) IS NULL OR \(isMissing))"
    }

    /// A list in parentheses. Its length is rounded up, the last value repeated, so that few statements serve all
    /// lengths.
    static func list(_ values: [SQLiteValue]) -> SQLText {
        if values.count > longestInline, let json = json(values) {
            return "(SELECT value FROM json_each(\(value: .text(json))))"
        }
        var padded = values
        if let last = values.last, values.count <= longestInline {
            var size = 1
            while size < values.count { size *= 2 }
            padded += Array(repeating: last, count: size - values.count)
        }
        if padded.count <= 30_000 {
            return SQLText(raw: "(" + Array(repeating: "?", count: padded.count).joined(separator: ", ") + ")", padded)
        }
        // Bytes in such numbers: as literals, of which a statement may hold any number.
        let literals = padded.map { value -> String in
            switch value {
            case .blob(let data):
                "X'" + data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + "'"
            case .integer(let number): String(number)
            case .real(let number): number.isFinite ? String(number) : "NULL"
            case .text(let text): SchemaNaming.literal(text.replacing("\0", with: ""))
            case .null: "NULL"
            }
        }
        return SQLText(raw: "(" + literals.joined(separator: ", ") + ")")
    }

    /// nil when a value has no place in JSON.
    private static func json(_ values: [SQLiteValue]) -> String? {
        var result = "["
        for (position, value) in values.enumerated() {
            if position > 0 { result += "," }
            switch value {
            case .integer(let number): result += String(number)
            case .real(let number):
                guard number.isFinite else { return nil }
                result += String(number)
            case .text(let text):
                guard let data = try? JSONEncoder().encode(text) else { return nil }
                result += String(decoding: data, as: UTF8.self)
            case .blob, .null: return nil
            }
        }
        return result + "]"
    }

    private func oneByOne(
        _ element: SQLOperand, _ list: [ExpressionSyntax], _ options: ComparisonSyntax.Options, _ negated: Bool
    ) throws
        -> SQLText
    {
        if list.isEmpty { return negated ? .yes : .no }
        guard list.count <= Self.longestInline else { throw NotTranslatable(reason: "a long list of computed members") }
        let conditions = try list.map {
            try ComparisonTranslator(element, .equalTo, try expressions.operand($0), options).condition(
                negated: negated)
        }
        return "(\(conditions.joined(negated ? " AND " : " OR ")))"
    }
}
