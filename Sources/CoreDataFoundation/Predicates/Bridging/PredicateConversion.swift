// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts the tree of a typed predicate to a syntax tree. Extensions of the nodes contain the rules.

import Foundation

/// The result of converting a node.
enum ConvertedNode {
    case value(ExpressionSyntax)
    case condition(PredicateSyntax)
    /// A condition on the value of an optional. If `presence` is false the value is nil, which no predicate can
    /// represent.
    case optionalCondition(PredicateSyntax, presence: PredicateSyntax)
}

/// A node with a counterpart in the format language. Its parts have one, too, so the type of a predicate shows that it
/// can be converted, and one cast finds all functions. A cast for each node would take longer than the whole
/// conversion.
protocol ConvertibleNode: PredicateExpression {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode
    /// The value of a node that depends only on captured values, calculated by Swift; nil for other nodes, and if
    /// another calculation is used for the node's parts.
    ///
    /// - Throws: `PredicateConversionError.missingValue` if it unwraps a captured nil.
    func captured(_ conversion: PredicateConversion) throws -> Output?
    /// The node itself if it compares texts.
    var textComparison: (any TextComparisonNode)? { get }
    /// The class of a cast that gives nil for objects of other classes; nil for other nodes.
    var castType: (any Any.Type)? { get }
    /// A membership test for this node's range; nil if it is not a range.
    func condition(
        onMember element: ExpressionSyntax, _ conversion: inout PredicateConversion
    ) throws -> PredicateSyntax?
}

extension ConvertibleNode {
    func captured(_ conversion: PredicateConversion) throws -> Output? { nil }
    var textComparison: (any TextComparisonNode)? { nil }
    var castType: (any Any.Type)? { nil }
    func condition(
        onMember element: ExpressionSyntax, _ conversion: inout PredicateConversion
    ) throws -> PredicateSyntax? { nil }
}

struct PredicateConversion {
    /// nil if all types are managed objects.
    var forms: (any TypedPredicateForms)?
    /// The values of the variables in scope. There are few, and most predicates have one.
    private var variables: [(key: PredicateExpressions.VariableID, value: ExpressionSyntax)] = []
    /// The values of variables that are bound to captured values or to members of those.
    private var capturedVariables = PredicateBindings()
    private var subqueries = 0

    private init(forms: (any TypedPredicateForms)?) { self.forms = forms }

    static func syntax<Input>(
        of predicate: Foundation.Predicate<Input>, forms: (any TypedPredicateForms)? = nil
    ) throws(PredicateConversionError) -> PredicateSyntax {
        var conversion = PredicateConversion(forms: forms)
        conversion.bind(predicate.variable.key, to: .evaluatedObject)
        do {
            return try conversion.condition(of: convertible(predicate.expression))
        } catch {
            throw error as? PredicateConversionError ?? .unsupportedOperation("\(error)")
        }
    }

    static func syntax<Input, Output>(
        of expression: Foundation.Expression<Input, Output>
    ) throws(PredicateConversionError) -> ExpressionSyntax {
        var conversion = PredicateConversion(forms: nil)
        conversion.bind(expression.variable.key, to: .evaluatedObject)
        do {
            return try conversion.value(of: convertible(expression.expression))
        } catch {
            throw error as? PredicateConversionError ?? .unsupportedOperation("\(error)")
        }
    }

    // MARK: Nodes

    /// The node as one that can be converted with all its parts.
    static func convertible(_ expression: any PredicateExpression) throws -> any ConvertibleNode {
        guard let node = expression as? any ConvertibleNode else { throw unsupported(within: expression) }
        return node
    }

    mutating func node(_ node: some ConvertibleNode) throws -> ConvertedNode { try node.converted(&self) }

    mutating func value(of node: some ConvertibleNode) throws -> ExpressionSyntax {
        value(of: try node.converted(&self))
    }

