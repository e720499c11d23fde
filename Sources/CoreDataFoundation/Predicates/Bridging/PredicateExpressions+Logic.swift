// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts conditions of typed predicates: logic, equality, order and optionals.

import Foundation

extension PredicateExpressions.Conjunction: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        let left = try conversion.condition(of: lhs)
        // As in Swift, the right side is then ignored: it may unwrap a value that the left side checks.
        if case .constant(false) = left { return .condition(left) }
        let right = try conversion.condition(of: rhs)
        if case .and(let parts) = left { return .condition(.all(parts + [right])) }
        return .condition(.all([left, right]))
    }

    func captured(_ conversion: PredicateConversion) throws -> Bool? {
        guard let left = try lhs.captured(conversion) else { return nil }
        return left ? try rhs.captured(conversion) : false
    }
}

extension PredicateExpressions.Disjunction: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        let left = try conversion.condition(of: lhs)
        if case .constant(true) = left { return .condition(left) }
        let right = try conversion.condition(of: rhs)
        if case .or(let parts) = left { return .condition(.any(parts + [right])) }
        return .condition(.any([left, right]))
    }

    func captured(_ conversion: PredicateConversion) throws -> Bool? {
        guard let left = try lhs.captured(conversion) else { return nil }
        return left ? true : try rhs.captured(conversion)
    }
}

extension PredicateExpressions.Negation: ConvertibleNode where Wrapped: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .condition(try conversion.condition(of: wrapped).negated)
    }

    func captured(_ conversion: PredicateConversion) throws -> Bool? { try wrapped.captured(conversion).map { !$0 } }
}

extension PredicateExpressions.Equal: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        if let holds = try captured(conversion) { return .condition(.constant(holds)) }
        return .condition(try conversion.equality(lhs, rhs, .equalTo))
    }

    func captured(_ conversion: PredicateConversion) throws -> Bool? {
        guard let left = try lhs.captured(conversion), let right = try rhs.captured(conversion) else { return nil }
        return left == right
    }
}

extension PredicateExpressions.NotEqual: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        if let holds = try captured(conversion) { return .condition(.constant(holds)) }
        return .condition(try conversion.equality(lhs, rhs, .notEqualTo))
    }

    func captured(_ conversion: PredicateConversion) throws -> Bool? {
        guard let left = try lhs.captured(conversion), let right = try rhs.captured(conversion) else { return nil }
        return left != right
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
            return operation == .equalTo ? equal : equal.negated
        }
        switch (try left.converted(&self), try right.converted(&self)) {
        case (.value(let left), .value(let right)): return .comparison(ComparisonSyntax(left, operation, right))
        case (let node, .value(.constant(let value))), (.value(.constant(let value)), let node):
            equal = node.equals(value as? Bool)
        default:
            return .comparison(ComparisonSyntax(try value(of: left), operation, try value(of: right)))
        }
        return operation == .equalTo ? equal : equal.negated
    }
}

extension ConvertedNode {
    /// Compares a condition with a Boolean.
    fileprivate func equals(_ value: Bool?) -> PredicateSyntax {
        switch (self, value) {
        case (.optionalCondition(_, let presence), nil): presence.negated
        case (.optionalCondition(let condition, let presence), false): .all([presence, condition.negated])
        case (_, true): condition
        case (_, false): condition.negated
        case (_, nil): .constant(false)
        }
    }
}

extension PredicateExpressions.Comparison: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func captured(_ conversion: PredicateConversion) throws -> Bool? {
        guard let left = try lhs.captured(conversion), let right = try rhs.captured(conversion) else { return nil }
        return try holds(left, right)
    }

    private func holds(_ left: LHS.Output, _ right: LHS.Output) throws -> Bool {
        switch op {
        case .lessThan: left < right
        case .lessThanOrEqual: left <= right
        case .greaterThan: left > right
        case .greaterThanOrEqual: left >= right
        @unknown default: throw PredicateConversion.unsupported(self)
        }
    }

    /// The cases of an enumeration for which the comparison holds, if stores order them differently.
    private func members(
        _ cases: [LHS.Output], _ conversion: inout PredicateConversion
    ) throws -> ConvertedNode {
        if let right = try rhs.captured(conversion) {
            let members = try conversion.constant(cases.filter { try holds($0, right) })
            return .comparison(try conversion.value(of: lhs), .in, members)
        }
        guard let left = try lhs.captured(conversion) else {
            throw PredicateConversionError.unsupportedOperation(
                "The order of two values of \(LHS.Output.self), whose raw values have another order,")
        }
        let members = try conversion.constant(cases.filter { try holds(left, $0) })
        return .comparison(try conversion.value(of: rhs), .in, members)
    }

    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        if let holds = try captured(conversion) { return .condition(.constant(holds)) }
        if let cases = conversion.forms?.orderedCases(of: LHS.Output.self) {
            return try members(cases, &conversion)
        }
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
    func captured(_ conversion: PredicateConversion) throws -> Output? {
        guard let test = try test.captured(conversion) else { return nil }
        return try test ? trueBranch.captured(conversion) : falseBranch.captured(conversion)
    }

    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        let test = try conversion.condition(of: test)
        if case .constant(let holds) = test {
            return holds ? try conversion.node(trueBranch) : try conversion.node(falseBranch)
        }
        let (yes, no) = (try conversion.node(trueBranch), try conversion.node(falseBranch))
        if case (.value(let first), .value(let second)) = (yes, no) { return .value(.conditional(test, first, second)) }
        func chosen(_ one: PredicateSyntax, _ other: PredicateSyntax) -> PredicateSyntax {
            .any([.all([test, one]), .all([test.negated, other])])
        }
        let condition = chosen(yes.condition, no.condition)
        guard Output.self == Bool?.self else { return .condition(condition) }
        return .optionalCondition(condition, presence: chosen(yes.presence, no.presence))
    }
}

