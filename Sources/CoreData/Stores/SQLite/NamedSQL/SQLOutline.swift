// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The scopes of a statement: the tables that each SELECT reads, and the names that each of its places may use.

/// The tables and names of a statement. Any list of tokens gives an outline; SQLite reports errors of syntax.
/// NamedSQL-2.
struct SQLOutline {
    /// A table as a FROM clause names it.
    struct Reference {
        /// nil for a subquery.
        let token: Int?
        let name: String
        /// In lower case: the alias, or the name.
        var qualifier: String
        /// Whether arguments follow, as for `json_each(…)`.
        let isCall: Bool
    }

    struct Scope {
        /// The scope around it; nil for the outermost.
        let parent: Int?
        var references: [Reference] = []
    }

    /// Names that periods connect, or a single name.
    struct Chain {
        /// The places of the names, without the periods.
        let tokens: [Int]
        let scope: Int
        /// Whether arguments follow.
        let isCall: Bool

        var first: Int { tokens.first ?? 0 }
        var last: Int { tokens.last ?? 0 }
    }

    /// An entry of the outermost SELECT.
    struct Item {
        let tokens: Range<Int>
    }

    private(set) var scopes: [Scope] = [Scope(parent: nil)]
    private(set) var chains: [Chain] = []
    /// The names of common table expressions, in lower case.
    private(set) var definitions: Set<String> = []
    /// The entries of the outermost SELECT; empty for VALUES and compound statements.
    private(set) var items: [Item] = []
    /// The place after the last entry of the outermost SELECT.
    private(set) var itemsEnd = 0
    /// The places of names of the form `database.table`.
    private(set) var databaseNames: [Int] = []
    /// The places of strings where a table is expected: SQLite takes them for names.
    private(set) var stringNames: [Int] = []
    /// The place after WITH and RECURSIVE at the beginning; nil without them.
    private(set) var definitionsStart: Int?
    /// The place of SELECT, WITH or VALUES at the beginning, after EXPLAIN.
    private(set) var start = 0

    private let tokens: [SQLToken]
    private var frames: [Frame] = [Frame(scope: 0, outer: nil)]

    private struct Frame {
        var scope: Int
        let outer: Int?
        /// Whether the frame is that of a table.
        var isTable = false
        var readsTables = false
        var expectsTable = false
    }

    init(_ tokens: [SQLToken]) {
        self.tokens = tokens
        start = beginning()
        findDefinitions()
        var place = start
        while place < tokens.count { place = step(place) }
        findItems()
    }

    /// The scopes in reach of a scope, innermost first.
    func reach(of scope: Int) -> [Scope] {
        var result: [Scope] = []
        var next: Int? = scope
        while let place = next {
            result.append(scopes[place])
            next = scopes[place].parent
        }
        return result
    }

    // MARK: The beginning

    private func beginning() -> Int {
        guard tokens.first?.isWord("EXPLAIN") == true else { return 0 }
        return tokens.count > 2 && tokens[1].isWord("QUERY") && tokens[2].isWord("PLAN") ? 3 : 1
    }

    private mutating func findDefinitions() {
        guard tokens.contains(where: { $0.isWord("WITH") }) else { return }
        if start < tokens.count, tokens[start].isWord("WITH") {
            let next = start + 1
            definitionsStart = next < tokens.count && tokens[next].isWord("RECURSIVE") ? next + 1 : next
        }
        var opening: [Int] = []
        var partner: [Int: Int] = [:]
        for place in tokens.indices {
            if tokens[place].isSign("(") { opening.append(place) }
            if tokens[place].isSign(")"), let open = opening.popLast() { partner[place] = open }
            guard tokens[place].isWord("AS"), place > 0, isBody(after: place) else { continue }
            // `name AS (…)` or `name(columns) AS (…)`
            let name = tokens[place - 1].isSign(")") ? (partner[place - 1] ?? 0) - 1 : place - 1
            if name >= 0, tokens[name].isName { definitions.insert(tokens[name].name.lowercased()) }
        }
    }

