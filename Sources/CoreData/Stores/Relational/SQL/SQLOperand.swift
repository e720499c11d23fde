// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An operand of a comparison in SQL, with its type information.

import CoreDataFoundation

/// An operand in SQL, with the information that comparisons need.
package struct SQLOperand {
    package enum Kind {
        case null
        /// A value of a column with this coding; nil for a constant and for a computed value.
        case value(ColumnCoding?)
        /// An object's key, unique below the root of the layout.
        case object(EntityLayout)
        case entity
    }

    package var sql: SQLText
    package var kind: Kind
    /// The kind of the values; `other` for objects and entities.
    package var values: ValueKind
    /// Whether it is a constant of the request, not null.
    package var isConstant = false
    /// The entity of an object, if a column contains it.
    package var entity: SQLText?

    package init(sql: SQLText, kind: Kind, isConstant: Bool = false, entity: SQLText? = nil) {
        self.sql = sql
        self.kind = kind
        self.isConstant = isConstant
        self.entity = entity
        values = if case .value(let coding?) = kind { ValueKind(coding) } else { .other }
    }

    /// A constant, or a value that SQL computes.
    package init(sql: SQLText, computed values: ValueKind, isConstant: Bool = false) {
        self.sql = sql
        kind = .value(nil)
        self.values = values
        self.isConstant = isConstant
    }

    /// Whether the values are strings, or URLs, which columns hold as strings.
    package var isString: Bool { values == .text || values == .url }

    /// The coding of a column, or of columns with such values; nil for values of several kinds.
    package var coding: ColumnCoding? {
        if case .value(let coding?) = kind { return coding }
        return switch values {
        case .whole: .integer
        case .real: .double
        case .decimal: .decimal
        case .date: .date
        case .text: .string
        case .url: .uri
        case .uuid: .uuid
        case .data: .binary
        case .wholeOrReal, .number, .other: nil
        }
    }

    /// Whether it is the constant NaN.
    package var isNotANumber: Bool {
        guard isConstant, let value = sql.values.first else { return false }
        return switch value {
        case .double(let number): number.isNaN
        case .decimal(let number): number.isNaN
        case .date(let date): date.timeIntervalSinceReferenceDate.isNaN
        default: false
        }
    }
}
