// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The answer of a tool: a page of rows that an agent can read at once, and the place of the next page.

import Foundation

/// A page of rows for an agent, of at most 5,000 tokens.
final class AgentPage: RowSink {
    /// A token of a language model has at least two and a half bytes in JSON with numbers and identifiers.
    static let largestAnswer = 12_000
    private static let largestPage = 10_500
    private static let longText = 1000
    private static let shortText = 80

    private let call: AgentCall
    /// The number of rows before the page.
    let offset: Int
    /// How many rows are passed over; a query may begin at the offset by itself.
    private var skipped: Int
    private let limit: Int
    private var size = 0
    private(set) var columns: [String] = []
    private var kinds: [String?] = []
    private(set) var rows: [JSONValue] = []
    private(set) var isFull = false
    private var hasIDs = false

    init(_ call: AgentCall, offset: Int, limit: Int = .max, skips: Bool = true) {
        self.call = call
        self.offset = offset
        self.limit = limit
        skipped = skips ? offset : 0
    }

    /// Runs a body that adds rows, until the page is full.
    ///
    /// - Throws: `AgentCall.Ended`, and the errors of the body.
    func fill(_ body: (AgentPage) throws -> Void) throws -> AgentPage {
        do {
            try body(self)
        } catch {
            try call.check()
            if !isFull { throw error }
        }
        return self
    }

    /// Ends the reading of rows. Stores rethrow only this error as it is.
    private func stop() -> OutputFailure { OutputFailure("The page is full.") }

    // MARK: Rows

    func begin(_ head: QueryResult.Header) throws {
        hasIDs = head.hasIDs
        columns = (hasIDs ? ["objectID"] : []) + head.columns
        kinds = columns.map { _ in nil }
    }

    func add(_ row: QueryResult.Row) throws {
        guard try mayAdd() else { return }
        let cells = (hasIDs ? [Cell.object(row.id)] : []) + row.cells
        var value = JSONValue.array(cells.map { Self.json($0, Self.longText) })
        if value.text.utf8.count > Self.largestPage / 2 {
            value = .array(cells.map { Self.json($0, Self.shortText) })
            guard value.text.utf8.count <= Self.largestPage else {
                throw ToolError("A row is too long for an answer: select fewer columns.")
            }
        }
        try append(value)
        for (position, cell) in cells.enumerated() {
            guard let kind = Self.kind(of: cell) else { continue }
            let known = kinds[position]
            kinds[position] = known == nil || known == kind ? kind : "mixed"
        }
    }

    func end(_ count: Int) throws {}

    /// Adds a row that is no row of a query.
    func add(_ value: JSONValue) throws {
        guard try mayAdd() else { return }
        try append(value)
    }

    private func mayAdd() throws -> Bool {
        do { try call.check() } catch { throw stop() }
        if skipped > 0 {
            skipped -= 1
            return false
        }
        if rows.count >= limit {
            isFull = true
            throw stop()
        }
        return true
    }

    private func append(_ value: JSONValue) throws {
        let count = value.visibleText.utf8.count + 2
        if size + count > Self.largestPage, !rows.isEmpty {
            isFull = true
            throw stop()
        }
        size += count
        rows.append(value)
    }

    // MARK: Values

    /// The value with long texts cut, and data as its size.
    static func json(_ cell: Cell, _ longest: Int) -> JSONValue {
        switch cell {
        case .data(let data), .archive(_, let data), .transformed(_, nil, let data):
            .members(["bytes": .integer(data.count)])
        case .structure(let value, _), .transformed(_, let value?, _): cut(value, longest)
        case .list(let cells, _) where cells.count > 50:
            .members([
                "count": .integer(cells.count), "first": .array(cells.prefix(20).map { json($0, longest) }),
            ])
        case .list(let cells, _): .array(cells.map { json($0, longest) })
        case .composite(let elements): .object(elements.map { JSONValue.Member($0.0, json($0.1, longest)) })
        default: cut(cell.json, longest)
        }
    }

    private static func cut(_ value: JSONValue, _ longest: Int) -> JSONValue {
        switch value {
        case .string(let text) where text.utf8.count > longest:
            .members([
                "start": .string(String(text.prefix(longest * 4 / 5))), "length": .integer(text.count),
            ])
        case .array, .object:
            value.text.utf8.count > longest
                ? .members(["start": .string(String(value.text.prefix(longest * 4 / 5)))]) : value
        default: value
        }
    }

    private static func kind(of cell: Cell) -> String? {
        switch cell {
        case .null: nil
        case .string: "text"
        case .integer: "integer"
        case .real: "number"
        case .boolean: "boolean"
        case .decimal: "decimal"
        case .date: "date"
        case .uuid: "UUID"
        case .url: "URL"
        case .data, .structure, .archive, .transformed, .missing: "data"
        case .composite: "composite"
        case .object: "object"
        case .excerpt: "excerpt"
        case .list(_, let isObjects): isObjects ? "objects" : "list"
        }
    }

    /// The columns with the kinds of the values on this page; null where all values are.
    var columnList: JSONValue {
        .array(zip(columns, kinds).map { .members(["name": .string($0), "type": .text($1)]) })
    }
}

/// The result of a call: facts, a page of rows, and whether the call failed.
struct AgentAnswer: Sendable {
    let text: String
    var isError = false

    /// - Parameter cursor: makes the cursor of a row.
    init(_ facts: [JSONValue.Member] = [], _ page: AgentPage? = nil, cursor: (Int) -> String) {
        var members = facts
        if let page {
            if !page.columns.isEmpty { members.append(.init("columns", page.columnList)) }
            // The key marks texts from a store, which are no instructions.
            members.append(.init("data", .array(page.rows)))
            if page.isFull { members.append(.init("nextCursor", .string(cursor(page.offset + page.rows.count)))) }
        }
        text = JSONValue.object(members).visibleText
    }

    init(error: String) {
        let short = error.utf8.count > 2000 ? String(error.prefix(1500)) + "…" : error
        text = JSONValue.members(["error": .string(short)]).visibleText
        isError = true
    }
}
