// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A piece of SQL together with the values of its placeholders.

import Foundation
import SQLiteDriver

/// SQL in which every value is a placeholder. The values are in the order of the placeholders.
struct SQLText: Equatable, ExpressibleByStringInterpolation {
    var text: String
    var values: [SQLiteValue]

    init(_ text: String, _ values: [SQLiteValue] = []) {
        self.text = text
        self.values = values
    }

    /// A text with names and numbers, but never with values of a program.
    init(raw text: String, _ values: [SQLiteValue] = []) { self.init(text, values) }

    init(stringLiteral text: String) { self.init(text) }

    /// `"\(left) = \(right)"` combines pieces; names and numbers are inserted as `\(raw: name)`.
    init(stringInterpolation interpolation: Interpolation) { self = interpolation.result }

    struct Interpolation: StringInterpolationProtocol {
        var result = SQLText("")

        init(literalCapacity: Int, interpolationCount: Int) { result.text.reserveCapacity(literalCapacity + 32) }

        mutating func appendLiteral(_ literal: String) { result.text += literal }
        mutating func appendInterpolation(_ piece: SQLText) { result += piece }
        mutating func appendInterpolation(raw text: String) { result.text += text }
        mutating func appendInterpolation(value: SQLiteValue) {
            result.text += "?"
            result.values.append(value)
        }
    }

    static func += (left: inout SQLText, right: SQLText) {
        left.text += right.text
        left.values += right.values
    }

    static func + (left: SQLText, right: SQLText) -> SQLText {
        var result = left
        result += right
        return result
    }

    static func value(_ value: SQLiteValue) -> SQLText { SQLText("?", [value]) }

    static let yes: SQLText = "1"
    static let no: SQLText = "0"
}

extension Sequence<SQLText> {
    func joined(_ separator: String) -> SQLText {
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

/// A condition that SQL cannot express, so it is evaluated in memory.
struct NotTranslatable: Error {
    var reason: String
}
