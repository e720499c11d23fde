// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Says that reading and asking a predicate costs what one expects of it, with room for slow machines and debug builds.

import Foundation
import Testing

@testable import CoreDataFoundation

@Suite("The cost of predicates") struct PredicateSpeedTests {
    private let clock = ContinuousClock()

    /// The best of several rounds: others use the processor too.
    private func best(_ count: Int, _ run: () -> Void) -> Duration {
        var best = Duration.seconds(1_000)
        for _ in 0..<5 {
            let time = clock.measure { for _ in 0..<count { run() } }
            best = min(best, time / count)
        }
        return best
    }

    @Test("the cost of reading grows with the length of the text, not with its square")
    func length() {
        let text = { (count: Int) in (0..<count).map { "key\($0) == \($0)" }.joined(separator: " OR ") }
        let (short, long) = (text(100), text(1_600))
        let one = best(3) { _ = try? PredicateSyntax.parsing(short) }
        let many = best(1) { _ = try? PredicateSyntax.parsing(long) }
        #expect(many < one * 16 * 4)
    }

    @Test("a list of constants is searched by hashing")
    func membership() throws {
        let few = try PredicateEvaluator(.parsing("a IN %@", arguments: [Array(0..<10)]))
        let many = try PredicateEvaluator(.parsing("a IN %@", arguments: [Array(0..<20_000)]))
        let object = ["a": -1]
        let one = best(2_000) { _ = try? few.matches(object) }
        let other = best(2_000) { _ = try? many.matches(object) }
        #expect(other < one * 8)
    }

    #if DEBUG
        private static let reading = Duration.milliseconds(2)
        private static let asking = Duration.microseconds(200)
    #else
        private static let reading = Duration.microseconds(30)
        private static let asking = Duration.microseconds(5)
    #endif

    @Test(
        "a typical predicate is read in microseconds",
        arguments: [
            ("salary > 50000 AND name BEGINSWITH[cd] 'a' AND department.name IN {'x', 'y'}", []),
            ("%K > %d AND name BEGINSWITH[cd] %@ AND department.name IN %@", ["salary", 50_000, "a", ["x", "y"]]),
        ] as [(String, [any Sendable])])
    func reading(text: String, arguments: [any Sendable]) {
        let reading = best(2_000) { _ = try? NSPredicate.parsing(text, arguments: arguments) }
        #expect(reading < Self.reading)
    }

    @Test("a typical predicate is asked in less")
    func asking() throws {
        let evaluator = try PredicateEvaluator(.parsing("age >= 30 AND name != 'x'"))
        let object = ["age": 31, "name": "Ada"] as [String: Any]
        let asking = best(5_000) { _ = try? evaluator.matches(object) }
        #expect(asking < Self.asking)
    }
}
