// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Evaluates predicates on objects.

import Foundation
import Testing

@testable import CoreDataFoundation

extension Tag {
    /// Apple's documentation supports the expectation, but no run on a Mac has shown it.
    @Tag static var assumed: Self
}

func key(_ path: String) -> ExpressionSyntax { .keyPath(path) }
func constant(_ value: Any?) -> ExpressionSyntax { .constant(value) }
func compare(
    _ left: ExpressionSyntax, _ operation: ComparisonSyntax.Operator, _ right: ExpressionSyntax,
    _ modifier: ComparisonSyntax.Modifier = .direct, options: ComparisonSyntax.Options = []
) -> PredicateSyntax {
    .comparison(ComparisonSyntax(left, operation, right, modifier: modifier, options: options))
}

@Suite("Evaluating predicates")
struct PredicateEvaluatorTests {
    let ada = Node([
        "name": "Ada", "age": 36, "score": 1.5, "tags": ["x", "y"], "boss": Node(["name": "Ben"]),
        "pets": Set([["name": "Rex", "age": 3], ["name": "Mia", "age": 9]] as [[String: AnyHashable]]),
        "none": [Any](), "other": 36.0, "pattern": "A*",
    ])

    private func matches(_ syntax: PredicateSyntax, _ variables: [String: Any] = [:]) throws -> Bool {
        try PredicateEvaluator(syntax, variables: variables).matches(ada)
    }

    @Test("equality and order")
    func basics() throws {
        #expect(try matches(compare(key("name"), .equalTo, constant("Ada"))))
        #expect(try matches(compare(key("name"), .equalTo, constant("ADA"), options: .caseInsensitive)))
        #expect(try matches(compare(key("name"), .notEqualTo, constant("Bea"))))
        #expect(try matches(compare(key("age"), .greaterThan, constant(35.5))))
        #expect(try matches(compare(key("age"), .lessThanOrEqualTo, constant(36))))
        #expect(try !matches(compare(key("age"), .lessThan, constant(36))))
        #expect(try matches(compare(key("age"), .equalTo, key("other"))))
        #expect(try matches(compare(constant(40), .greaterThanOrEqualTo, key("age"))))
        #expect(try matches(compare(key("boss.name"), .equalTo, constant("Ben"))))
        #expect(try matches(compare(.keyPathOn(.evaluatedObject, "age"), .equalTo, constant(36))))
    }

    @Test("nil equals nil, differs from all else, and is in no order")
    func nils() throws {
        #expect(try matches(compare(key("missing"), .equalTo, constant(nil))))
        #expect(try !matches(compare(key("age"), .equalTo, constant(nil))))
        #expect(try matches(compare(key("missing"), .notEqualTo, constant(1))))
        #expect(try !matches(compare(key("missing"), .notEqualTo, constant(NSNull()))))
        #expect(try !matches(compare(key("missing"), .lessThan, constant(1))))
        #expect(try !matches(compare(key("missing"), .lessThanOrEqualTo, constant(nil))))
        #expect(try !matches(compare(key("missing"), .contains, constant("a"))))
        #expect(try !matches(compare(key("missing"), .in, constant([1, 2]))))
        #expect(try !matches(compare(key("missing"), .between, constant([1, 2]))))
    }

    @Test("and, or, not and constants")
    func compounds() throws {
        let yes = compare(key("age"), .equalTo, constant(36))
        let no = compare(key("age"), .equalTo, constant(1))
        #expect(try matches(.and([yes, yes])))
        #expect(try !matches(.and([yes, no])))
        #expect(try matches(.or([no, yes])))
        #expect(try matches(.not(no)))
        #expect(try matches(.and([])))
        #expect(try !matches(.or([])))
        #expect(try matches(.or([no, .constant(true)])))
        #expect(try !matches(.and([.constant(false), yes])))
        #expect(try matches(.block(PredicateBlock { object, _ in (object as? Node) != nil })))
    }

    /// Proves: F51
    @Test("IN looks into arrays, sets, dictionaries and strings")
    func membership() throws {
        #expect(try matches(compare(key("age"), .in, constant([1, 36.0] as [Any]))))
        #expect(try matches(compare(key("age"), .in, constant(Set([36])))))
        #expect(try matches(compare(key("name"), .in, constant(NSSet(array: ["Ada"])))))
        #expect(try matches(compare(key("name"), .in, constant(["ADA"]), options: .caseInsensitive)))
        #expect(try matches(compare(key("name"), .in, constant("xAday"))))
        #expect(try matches(compare(constant("x"), .in, key("tags"))))
        #expect(try matches(compare(key("age"), .in, constant(["k": 36]))))
        #expect(try matches(compare(key("missing"), .in, constant([NSNull()]))))
        #expect(try matches(.not(compare(.evaluatedObject, .in, constant([Any]())))))
        #expect(try matches(compare(.evaluatedObject, .in, constant([ada]))))
        #expect(try matches(compare(key("age"), .in, .aggregate([constant(1), key("other")]))))
    }

