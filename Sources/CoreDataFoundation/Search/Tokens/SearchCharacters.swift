// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides which characters make a word, and folds their case and diacritics.

/// The rules of SQLite's tokenizers for one code point.
enum SearchCharacters {
    /// Whether words begin with this code point.
    static func isLetter(_ code: UInt32) -> Bool { contains(Int32(bitPattern: code), in: letterRanges) }

    /// Whether a word continues with this code point, a diacritic, which is not part of the token.
    static func isMark(_ code: UInt32) -> Bool { contains(Int32(bitPattern: code), in: markRanges) }

    /// A letter in lower case without diacritics.
    static func wordFolding(_ code: UInt32) -> UInt32 { folding(code, in: wordFoldings) }

    /// A character in lower case.
    static func caseFolding(_ code: UInt32) -> UInt32 { folding(code, in: caseFoldings) }

    private static func contains(_ code: Int32, in ranges: [Int32]) -> Bool {
        let row = lastRow(atMost: code, in: ranges, width: 2)
        return row >= 0 && code <= ranges[row * 2 + 1]
    }

    private static func folding(_ code: UInt32, in rows: [Int32]) -> UInt32 {
        let signed = Int32(bitPattern: code)
        let row = lastRow(atMost: signed, in: rows, width: 4)
        guard row >= 0, signed <= rows[row * 4 + 1] else { return code }
        guard (signed - rows[row * 4]) % rows[row * 4 + 2] == 0 else { return code }
        return UInt32(bitPattern: signed + rows[row * 4 + 3])
    }

    /// The last row that begins with the code or a lower one; -1 without one.
    private static func lastRow(atMost code: Int32, in table: [Int32], width: Int) -> Int {
        var (low, high) = (0, table.count / width)
        while low < high {
            let middle = (low + high) / 2
            if table[middle * width] <= code { low = middle + 1 } else { high = middle }
        }
        return low - 1
    }
}
