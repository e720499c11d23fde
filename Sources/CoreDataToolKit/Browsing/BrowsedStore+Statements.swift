// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Statements in SQL on a store that is shown: read-only, with bounds for rows, bytes and time. Studio-Q1.

import CoreData
import Foundation
import Synchronization

/// The first rows of a statement.
public struct BrowsedRows: Sendable {
    /// The names of the columns.
    public let columns: [String]
    /// The values by row, in the order of the columns.
    public let rows: [[Cell]]
    /// Whether there are more rows than these.
    public let isCut: Bool
    /// SQLite's plan, a line for each step, indented by its depth; empty for a statement that is an EXPLAIN.
    public let plan: [String]
    /// The time that the statement took, without the plan.
    public let time: Duration
}

extension BrowsedStore {
    /// Runs one statement by a separate connection that only reads. It uses the names of entities and attributes, or
    /// those of the file's tables.
    ///
    /// ```swift
    /// let books = try await store.rows(of: "SELECT title, author.name FROM Book", limit: 100, time: .seconds(5))
    /// ```
    /// Rows are those of the file: unsaved changes of the context are not among them. The statement ends when the task
    /// that calls this is cancelled.
    /// - Parameters:
    ///   - limit: the most rows, and of these as many as have 4 MB together.
    ///   - time: the most time for the statement.
    /// - Throws: `BrowsingError` for a statement that is wrong, would write, or takes longer, and for a cancelled task.
    /// - Complexity: opens the file once; a store that is no SQLite file is copied to one first.
    public func rows(of sql: String, limit: Int, time: Duration) async throws(BrowsingError) -> BrowsedRows {
        let isLate = Flag()
        let work = Task.detached { try self.rows(of: sql, limit) }
        let clock = Task.detached {
            try await Task.sleep(for: time)
            isLate.set()
            work.cancel()
        }
        defer { clock.cancel() }
        do {
            return try await withTaskCancellationHandler {
                try await work.value
            } onCancel: {
                work.cancel()
            }
        } catch is CancellationError {
            throw BrowsingError(
                ToolError(
                    isLate.isSet
                        ? "The statement took longer than \(time.components.seconds) s, and was ended."
                        : "The statement was ended."))
        } catch {
            throw BrowsingError(error)
        }
    }

    /// The tables that a statement may name, with their columns: entities and many-to-many relationships.
    ///
    /// - Throws: `BrowsingError` for a store that lacks parts of its model.
    public func tablesForStatements() throws(BrowsingError) -> [(name: String, columns: [String])] {
        do {
            return try NamedViews(url, model: modelURL, inference: inference).columns.sorted { $0.key < $1.key }
                .map { (name: $0.key, columns: $0.value) }
        } catch {
            throw BrowsingError(error)
        }
    }

    private func rows(of sql: String, _ limit: Int) throws -> BrowsedRows {
        let views = try NamedViews(url, model: modelURL, inference: inference)
        let found = FirstRows(limit: limit)
        let start = ContinuousClock.now
        do {
            try views.run(sql, into: found)
        } catch is FirstRows.Enough {
            // The rest is not read.
        }
        let time = ContinuousClock.now - start
        var plan: [String] = []
        if !sql.trimmingCharacters(in: .whitespacesAndNewlines).uppercased().hasPrefix("EXPLAIN") {
            let steps = FirstRows(limit: 1000)
            try views.run("EXPLAIN QUERY PLAN \(sql)", into: steps)
            plan = Self.plan(steps.rows)
        }
        return BrowsedRows(
            columns: found.columns, rows: Array(found.rows.prefix(limit)), isCut: found.isCut, plan: plan, time: time)
    }

    /// The columns of a step are its number, the number of its parent, an unused one, and the text.
    private static func plan(_ steps: [[Cell]]) -> [String] {
        var depths: [String: Int] = [:]
        return steps.compactMap { step in
            guard step.count == 4 else { return nil }
            let depth = depths[step[1].tableText].map { $0 + 1 } ?? 0
            depths[step[0].tableText] = depth
            return String(repeating: "  ", count: depth) + step[3].tableText
        }
    }
}

/// Keeps the first rows of a statement, and ends it when there are enough.
private final class FirstRows: RowSink {
    struct Enough: Error {}

    private static let mostBytes = 4_000_000
    private let limit: Int
    private(set) var columns: [String] = []
    private(set) var rows: [[Cell]] = []
    private(set) var isCut = false
    private var bytes = 0

    init(limit: Int) { self.limit = limit }

    func begin(_ head: QueryResult.Header) { columns = head.columns }

    func add(_ row: QueryResult.Row) throws {
        guard rows.count < limit, bytes < Self.mostBytes else {
            isCut = true
            throw Enough()
        }
        rows.append(row.cells)
        bytes += row.cells.reduce(0) { $0 + Self.size(of: $1) }
    }

    func end(_ count: Int) {}

    private static func size(of cell: Cell) -> Int {
        switch cell {
        case .string(let text): text.utf8.count
        case .data(let data), .structure(_, let data), .archive(_, let data), .transformed(_, _, let data): data.count
        default: 16
        }
    }
}

/// Is set once, by any thread.
private final class Flag: Sendable {
    private let state = Mutex(false)
    var isSet: Bool { state.withLock { $0 } }
    func set() { state.withLock { $0 = true } }
}
