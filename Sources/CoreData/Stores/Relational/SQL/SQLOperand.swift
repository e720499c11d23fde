// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An operand of a comparison in SQL, with what comparisons have to know of it.

/// An operand in SQL, with what comparisons have to know of it.
package struct SQLOperand {
    package enum Kind {
        case null
        /// A value of this coding; nil where SQL alone decides.
        case value(ColumnCoding?)
        /// An object's key; the layout tells below which root it counts.
        case object(EntityLayout)
        case entity
    }

    package var sql: SQLText
    package var kind: Kind
    /// Whether it is a constant of the request, not null.
    package var isConstant = false
    /// Whether it is a string, or a column of strings.
    package var isString = false

    package init(sql: SQLText, kind: Kind, isConstant: Bool = false, isString: Bool = false) {
        self.sql = sql
        self.kind = kind
        self.isConstant = isConstant
        self.isString = isString
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

/// An argument of a function, and whether it is an integer for sure.
package struct SQLArgument {
    package var operand: SQLOperand
    package var isInteger: Bool
}
