// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The errors of SQL queries.

public import Foundation

/// The reason why an SQL query cannot be carried out, with its place in the statement, or in the result.
public struct SQLQueryError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// The kinds of reasons.
    public enum Reason: String, Sendable, Hashable {
        /// SQLite does not understand the statement, or cannot compute it.
        case invalidStatement
        /// The text is not exactly one SELECT statement, or contains a placeholder or a NUL character.
        case notOneSelect
        /// There is no such entity, attribute, relationship or function.
        case unknownName
        /// The statement would write, or read something other than the entities that it names.
        case refused
        /// A value is inside a string, a comment or a name, cannot be compared with its column, or is unsaved.
        case unsupportedValue
        /// The result has another number of columns than the types, or a column that cannot be an object.
        case wrongColumns
        /// A value of the result does not fit its type.
        case unfitValue
        /// The context has unsaved changes of an entity that the statement reads.
        case unsavedChanges
        /// The store has no SQL queries.
        case unsupportedStore
        /// The entities are in several stores, and the call names none; or the named store is not the context's.
        case ambiguousStore
    }

    /// The place of a fault in the statement, in which each value counts as one character.
    public struct Position: Sendable, Hashable {
        /// From 1.
        public let line: Int
        /// In characters, from 1.
        public let column: Int

        /// - Parameter offset: in UTF-8. A larger one means the end of the text.
        init(_ offset: Int, in text: String) {
            let start = text.utf8.index(text.startIndex, offsetBy: offset, limitedBy: text.endIndex) ?? text.endIndex
            let lines = text[..<start].split(separator: "\n", omittingEmptySubsequences: false)
            line = max(lines.count, 1)
            column = (lines.last?.count ?? 0) + 1
        }
    }

    /// The kind of the reason.
    public let reason: Reason
    /// The place in the statement; nil for faults that have none, and where SQLite before 3.38 reports none.
    public let position: Position?
    /// The word in the statement, the column of the result, or the name of the entity that the fault is about.
    public let name: String?
    /// The number of the row in the result, from 1; nil for other faults.
    public let row: Int?
    private let sentence: String

    init(
        _ reason: Reason, at position: Position? = nil, name: String? = nil, row: Int? = nil, _ sentence: String
    ) {
        self.reason = reason
        self.position = position
        self.name = name
        self.row = row
        self.sentence = sentence
    }

    /// Place and reason, in a sentence.
    public var description: String {
        "The SQL query cannot be carried out\(position.map { " (line \($0.line), column \($0.column))" } ?? ""): "
            + sentence
    }

    /// The description.
    public var errorDescription: String? { description }
}