extension ConvertedNode {
    /// Whether a Boolean, or an optional one, is not nil.
    fileprivate var presence: PredicateSyntax {
        switch self {
        case .value(.constant(let value)): .constant(value != nil)
        case .value(let value): .comparison(ComparisonSyntax(value, .notEqualTo, .constant(nil)))
        case .condition: .constant(true)
        case .optionalCondition(_, let presence): presence
        }
    }
}

// MARK: Optionals

extension PredicateExpressions.NilCoalesce: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func captured(_ conversion: PredicateConversion) throws -> Output? {
        guard let value = try lhs.captured(conversion) else { return nil }
        return try value ?? rhs.captured(conversion)
    }

    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        if let value = try lhs.captured(conversion) {
            guard let value else { return try conversion.node(rhs) }
            return .value(try conversion.constant(value))
        }
        let left = try conversion.node(lhs)
        let other = try conversion.node(rhs)
        switch left {
        case .value(.constant(nil)): return other
        case .value(let value):
            let isPresent = PredicateSyntax.comparison(ComparisonSyntax(value, .notEqualTo, .constant(nil)))
            return .value(.conditional(isPresent, value, conversion.value(of: other)))
        case .condition: return left
        case .optionalCondition(let condition, let presence):
            return switch other.condition {
            case .constant(false): .condition(.all([presence, condition]))
            case .constant(true): .condition(.any([presence.negated, condition]))
            case let other: .condition(.any([.all([presence, condition]), .all([presence.negated, other])]))
            }
        }
    }
}

extension PredicateExpressions.ForcedUnwrap: ConvertibleNode where Inner: ConvertibleNode {
    func captured(_ conversion: PredicateConversion) throws -> Output? {
        guard let value = try inner.captured(conversion) else { return nil }
        guard let present = value else { throw PredicateConversionError.missingValue("\(Output.self)") }
        return present
    }

    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        if let value = try captured(conversion) { return .value(try conversion.constant(value)) }
        return try conversion.node(inner)
    }
}

extension PredicateExpressions.OptionalFlatMap: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func captured(_ conversion: PredicateConversion) throws -> Output? {
        guard let value = try wrapped.captured(conversion) else { return nil }
        guard let present = value else { return .some(nil) }
        var inner = conversion
        inner.bind(variable, toCaptured: present)
        // The transform's result may be an optional itself.
        return try transform.captured(inner).map { $0 as? Result }
    }

    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        if let value = try wrapped.captured(conversion) {
            guard let present = value else { return .value(.constant(nil)) }
            conversion.bind(variable, toCaptured: present)
            return try conversion.node(transform)
        }
        let value = try conversion.value(of: wrapped)
        conversion.bind(variable.key, to: value)
        let isPresent = conversion.presence(of: wrapped, value)
        switch try conversion.node(transform) {
        case .value(let result):
            if wrapped.castType != nil || result.isNil(where: value) { return .value(result) }
            return .value(.conditional(isPresent, result, .constant(nil)))
        case .condition(let condition): return .optionalCondition(condition, presence: isPresent)
        case .optionalCondition(let condition, let presence):
            return .optionalCondition(condition, presence: .all([isPresent, presence]))
        }
    }
}

extension ExpressionSyntax {
    /// Whether this is certainly nil where another expression is: a key path on it, or a function of that.
    fileprivate func isNil(where other: ExpressionSyntax) -> Bool {
        if self == other { return true }
        switch (self, other) {
        case (.keyPath(let path), .keyPath(let start)): return path.hasPrefix(start + ".")
        case (.keyPath, .evaluatedObject): return true
        case (.keyPathOn(let base, let path), .keyPathOn(let root, let start)):
            return base == root && path.hasPrefix(start + ".")
        case (.keyPathOn(let base, _), _): return base == other
        case (.function(let name, let arguments), _):
            return AggregateFunction(rawValue: name) == nil && arguments.contains { $0.isNil(where: other) }
        default: return false
        }
    }
}