    @Test("CONTAINS, BEGINSWITH, ENDSWITH, LIKE, MATCHES, BETWEEN")
    func operators() throws {
        #expect(try matches(compare(key("tags"), .contains, constant("x"))))
        #expect(try matches(compare(key("name"), .contains, constant("D"), options: .caseInsensitive)))
        #expect(try matches(compare(key("name"), .beginsWith, constant("Ad"))))
        #expect(try matches(compare(key("name"), .endsWith, constant("da"))))
        #expect(try matches(compare(key("name"), .like, key("pattern"))))
        #expect(try matches(compare(key("age"), .like, constant("3?"))))
        #expect(try matches(compare(key("name"), .matches, constant("[A-Z].+"))))
        #expect(try matches(compare(key("age"), .between, constant([36, 40]))))
        #expect(try !matches(compare(key("age"), .between, .aggregate([constant(37), constant(40)]))))
        #expect(throws: PredicateEvaluationError.badPattern("(")) {
            try PredicateEvaluator(compare(key("name"), .matches, constant("(")))
        }
        #expect(throws: PredicateEvaluationError.notABetweenRange("5")) {
            try matches(compare(key("age"), .between, constant(5)))
        }
    }

    @Test("ANY of none is false, ALL of none is true")
    func quantifiers() throws {
        #expect(try matches(compare(key("pets.age"), .greaterThan, constant(5), .any)))
        #expect(try !matches(compare(key("pets.age"), .greaterThan, constant(5), .all)))
        #expect(try matches(compare(key("pets.age"), .greaterThan, constant(2), .all)))
        #expect(try !matches(compare(key("none"), .equalTo, constant(1), .any)))
        #expect(try matches(compare(key("none"), .equalTo, constant(1), .all)))
        #expect(try !matches(compare(key("missing"), .equalTo, constant(1), .any)))
        #expect(try matches(compare(key("tags"), .in, constant(["y"]), .any)))
        let custom = ComparisonSyntax(
            key("tags"), .custom, constant("Y"), modifier: .any,
            match: PredicateMatch { ($0 as? String)?.uppercased() == $1 as? String })
        #expect(try matches(.comparison(custom)))
    }

    @Test("variables are replaced, and missing ones are named")
    func variables() throws {
        let syntax = compare(key("age"), .equalTo, .variable("n"))
        #expect(try matches(syntax, ["n": 36]))
        #expect(throws: PredicateEvaluationError.unboundVariable("n")) { try matches(syntax) }
    }

    @Test("subqueries see their own variable and those around them")
    func subqueries() throws {
        let old = ExpressionSyntax.subquery(
            collection: key("pets"), variable: "p",
            predicate: compare(.keyPathOn(.variable("p"), "age"), .greaterThan, .variable("limit")))
        #expect(try matches(compare(.keyPathOn(old, "@count"), .equalTo, constant(1)), ["limit": 5]))
        #expect(try matches(compare(.keyPathOn(old, "@count"), .equalTo, constant(2)), ["limit": 2]))
        let older = ExpressionSyntax.subquery(
            collection: key("pets"), variable: "q",
            predicate: compare(
                .keyPathOn(.variable("q"), "age"), .greaterThan, .keyPathOn(.variable("p"), "age")))
        let notOldest = ExpressionSyntax.subquery(
            collection: key("pets"), variable: "p",
            predicate: compare(.keyPathOn(older, "@count"), .greaterThan, constant(0)))
        #expect(try matches(compare(.keyPathOn(notOldest, "@count"), .equalTo, constant(1))))
        #expect(try matches(compare(.keyPathOn(notOldest, "name"), .contains, constant("Rex"))))
    }

    @Test("unknown keys throw")
    func unknownKeys() throws {
        let evaluator = try PredicateEvaluator(compare(key("name"), .equalTo, constant("x")))
        #expect(throws: KeyValueError.unknownKey("name", type: "Int")) { try evaluator.matches(5) }
        #expect(try !evaluator.matches(nil))
    }

    @Test("a hundred thousand objects are compared with a list of ten thousand values")
    func manyObjects() throws {
        let rows = (0..<100_000).map { ["n": $0, "s": "row"] as [String: Any] }
        let evaluator = try PredicateEvaluator(
            .and([
                compare(key("n"), .in, constant(Array(stride(from: 0, to: 100_000, by: 10)))),
                compare(key("s"), .beginsWith, constant("R"), options: .caseInsensitive),
            ]))
        var found = 0
        for row in rows where try evaluator.matches(row) { found += 1 }
        #expect(found == 10_000)
    }
}