    private func isBody(after place: Int) -> Bool {
        var next = place + 1
        if next < tokens.count, tokens[next].isWord("NOT") { next += 1 }
        if next < tokens.count, tokens[next].isWord("MATERIALIZED") { next += 1 }
        return next + 1 < tokens.count && tokens[next].isSign("(")
            && ["SELECT", "WITH", "VALUES"].contains { tokens[next + 1].isWord($0) }
    }

    // MARK: Scopes

    private var frame: Frame {
        get { frames[frames.count - 1] }
        set { frames[frames.count - 1] = newValue }
    }

    private func token(_ place: Int) -> SQLToken? { tokens.indices.contains(place) ? tokens[place] : nil }

    /// - Returns: the place of the next token to look at.
    private mutating func step(_ place: Int) -> Int {
        let token = tokens[place]
        if token.isSign("(") {
            open(place)
        } else if token.isSign(")") {
            return close(place)
        } else if token.isSign(",") {
            if frame.readsTables { frame.expectsTable = true }
        } else if case .string = token.kind, frame.expectsTable {
            stringNames.append(place)
            frame.expectsTable = false
        } else if token.isName {
            return name(place)
        }
        return place + 1
    }

    private mutating func open(_ place: Int) {
        let inner = self.token(place + 1)
        let isQuery = ["SELECT", "WITH", "VALUES"].contains { inner?.isWord($0) == true }
        var next = Frame(scope: frame.scope, outer: frame.scope)
        next.isTable = frame.expectsTable
        if frame.expectsTable, !isQuery { (next.readsTables, next.expectsTable) = (true, true) }
        frame.expectsTable = false
        frames.append(next)
    }

    private mutating func close(_ place: Int) -> Int {
        guard frames.count > 1 else { return place + 1 }
        let closed = frames.removeLast()
        guard closed.isTable else { return place + 1 }
        let (alias, next) = alias(after: place)
        if let alias {
            scopes[frame.scope].references.append(Reference(token: nil, name: "", qualifier: alias, isCall: false))
        }
        return next
    }

    private mutating func name(_ place: Int) -> Int {
        let isPart = token(place + 1)?.isSign(".") == true
        if !isPart, keyword(place) { return place + 1 }
        if frame.expectsTable {
            frame.expectsTable = false
            return table(place)
        }
        if let before = token(place - 1), before.isWord("IN"), token(place - 2)?.isSign(".") != true {
            return table(place, takesAlias: false)
        }
        var parts = [place]
        while let last = parts.last, token(last + 1)?.isSign(".") == true, token(last + 2)?.isName == true {
            parts.append(last + 2)
        }
        let end = (parts.last ?? place) + 1
        let isKeyword = parts.count == 1 && Self.isKeyword(tokens[place])
        if !isKeyword {
            chains.append(Chain(tokens: parts, scope: frame.scope, isCall: token(end)?.isSign("(") == true))
        }
        return end
    }

    /// Follows a keyword that divides a statement; false for other words.
    private mutating func keyword(_ place: Int) -> Bool {
        guard case .word(let word) = tokens[place].kind else { return false }
        switch word {
        case "SELECT":
            scopes.append(Scope(parent: frame.outer))
            (frame.scope, frame.readsTables, frame.expectsTable) = (scopes.count - 1, false, false)
        case "FROM":
            // `a IS DISTINCT FROM b` compares.
            if token(place - 1)?.isWord("DISTINCT") == true, token(place - 2)?.isWord("SELECT") != true { return true }
            (frame.readsTables, frame.expectsTable) = (true, true)
        case "JOIN": frame.expectsTable = frame.readsTables
        case "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "WINDOW", "UNION", "EXCEPT", "INTERSECT", "RETURNING":
            (frame.readsTables, frame.expectsTable) = (false, false)
        default: return false
        }
        return true
    }

