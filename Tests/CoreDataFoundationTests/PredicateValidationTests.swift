// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which expressions a validator of predicates sees, and the effect of its refusal.

import Foundation
import Testing

@testable import CoreDataFoundation

private typealias NSExpression = CoreDataFoundation.NSExpression
private typealias NSComparisonPredicate = CoreDataFoundation.NSComparisonPredicate

@Suite("Validated predicates") struct PredicateValidationTests {
    private struct Refusal: Error, Equatable { let key: String? }

    private final class Notes: NSPredicateValidating {
        var predicates: [String] = []
        var expressions: [String] = []
        var operators: [NSComparisonPredicate.Operator] = []
        var paths: [String] = []
        var refused: String?

        func visit(_ predicate: NSPredicate) { predicates.append(predicate.description) }
        func visit(_ expression: NSExpression) { expressions.append(expression.description) }
        func visit(_ operatorType: NSComparisonPredicate.Operator) { operators.append(operatorType) }
        func visitExpressionKeyPath(_ expression: NSExpression, scope: String?, key: String?) throws {
            paths.append("\(scope ?? "-")/\(key ?? "-")")
            if key == refused { throw Refusal(key: key) }
        }
    }

    private final class Anything: NSPredicateValidating {}

    private func archived(_ format: String) throws -> NSPredicate {
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: NSPredicate(format: format), requiringSecureCoding: true)
        return try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClasses: [NSPredicate.self], from: data) as? NSPredicate)
    }

    /// Decided by `NSPredicate.allowEvaluation(validator:)` with a validator that records its calls.
    @Test("every part is shown, and then the predicate may be asked", .tags(.assumed))
    func parts() throws {
        let predicate = try archived("a.b.c == 1 AND NOT SUBQUERY(items, $x, $x.d > 2 + e)[0] IN {f}")
        let notes = Notes()
        try predicate.allowEvaluation(validator: notes)
        #expect(notes.predicates.count == 5)
        #expect(notes.predicates.first == predicate.description)
        #expect(notes.operators == [.equalTo, .in, .greaterThan])
        #expect(notes.paths == ["a.b/c", "-/items", "-/d", "-/e", "-/f"])
        #expect(notes.expressions.contains("$x") && notes.expressions.contains("2 + e"))
        #expect(!predicate.evaluate(with: ["a": ["b": ["c": 2]]]))
    }

    @Test("an error of the validator is thrown, and the predicate is not allowed")
    func refusal() async throws {
        let notes = Notes()
        notes.refused = "secret"
        let predicate = try archived("a == 1 OR b.secret == 2")
        #expect(throws: Refusal(key: "secret")) { try predicate.allowEvaluation(validator: notes) }
        try predicate.allowEvaluation(validator: Anything())
        #expect(predicate.evaluate(with: ["a": 1]))
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let suite = PredicateValidationTests()
            let predicate = try suite.archived("b.secret == 2")
            let notes = Notes()
            notes.refused = "secret"
            try? predicate.allowEvaluation(validator: notes)
            _ = predicate.evaluate(with: ["b": ["secret": 2]])
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("allowEvaluation"))
    }
}
