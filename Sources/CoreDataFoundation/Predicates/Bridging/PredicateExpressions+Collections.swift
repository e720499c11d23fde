// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts collection and string operations of typed predicates.

import Foundation

extension PredicateExpressions.SequenceContains: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        let element = try conversion.value(of: element)
        if let condition = try sequence.condition(onMember: element, &conversion) { return .condition(condition) }
        let members = try conversion.value(of: sequence)
        if case .constant = members { return .comparison(element, .in, members) }
        return .comparison(members, .contains, element)
    }
}

extension PredicateExpressions.SequenceContainsWhere: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        let found = try conversion.subquery(sequence, variable.key, test)
        return .comparison(PredicateParser.path("@count", on: found), .greaterThan, .constant(0))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        let others = try conversion.subquery(sequence, variable.key, negated: true, test)
        return .comparison(PredicateParser.path("@count", on: others), .equalTo, .constant(0))
    }
}

extension PredicateExpressions.Filter: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .value(try conversion.subquery(sequence, variable.key, filter))
    }
}

extension PredicateExpressions.SequenceMaximum: ConvertibleNode where Elements: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .call("max:", try conversion.value(of: elements))
    }
}

extension PredicateExpressions.SequenceMinimum: ConvertibleNode where Elements: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .call("min:", try conversion.value(of: elements))
    }
}

extension PredicateExpressions.CollectionIndexSubscript: ConvertibleNode
where Wrapped: ConvertibleNode, Index: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .value(.index(try conversion.value(of: wrapped), .at(try conversion.value(of: index))))
    }
}

extension PredicateExpressions.DictionaryKeySubscript: ConvertibleNode
where Wrapped: ConvertibleNode, Key: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .value(.index(try conversion.value(of: wrapped), .at(try conversion.value(of: key))))
    }
}

// MARK: Texts

extension PredicateExpressions.CollectionContainsCollection: ConvertibleNode
where Base: ConvertibleNode, Other: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        guard Base.Output.self is any StringProtocol.Type else { throw PredicateConversion.unsupported(self) }
        return .comparison(try conversion.value(of: base), .contains, try conversion.value(of: other))
    }
}

extension PredicateExpressions.SequenceStartsWith: ConvertibleNode
where Base: ConvertibleNode, Prefix: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        guard Base.Output.self is any StringProtocol.Type else { throw PredicateConversion.unsupported(self) }
        return .comparison(try conversion.value(of: base), .beginsWith, try conversion.value(of: prefix))
    }
}

extension PredicateExpressions.StringContainsRegex: ConvertibleNode
where Subject: ConvertibleNode, Regex: ConvertibleNode {
    /// MATCHES requires the whole text, `contains(_: Regex)` a part of it.
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        guard case .constant(let regex as PredicateExpressions.PredicateRegex) = try conversion.value(of: self.regex)
        else { throw PredicateConversion.unsupported(self) }
        let pattern = "(?s:.*)(?:\(regex.stringRepresentation))(?s:.*)"
        return .comparison(try conversion.value(of: subject), .matches, .constant(pattern))
    }
}

// MARK: Ranges

extension PredicateExpressions.RangeExpressionContains: ConvertibleNode
where RangeExpression: ConvertibleNode, Element: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        let element = try conversion.value(of: element)
        guard let condition = try range.condition(onMember: element, &conversion) else {
            throw PredicateConversion.unsupported(self)
        }
        return .condition(condition)
    }
}

extension PredicateExpressions.ClosedRange: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        throw PredicateConversion.unsupported(self)
    }

    func condition(
        onMember element: ExpressionSyntax, _ conversion: inout PredicateConversion
    ) throws -> PredicateSyntax? {
        RangeTest.closed(element, try conversion.value(of: lower), try conversion.value(of: upper))
    }
}

extension PredicateExpressions.Range: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        throw PredicateConversion.unsupported(self)
    }

    func condition(
        onMember element: ExpressionSyntax, _ conversion: inout PredicateConversion
    ) throws -> PredicateSyntax? {
        .and([
            RangeTest.compare(element, .greaterThanOrEqualTo, try conversion.value(of: lower)),
            RangeTest.compare(element, .lessThan, try conversion.value(of: upper)),
        ])
    }
}

extension PredicateExpressions.Value: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .value(.constant(try conversion.forms.map { try $0.constant(value) } ?? presentValue(value)))
    }

    func condition(
        onMember element: ExpressionSyntax, _ conversion: inout PredicateConversion
    ) throws -> PredicateSyntax? {
        (value as? any RangeValue)?.condition(on: element)
    }
}

private enum RangeTest {
    static func compare(
        _ element: ExpressionSyntax, _ operation: ComparisonSyntax.Operator, _ bound: ExpressionSyntax
    ) -> PredicateSyntax {
        .comparison(ComparisonSyntax(element, operation, bound))
    }

    static func closed(
        _ element: ExpressionSyntax, _ low: ExpressionSyntax, _ high: ExpressionSyntax
    ) -> PredicateSyntax {
        if case .constant(let low) = low, case .constant(let high) = high {
            return compare(element, .between, .constant([low as Any, high as Any]))
        }
        return compare(element, .between, .aggregate([low, high]))
    }
}

private protocol RangeValue {
    func condition(on element: ExpressionSyntax) -> PredicateSyntax
}

extension ClosedRange: RangeValue {
    fileprivate func condition(on element: ExpressionSyntax) -> PredicateSyntax {
        RangeTest.closed(element, .constant(lowerBound), .constant(upperBound))
    }
}

extension Range: RangeValue {
    fileprivate func condition(on element: ExpressionSyntax) -> PredicateSyntax {
        .and([
            RangeTest.compare(element, .greaterThanOrEqualTo, .constant(lowerBound)),
            RangeTest.compare(element, .lessThan, .constant(upperBound)),
        ])
    }
}

extension PartialRangeFrom: RangeValue {
    fileprivate func condition(on element: ExpressionSyntax) -> PredicateSyntax {
        RangeTest.compare(element, .greaterThanOrEqualTo, .constant(lowerBound))
    }
}

extension PartialRangeThrough: RangeValue {
    fileprivate func condition(on element: ExpressionSyntax) -> PredicateSyntax {
        RangeTest.compare(element, .lessThanOrEqualTo, .constant(upperBound))
    }
}

extension PartialRangeUpTo: RangeValue {
    fileprivate func condition(on element: ExpressionSyntax) -> PredicateSyntax {
        RangeTest.compare(element, .lessThan, .constant(upperBound))
    }
}
