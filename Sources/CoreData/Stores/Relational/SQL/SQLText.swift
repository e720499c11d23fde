// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A piece of SQL together with the values of its placeholders.

/// SQL in which every value is a placeholder. The values are in the order of the placeholders.
package struct SQLText: Equatable, ExpressibleByStringInterpolation {
    package var text: String
    package var values: [ColumnValue]

    package init(_ text: String, _ values: [ColumnValue] = []) {
        self.text = text
        self.values = values
    }

    /// A text with names and numbers, but never with values of a program.
    package init(raw text: String, _ values: [ColumnValue] = []) { self.init(text, values) }

    package init(stringLiteral text: String) { self.init(text) }

    /// `"\(left) = \(right)"` combines pieces; names and numbers are inserted as `\(raw: name)`.
    package init(stringInterpolation interpolation: Interpolation) { self = interpolation.result }

    package struct Interpolation: StringInterpolationProtocol {
        package var result = SQLText("")

        package init(literalCapacity: Int, interpolationCount: Int) {
            result.text.reserveCapacity(literalCapacity + 32)
        }

        package mutating func appendLiteral(_ literal: String) { result.text += literal }
        package mutating func appendInterpolation(_ piece: SQLText) { result += piece }
        package mutating func appendInterpolation(raw text: String) { result.text += text }
        package mutating func appendInterpolation(value: ColumnValue) {
            result.text += "?"
            result.values.append(value)
        }
    }

    package static func += (left: inout SQLText, right: SQLText) {
        left.text += right.text
        left.values += right.values
    }

    package static func + (left: SQLText, right: SQLText) -> SQLText {
        var result = left
        result += right
        return result
    }

    package static func value(_ value: ColumnValue) -> SQLText { SQLText("?", [value]) }
}

extension Sequence<SQLText> {
    package func joined(_ separator: String) -> SQLText {
        var result = SQLText("")
        var isFirst = true
        for piece in self {
            if !isFirst { result.text += separator }
            result += piece
            isFirst = false
        }
        return result
    }
}

extension [SQLText] {
    /// The number of pieces that are joined without nesting.
    private static var mostInRow: Int { 16 }

    /// Joins conditions by AND or OR.
    /// SQLite parses `a OR b OR c` as a tree that is as deep as the list is long, and refuses more than 1,000 levels.
    /// Halving the list repeatedly makes the tree shallow.
    /// halves are a flat one.
    package func balanced(_ separator: String) -> SQLText { Self.balanced(self[...], separator) }

    private static func balanced(_ pieces: ArraySlice<SQLText>, _ separator: String) -> SQLText {
        if pieces.count <= mostInRow { return pieces.joined(separator) }
        let middle = pieces.startIndex + pieces.count / 2
        let (first, second) = (balanced(pieces[..<middle], separator), balanced(pieces[middle...], separator))
        return "(\(first))\(raw: separator)(\(second))"
    }
}

/// A condition that SQL cannot express, so it is evaluated in memory.
package struct NotTranslatable: Error {
    package var reason: String
    /// A condition that includes all the rows in question, and perhaps others.
    package var wider: SQLText?

    package init(reason: String) { self.reason = reason }
}
