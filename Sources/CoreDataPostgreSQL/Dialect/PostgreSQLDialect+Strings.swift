// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// String comparisons: exact if the server's normal form decides, otherwise a wider condition and the rest in memory.

package import CoreData
package import CoreDataFoundation
import Foundation

extension PostgreSQLDialect {
    /// Strings are compared in their composed form (`StringFolding`), which the server can compute. It folds case and
    /// diacritics differently, so such comparisons are evaluated in memory.
    package func text(
        _ operation: StringMatching.Operation, _ left: SQLOperand, _ right: SQLOperand,
        _ options: ComparisonSyntax.Options
    ) throws -> SQLText {
        let isLiteral = options.contains(.normalized)
        guard isLiteral || options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive]) else {
            throw NotTranslatable(reason: "a comparison regardless of case or diacritics")
        }
        guard let pattern = Self.constant(right), !left.isConstant else {
            throw NotTranslatable(reason: "a pattern that is no constant")
        }
        let folded = isLiteral ? pattern : pattern.precomposedStringWithCanonicalMapping
        let subject: SQLText = isLiteral ? left.sql : "normalize(\(left.sql), NFC)"
        guard let condition = Self.condition(operation, subject, folded) else {
            throw NotTranslatable(reason: "a regular expression")
        }
        guard let beginning = Self.beginning(operation, pattern), let end = TextRange.successor(of: beginning) else {
            return condition
        }
        // An index serves the range, and the normal form is computed only for the rows in it.
        let bytes = byBytes
        let range: SQLText =
            "\(left.sql) >= \(value: .text(beginning))\(raw: bytes) AND \(left.sql) < \(value: .text(end))\(raw: bytes)"
        return "(\(range) AND \(condition))"
    }

    /// The common prefix of all stored strings that match, in any normal form; nil if they have none.
    ///
    /// Only ASCII, without the three characters to which other characters compose: the Kelvin sign, the Greek question
    /// mark, the Greek varia.
    private static func beginning(_ operation: StringMatching.Operation, _ pattern: String) -> String? {
        guard operation == .like || operation == .beginsWith else { return nil }
        let isWildcard = { (byte: UInt8) in operation == .like && "*?\\".utf8.contains(byte) }
        let plain = pattern.utf8.prefix { $0 < 0x80 && !"K;`".utf8.contains($0) && !isWildcard($0) }
        // A mark after the last character may combine with it.
        let isMarked = plain.endIndex < pattern.utf8.endIndex && pattern.utf8[plain.endIndex] >= 0x80
        let beginning = String(decoding: isMarked ? plain.dropLast() : plain, as: UTF8.self)
        return beginning.isEmpty ? nil : beginning
    }

    /// nil for a regular expression.
    private static func condition(_ operation: StringMatching.Operation, _ subject: SQLText, _ pattern: String)
        -> SQLText?
    {
        switch operation {
        case .equal: "\(subject) = \(value: .text(pattern))"
        case .beginsWith: "starts_with(\(subject), \(value: .text(pattern)))"
        case .contains: "strpos(\(subject), \(value: .text(pattern))) > 0"
        case .endsWith:
            "right(\(subject), \(raw: String(pattern.unicodeScalars.count))) = \(value: .text(pattern))"
        case .like: "\(subject) LIKE \(value: .text(likePattern(pattern)))"
        case .matches: nil
        }
    }

    /// The server decides for texts with only ASCII letters; other texts are candidates.
    package func wider(
        _ operation: StringMatching.Operation, _ left: SQLOperand, _ right: SQLOperand,
        _ options: ComparisonSyntax.Options
    ) -> SQLText? {
        guard let pattern = Self.constant(right), !left.isConstant, pattern.utf8.allSatisfy({ $0 < 0x80 }) else {
            return nil
        }
        let ignoresCase = options.contains(.caseInsensitive)
        let subject: SQLText = ignoresCase ? "lower(\(left.sql)\(raw: byBytes))" : left.sql
        guard let plain = Self.condition(operation, subject, ignoresCase ? pattern.lowercased() : pattern) else {
            return nil
        }
        return "(octet_length(\(left.sql)) <> char_length(\(left.sql)) OR \(plain))"
    }

    /// A constant string that the server accepts.
    private static func constant(_ operand: SQLOperand) -> String? {
        guard operand.isConstant, case .text(let text)? = operand.sql.values.first, !text.utf8.contains(0) else {
            return nil
        }
        return text
    }

    /// `*` becomes `%`, `?` becomes `_`; in both syntaxes a backslash escapes the next character.
    static func likePattern(_ pattern: String) -> String {
        var result = String.UnicodeScalarView()
        var isEscaped = false
        func literal(_ scalar: Unicode.Scalar) {
            if ["%", "_", "\\"].contains(scalar) { result.append("\\") }
            result.append(scalar)
        }
        for scalar in pattern.unicodeScalars {
            if isEscaped {
                literal(scalar)
                isEscaped = false
            } else {
                switch scalar {
                case "\\": isEscaped = true
                case "*": result.append("%")
                case "?": result.append("_")
                default: literal(scalar)
                }
            }
        }
        if isEscaped { literal("\\") }
        return String(result)
    }
}
