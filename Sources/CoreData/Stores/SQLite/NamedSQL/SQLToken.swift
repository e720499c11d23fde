// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The words, names, values and signs of a statement.

/// One word, name, value or sign, with its place.
struct SQLToken {
    enum Kind {
        /// A keyword or a plain name, in upper case.
        case word(String)
        /// A name in double quotes, backticks or brackets.
        case quotedName
        case string
        case number
        case blob
        case sign(UInt8)
        /// The interpolation of this number.
        case value(Int)
    }

    let kind: Kind
    /// The place in the UTF-8 text.
    let range: Range<Int>
    /// The plain name, or the quoted one without its quotes; empty for others.
    let name: String

    var isName: Bool {
        switch kind {
        case .word, .quotedName: true
        default: false
        }
    }

    func isWord(_ word: String) -> Bool { if case .word(word) = kind { true } else { false } }

    func isSign(_ sign: Character) -> Bool {
        if case .sign(let byte) = kind { byte == sign.asciiValue } else { false }
    }
}
