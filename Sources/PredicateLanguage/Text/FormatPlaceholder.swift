// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Parses a placeholder after a percent sign.

/// The kind of a placeholder.
struct FormatPlaceholder {
    enum Kind { case any, keyPath, number, string, character }

    let kind: Kind
    /// In bytes, without the percent sign.
    let length: Int
    /// For messages.
    let spelling: String

    /// As in printf: a letter, optionally after a length (`ll`, `l`, `q`, `h`, `z`).
    ///
    /// - Parameter text: the text after the percent sign; the result is nil if it is not a placeholder.
    init?(_ text: ArraySlice<UInt8>) {
        guard let first = text.first else { return nil }
        func byte(_ distance: Int) -> UInt8 {
            text.startIndex + distance < text.endIndex ? text[text.startIndex + distance] : 0
        }
        switch UnicodeScalar(first) {
        case "@": (kind, length) = (.any, 1)
        case "K": (kind, length) = (.keyPath, 1)
        case "d", "D", "i", "u", "U", "o", "x", "X", "f", "F", "e", "E", "g", "G": (kind, length) = (.number, 1)
        case "c", "C": (kind, length) = (.character, 1)
        case "s", "S": (kind, length) = (.string, 1)
        case "l" where byte(1) == first && Self.is(byte(2), in: "diuxo"): (kind, length) = (.number, 3)
        case "l" where Self.is(byte(1), in: "diuxof"): (kind, length) = (.number, 2)
        case "q" where Self.is(byte(1), in: "dux"): (kind, length) = (.number, 2)
        case "h" where Self.is(byte(1), in: "du"): (kind, length) = (.number, 2)
        case "z" where Self.is(byte(1), in: "du"): (kind, length) = (.number, 2)
        default: return nil
        }
        spelling = String(decoding: text.prefix(length), as: UTF8.self)
    }

    private static func `is`(_ byte: UInt8, in letters: String) -> Bool { letters.utf8.contains(byte) }
}