    func value(of node: ConvertedNode) -> ExpressionSyntax {
        switch node {
        case .value(let value): value
        case .condition(.constant(let holds)): .constant(holds)
        case .condition(let condition): .conditional(condition, .constant(true), .constant(false))
        case .optionalCondition(let condition, let presence):
            .conditional(
                presence, .conditional(condition, .constant(true), .constant(false)), .constant(nil))
        }
    }

    mutating func condition(of node: some ConvertibleNode) throws -> PredicateSyntax {
        try node.converted(&self).condition
    }

    /// Names the innermost node without a counterpart.
    private static func unsupported(within expression: any PredicateExpression) -> PredicateConversionError {
        for (_, part) in Mirror(reflecting: expression).children {
            if let part = part as? any PredicateExpression, !(part is any ConvertibleNode) {
                return unsupported(within: part)
            }
        }
        return unsupported(expression)
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

    // MARK: Captured values

    func capturedValue<Value>(of variable: PredicateExpressions.Variable<Value>) -> Value? {
        capturedVariables[variable]
    }

    mutating func bind<Value>(_ variable: PredicateExpressions.Variable<Value>, toCaptured value: Value) {
        capturedVariables[variable] = value
    }

    /// A captured value as stores compare it.
    func constant(_ value: Any?) throws -> ExpressionSyntax {
        .constant(try forms.map { try $0.constant(value) } ?? presentValue(value))
    }

    /// A condition for each member of a captured collection.
    mutating func conditions<Members: Sequence>(
        of test: some ConvertibleNode, _ variable: PredicateExpressions.Variable<Members.Element>, in members: Members
    ) throws -> [PredicateSyntax] {
        try members.map { member in
            bind(variable, toCaptured: member)
            return try condition(of: test)
        }
    }

    /// The members of a collection that satisfy a test.
    mutating func subquery(
        _ collection: some ConvertibleNode, _ key: PredicateExpressions.VariableID, negated: Bool = false,
        _ test: some ConvertibleNode
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
        case .value(.constant(nil)): .constant(false)
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

    /// Constants are calculated at once, with Swift's number types, which databases lack.
    static func arithmetic<Result>(
        _ function: String, _ left: ExpressionSyntax, _ right: ExpressionSyntax, _ type: Result.Type
    ) throws -> ConvertedNode {
        guard case (.constant(let one?), .constant(let other?)) = (left, right) else {
            return .call(function, left, right)
        }
        guard let result = try ExpressionFunction.named(function, argumentCount: 2).apply([one, other]) else {
            throw PredicateConversionError.unsupportedOperation("A division by a captured zero")
        }
        if type == Float.self, let result = result as? Double { return .value(.constant(Float(result))) }
        return .value(.constant(result))
    }

    static func comparison(
        _ left: ExpressionSyntax, _ operation: ComparisonSyntax.Operator, _ right: ExpressionSyntax
    ) -> ConvertedNode {
        .condition(.comparison(ComparisonSyntax(left, operation, right)))
    }
}

extension PredicateSyntax {
    /// The conjunction without parts that always hold; false where one never holds.
    static func all(_ parts: [PredicateSyntax]) -> PredicateSyntax { joined(parts, neutral: true) }

    /// The disjunction without parts that never hold; true where one always holds.
    static func any(_ parts: [PredicateSyntax]) -> PredicateSyntax { joined(parts, neutral: false) }

    var negated: PredicateSyntax { if case .constant(let holds) = self { .constant(!holds) } else { .not(self) } }

    private static func joined(_ parts: [PredicateSyntax], neutral: Bool) -> PredicateSyntax {
        var kept: [PredicateSyntax] = []
        kept.reserveCapacity(parts.count)
        for part in parts {
            if case .constant(let value) = part {
                if value != neutral { return part }
            } else {
                kept.append(part)
            }
        }
        if kept.isEmpty { return .constant(neutral) }
        return kept.count == 1 ? kept[0] : neutral ? .and(kept) : .or(kept)
    }
}
