// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts collection and string operations of typed predicates.

import Foundation

extension PredicateExpressions.SequenceContains: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func captured(_ conversion: PredicateConversion) throws -> Bool? {
        guard let members = try sequence.captured(conversion), let member = try element.captured(conversion) else {
            return nil
        }
        return members.contains(member)
    }

    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        if let holds = try captured(conversion) { return .condition(.constant(holds)) }
        let element = try conversion.value(of: element)
        if let range = try sequence.captured(conversion) as? any RangeValue {
            return .condition(try range.condition(on: element, conversion))
        }
        if let condition = try sequence.condition(onMember: element, &conversion) { return .condition(condition) }
        let members = try conversion.value(of: sequence)
        if case .constant = members { return .comparison(element, .in, members) }
        return .comparison(members, .contains, element)
    }
}

extension PredicateExpressions.SequenceContainsWhere: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        if let members = try sequence.captured(conversion) {
            return .condition(.any(try conversion.conditions(of: test, variable, in: members)))
        }
        let found = try conversion.subquery(sequence, variable.key, test)
        return .comparison(PredicateParser.path("@count", on: found), .greaterThan, .constant(0))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        if let members = try sequence.captured(conversion) {
            return .condition(.all(try conversion.conditions(of: test, variable, in: members)))
        }
        let others = try conversion.subquery(sequence, variable.key, negated: true, test)
        return .comparison(PredicateParser.path("@count", on: others), .equalTo, .constant(0))
    }
}

extension PredicateExpressions.Filter: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func captured(_ conversion: PredicateConversion) throws -> Output? {
        guard let members = try sequence.captured(conversion) else { return nil }
        var inner = conversion
        var found: Output = []
        for member in members {
            inner.bind(variable, toCaptured: member)
            guard let holds = try filter.captured(inner) else { return nil }
            if holds { found.append(member) }
        }
        return found
    }

    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        if let found = try captured(conversion) { return .value(try conversion.constant(found)) }
        return .value(try conversion.subquery(sequence, variable.key, filter))
    }
}

extension PredicateExpressions.SequenceMaximum: ConvertibleNode where Elements: ConvertibleNode {
    func captured(_ conversion: PredicateConversion) throws -> Output? {
        try elements.captured(conversion).map { $0.max() }
    }

    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        if let greatest = try captured(conversion) { return .value(try conversion.constant(greatest)) }
        return .call("max:", try conversion.value(of: elements))
    }
}

extension PredicateExpressions.SequenceMinimum: ConvertibleNode where Elements: ConvertibleNode {
    func captured(_ conversion: PredicateConversion) throws -> Output? {
        try elements.captured(conversion).map { $0.min() }
    }

    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        if let least = try captured(conversion) { return .value(try conversion.constant(least)) }
        return .call("min:", try conversion.value(of: elements))
    }
}

extension PredicateExpressions.CollectionIndexSubscript: ConvertibleNode
where Wrapped: ConvertibleNode, Index: ConvertibleNode {
    func captured(_ conversion: PredicateConversion) throws -> Output? {
        guard let members = try wrapped.captured(conversion), let index = try index.captured(conversion) else {
            return nil
        }
        guard members.startIndex <= index, index < members.endIndex else {
            throw PredicateConversionError.missingValue("the member at \(index)")
        }
        return members[index]
    }

    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        if let member = try captured(conversion) { return .value(try conversion.constant(member)) }
        return .value(.index(try conversion.value(of: wrapped), .at(try conversion.value(of: index))))
    }
}

extension PredicateExpressions.DictionaryKeySubscript: ConvertibleNode
where Wrapped: ConvertibleNode, Key: ConvertibleNode {
    func captured(_ conversion: PredicateConversion) throws -> Output? {
        guard let entries = try wrapped.captured(conversion), let key = try key.captured(conversion) else { return nil }
        return .some(entries[key])
    }

    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        if let value = try captured(conversion) { return .value(try conversion.constant(value)) }
        return .value(.index(try conversion.value(of: wrapped), .at(try conversion.value(of: key))))
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
        let captured = try range.captured(conversion)
        let element = try conversion.value(of: element)
        if let captured, let cases = conversion.forms?.orderedCases(of: Element.Output.self) {
            return .comparison(element, .in, try conversion.constant(cases.filter { captured.contains($0) }))
        }
        if let range = captured as? any RangeValue {
            return .condition(try range.condition(on: element, conversion))
        }
        guard let condition = try range.condition(onMember: element, &conversion) else {
            throw PredicateConversion.unsupported(self)
        }
        return .condition(condition)
    }
}

extension PredicateExpressions.ClosedRange: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func captured(_ conversion: PredicateConversion) throws -> Output? {
        guard let low = try lower.captured(conversion), let high = try upper.captured(conversion), low <= high else {
            return nil
        }
        return low...high
    }

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
    func captured(_ conversion: PredicateConversion) throws -> Output? {
        guard let low = try lower.captured(conversion), let high = try upper.captured(conversion), low <= high else {
            return nil
        }
        return low..<high
    }

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

/// A range with known bounds.
private protocol RangeValue {
    func condition(on element: ExpressionSyntax, _ conversion: PredicateConversion) throws -> PredicateSyntax
}

extension ClosedRange: RangeValue {
    fileprivate func condition(
        on element: ExpressionSyntax, _ conversion: PredicateConversion
    ) throws -> PredicateSyntax {
        RangeTest.closed(element, try conversion.constant(lowerBound), try conversion.constant(upperBound))
    }
}

extension Range: RangeValue {
    fileprivate func condition(
        on element: ExpressionSyntax, _ conversion: PredicateConversion
    ) throws -> PredicateSyntax {
        .and([
            RangeTest.compare(element, .greaterThanOrEqualTo, try conversion.constant(lowerBound)),
            RangeTest.compare(element, .lessThan, try conversion.constant(upperBound)),
        ])
    }
}

extension PartialRangeFrom: RangeValue {
    fileprivate func condition(
        on element: ExpressionSyntax, _ conversion: PredicateConversion
    ) throws -> PredicateSyntax {
        RangeTest.compare(element, .greaterThanOrEqualTo, try conversion.constant(lowerBound))
    }
}

extension PartialRangeThrough: RangeValue {
    fileprivate func condition(
        on element: ExpressionSyntax, _ conversion: PredicateConversion
    ) throws -> PredicateSyntax {
        RangeTest.compare(element, .lessThanOrEqualTo, try conversion.constant(upperBound))
    }
}

extension PartialRangeUpTo: RangeValue {
    fileprivate func condition(
        on element: ExpressionSyntax, _ conversion: PredicateConversion
    ) throws -> PredicateSyntax {
        RangeTest.compare(element, .lessThan, try conversion.constant(upperBound))
    }
}
