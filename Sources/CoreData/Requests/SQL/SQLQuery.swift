// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A statement with values, as a string literal with interpolations writes it.

import Foundation

/// A SELECT statement with the names of entities and attributes. Interpolations are values, and never become SQL.
///
/// ```swift
/// let wanted = "Groceries"
/// let query: SQLQuery = "SELECT count(*) FROM Memo WHERE title = \(wanted)"
/// let counts = try context.rows(query, as: Int.self)
/// ```
///
/// Only a literal makes a query: a text that a user typed cannot become one. An array is a list for `IN`:
/// `title IN \(titles)`. nil is NULL, so write `IS \(value)` to find nil.
///
/// - SeeAlso: `NSManagedObjectContext.rows(_:as:in:)`, which describes names and values.
public struct SQLQuery: ExpressibleByStringInterpolation, Sendable, CustomStringConvertible {
    /// One interpolation.
    struct Value: Sendable {
        /// The place of its question mark in the UTF-8 text.
        let offset: Int
        let arguments: [SQLArgument]
        let isList: Bool
    }

    /// The statement with a question mark for each value.
    let text: String
    let values: [Value]

    /// Makes a query without values.
    public init(stringLiteral text: String) {
        self.text = text
        values = []
    }

    /// Makes a query with values.
    public init(stringInterpolation parts: Parts) {
        text = parts.text
        values = parts.values
    }

    /// A query of a person at a prompt, which has no values.
    package init(typed text: String) { self.init(stringLiteral: text) }

    /// The statement with a question mark for each value. Values may be private, so they are left out.
    public var description: String { text }

    /// The parts of a literal.
    public struct Parts: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate var values: [Value] = []

        /// Called by the compiler.
        public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        /// Adds SQL.
        public mutating func appendLiteral(_ literal: String) { text += literal }

        /// Adds a value.
        public mutating func appendInterpolation<Value: SQLConvertible>(_ value: Value) {
            append([value.sqlArgument], isList: false)
        }

        /// Adds a value, or NULL for nil.
        public mutating func appendInterpolation<Value: SQLConvertible>(_ value: Value?) {
            append([value.sqlArgument], isList: false)
        }

        /// Adds a list of values in parentheses, for `IN`.
        public mutating func appendInterpolation<Value: SQLConvertible>(_ values: [Value]) {
            append(values.map(\.sqlArgument), isList: true)
        }

        private mutating func append(_ arguments: [SQLArgument], isList: Bool) {
            values.append(SQLQuery.Value(offset: text.utf8.count, arguments: arguments, isList: isList))
            text += "?"
        }
    }
}
