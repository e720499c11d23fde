// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The kind of an expression's values, known from the model before a row is read.

import CoreDataFoundation
import Foundation

/// The kind of an expression's values (Predicates-19). Both dialects use it to decide how to compute a quotient and
/// which operands are comparable; evaluation in memory decides by the values themselves (`Arithmetic`).
package enum ValueKind: Sendable {
    /// Integers. Arithmetic beyond 64 bits gives real numbers.
    case whole
    case real
    case decimal
    /// Integers in some rows, real numbers in others. The sum of no real numbers is the integer 0.
    case wholeOrReal
    /// Numbers, some of them decimals.
    case number
    case date, text, url, uuid, data
    /// Values of other classes, or of several classes.
    case other

    package init(_ coding: ColumnCoding) {
        self =
            switch coding {
            case .integer, .boolean: .whole
            case .float, .double: .real
            case .decimal: .decimal
            case .date: .date
            case .string: .text
            case .uri: .url
            case .uuid: .uuid
            case .binary, .externalBinary: .data
            case .transformable: .other
            }
    }

    package init(_ constant: ComparableValue) {
        self =
            switch constant {
            case .integer: .whole
            case .unsigned, .double: .real
            case .decimal: .decimal
            case .date: .date
            case .string: .text
            case .url: .url
            case .uuid: .uuid
            case .data: .data
            case .null, .object, .other: .other
            }
    }

    package var isNumber: Bool {
        switch self {
        case .whole, .real, .decimal, .wholeOrReal, .number: true
        case .date, .text, .url, .uuid, .data, .other: false
        }
    }

    /// Whether a value of this kind may be equal to, or less than, a value of another kind.
    package func isComparable(with other: ValueKind) -> Bool {
        self == other || isNumber && other.isNumber || self == .other || other == .other
    }

    /// The kind of a value that is of either kind, as in a conditional expression.
    package func joined(with other: ValueKind) -> ValueKind {
        if self == other { return self }
        guard isNumber, other.isNumber else { return .other }
        let kinds = [self, other]
        return kinds.contains(.decimal) || kinds.contains(.number) ? .number : .wholeOrReal
    }

    /// The kind of a function's value.
    ///
    /// - Returns: nil if the function has no value for such operands, and if the kind depends on the values of a row.
    package static func result(of function: String, _ operands: [ValueKind]) -> ValueKind? {
        switch function {
        case "add:to:", "from:subtract:":
            return operands.count == 2 ? moved(function, operands[0], operands[1]) : nil
        case "multiply:by:", "divide:by:":
            return operands.count == 2 ? numbers(operands[0], operands[1]) : nil
        case "bitwiseAnd:with:", "bitwiseOr:with:", "leftshift:by:", "rightshift:by:":
            return operands.allSatisfy { $0 == .whole } ? .whole : nil
        case "abs:": return operands.first.flatMap { $0.isNumber ? $0 : nil }
        default: return nil
        }
    }

    /// A sum or a difference. Adding seconds to a date gives a date; the difference of two dates is in seconds.
    private static func moved(_ function: String, _ left: ValueKind, _ right: ValueKind) -> ValueKind? {
        switch (left, right) {
        case (.date, .date): function == "add:to:" ? nil : .real
        case (.date, _): right.isNumber ? .date : nil
        case (_, .date): left.isNumber && function == "add:to:" ? .date : nil
        default: numbers(left, right)
        }
    }

    private static func numbers(_ left: ValueKind, _ right: ValueKind) -> ValueKind? {
        guard left.isNumber, right.isNumber, left != .number, right != .number else { return nil }
        if left == .decimal || right == .decimal { return .decimal }
        if left == .real || right == .real { return .real }
        return left == .whole && right == .whole ? .whole : .wholeOrReal
    }
}
