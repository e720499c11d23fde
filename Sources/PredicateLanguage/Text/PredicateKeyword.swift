// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The reserved words of the predicate language, with their look-up.

/// Words that can be keys only after `#`. Raw values are in upper case, as in messages.
enum PredicateKeyword: String, CaseIterable {
    case and = "AND"
    case or = "OR"
    case `in` = "IN"
    case not = "NOT"
    case all = "ALL"
    case any = "ANY"
    case some = "SOME"
    case none = "NONE"
    case like = "LIKE"
    case caseInsensitive = "CASEINSENSITIVE"
    case ci = "CI"
    case matches = "MATCHES"
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case between = "BETWEEN"
    case null = "NULL"
    case `nil` = "NIL"
    case nsNull = "NSNULL"
    case `self` = "SELF"
    case `true` = "TRUE"
    case yes = "YES"
    case `false` = "FALSE"
    case no = "NO"
    case first = "FIRST"
    case last = "LAST"
    case size = "SIZE"
    case anyKey = "ANYKEY"
    case subquery = "SUBQUERY"
    case fetch = "FETCH"
    case cast = "CAST"
    case truePredicate = "TRUEPREDICATE"
    case falsePredicate = "FALSEPREDICATE"
    case ternary = "TERNARY"
    case function = "FUNCTION"
    case union = "UNION"
    case intersect = "INTERSECT"
    case minus = "MINUS"

    /// - Parameter name: in any case. The result is nil if it is not a keyword.
    init?(_ name: some Collection<UInt8>) {
        guard name.count <= 15 else { return nil }
        var word: UInt128 = 0
        for byte in name { word = word << 8 | UInt128(byte &- 0x61 < 26 ? byte & 0xDF : byte) }
        guard let keyword = Self.keyword(word) else { return nil }
        self = keyword
    }

    /// Whether a key with this name must be written with `#`.
    static func isReserved(_ key: Substring) -> Bool { PredicateKeyword(key.utf8) != nil }

    // Binary search: hashing a name costs more than five comparisons.
    private static func keyword(_ word: UInt128) -> PredicateKeyword? {
        var (low, high) = (0, table.count)
        while low < high {
            let middle = (low &+ high) / 2
            if table[middle].word == word { return table[middle].keyword }
            if table[middle].word < word { low = middle &+ 1 } else { high = middle }
        }
        return nil
    }

    /// Sorted by the bytes as one number.
    private static let table: [(word: UInt128, keyword: PredicateKeyword)] = allCases.map { keyword in
        (keyword.rawValue.utf8.reduce(0) { $0 << 8 | UInt128($1) }, keyword)
    }.sorted { $0.word < $1.word }
}
