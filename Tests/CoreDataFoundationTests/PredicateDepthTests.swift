// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that trees of any depth, built in code, overflow no stack: their use is a typed error.

import Foundation
import Testing

@testable import CoreDataFoundation

private typealias NSExpression = CoreDataFoundation.NSExpression
private typealias NSComparisonPredicate = CoreDataFoundation.NSComparisonPredicate

@Suite("Deep predicates") struct PredicateDepthTests {
    private static let levels = 100_000

    /// Ways to make an expression of another.
    private static let builders: [@Sendable (NSExpression) -> NSExpression] = [
        { NSExpression(forFunction: "abs:", arguments: [$0]) },
        { NSExpression(forAggregate: [$0, 1]) },
        { NSExpression(forUnionSet: NSExpression(forKeyPath: "a"), with: $0) },
        { NSExpression(forIntersectSet: $0, with: NSExpression(forKeyPath: "a")) },
        { NSExpression(forMinusSet: $0, with: $0) },
        { NSExpression(forFunction: $0, selectorName: "description", arguments: nil) },
        { NSExpression(block: { _, values, _ in values.first }, arguments: [$0]) },
        {
            NSExpression(
                forFunction: "objectFrom:withIndex:", arguments: [NSExpression(forKeyPath: "a"), $0])
        },
        {
            NSExpression(
                forConditional: NSComparisonPredicate(
                    leftExpression: $0, rightExpression: $0, modifier: .direct, type: .equalTo),
                trueExpression: $0, falseExpression: NSExpression(forConstantValue: 1))
        },
        {
            NSExpression(
                forSubquery: $0, usingIteratorVariable: "x", predicate: NSPredicate(format: "$x == 1"))
        },
    ]

    private func error(of syntax: PredicateSyntax) -> PredicateEvaluationError? {
        do {
            _ = try PredicateEvaluator(syntax).matches([String: Any]())
            return nil
        } catch { return error as? PredicateEvaluationError }
    }

    private func comparison(_ left: NSExpression) -> NSComparisonPredicate {
        NSComparisonPredicate(
            leftExpression: left, rightExpression: NSExpression(forConstantValue: 1), modifier: .direct,
            type: .equalTo)
    }

    @Test("expressions of expressions", arguments: [0, 1, 2, 3, 5, 6, 7])
    func expressions(builder: Int) {
        var expression = NSExpression(forKeyPath: "a")
        for _ in 0..<Self.levels { expression = Self.builders[builder](expression) }
        #expect(expression.depth <= PredicateDepth.maximum)
        let predicate = comparison(expression)
        #expect(error(of: predicate.syntax) == .tooDeep)
        #expect(predicate.description.count < 100_000)
        #expect(predicate == comparison(expression) && predicate.hash == comparison(expression).hash)
    }

    @Test("expressions that are made of themselves twice are as deep", arguments: [4, 8, 9])
    func twice(builder: Int) {
        // No deeper: an expression that is doubled at each level has two to the power of the levels leaves for its
        // visitors.
        var expression = NSExpression(forKeyPath: "a")
        for _ in 0..<10 { expression = Self.builders[builder](expression) }
        #expect(expression.depth > 10)
        #expect(error(of: comparison(expression).syntax) != .tooDeep)
    }

    @Test("an allowed depth is evaluated and printed on a stack of one megabyte")
    func allowed() async throws {
        let text = await onSmallStack {
            var expression = NSExpression(forKeyPath: "a")
            for _ in 1..<PredicateDepth.maximum {
                expression = NSExpression(forFunction: "abs:", arguments: [expression])
            }
            var predicate: NSPredicate = NSComparisonPredicate(
                leftExpression: expression, rightExpression: NSExpression(forConstantValue: 1),
                modifier: .direct,
                type: .equalTo)
            for _ in 0..<PredicateDepth.maximum {
                predicate = NSCompoundPredicate(notPredicateWithSubpredicate: predicate)
            }
            let isTrue = try? PredicateEvaluator(predicate.syntax).matches(["a": -1])
            return (isTrue == true ? 1 : 0) + predicate.syntax.description.count
        }
        #expect(text ?? 0 > 2 * PredicateDepth.maximum)
    }

    @Test("compound predicates of compound predicates")
    func compounds() {
        // As many levels as Foundation can release: its objects are freed recursively.
        var predicate = NSPredicate(format: "a == 1")
        for index in 0..<5_000 {
            predicate =
                index.isMultiple(of: 2)
                ? NSCompoundPredicate(notPredicateWithSubpredicate: predicate)
                : NSCompoundPredicate(orPredicateWithSubpredicates: [predicate, NSPredicate(value: true)])
        }
        #expect(error(of: predicate.syntax) == .tooDeep)
        #expect(predicate.faithfulCopy.description.contains("TOODEEP"))
    }

    @Test("conditions that are put together one by one are a list, as deep as one of them")
    func chains() throws {
        for count in [3, 5_000] {
            let conditions = (0..<count).map { NSPredicate(format: "a == %d", $0) }
            var chain = conditions[0]
            for condition in conditions.dropFirst() {
                chain = NSCompoundPredicate(orPredicateWithSubpredicates: [chain, condition])
            }
            let evaluator = try PredicateEvaluator(chain.syntax)
            #expect(try evaluator.matches(["a": count - 1]))
            #expect(try !evaluator.matches(["a": count]))
            #expect((chain.syntax == .or(conditions.map(\.syntax))) == (count > PredicateDepth.maximum))
        }
    }

    @Test("predicates and expressions as arguments of formats")
    func arguments() throws {
        var predicate = NSPredicate(format: "a == 1")
        var message = ""
        for _ in 0..<Self.levels where message.isEmpty {
            do {
                predicate = try NSPredicate.parsing("NOT %@", arguments: [predicate])
            } catch { message = "\(error)" }
        }
        #expect(message.contains("nested deeper than \(PredicateDepth.maximum) levels"))
        #expect(message.hasSuffix("    NOT %@\n        ^"))
    }

    @Test("values of variables")
    func variables() throws {
        let template = NSPredicate(format: "abs:($x) == 1")
        var predicate = template
        for _ in 0..<2_000 {
            let left = try #require(predicate as? NSComparisonPredicate).leftExpression
            predicate = template.withSubstitutionVariables(["x": left])
        }
        #expect(predicate.syntax.depth <= PredicateDepth.maximum)
        let evaluated = error(
            of: template.withSubstitutionVariables(["x": NSExpression(.tooDeep)]).syntax)
        #expect(evaluated == .tooDeep)
    }

    @Test("texts of the allowed depth are archived; text that cannot be read again is not written")
    func archives() async throws {
        let predicate = try NSPredicate.parsing(
            String(repeating: "NOT ", count: PredicateParser.maximumOperators) + "a == 1")
        let data = try NSKeyedArchiver.archivedData(withRootObject: predicate, requiringSecureCoding: true)
        let read = try NSKeyedUnarchiver.unarchivedObject(ofClasses: [NSPredicate.self], from: data)
        #expect(read as? NSPredicate == predicate)
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let text = { (count: Int) in String(repeating: "NOT ", count: count) }
            let predicate = try NSPredicate.parsing(text(150) + "a == 1")
            let deeper = try NSPredicate.parsing(text(PredicateParser.maximumOperators) + "%@", arguments: [predicate])
            _ = try NSKeyedArchiver.archivedData(withRootObject: deeper, requiringSecureCoding: true)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("cannot be archived"))
    }
}
