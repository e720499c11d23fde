// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The words of the predicate language.

/// One word with its place.
struct PredicateToken {
    enum Kind {
        /// A name, or a keyword unless it was escaped with `#`. Function names keep their colons, operators their `@`.
        case identifier(String, escaped: Bool)
        case variable(String)
        case string(String)
        case number(any Sendable)
        /// `%@` and its like, with the argument.
        case value(Any?)
        /// `%K` with the argument.
        case keyPath(String)
        case symbol(String)
        case end
    }

    let kind: Kind
    /// In Unicode scalars.
    let offset: Int

    /// The word in capitals when it is a word of the language.
    let keyword: String?

    init(kind: Kind, offset: Int) {
        self.kind = kind
        self.offset = offset
        keyword = if case .identifier(let name, escaped: false) = kind { PredicateKeywords.keyword(name) } else { nil }
    }

    func isSymbol(_ text: String) -> Bool {
        guard case .symbol(text) = kind else { return false }
        return true
    }

    /// For messages.
    var spelling: String {
        switch kind {
        case .identifier(let name, _): "'\(name)'"
        case .variable(let name): "'$\(name)'"
        case .string: "a string"
        case .number(let number): "'\(number)'"
        case .value: "an argument"
        case .keyPath(let path): "'\(path)'"
        case .symbol(let text): "'\(text)'"
        case .end: "the end"
        }
    }
}

/// Words that cannot be keys unless they are written with `#`.
enum PredicateKeywords {
    /// The word in capitals, or nil when it is none of the language's.
    static func keyword(_ name: String) -> String? {
        guard name.utf8.count <= longest else { return nil }
        let capitals = name.uppercased()
        return reserved.contains(capitals) ? capitals : nil
    }

    private static let longest = reserved.lazy.map(\.utf8.count).max() ?? 0

    static let reserved: Set<String> = [
        "AND", "OR", "IN", "NOT", "ALL", "ANY", "SOME", "NONE", "LIKE", "CASEINSENSITIVE", "CI", "MATCHES", "CONTAINS",
        "BEGINSWITH", "ENDSWITH", "BETWEEN", "NULL", "NIL", "NSNULL", "SELF", "TRUE", "YES", "FALSE", "NO", "FIRST",
        "LAST", "SIZE",
        "ANYKEY", "SUBQUERY", "FETCH", "CAST", "TRUEPREDICATE", "FALSEPREDICATE", "TERNARY", "FUNCTION", "UNION",
        "INTERSECT", "MINUS",
    ]
}
