// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Combines typed predicates: `and(_:)`, `or(_:)`, `negated()`.

public import Foundation

extension Predicate {
    /// The condition that both predicates hold.
    ///
    ///     let long = #Predicate<Book> { $0.pages > 300 }
    ///     let found = try context.fetch(FetchDescriptor(predicate: long.and(#Predicate { $0.title == "Dune" })))
    ///
    /// `#Predicate` of this toolchain refuses `evaluate` inside of a predicate; this method is the replacement.
    public func and(_ other: Predicate<repeat each Input>) -> Predicate<repeat each Input> {
        Predicate { (input: repeat PredicateExpressions.Variable<each Input>) in
            PredicateExpressions.build_Conjunction(
                lhs: applied(repeat each input),
                rhs: other.applied(repeat each input))
        }
    }

    /// The condition that at least one of both predicates holds.
    public func or(_ other: Predicate<repeat each Input>) -> Predicate<repeat each Input> {
        Predicate { (input: repeat PredicateExpressions.Variable<each Input>) in
            PredicateExpressions.build_Disjunction(
                lhs: applied(repeat each input),
                rhs: other.applied(repeat each input))
        }
    }

    /// The condition that the predicate does not hold.
    public func negated() -> Predicate<repeat each Input> {
        Predicate { (input: repeat PredicateExpressions.Variable<each Input>) in
            PredicateExpressions.build_Negation(applied(repeat each input))
        }
    }

    /// The predicate as a part of another one.
    private func applied(
        _ input: repeat PredicateExpressions.Variable<each Input>
    ) -> PredicateExpressions.Application {
        var variables: [PredicateExpressions.Application.Pair] = []
        repeat variables.append(.init(inner: (each variable).key, outer: (each input).key))
        return PredicateExpressions.Application(variables: variables, expression: expression) { bindings in
            try self.evaluate(repeat (each input).evaluate(bindings))
        }
    }
}

extension PredicateExpressions {
    /// A predicate that is applied to the variables of another one.
    public struct Application: StandardPredicateExpression {
        /// Whether the predicate holds.
        public typealias Output = Bool

        struct Pair: Sendable {
            let inner: VariableID
            let outer: VariableID
        }

        let variables: [Pair]
        let expression: any StandardPredicateExpression<Bool>
        private let test: @Sendable (PredicateBindings) throws -> Bool

        init(
            variables: [Pair], expression: any StandardPredicateExpression<Bool>,
            test: @escaping @Sendable (PredicateBindings) throws -> Bool
        ) {
            self.variables = variables
            self.expression = expression
            self.test = test
        }

        /// Whether the predicate holds for the values of the variables.
        public func evaluate(_ bindings: PredicateBindings) throws -> Bool { try test(bindings) }

        /// Throws: a combined predicate has no form in archives. Archive the parts.
        public init(from decoder: any Decoder) throws {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: Self.refusal))
        }

        /// Throws: a combined predicate has no form in archives. Archive the parts.
        public func encode(to encoder: any Encoder) throws {
            throw EncodingError.invalidValue(
                self, .init(codingPath: encoder.codingPath, debugDescription: Self.refusal))
        }

        private static var refusal: String { "A predicate of and(_:), or(_:) or negated() cannot be archived" }
    }
}

extension PredicateExpressions.Application: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        for pair in variables { conversion.bind(pair.inner, to: try conversion.value(ofVariable: pair.outer)) }
        return .condition(try conversion.condition(of: PredicateConversion.convertible(expression)))
    }
}
