// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Matches strings against a pattern, both for filters in memory and for SQL functions.

import Foundation

/// A pattern compiled for many texts.
package struct StringMatching: Sendable {
    package enum Operation: Sendable { case equal, contains, beginsWith, endsWith, like, matches }

    package let operation: Operation
    package let folding: StringFolding
    /// The folded pattern.
    private let pattern: [UInt8]
    private let glob: GlobPattern?
    private let expression: RegularExpressionMatch?

    /// - Throws: `PredicateEvaluationError.badPattern` for an invalid regular expression of `matches`.
    package init(_ operation: Operation, pattern: String, options: ComparisonSyntax.Options = []) throws {
        self.operation = operation
        folding = StringFolding(options)
        let folded = operation == .equal && folding.isIdentity ? pattern : folding.folded(pattern)
        self.pattern = Array(folded.utf8)
        glob = operation == .like ? GlobPattern(folded) : nil
        expression = operation == .matches ? try RegularExpressionMatch(pattern, folding: folding) : nil
    }

    /// - Throws: `PredicateEvaluationError.endlessPattern` if a regular expression exceeds its limit of steps.
    package func matches(_ text: String) throws -> Bool {
        if let expression { return try expression.matches(text) }
        if let result = try text.utf8.withContiguousStorageIfAvailable({ try matches(utf8: $0) }) { return result }
        var text = text
        return try text.withUTF8 { try matches(utf8: $0) }
    }

    /// Matches borrowed bytes, for example of a database column. Invalid UTF-8 is read as U+FFFD.
    package func matches(utf8 text: UnsafeBufferPointer<UInt8>) throws -> Bool {
        if let expression { return try expression.matches(String(decoding: text, as: UTF8.self)) }
        if folding.isLiteral || operation == .equal && folding.isIdentity { return match(text, lowercased: false) }
        if StringFolding.isASCII(text) { return match(text, lowercased: folding.ignoresCase) }
        var folded = folding.folded(String(decoding: text, as: UTF8.self))
        return folded.withUTF8 { match($0, lowercased: false) }
    }

    /// - Parameter lowercased: whether ASCII letters of the text must still be folded; those of the
    ///   pattern already are.
    private func match(_ text: UnsafeBufferPointer<UInt8>, lowercased: Bool) -> Bool {
        if let glob { return glob.matches(text, lowercased: lowercased) }
        return pattern.withUnsafeBufferPointer { pattern in
            switch operation {
            case .equal: text.count == pattern.count && hasBytes(pattern, in: text, at: 0, lowercased)
            case .beginsWith: text.count >= pattern.count && hasBytes(pattern, in: text, at: 0, lowercased)
            case .endsWith:
                text.count >= pattern.count && hasBytes(pattern, in: text, at: text.count - pattern.count, lowercased)
            default: contains(pattern, in: text, lowercased)
            }
        }
    }

    @inline(__always)
    private func hasBytes(
        _ pattern: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>, at start: Int, _ lowercased: Bool
    ) -> Bool {
        if lowercased {
            for index in 0..<pattern.count where StringFolding.lowercase(text[start &+ index]) != pattern[index] {
                return false
            }
        } else {
            for index in 0..<pattern.count where text[start &+ index] != pattern[index] { return false }
        }
        return true
    }

    private func contains(
        _ pattern: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>, _ lowercased: Bool
    ) -> Bool {
        guard let first = pattern.first else { return true }
        guard text.count >= pattern.count else { return false }
        let last = text.count - pattern.count
        var start = 0
        while start <= last {
            let byte = lowercased ? StringFolding.lowercase(text[start]) : text[start]
            if byte == first, hasBytes(pattern, in: text, at: start, lowercased) { return true }
            start &+= 1
        }
        return false
    }
}

/// A regular expression that must match the whole text.
private struct RegularExpressionMatch: Sendable {
    private let expression: NSRegularExpression
    private let folding: StringFolding
    private let source: String

    init(_ pattern: String, folding: StringFolding) throws {
        // The expression itself handles case: folding the pattern would turn \W into \w.
        self.folding = StringFolding(folding.ignoresDiacritics ? .diacriticInsensitive : .normalized)
        let options: NSRegularExpression.Options = folding.ignoresCase ? [.caseInsensitive] : []
        source = pattern
        let pattern = self.folding.folded(pattern)
        do {
            // Compiled separately first: "a)(b" is not an expression, but would be one inside of the group.
            _ = try NSRegularExpression(pattern: pattern, options: options)
            expression = try NSRegularExpression(pattern: "\\A(?:\(pattern))\\z", options: options)
        } catch {
            throw PredicateEvaluationError.badPattern(pattern)
        }
    }

    /// ICU tries an expression with nested repetitions in exponentially many ways. After seconds it gives up and
    /// reports no match. It also reports its progress, so the number of steps is limited here, and exceeding the limit
    /// is an error.
    func matches(_ text: String) throws -> Bool {
        let text = folding.folded(text)
        let length = text.utf16.count
        var remaining = Self.maximumReports(length)
        var (isFound, isFinished) = (false, false)
        expression.enumerateMatches(
            in: text, options: [.reportProgress, .reportCompletion], range: NSRange(location: 0, length: length)
        ) { result, flags, stop in
            if result != nil {
                isFound = true
                stop.pointee = true
            } else if flags.contains(.progress) {
                remaining -= 1
                if remaining < 0 { stop.pointee = true }
            } else {
                isFinished = flags.contains(.completed) && !flags.contains(.internalError)
            }
        }
        guard isFound || isFinished && remaining >= 0 else { throw PredicateEvaluationError.endlessPattern(source) }
        return isFound
    }

    /// A report comes about every 10,000 steps. Expressions without nested repetitions take a few steps for each
    /// character. ICU's own limit is above 4,000 reports; beyond it a result would be unreliable.
    private static func maximumReports(_ length: Int) -> Int { min(1_000 + length / 1_000, 4_000) }
}
