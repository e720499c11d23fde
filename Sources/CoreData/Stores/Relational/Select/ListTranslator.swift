// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Translates IN with a list of any length, with or without null, or empty.

import CoreDataFoundation
import Foundation

package struct ListTranslator {
    /// The limit for comparing the members of a list one by one.
    package static let longestComputed = 500

    package let expressions: ExpressionTranslator
    private var dialect: any Dialect { expressions.schema.dialect }

    package func membership(
        of element: SQLOperand, in list: [ExpressionSyntax], _ options: ComparisonSyntax.Options, _ negated: Bool
    ) throws
        -> SQLText
    {
        if isFolded(options), element.isString { return try oneByOne(element, list, options, negated) }
        var values: [ColumnValue] = []
        values.reserveCapacity(list.count)
        var hasNull = false
        for member in list {
            guard case .constant(let value) = member else { return try oneByOne(element, list, options, negated) }
            let operand = try expressions.constant(value)
            // NaN equals no value.
            if operand.isNotANumber { continue }
            switch (element.kind, operand.kind) {
            case (_, .null):
                hasNull = true
                continue
            case (.object(let one), .object(let other)):
                guard one.rootIndex == other.rootIndex else { continue }
            case (.object, _), (_, .object): continue
            case (.value(let coding?), _):
                switch coding {
                case .transformable, .externalBinary: throw NotTranslatable(reason: "a value that is no plain column")
                default: break
                }
            default: break
            }
            // A value of another class is never equal.
            guard element.values.isComparable(with: operand.values) else { continue }
            values += operand.sql.values
        }
        return try negated ? absence(element, values, hasNull) : presence(element, values, hasNull)
    }

    private func isFolded(_ options: ComparisonSyntax.Options) -> Bool {
        !options.contains(.normalized) && !options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive])
    }

    private func presence(_ element: SQLOperand, _ values: [ColumnValue], _ hasNull: Bool) throws -> SQLText {
        let isNull: SQLText = "\(element.sql) IS NULL"
        if values.isEmpty { return hasNull ? isNull : dialect.no }
        let isMember = try dialect.membership(of: element, in: values, negated: false)
        return hasNull ? "(\(isMember) OR \(isNull))" : isMember
    }

    private func absence(_ element: SQLOperand, _ values: [ColumnValue], _ hasNull: Bool) throws -> SQLText {
        if values.isEmpty { return hasNull ? "\(element.sql) IS NOT NULL" : dialect.yes }
        // NOT IN is null for null, so a list that contains null needs no further condition.
        let isMissing = try dialect.membership(of: element, in: values, negated: true)
        return hasNull ? dialect.orFalse(isMissing) : "(\(element.sql) IS NULL OR \(isMissing))"
    }

    private func oneByOne(
        _ element: SQLOperand, _ list: [ExpressionSyntax], _ options: ComparisonSyntax.Options, _ negated: Bool
    ) throws
        -> SQLText
    {
        if list.isEmpty { return negated ? dialect.yes : dialect.no }
        guard list.count <= Self.longestComputed else {
            throw NotTranslatable(reason: "a long list of computed members")
        }
        let conditions = try list.map {
            try ComparisonTranslator(element, .equalTo, try expressions.operand($0), options, dialect)
                .condition(negated: negated)
        }
        return "(\(conditions.balanced(negated ? " AND " : " OR ")))"
    }
}