    private mutating func table(_ place: Int, takesAlias: Bool = true) -> Int {
        if token(place + 1)?.isSign(".") == true {
            databaseNames.append(place)
            return place + 2
        }
        let isCall = token(place + 1)?.isSign("(") == true
        var reference = Reference(
            token: place, name: tokens[place].name, qualifier: tokens[place].name.lowercased(), isCall: isCall)
        var next = place + 1
        if isCall {
            // The arguments are looked at like other expressions; an alias may follow them.
            var depth = 0
            var end = next
            while end < tokens.count {
                if tokens[end].isSign("(") { depth += 1 }
                if tokens[end].isSign(")") { depth -= 1 }
                if depth == 0 { break }
                end += 1
            }
            if let alias = alias(after: end).alias { reference.qualifier = alias }
        } else if takesAlias {
            let found = alias(after: place)
            if let alias = found.alias { reference.qualifier = alias }
            next = found.next
        }
        scopes[frame.scope].references.append(reference)
        return next
    }

    /// The alias after a table, in lower case, and the place after it.
    private func alias(after place: Int) -> (alias: String?, next: Int) {
        guard let next = token(place + 1) else { return (nil, place + 1) }
        if next.isWord("AS"), let name = token(place + 2), name.isName || Self.isString(name) {
            return (name.name.lowercased(), place + 3)
        }
        if next.isName, !Self.isKeyword(next) { return (next.name.lowercased(), place + 2) }
        return (nil, place + 1)
    }

    private static func isString(_ token: SQLToken) -> Bool { if case .string = token.kind { true } else { false } }

    // MARK: The outermost SELECT

    private mutating func findItems() {
        var depth = 0
        var first: Int?
        var list: [Item] = []
        var end: Int?
        for place in start..<max(tokens.count, start) {
            let token = tokens[place]
            if token.isSign("(") { depth += 1 }
            if token.isSign(")") { depth -= 1 }
            guard depth == 0 else { continue }
            if token.isWord("UNION") || token.isWord("EXCEPT") || token.isWord("INTERSECT") { return }
            if token.isWord("SELECT"), first == nil {
                let hasWord = self.token(place + 1).map { $0.isWord("DISTINCT") || $0.isWord("ALL") } ?? false
                first = place + (hasWord ? 2 : 1)
            } else if let begin = first, end == nil {
                let isEnd =
                    token.isSign(";")
                    || ["WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "WINDOW"].contains { token.isWord($0) }
                    || token.isWord("FROM") && self.token(place - 1)?.isWord("DISTINCT") != true
                if token.isSign(",") || isEnd {
                    list.append(Item(tokens: begin..<max(place, begin)))
                    first = place + 1
                }
                if isEnd { end = place }
            }
        }
        if let begin = first, end == nil {
            list.append(Item(tokens: begin..<max(tokens.count, begin)))
            end = tokens.count
        }
        (items, itemsEnd) = (list, end ?? tokens.count)
    }

    // MARK: Keywords

    /// Whether a word cannot be an alias or a column, unless it is quoted.
    static func isKeyword(_ token: SQLToken) -> Bool {
        if case .word(let word) = token.kind { keywords.contains(word) } else { false }
    }

    private static let keywords: Set<String> = [
        "ALL", "AND", "AS", "ASC", "BETWEEN", "BY", "CASE", "CAST", "COLLATE", "CROSS", "CURRENT_DATE", "CURRENT_TIME",
        "CURRENT_TIMESTAMP", "DESC", "DISTINCT", "ELSE", "END", "ESCAPE", "EXCEPT", "EXISTS", "FILTER", "FROM", "FULL",
        "GLOB", "GROUP", "HAVING", "IN", "INDEXED", "INNER", "INTERSECT", "IS", "ISNULL", "JOIN", "LEFT", "LIKE",
        "LIMIT", "MATCH", "MATERIALIZED", "NATURAL", "NOT", "NOTNULL", "NULL", "NULLS", "OFFSET", "ON", "OR", "ORDER",
        "OUTER", "OVER", "PARTITION", "RECURSIVE", "REGEXP", "RIGHT", "SELECT", "THEN", "UNION", "USING", "VALUES",
        "WHEN", "WHERE", "WINDOW", "WITH", "TRUE", "FALSE",
    ]
}
