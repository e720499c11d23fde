// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Translates predicates to SQL conditions that are true exactly if the predicate holds for the object.

import CoreDataFoundation
import Foundation

/// Translates a predicate relative to one row.
///
/// Predicates are true or false, SQL conditions may also be null. So negation is pushed down to the comparisons, which
/// return SQL that is not null when negated: `NOT x == 5` and `x != 5` hold for an object without x, as in memory.
package struct PredicateTranslator {
    package let expressions: ExpressionTranslator
    /// Whether searches become conditions of at least the objects that match. Then the whole condition holds for at
    /// least the objects that match the predicate, because no such search is negated.
    var findsCandidates = false

    private var schema: Schema { expressions.schema }
    private var paths: KeyPathTranslator { KeyPathTranslator(schema: schema) }

    package func condition(_ predicate: PredicateSyntax, negated: Bool = false) throws -> SQLText {
        switch predicate {
        case .constant(let value): return value != negated ? schema.dialect.yes : schema.dialect.no
        case .and(let members): return try combine(members, negated ? " OR " : " AND ", negated, empty: !negated)
        case .or(let members): return try combine(members, negated ? " AND " : " OR ", negated, empty: negated)
        case .not(let member): return try condition(member, negated: !negated)
        case .comparison(let comparison): return try condition(comparison, negated)
        case .block: throw NotTranslatable(reason: "a block")
        }
    }

    private func combine(_ members: [PredicateSyntax], _ separator: String, _ negated: Bool, empty: Bool) throws
        -> SQLText
    {
        if members.isEmpty { return empty ? schema.dialect.yes : schema.dialect.no }
        if findsCandidates, separator == " AND " { return try candidates(ofAll: members, negated) }
        if members.count == 1 { return try condition(members[0], negated: negated) }
        return "(\(try members.map { try condition($0, negated: negated) }.balanced(separator)))"
    }

    /// The candidates of one part are candidates of all, so parts that cannot be translated are left out.
    ///
    /// - Throws: the obstacle of the last part if none is left.
    private func candidates(ofAll members: [PredicateSyntax], _ negated: Bool) throws -> SQLText {
        var found: [SQLText] = []
        var last: NotTranslatable?
        for member in members {
            do { found.append(try condition(member, negated: negated)) } catch let obstacle as NotTranslatable {
                last = obstacle
            }
        }
        if let last, found.isEmpty { throw last }
        return found.count == 1 ? found[0] : "(\(found.balanced(" AND ")))"
    }

    // MARK: Comparisons

    private func condition(_ comparison: ComparisonSyntax, _ negated: Bool) throws -> SQLText {
        if findsCandidates, let found = try valueCandidates(comparison, negated) { return found }
        if comparison.operation == .matching { return try search(comparison, negated) }
        switch comparison.modifier {
        case .direct: return try direct(comparison, negated)
        case .any: return try quantified(comparison, holdsForAll: false, negated)
        case .all: return try quantified(comparison, holdsForAll: true, negated)
        }
    }

    /// ANY: the comparison holds for a member. ALL: there is no member for which it does not hold.
    private func quantified(_ comparison: ComparisonSyntax, holdsForAll: Bool, _ negated: Bool) throws -> SQLText {
        guard case .members(let owner, let slot, let rest)? = try expressions.path(comparison.left) else {
            // A single value has itself as its only member.
            var single = comparison
            single.modifier = .direct
            return try direct(single, negated)
        }
        return try exists(owner, slot, rest, negated: negated != holdsForAll) { operand in
            try compare(
                operand, comparison.operation, comparison.right, comparison.options, negated: holdsForAll)
        }
    }

    /// Whether there is a member at the end of a path for which a condition holds.
    func exists(
        _ owner: RowPlace, _ slot: Int, _ rest: [String], negated: Bool, _ test: (SQLOperand) throws -> SQLText
    ) throws -> SQLText {
        let members = try paths.members(of: slot, from: owner)
        let condition: SQLText
        switch try paths.resolve(rest, from: members.place) {
        case .members(let next, let slot, let rest):
            condition = try exists(next, slot, rest, negated: false, test)
        case .attribute(let sql, let coding): condition = try test(SQLOperand(sql: sql, kind: .value(coding)))
        case .object(let key, _, let layout): condition = try test(SQLOperand(sql: key, kind: .object(layout)))
        case .entity(let sql): condition = try test(SQLOperand(sql: sql, kind: .entity))
        case .composite: throw NotTranslatable(reason: "a whole composite")
        }
        return "\(raw: negated ? "NOT " : "")EXISTS (SELECT 1 \(members.source(where: condition)))"
    }

    /// Whether a composite is nil; nil for any other comparison.
    private func absence(_ comparison: ComparisonSyntax, _ negated: Bool) throws -> SQLText? {
        let other: ExpressionSyntax
        switch (comparison.operation, comparison.left, comparison.right) {
        case (.equalTo, let value, .constant(let null)) where presentValue(null) == nil: other = value
        case (.equalTo, .constant(let null), let value) where presentValue(null) == nil: other = value
        case (.notEqualTo, let value, .constant(let null)) where presentValue(null) == nil: other = value
        case (.notEqualTo, .constant(let null), let value) where presentValue(null) == nil: other = value
        default: return nil
        }
        guard case .composite(let columns)? = try expressions.path(other) else { return nil }
        let isAbsent = (comparison.operation == .equalTo) != negated
        let conditions: [SQLText] = columns.map { "\($0) IS\(raw: isAbsent ? "" : " NOT") NULL" }
        return "(\(conditions.joined(isAbsent ? " AND " : " OR ")))"
    }

    private func direct(_ comparison: ComparisonSyntax, _ negated: Bool) throws -> SQLText {
        if let condition = try absence(comparison, negated) { return condition }
        // `employees CONTAINS %@` and `%@ IN employees` test for a member.
        if comparison.operation == .contains,
            case .members(let owner, let slot, let rest)? = try expressions.path(comparison.left)
        {
            return try exists(owner, slot, rest, negated: negated) { operand in
                try compare(operand, .equalTo, comparison.right, comparison.options, negated: false)
            }
        }
        if comparison.operation == .in,
            case .members(let owner, let slot, let rest)? = try expressions.path(comparison.right)
        {
            return try exists(owner, slot, rest, negated: negated) { operand in
                try compare(operand, .equalTo, comparison.left, comparison.options, negated: false)
            }
        }
        if comparison.operation == .contains, let list = comparison.left.listElements {
            return try membership(of: comparison.right, in: list, comparison.options, negated)
        }
        if comparison.operation == .in {
            guard let list = comparison.right.listElements else {
                // A string contains the other one.
                return try compare(
                    try expressions.operand(comparison.right), .contains, comparison.left, comparison.options,
                    negated: negated)
            }
            return try membership(of: comparison.left, in: list, comparison.options, negated)
        }
        if Self.isConstant(comparison.left), !Self.isConstant(comparison.right),
            let mirrored = Self.mirrored(comparison.operation)
        {
            return try compare(
                try expressions.operand(comparison.right), mirrored, comparison.left, comparison.options,
                negated: negated)
        }
        return try compare(
            try expressions.operand(comparison.left), comparison.operation, comparison.right, comparison.options,
            negated: negated)
    }

    /// Whether a predicate only compares a string of the row with a constant.
    package func isPlain(_ predicate: PredicateSyntax) -> Bool {
        guard case .comparison(let comparison) = predicate, comparison.modifier == .direct,
            [.equalTo, .beginsWith, .endsWith, .contains, .like].contains(comparison.operation),
            case .attribute? = try? expressions.path(comparison.left)
        else { return false }
        return Self.isConstant(comparison.right) && comparison.right.listElements == nil
    }

    private static func isConstant(_ expression: ExpressionSyntax) -> Bool {
        if case .constant = expression { true } else { false }
    }

    static func mirrored(_ comparison: ComparisonSyntax.Operator) -> ComparisonSyntax.Operator? {
        switch comparison {
        case .equalTo: .equalTo
        case .notEqualTo: .notEqualTo
        case .lessThan: .greaterThan
        case .lessThanOrEqualTo: .greaterThanOrEqualTo
        case .greaterThan: .lessThan
        case .greaterThanOrEqualTo: .lessThanOrEqualTo
        default: nil
        }
    }

    private func compare(
        _ left: SQLOperand, _ comparison: ComparisonSyntax.Operator, _ right: ExpressionSyntax,
        _ options: ComparisonSyntax.Options,
        negated: Bool
    ) throws -> SQLText {
        if comparison == .between {
            guard let bounds = right.listElements, bounds.count == 2 else {
                throw NotTranslatable(reason: "BETWEEN with other than two bounds")
            }
            let low = try compare(left, .greaterThanOrEqualTo, bounds[0], options, negated: negated)
            let high = try compare(left, .lessThanOrEqualTo, bounds[1], options, negated: negated)
            return negated ? "(\(low) OR \(high))" : "(\(low) AND \(high))"
        }
        if comparison == .in {
            guard let list = right.listElements else { throw NotTranslatable(reason: "IN something that is no list") }
            return try ListTranslator(expressions: expressions).membership(of: left, in: list, options, negated)
        }
        return try ComparisonTranslator(left, comparison, try expressions.operand(right), options, schema.dialect)
            .condition(negated: negated)
    }

    private func membership(
        of element: ExpressionSyntax, in list: [ExpressionSyntax], _ options: ComparisonSyntax.Options, _ negated: Bool
    ) throws -> SQLText {
        try ListTranslator(expressions: expressions)
            .membership(of: try expressions.operand(element), in: list, options, negated)
    }
}
