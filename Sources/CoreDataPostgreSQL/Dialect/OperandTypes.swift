// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts constants to the types of compared columns, so that comparisons mean the same as in memory.

import CoreData
import Foundation
import PostgreSQLDriver

enum OperandTypes {
    /// The constant converted to the type of the other operand.
    ///
    /// - Throws: `NotTranslatable` for types that the server compares differently from evaluation in memory.
    static func constant(_ constant: SQLOperand, beside other: SQLOperand) throws -> SQLOperand {
        guard let value = constant.sql.values.first else { return constant }
        var result = constant
        result.sql = .value(try argument(value, coding: other.coding, isString: other.isString))
        return result
    }

    static func argument(_ value: ColumnValue, coding: ColumnCoding?, isString: Bool) throws -> ColumnValue {
        switch (coding, value) {
        case (_, .text(let text)) where text.utf8.contains(0):
            throw NotTranslatable(reason: "a string with U+0000, which no column holds")
        case (.integer?, .integer), (.boolean?, .boolean), (.double?, .double), (.float?, .double), (.uuid?, .uuid),
            (.binary?, .bytes), (.decimal?, .decimal), (.string?, .text), (.uri?, .text):
            if case .double(let number) = value, number.isNaN { throw notANumber }
            return value
        case (.integer?, .double(let number)): return try number.isFinite ? whole(number) : infinite(number)
        case (.integer?, .decimal(let number)):
            if number.isNaN { throw notANumber }
            return value
        case (.boolean?, .integer(let number)) where number == 0 || number == 1: return .boolean(number == 1)
        case (.double?, .integer(let number)), (.float?, .integer(let number)):
            guard let exact = Double(exactly: number) else { throw otherType }
            return .double(exact)
        case (.double?, .decimal(let number)), (.float?, .decimal(let number)):
            return .double(ColumnArgument.double(number))
        case (.decimal?, .integer(let number)): return .decimal(Decimal(number))
        case (.decimal?, .double(let number)):
            guard number.isFinite, let decimal = Decimal(string: "\(number)") else { throw otherType }
            return .decimal(decimal)
        case (.date?, .date(let date)):
            // The server stores microseconds. A more precise argument lies between two stored values.
            let seconds = date.timeIntervalSinceReferenceDate
            guard WireTimestamp.seconds(WireTimestamp.microseconds(seconds)) == seconds else {
                throw NotTranslatable(reason: "a date finer than a microsecond")
            }
            return value
        case (nil, .text) where isString: return value
        case (nil, .integer) where !isString, (nil, .decimal) where !isString: return value
        case (nil, .double(let number)) where !isString:
            if number.isNaN { throw notANumber }
            return value
        default: throw otherType
        }
    }

    private static var otherType: NotTranslatable { NotTranslatable(reason: "values of two types") }
    private static var notANumber: NotTranslatable { NotTranslatable(reason: "a comparison with NaN") }

    /// A double as an exact number, for a comparison with integers.
    private static func whole(_ number: Double) throws -> ColumnValue {
        if let integer = Int64(exactly: number) { return .integer(integer) }
        guard let decimal = Decimal(string: "\(number)") else { throw otherType }
        return .decimal(decimal)
    }

    private static func infinite(_ number: Double) throws -> ColumnValue {
        if number.isNaN { throw notANumber }
        return .double(number)
    }

    static func asDecimal(_ value: ColumnValue) -> ColumnValue {
        if case .integer(let number) = value { return .decimal(Decimal(number)) }
        return value
    }

    /// Two columns or computed values. Numbers of two types are compared as exact numbers; otherwise the server would
    /// compare an integer with the nearest real number.
    static func comparable(_ left: SQLOperand, _ right: SQLOperand) throws -> (left: SQLOperand, right: SQLOperand) {
        guard left.values.isComparable(with: right.values), left.values != .other, right.values != .other,
            isBoolean(left) == isBoolean(right)
        else { throw otherType }
        if left.values == right.values || !left.values.isNumber { return (left, right) }
        return (exact(left), exact(right))
    }

    private static func isBoolean(_ operand: SQLOperand) -> Bool {
        if case .value(.boolean?) = operand.kind { true } else { false }
    }

    /// Converts through the shortest text, because a cast of a real number keeps only 15 digits.
    private static func exact(_ operand: SQLOperand) -> SQLOperand {
        var result = operand
        switch operand.values {
        case .decimal: break
        case .whole: result.sql = "\(operand.sql)::numeric"
        default: result.sql = "CAST(CAST(\(operand.sql) AS text) AS numeric)"
        }
        return result
    }
}
