// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts conditions of typed predicates: logic, equality, order and optionals.

import Foundation

extension PredicateExpressions.Conjunction: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        let (left, right) = (try conversion.condition(of: lhs), try conversion.condition(of: rhs))
        if case .and(let parts) = left { return .condition(.and(parts + [right])) }
        return .condition(.and([left, right]))
    }
}

extension PredicateExpressions.Disjunction: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        let (left, right) = (try conversion.condition(of: lhs), try conversion.condition(of: rhs))
        if case .or(let parts) = left { return .condition(.or(parts + [right])) }
        return .condition(.or([left, right]))
    }
}

extension PredicateExpressions.Negation: ConvertibleNode where Wrapped: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .condition(.not(try conversion.condition(of: wrapped)))
    }
}

extension PredicateExpressions.Equal: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .condition(try conversion.equality(lhs, rhs, .equalTo))
    }
}

extension PredicateExpressions.NotEqual: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .condition(try conversion.equality(lhs, rhs, .notEqualTo))
    }
}

extension PredicateConversion {
    fileprivate mutating func equality(
        _ left: some ConvertibleNode, _ right: some ConvertibleNode, _ operation: ComparisonSyntax.Operator
    ) throws -> PredicateSyntax {
        let equal: PredicateSyntax
        if let text = left.textComparison ?? right.textComparison {
            let other: any ConvertibleNode = left.textComparison == nil ? left : right
            guard case .constant(let result)? = try? value(of: other),
                result as? ComparisonResult == .orderedSame || result as? Int == 0
            else {
                throw Self.unsupported(left)
            }
            equal = try text.equality(&self)
            return operation == .equalTo ? equal : .not(equal)
        }
        switch (try left.converted(&self), try right.converted(&self)) {
        case (.value(let left), .value(let right)): return .comparison(ComparisonSyntax(left, operation, right))
        case (let node, .value(.constant(let value))), (.value(.constant(let value)), let node):
            equal = node.equals(value as? Bool)
        default:
            return .comparison(ComparisonSyntax(try value(of: left), operation, try value(of: right)))
        }
        return operation == .equalTo ? equal : .not(equal)
    }
}

extension ConvertedNode {
    /// Compares a condition with a Boolean.
    fileprivate func equals(_ value: Bool?) -> PredicateSyntax {
        switch (self, value) {
        case (.optionalCondition(_, let presence), nil): .not(presence)
        case (.optionalCondition(let condition, let presence), false): .and([presence, .not(condition)])
        case (_, true): condition
        case (_, false): .not(condition)
        case (_, nil): .constant(false)
        }
    }
}

extension PredicateExpressions.Comparison: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        let operation: ComparisonSyntax.Operator =
            switch op {
            case .lessThan: .lessThan
            case .lessThanOrEqual: .lessThanOrEqualTo
            case .greaterThan: .greaterThan
            case .greaterThanOrEqual: .greaterThanOrEqualTo
            @unknown default: throw PredicateConversion.unsupported(self)
            }
        return .comparison(try conversion.value(of: lhs), operation, try conversion.value(of: rhs))
    }
}

extension PredicateExpressions.Conditional: ConvertibleNode
where Test: ConvertibleNode, If: ConvertibleNode, Else: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        let test = try conversion.condition(of: test)
        switch (try conversion.node(trueBranch), try conversion.node(falseBranch)) {
        case (.value(let first), .value(let second)): return .value(.conditional(test, first, second))
        case (let first, let second):
            return .condition(.or([.and([test, first.condition]), .and([.not(test), second.condition])]))
        }
    }
}

extension PredicateExpressions.NilCoalesce: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        let other = try conversion.node(rhs)
        guard case .optionalCondition(let condition, let presence) = try conversion.node(lhs) else {
            let value = try conversion.value(of: lhs)
            let isPresent = PredicateSyntax.comparison(ComparisonSyntax(value, .notEqualTo, .constant(nil)))
            return .value(.conditional(isPresent, value, try conversion.value(of: rhs)))
        }
        switch other.condition {
        case .constant(false): return .condition(.and([presence, condition]))
        case .constant(true): return .condition(.or([.not(presence), condition]))
        case let other: return .condition(.or([.and([presence, condition]), .and([.not(presence), other])]))
        }
    }
}

extension PredicateExpressions.ForcedUnwrap: ConvertibleNode where Inner: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode { try conversion.node(inner) }
}

extension PredicateExpressions.OptionalFlatMap: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        let value = try conversion.value(of: wrapped)
        conversion.bind(variable.key, to: value)
        let isPresent = conversion.presence(of: wrapped, value)
        switch try conversion.node(transform) {
        case .value(let value): return .value(value)
        case .condition(let condition): return .optionalCondition(condition, presence: isPresent)
        case .optionalCondition(let condition, let presence):
            return .optionalCondition(condition, presence: .and([isPresent, presence]))
        }
    }
}
