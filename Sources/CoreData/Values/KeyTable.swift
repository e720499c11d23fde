// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// From a property's name to its slot, in a few nanoseconds.

/// The slots of an entity by name.
///
/// A string of up to 15 bytes lies in its two words, so that equal ones have equal words: they are hashed and compared
/// as such. Longer
/// ones, and all of them where this does not hold (see `hasInlineStrings`), go through a dictionary.
struct KeyTable {
    private typealias Words = (UInt64, UInt64)

    private struct Entry {
        var words: Words = (0, 0)
        var slot = -1
    }

    private let mask: Int
    private let entries: [Entry]
    private let names: [String: Int]

    init(_ names: [String: Int]) {
        self.names = names
        var size = 8
        while size < names.count * 3 { size *= 2 }
        mask = size - 1
        var entries = Array(repeating: Entry(), count: size)
        if Self.hasInlineStrings {
            for (name, slot) in names where name.utf8.count <= 15 {
                // A native copy: a literal's words point at the literal.
                let words = Self.words(Self.inline(name))
                var position = Self.hash(words) & mask
                while entries[position].slot >= 0 { position = (position + 1) & mask }
                entries[position] = Entry(words: words, slot: slot)
            }
        }
        self.entries = entries
    }

    /// nil for an unknown name.
    @inline(__always) subscript(name: String) -> Int? {
        let words = Self.words(name)
        // The four top bits of an inline string are 1110, one more bit says ASCII.
        guard words.1 >> 61 == 0b111 else { return names[name] }
        var position = Self.hash(words) & mask
        while entries[position].slot >= 0 {
            let entry = entries[position]
            if entry.words == words { return entry.slot }
            position = (position + 1) & mask
        }
        return Self.hasInlineStrings ? nil : names[name]
    }

    @inline(__always) private static func words(_ name: String) -> Words { unsafeBitCast(name, to: Words.self) }

    @inline(__always) private static func hash(_ words: Words) -> Int {
        let mixed = (words.0 ^ (words.1 &* 0x9e37_79b9_7f4a_7c15)) &* 0xbf58_476d_1ce4_e5b9
        return Int(truncatingIfNeeded: mixed >> 32)
    }

    private static func inline(_ name: String) -> String { String(decoding: Array(name.utf8), as: UTF8.self) }

    /// Whether strings are laid out as expected here: two words, short ones in place with a tag in the top bits.
    private static let hasInlineStrings: Bool = {
        guard MemoryLayout<String>.size == 16 else { return false }
        return ["", "a", "name", "fifteen_letters"].allSatisfy { sample in
            let words = words(inline(sample))
            return words.1 >> 61 == 0b111 && words == Self.words(inline(sample))
                && (words.1 >> 56) & 0xf == UInt64(sample.utf8.count)
        }
    }()
}
