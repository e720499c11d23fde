// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds values that are compared with a column of another type, where every row would silently fail.

import Foundation

/// The comparisons of a statement between a column and a value or a string. NamedSQL-6.
struct NamedComparisons {
    private let translation: NamedTranslation
    private let beginning: [Int: SQLOutline.Chain]
    private let ending: [Int: SQLOutline.Chain]

    private var tokens: [SQLToken] { translation.tokens }

    init(_ translation: NamedTranslation) {
        self.translation = translation
        let chains = translation.outline.chains.filter { !$0.isCall }
        beginning = Dictionary(chains.map { ($0.first, $0) }, uniquingKeysWith: { first, _ in first })
        ending = Dictionary(chains.map { ($0.last, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// - Throws: a `SQLQueryError` for the first comparison that holds for no row, whatever its values.
    func check() throws {
        guard translation.tables.form == .stored else { return }
        for (place, token) in tokens.enumerated() {
            switch token.kind {
            case .string:
                if let column = try column(comparedAt: place) { try check(.text(""), column, place) }
            case .value(let number):
                let column = try column(comparedAt: place)
                for argument in translation.query.values[number].arguments {
                    if case .object(let id) = argument.content {
                        try check(id, column, place)
                    } else if let column {
                        try check(argument, column, place)
                    }
                }
            default: break
            }
        }
    }

    private func check(_ id: NSManagedObjectID, _ column: NamedTables.Column?, _ place: Int) throws {
        guard let target = column?.target else {
            throw translation.fault(
                .unsupportedValue, place,
                "an object is compared with `objectID` or a to-one relationship, directly before or after it.")
        }
        if rootName(id) != target.root {
            throw translation.fault(
                .unsupportedValue, place,
                "'\(column?.name ?? "")' refers to '\(target.entity)', so it is never an object of '\(id.layout.name)'."
            )
        }
    }

    private func rootName(_ id: NSManagedObjectID) -> String {
        translation.tables.tables.entity(id.layout.name)?.rootName ?? id.layout.name
    }

    private func check(_ argument: SQLArgument, _ column: NamedTables.Column, _ place: Int) throws {
        var wanted: String?
        switch (argument.content, column.kind) {
        case (.text, .date), (.bytes, .date): wanted = "a `Date`"
        case (.text, .uuid): wanted = "a `UUID`"
        case (.text, .binary), (.text, .transformable): wanted = "`Data`"
        case (.bytes, .string), (.bytes, .uri): wanted = "a text"
        case (.text, nil) where column.target != nil: wanted = "an object"
        case (.bytes, nil) where column.target != nil: wanted = "an object"
        default: break
        }
        guard let wanted else { return }
        throw translation.fault(
            .unsupportedValue, place,
            "compare '\(column.name)' with \(wanted), as \\(value): SQLite finds no row with anything else.")
    }

    // MARK: Places

    private func column(comparedAt place: Int) throws -> NamedTables.Column? {
        guard let chain = before(place) ?? after(place) else { return nil }
        return try translation.column(chain)
    }

    private func token(_ place: Int) -> SQLToken? { tokens.indices.contains(place) ? tokens[place] : nil }

    private func isOperator(_ place: Int) -> Bool {
        guard let token = token(place) else { return false }
        return ["=", "<", ">", "!"].contains { token.isSign($0) } || ["IS", "NOT", "IN"].contains { token.isWord($0) }
    }

    /// The column before the operator before a value.
    private func before(_ place: Int) -> SQLOutline.Chain? {
        var last = place - 1
        if token(last)?.isWord("AND") == true, token(last - 2)?.isWord("BETWEEN") == true { last -= 2 }
        if token(last)?.isWord("BETWEEN") == true {
            last -= 1
            if token(last)?.isWord("NOT") == true { last -= 1 }
            return ending[last]
        }
        let start = last
        while start - last < 2, isOperator(last) { last -= 1 }
        return last == start ? nil : ending[last]
    }

    /// The column after the operator after a value.
    private func after(_ place: Int) -> SQLOutline.Chain? {
        var next = place + 1
        while next - place <= 2, isOperator(next) { next += 1 }
        return next == place + 1 ? nil : beginning[next]
    }
}
