// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Short strings as two numbers.

/// The two words of a string. Equal strings of up to 15 bytes have equal words.
///
/// Assumption: a string is two words, and a short string of the standard library is stored in them, with 111 as the top
/// bits of the second word, followed by the length. `isAsExpected` checks this once. If it is false, and with
/// `OCD_PORTABLE`, names go through a dictionary.
struct StringWords: Equatable {
    private let first: UInt64
    private let second: UInt64

    static let none = StringWords(first: 0, second: 0)

    private init(first: UInt64, second: UInt64) { (self.first, self.second) = (first, second) }

    @inline(__always) init(_ string: String) {
        #if OCD_PORTABLE
            self = .none
        #else
            self = unsafeBitCast(string, to: StringWords.self)
        #endif
    }

    /// Whether the string is stored in the words. The four top bits of such a string are 1110; another bit marks ASCII.
    @inline(__always) var isInline: Bool { second >> 61 == 0b111 }

    /// The words of up to 15 bytes; nil if one is not ASCII.
    @inline(__always) fileprivate static func ascii(_ bytes: UnsafeBufferPointer<UInt8>) -> StringWords? {
        let (start, count) = (UnsafeRawPointer(bytes.baseAddress), bytes.count)
        var words = (UInt64(0), UInt64(0))
        if let start {
            if count >= 8 {
                words.0 = start.loadUnaligned(as: UInt64.self)
                // The last eight bytes, of which the first word has the first ones already.
                words.1 = (start + (count - 8)).loadUnaligned(as: UInt64.self)
                words.1 = count == 8 ? 0 : words.1 >> UInt64(8 * (16 - count))
            } else if count >= 4 {
                let last = UInt64((start + (count - 4)).loadUnaligned(as: UInt32.self))
                words.0 = UInt64(start.loadUnaligned(as: UInt32.self)) | last << UInt64(8 * (count - 4))
            } else {
                for offset in 0..<count { words.0 |= UInt64(bytes[offset]) << UInt64(8 * offset) }
            }
        }
        guard (words.0 | words.1) & 0x8080_8080_8080_8080 == 0 else { return nil }
        return StringWords(first: words.0, second: words.1 | (0b1110 << 4 | UInt64(count)) << 56)
    }

    @inline(__always) var hash: Int {
        let mixed = (first ^ (second &* 0x9e37_79b9_7f4a_7c15)) &* 0xbf58_476d_1ce4_e5b9
        return Int(truncatingIfNeeded: mixed >> 32)
    }

    static let isAsExpected: Bool = {
        #if OCD_PORTABLE
            return false
        #else
            guard MemoryLayout<String>.size == MemoryLayout<StringWords>.size else { return false }
            return ["", "a", "name", "fifteen_letters"].allSatisfy { sample in
                // Native copies: the words of a literal point to the literal.
                let (one, other) = (native(sample), native(sample))
                return one.isInline && one == other && (one.second >> 56) & 0xf == UInt64(sample.utf8.count)
            }
        #endif
    }()

    /// The words of a copy that was made byte by byte.
    static func native(_ string: String) -> StringWords {
        StringWords(String(decoding: Array(string.utf8), as: UTF8.self))
    }
}

/// Makes strings of the texts of a database.
package struct StringMaker: Sendable {
    private let knowsWords = StringWords.isAsExpected

    package init() {}

    /// The string of UTF-8 bytes; an invalid byte becomes U+FFFD. A short string in ASCII is made without the standard
    /// library, which takes five times as many instructions.
    @inline(__always) package func string(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        #if !OCD_PORTABLE && _endian(little)
            if bytes.count <= 15, knowsWords, let words = StringWords.ascii(bytes) {
                return unsafeBitCast(words, to: String.self)
            }
        #endif
        return String(decoding: bytes, as: UTF8.self)
    }
}
