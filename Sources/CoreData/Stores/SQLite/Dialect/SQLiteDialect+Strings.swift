// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// String comparisons and lists in SQLite's dialect: index ranges if they are equivalent, otherwise functions.

import CoreDataFoundation
import Foundation
import SQLiteDriver

extension SQLiteDialect {
    func text(
        _ operation: StringMatching.Operation, _ left: SQLOperand, _ right: SQLOperand,
        _ options: ComparisonSyntax.Options
    ) -> SQLText {
        let isPlain =
            options.contains(.normalized) || options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive])
        if isPlain, right.isConstant, case .text(let text)? = right.sql.values.first, Self.isASCII(text) {
            switch operation {
            case .beginsWith: return beginning(left.sql, text, options)
            case .like: if let condition = plainLike(left.sql, text, options) { return condition }
            default: break
            }
        }
        return "\(raw: StringFunctions.name(operation, options))(\(left.sql), \(right.sql))"
    }

    /// Other strings may have composed and decomposed spellings, which a range would distinguish.
    private static func isASCII(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }

    /// A range of strings in byte order.
    private func beginning(_ column: SQLText, _ prefix: String, _ options: ComparisonSyntax.Options) -> SQLText {
        if prefix.isEmpty { return "\(column) IS NOT NULL" }
        guard let end = TextRange.successor(of: prefix) else { return "\(column) >= \(value: .text(prefix))" }
        let range: SQLText = "\(column) >= \(value: .text(prefix)) AND \(column) < \(value: .text(end))"
        // In parentheses, because the range is combined with other conditions as one.
        if options.contains(.normalized) { return "(\(range))" }
        // A combining mark after the prefix changes its last letter: "e" and an accent are an "é". Marks begin at
        // U+0300, so the slower function, which handles marks, is called for few texts.
        let next: SQLText = "SUBSTR(\(column), \(raw: String(prefix.unicodeScalars.count + 1)), 1)"
        let function = StringFunctions.name(.beginsWith, options)
        return "(\(range) AND (\(next) < char(768) OR \(raw: function)(\(column), \(value: .text(prefix)))))"
    }

    /// A pattern without wildcards, or with one star at its end.
    private func plainLike(_ column: SQLText, _ pattern: String, _ options: ComparisonSyntax.Options) -> SQLText? {
        if pattern.contains(where: { "?\\".contains($0) }) { return nil }
        guard let star = pattern.firstIndex(of: "*") else { return "\(column) = \(value: .text(pattern))" }
        guard pattern.index(after: star) == pattern.endIndex else { return nil }
        return beginning(column, String(pattern[..<star]), options)
    }

    // MARK: Lists

    /// The longest list that has placeholders; a longer one is passed as a single JSON text.
    private static let longestInline = 500

    func membership(of element: SQLOperand, in values: [ColumnValue], negated: Bool) -> SQLText {
        var (element, values) = (element, values)
        if element.isComputedDecimal {
            element = comparable(element, element).left
            values = values.map { DecimalOrder.key($0) }
        }
        return "\(element.sql)\(raw: negated ? " NOT IN " : " IN ")\(Self.list(values))"
    }

    /// A list in parentheses. Its length is rounded up by repeating the last value, so that few statements serve all
    /// lengths.
    private static func list(_ values: [ColumnValue]) -> SQLText {
        if values.count > longestInline, let json = json(values.map(\.sqlite)) {
            return "(SELECT value FROM json_each(\(value: .text(json))))"
        }
        var padded = values
        if let last = values.last, values.count <= longestInline {
            var size = 1
            while size < values.count { size *= 2 }
            padded += Array(repeating: last, count: size - values.count)
        }
        if padded.count <= 2_000 {
            return SQLText(raw: "(" + Array(repeating: "?", count: padded.count).joined(separator: ", ") + ")", padded)
        }
        // So many blobs are written as literals: their number in a statement is not limited.
        let literals = padded.map { value -> String in
            switch value.sqlite {
            case .blob(let data): hexadecimal(data)
            case .integer(let number): String(number)
            case .real(let number): number.isFinite ? String(number) : number > 0 ? "9e999" : "-9e999"
            // SQLite would end a literal at U+0000.
            case .text(let text) where text.utf8.contains(0): "CAST(\(hexadecimal(Data(text.utf8))) AS TEXT)"
            case .text(let text): SchemaNaming.literal(text)
            case .null: "NULL"
            }
        }
        return SQLText(raw: "(" + literals.joined(separator: ", ") + ")")
    }

    private static func hexadecimal(_ data: Data) -> String {
        "X'" + data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + "'"
    }

    /// nil if a value cannot be represented in JSON, or not as SQLite reads it: a text ends at U+0000 there.
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
                guard !text.utf8.contains(0), let data = try? JSONEncoder().encode(text) else { return nil }
                result += String(decoding: data, as: UTF8.self)
            case .blob, .null: return nil
            }
        }
        return result + "]"
    }
}
