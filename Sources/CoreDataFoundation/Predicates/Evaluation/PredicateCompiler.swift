// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Turns predicates into closures.

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
            case .test(let test): return .test { try !test($0) }
            }
        case .block(let block):
            let bound = boundVariables
            return .test { block.evaluate($0.object, bound($0)) }
        }
    }

    /// The parts in their order, until one settles it.
    private func join(_ parts: [PredicateSyntax], stoppingAt settling: Bool) throws -> CompiledPredicate {
        var tests: [(EvaluationFrame) throws -> Bool] = []
        for part in parts {
            switch try compile(part) {
            case .constant(settling):
                // Parts in front of it may still throw; they were given first, so they are asked first.
                if tests.isEmpty { return .constant(settling) }
                tests.append { _ in settling }
            case .constant: break
            case .test(let test): tests.append(test)
            }
        }
        if tests.isEmpty { return .constant(!settling) }
        if tests.count == 1 { return .test(tests[0]) }
        return .test { frame in
            for test in tests where try test(frame) == settling { return settling }
            return !settling
        }
    }

    private func compile(_ comparison: ComparisonSyntax) throws -> CompiledPredicate {
        let right = try compile(comparison.right)
        let test = try test(comparison, right: right)
        switch comparison.modifier {
        case .direct:
            let left = try compile(comparison.left)
            if comparison.operation != .custom, case .constant(let value) = left, case .constant = right,
                let result = try? test(value, EvaluationFrame(object: nil))
            {
                return .constant(result)
            }
            return .test { try test(left.value(in: $0), $0) }
        case .any:
            let members = try compileMembers(comparison.left)
            return .test { frame in try members(frame).contains { try test($0, frame) } }
        case .all:
            let members = try compileMembers(comparison.left)
            return .test { frame in try members(frame).allSatisfy { try test($0, frame) } }
        }
    }

    /// What to ask of a left value.
    private func test(
        _ comparison: ComparisonSyntax, right: CompiledExpression
    ) throws -> (Any?, EvaluationFrame) throws -> Bool {
        if comparison.operation == .custom {
            guard let match = comparison.match else { throw PredicateEvaluationError.missingMatch }
            return { match.match($0, try right.value(in: $1)) }
        }
        let comparer = ValueTest(comparison.operation, options: comparison.options)
        switch right {
        case .constant(let value):
            let ready = try comparer.ready(for: value)
            return { left, _ in try ready(left) }
        case .calculation(let calculate): return { try comparer.test($0, calculate($1)) }
        }
    }
}
