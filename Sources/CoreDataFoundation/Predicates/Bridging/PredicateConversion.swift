// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts the tree of a typed predicate to a syntax tree. Extensions of the nodes contain the rules.

import Foundation

/// The result of converting a node.
enum ConvertedNode {
    case value(ExpressionSyntax)
    case condition(PredicateSyntax)
    /// A condition on the value of an optional. If `presence` is false it is nil, which no predicate can represent.
    case optionalCondition(PredicateSyntax, presence: PredicateSyntax)
}

/// A node with a counterpart in the format language.
protocol ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode
    /// The node itself if it compares texts. Casts take longer than all else of a conversion.
    var textComparison: (any TextComparisonNode)? { get }
}

extension ConvertibleNode {
    var textComparison: (any TextComparisonNode)? { nil }
}

struct PredicateConversion {
    /// nil where managed objects alone are meant.
    var forms: (any TypedPredicateForms)?
    /// The values of the variables so far. There are few, and most predicates have one.
    private var variables: [(key: PredicateExpressions.VariableID, value: ExpressionSyntax)] = []
    private var subqueries = 0

    static func syntax<Input>(
        of predicate: Foundation.Predicate<Input>, forms: (any TypedPredicateForms)? = nil
    ) throws(PredicateConversionError) -> PredicateSyntax {
        var conversion = PredicateConversion(forms: forms)
        conversion.bind(predicate.variable.key, to: .evaluatedObject)
        do {
            return try conversion.condition(of: predicate.expression)
        } catch {
            throw error as? PredicateConversionError ?? .unsupportedOperation("\(error)")
        }
    }

    static func syntax<Input, Output>(
        of expression: Foundation.Expression<Input, Output>
    ) throws(PredicateConversionError) -> ExpressionSyntax {
        var conversion = PredicateConversion()
        conversion.bind(expression.variable.key, to: .evaluatedObject)
        do {
            return try conversion.value(of: expression.expression)
        } catch {
            throw error as? PredicateConversionError ?? .unsupportedOperation("\(error)")
        }
    }

    // MARK: Nodes

    mutating func node(_ expression: any PredicateExpression) throws -> ConvertedNode {
        try Self.convertible(expression).converted(&self)
    }

    static func convertible(_ expression: any PredicateExpression) throws -> any ConvertibleNode {
        guard let node = expression as? any ConvertibleNode else { throw unsupported(expression) }
        return node
    }

    mutating func value(of expression: any PredicateExpression) throws -> ExpressionSyntax {
        switch try node(expression) {
        case .value(let value): value
        case .condition(let condition): .conditional(condition, .constant(true), .constant(false))
        case .optionalCondition(let condition, let presence):
            .conditional(
                presence, .conditional(condition, .constant(true), .constant(false)), .constant(nil))
        }
    }

    mutating func condition(of expression: any PredicateExpression) throws -> PredicateSyntax {
        try node(expression).condition
    }

    /// The name of a node without its parameters.
    static func unsupported(_ expression: any PredicateExpression) -> PredicateConversionError {
        let name = String(describing: type(of: expression))
        return .unsupportedOperation(String(name.prefix { $0 != "<" }))
    }

    // MARK: Variables

    func value(ofVariable key: PredicateExpressions.VariableID) throws -> ExpressionSyntax {
        guard let bound = variables.last(where: { $0.key == key }) else {
            throw PredicateConversionError.unsupportedOperation("A free variable")
        }
        return bound.value
    }

    mutating func bind(_ key: PredicateExpressions.VariableID, to value: ExpressionSyntax) {
        variables.append((key, value))
    }

    /// The members of a collection that satisfy a test.
    mutating func subquery(
        _ collection: any PredicateExpression, _ key: PredicateExpressions.VariableID, negated: Bool = false,
        _ test: any PredicateExpression
    ) throws -> ExpressionSyntax {
        let collection = try value(of: collection)
        subqueries += 1
        let name = "x\(subqueries)"
        bind(key, to: .variable(name))
        let condition = try condition(of: test)
        return .subquery(collection: collection, variable: name, predicate: negated ? .not(condition) : condition)
    }
}

extension ConvertedNode {
    /// Absent conditions are false, as in `optional?.isEmpty ?? false`.
    var condition: PredicateSyntax {
        switch self {
        case .value(.constant(let value as Bool)): .constant(value)
        case .value(.conditional(let condition, .constant(let yes as Bool), .constant(let no as Bool)))
        where yes && !no:
            condition
        case .value(let value): .comparison(ComparisonSyntax(value, .equalTo, .constant(true)))
        case .condition(let condition): condition
        case .optionalCondition(let condition, let presence): .and([presence, condition])
        }
    }

    static func call(_ function: String, _ arguments: ExpressionSyntax...) -> ConvertedNode {
        .value(.function(name: function, arguments: arguments))
    }

    static func comparison(
        _ left: ExpressionSyntax, _ operation: ComparisonSyntax.Operator, _ right: ExpressionSyntax
    ) -> ConvertedNode {
        .condition(.comparison(ComparisonSyntax(left, operation, right)))
    }
}
