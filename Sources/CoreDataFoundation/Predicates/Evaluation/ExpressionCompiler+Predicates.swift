// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compiles predicates to closures.

import Foundation

extension ExpressionCompiler {
    func compile(_ syntax: PredicateSyntax) throws -> CompiledPredicate {
        switch syntax {
        case .constant(let value): return .constant(value)
        case .comparison(let comparison): return try compile(comparison)
        case .and(let parts): return try join(parts, stoppingAt: false)
        case .or(let parts): return try join(parts, stoppingAt: true)
        case .not(let part):
            switch try compile(part) {
            case .constant(let value): return .constant(!value)
            case .test(let test):
                return .test(
                    CompiledTest(matches: { try !test.matches($0) }, ofInstance: test.ofInstance.map(NegatedTest.init)))
            }
        case .block(let block):
            let bound = boundVariables
            return .asking { block.evaluate($0.object, bound($0)) }
        }
    }

    /// Evaluates the parts in order until one determines the result.
    private func join(_ parts: [PredicateSyntax], stoppingAt settling: Bool) throws -> CompiledPredicate {
        var tests: [CompiledTest] = []
        for part in parts {
            switch try compile(part) {
            case .constant(settling):
                // Earlier parts may still throw, so they are evaluated first.
                if tests.isEmpty { return .constant(settling) }
                tests.append(CompiledTest { _ in settling })
            case .constant: break
            case .test(let test): tests.append(test)
            }
        }
        if tests.isEmpty { return .constant(!settling) }
        if tests.count == 1 { return .test(tests[0]) }
        let ofInstances = tests.compactMap(\.ofInstance)
        return .test(
            CompiledTest(
                matches: { frame in
                    for test in tests where try test.matches(frame) == settling { return settling }
                    return !settling
                },
                ofInstance: ofInstances.count == tests.count ? JoinedTest.join(ofInstances[...], settling) : nil))
    }

    private func compile(_ comparison: ComparisonSyntax) throws -> CompiledPredicate {
        if comparison.operation == .custom { return try compile(custom: comparison) }
        if comparison.operation == .matching { return try compile(search: comparison) }
        let right = try compile(comparison.right, in: comparison, against: comparison.left)
        let test = try test(comparison, right: right)
        switch comparison.modifier {
        case .direct:
            let left = try compile(comparison.left, in: comparison, against: comparison.right)
            if case .constant(let value) = left, case .constant = right,
                let result = try? test(ComparableValue(value), .empty)
            {
                return .constant(result)
            }
            if case .property(let path) = left {
                return .test(
                    CompiledTest(
                        matches: { try test(path.comparable(in: $0), $0) }, ofInstance: test.ofInstance(path)))
            }
            return .asking { try test(left.comparable(in: $0), $0) }
        case .any:
            let members = try compileMembers(comparison.left)
            return .asking { frame in try members(frame).contains { try test(ComparableValue($0), frame) } }
        case .all:
            let members = try compileMembers(comparison.left)
            return .asking { frame in try members(frame).allSatisfy { try test(ComparableValue($0), frame) } }
        }
    }

    /// One side of a comparison. A property that is compared with nil need not be read whole.
    private func compile(
        _ side: ExpressionSyntax, in comparison: ComparisonSyntax, against other: ExpressionSyntax
    ) throws -> CompiledExpression {
        guard case .keyPath(let path) = side, case .constant(let value) = other, presentValue(value) == nil,
            comparison.operation == .equalTo || comparison.operation == .notEqualTo
        else { return try compile(side) }
        return .property(try ReadyKeyPath(path, asksPresence: true))
    }

    private func test(_ comparison: ComparisonSyntax, right: CompiledExpression) throws -> LeftTest {
        let comparer = ValueTest(comparison.operation, options: comparison.options)
        // A pattern that the program wrote has to be one. The texts of objects decide the rest.
        let takesAnyText = takesAnyText && comparison.operation == .matches
        if case .constant(let value) = right {
            let test = try comparer.ready(for: value)
            return .ready(takesAnyText ? { left in try Self.orFalse { try test(left) } } : test)
        }
        if takesAnyText {
            return .asking { left, frame in try Self.orFalse { try comparer.test(left, right.comparable(in: frame)) } }
        }
        return .asking { try comparer.test($0, right.comparable(in: $1)) }
    }

    /// False for a text that a pattern finds no end in, and for one that is no pattern.
    private static func orFalse(_ test: () throws -> Bool) throws -> Bool {
        do {
            return try test()
        } catch PredicateEvaluationError.endlessPattern, PredicateEvaluationError.badPattern {
            return false
        }
    }

    /// The test for a left value.
    private enum LeftTest {
        case ready((ComparableValue) throws -> Bool)
        case asking((ComparableValue, EvaluationFrame) throws -> Bool)

        func callAsFunction(_ left: ComparableValue, _ frame: EvaluationFrame) throws -> Bool {
            switch self {
            case .ready(let test): try test(left)
            case .asking(let test): try test(left, frame)
            }
        }

        func ofInstance(_ path: ReadyKeyPath) -> InstanceTest? {
            if case .ready(let test) = self, path.readsInstances { PropertyTest(path, test) } else { nil }
        }
    }

    /// The program's closure receives the unconverted values.
    private func compile(custom comparison: ComparisonSyntax) throws -> CompiledPredicate {
        guard let match = comparison.match?.match else { throw PredicateEvaluationError.missingMatch }
        let right = try compile(comparison.right)
        switch comparison.modifier {
        case .direct:
            let left = try compile(comparison.left)
            return .asking { match(try left.value(in: $0), try right.value(in: $0)) }
        case .any:
            let members = try compileMembers(comparison.left)
            return .asking { frame in try members(frame).contains { match($0, try right.value(in: frame)) } }
        case .all:
            let members = try compileMembers(comparison.left)
            return .asking { frame in try members(frame).allSatisfy { match($0, try right.value(in: frame)) } }
        }
    }
}
