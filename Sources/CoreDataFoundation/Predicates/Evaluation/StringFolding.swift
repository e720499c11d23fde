// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Folds case and diacritics of strings, so that equal strings have the same bytes.

package import Foundation

/// Folding without a locale: identical on every machine, so that a file's index and a filter in memory agree.
package struct StringFolding: Sendable, Hashable {
    package let ignoresCase: Bool
    package let ignoresDiacritics: Bool
    /// Strings are compared unchanged: with [n] the program guarantees that they are already folded.
    package let isLiteral: Bool

    package init(_ options: ComparisonSyntax.Options) {
        isLiteral = options.contains(.normalized)
        ignoresCase = !isLiteral && options.contains(.caseInsensitive)
        ignoresDiacritics = !isLiteral && options.contains(.diacriticInsensitive)
    }

    /// Whether equality under this folding is equality of bytes.
    package var isIdentity: Bool { !ignoresCase && !ignoresDiacritics }

    /// - Complexity: one pass over the bytes for ASCII; Foundation's folding for the rest.
    package func folded(_ string: String) -> String {
        if isLiteral { return string }
        if Self.isASCII(string) {
            return ignoresCase ? String(decoding: string.utf8.lazy.map(Self.lowercase), as: UTF8.self) : string
        }
        var folded = string
        if !isIdentity {
            var options: String.CompareOptions = []
            if ignoresCase { options.insert(.caseInsensitive) }
            if ignoresDiacritics { options.insert(.diacriticInsensitive) }
            folded = string.folding(options: options, locale: nil)
        }
        return folded.precomposedStringWithCanonicalMapping
    }

    /// The order of two strings under this folding; without options, and with [n], the order of their bytes.
    package func compare(_ left: String, _ right: String) -> ComparisonResult {
        if isIdentity { return ValueComparison.byteOrder(left, right) }
        var (left, right) = (left, right)
        return left.withUTF8 { left in right.withUTF8 { compare(utf8: left, $0) } }
    }

    package func compare(
        utf8 left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
    ) -> ComparisonResult {
        if isIdentity || Self.isASCII(left) && Self.isASCII(right) {
            return ignoresCase ? Self.order(left, right, Self.lowercase) : Self.order(left, right) { $0 }
        }
        return ValueComparison.byteOrder(
            folded(String(decoding: left, as: UTF8.self)), folded(String(decoding: right, as: UTF8.self)))
    }

    // MARK: ASCII

    @inline(__always)
    static func lowercase(_ byte: UInt8) -> UInt8 { byte &- 65 < 26 ? byte | 0x20 : byte }

    static func isASCII(_ string: String) -> Bool {
        string.utf8.withContiguousStorageIfAvailable { isASCII($0) } ?? string.utf8.allSatisfy { $0 < 0x80 }
    }

    package static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var seen: UInt8 = 0
        for byte in bytes { seen |= byte }
        return seen < 0x80
    }

    private static func order(
        _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>, _ fold: (UInt8) -> UInt8
    ) -> ComparisonResult {
        for index in 0..<min(left.count, right.count) {
            let (one, other) = (fold(left[index]), fold(right[index]))
            if one != other { return one < other ? .orderedAscending : .orderedDescending }
        }
        return NumberComparison.ordering(left.count, right.count)
    }
}
