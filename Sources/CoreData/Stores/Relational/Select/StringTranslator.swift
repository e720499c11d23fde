// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Translates BEGINSWITH, CONTAINS, LIKE and their kind: to ranges of an index if equivalent, else to functions.

import CoreDataFoundation
import Foundation
import SQLiteDriver

struct StringTranslator {
    let options: ComparisonSyntax.Options

    private var isPlain: Bool {
        options.contains(.normalized) || options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive])
    }

    /// True, false or null.
    func condition(_ left: SQLOperand, _ comparison: ComparisonSyntax.Operator, _ right: SQLOperand) throws -> SQLText {
        for operand in [left, right] {
            switch operand.kind {
            case .null: return .no
            case .value: if !operand.isString { throw NotTranslatable(reason: "a value that is no string") }
            case .object, .entity: throw NotTranslatable(reason: "an object as a string")
            }
        }
        let operation: StringMatching.Operation =
            switch comparison {
            case .beginsWith: .beginsWith
            case .endsWith: .endsWith
            case .contains: .contains
            case .like: .like
            default: .matches
            }
        if isPlain, right.isConstant, case .text(let text)? = right.sql.values.first, Self.isASCII(text) {
            switch comparison {
            case .beginsWith: return beginning(left.sql, text)
            case .like: if let condition = plainLike(left.sql, text) { return condition }
            default: break
            }
        }
        return "\(raw: StringFunctions.name(operation, options))(\(left.sql), \(right.sql))"
    }

    /// Other strings may be spelled in several ways, composed and decomposed, which a range would tell apart.
    private static func isASCII(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }

    /// A range of strings in the order of their bytes.
    private func beginning(_ column: SQLText, _ prefix: String) -> SQLText {
        if prefix.isEmpty { return "\(column) IS NOT NULL" }
        guard let end = Self.successor(of: prefix) else { return "\(column) >= \(value: .text(prefix))" }
        let range: SQLText = "\(column) >= \(value: .text(prefix)) AND \(column) < \(value: .text(end))"
        // In parentheses: a range stands beside other conditions as one.
        if options.contains(.normalized) { return "(\(range))" }
        // A mark behind the prefix changes its last letter: "e" and an accent are an "é". Marks begin at U+0300, so the
        // function, which knows them, is asked for few texts.
        let next: SQLText = "SUBSTR(\(column), \(raw: String(prefix.unicodeScalars.count + 1)), 1)"
        let function = StringFunctions.name(.beginsWith, options)
        return "(\(range) AND (\(next) < char(768) OR \(raw: function)(\(column), \(value: .text(prefix)))))"
    }

    /// The least string greater than all that begin with this one.
    static func successor(of prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            var next = last.value + 1
            if next == 0xd800 { next = 0xe000 }
            if let scalar = Unicode.Scalar(next) {
                scalars.append(scalar)
                var result = String.UnicodeScalarView()
                result.append(contentsOf: scalars)
                return String(result)
            }
        }
        return nil
    }

    /// A pattern without wildcards, or with one star at its end.
    private func plainLike(_ column: SQLText, _ pattern: String) -> SQLText? {
        if pattern.contains(where: { "?\\".contains($0) }) { return nil }
        guard let star = pattern.firstIndex(of: "*") else { return "\(column) = \(value: .text(pattern))" }
        guard pattern.index(after: star) == pattern.endIndex else { return nil }
        return beginning(column, String(pattern[..<star]))
    }
}
