// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Limits the cost of reading and evaluating a predicate, in blocks of heap and in comparisons.

import CAllocationCounter
import Foundation
import Testing

@testable import CoreDataFoundation

@Suite("The cost of predicates") struct PredicateCostTests {
    /// The heap blocks of one run, with filled caches.
    private func blocks(_ run: () throws -> Void) rethrows -> Double {
        try run()
        let start = ocd_allocations()
        for _ in 0..<10 { try run() }
        return Double(ocd_allocations() - start) / 10
    }

    private func text(_ conditions: Int) -> String {
        (0..<conditions).map { "key\($0) == \($0)" }.joined(separator: " OR ")
    }

    @Test(
        "the allocations of reading grow with the length of the text, not with its square",
        .enabled(if: ocd_counts_allocations()))
    func length() throws {
        let (short, long) = (text(100), text(1_600))
        let few = try blocks { _ = try PredicateSyntax.parsing(short) }
        let many = try blocks { _ = try PredicateSyntax.parsing(long) }
        #expect(many < few * 16 * 1.3)
    }

    @Test("a text of ten thousand conditions is read")
    func longText() throws {
        let tree = try PredicateSyntax.parsing(text(10_000))
        #expect(try PredicateEvaluator(tree).matches(["key0": 0]))
    }

    /// An object that counts how often it is compared with another one.
    private final class Tag: NSObject {
        final class Counter { var comparisons = 0 }

        let number: Int
        let counter: Counter

        init(_ number: Int, _ counter: Counter) {
            self.number = number
            self.counter = counter
        }

        override var hash: Int { number }
        override func isEqual(_ object: Any?) -> Bool {
            counter.comparisons += 1
            return number == (object as? Tag)?.number
        }
    }

    @Test("a list of constants is searched by hashing, not by comparing each")
    func membership() throws {
        let counter = Tag.Counter()
        let list = (0..<20_000).map { Tag($0, counter) }
        let evaluator = try PredicateEvaluator(.parsing("a IN %@", arguments: [list]))
        counter.comparisons = 0
        #expect(try evaluator.matches(["a": Tag(19_999, counter)]))
        #expect(try !evaluator.matches(["a": Tag(-1, counter)]))
        #expect(counter.comparisons < 200)
    }

    @Test(
        "a typical predicate is read with few allocations", .enabled(if: ocd_counts_allocations()),
        arguments: [
            ("salary > 50000 AND name BEGINSWITH[cd] 'a' AND department.name IN {'x', 'y'}", []),
            ("%K > %d AND name BEGINSWITH[cd] %@ AND department.name IN %@", ["salary", 50_000, "a", ["x", "y"]]),
        ] as [(String, [any Sendable])])
    func reading(text: String, arguments: [any Sendable]) throws {
        let reading = try blocks { _ = try NSPredicate.parsing(text, arguments: arguments) }
        #expect(reading < 250)
    }

    @Test("a typical predicate is evaluated with few allocations", .enabled(if: ocd_counts_allocations()))
    func evaluating() throws {
        let evaluator = try PredicateEvaluator(.parsing("age >= 30 AND name != 'x'"))
        let object = ["age": 31, "name": "Ada"] as [String: Any]
        let evaluating = try blocks { _ = try evaluator.matches(object) }
        #expect(evaluating < 30)
    }
}
