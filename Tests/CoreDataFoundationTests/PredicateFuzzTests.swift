// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that no text and no value, however hostile, traps: each gives an error or a result.

import Foundation
import Testing

@testable import CoreDataFoundation

/// `OPENCOREDATA_FUZZ_SECONDS` makes the runs longer than the short default; `OPENCOREDATA_FUZZ_SEED` repeats one.
@Suite("Fuzzed predicates") struct PredicateFuzzTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seconds = environment["OPENCOREDATA_FUZZ_SECONDS"].flatMap(Double.init) ?? 1.5
    private static let seed = environment["OPENCOREDATA_FUZZ_SEED"].flatMap(UInt64.init) ?? 20_261

    /// Calls until the time is over, each time with a generator seeded by the number of the call.
    private func fuzz(_ run: (inout SplitMix) -> Void) -> Int {
        let end = Date(timeIntervalSinceNow: Self.seconds)
        var count = 0
        while Date() < end {
            var random = SplitMix(state: Self.seed &+ UInt64(count) &* 7919)
            run(&random)
            count += 1
        }
        return count
    }

    @Test("random and damaged texts are read or refused; the print of a predicate reads again")
    func texts() {
        var unstable: [String] = []
        var understood = 0
        let count = fuzz { random in
            let text = HostileText.make(&random)
            let arguments: [Any?] = (0..<4).map { _ in HostileValue.make(&random, 2) }
            guard let predicate = try? PredicateSyntax.parsing(text, arguments: arguments) else { return }
            understood += 1
            let printed = predicate.description
            guard !text.contains("%"), let read = try? PredicateSyntax.parsing(printed) else { return }
            if read.description != printed { unstable.append(text) }
        }
        #expect(unstable == [])
        #expect(understood > 0 && count > understood)
    }

    @Test("any predicate can be asked of any object: an answer, or a typed error")
    func evaluation() {
        var answers = 0
        var others: [String] = []
        let count = fuzz { random in
            var trees = RandomTrees(random: random)
            let tree = trees.predicate(depth: 4)
            random = trees.random
            do {
                let evaluator = try PredicateEvaluator(tree, variables: ["v": HostileValue.make(&random, 2) as Any])
                for _ in 0..<4 {
                    _ = try evaluator.matches(HostileValue.object(&random))
                    answers += 1
                }
            } catch is PredicateEvaluationError {
            } catch is KeyValueError {
            } catch { others.append("\(error)") }
        }
        #expect(others == [])
        #expect(answers > 0 && count > 0)
    }

    @Test("functions take any values")
    func functions() {
        var others: [String] = []
        let names = PredicateFunctions.names.sorted()
        let count = fuzz { random in
            let name = names.randomElement(using: &random) ?? "now"
            let wanted = max(name.count { $0 == ":" }, 0)
            let arguments = (0..<wanted).map { _ in ExpressionSyntax.constant(HostileValue.make(&random, 2)) }
            do {
                _ = try ExpressionEvaluator.value(of: .calling(name, arguments), object: nil)
            } catch is PredicateEvaluationError {
            } catch is KeyValueError {
            } catch { others.append("\(error)") }
        }
        #expect(others == [])
        #expect(count > 0)
    }
}

private enum HostileText {
    private static let words = [
        "a", "b.c", "==", "<", "AND", "OR", "NOT", "(", ")", "{", "}", "[", "]", "1", "-2.5", "'x'", "\"", "'", "$v",
        "%@",
        "%K", "%d", "%%", "ANY", "SUBQUERY(", "TERNARY(", "CAST(", "FUNCTION(", ",", ".", "@count", "#", "IN",
        "BETWEEN",
        "sum(", "**", "<<", "~", "-", "SELF", "NIL", "TRUEPREDICATE", "FIRST", "[cd]", "\\", "UNION", ":", "x:y:(",
        "0x", "1e", "\u{0}", "\u{202E}", "é", "😀", "9999999999999999999", "'\\u", "!", "NONE", "$x,", "MATCHES '('",
    ]
    private static let good = [
        "name BEGINSWITH[cd] 'a' AND (age > 3 OR NOT b IN {1, 2.5, 'c'})", "ANY a.b.c LIKE 'x?*' && d BETWEEN {1, $v}",
        "SUBQUERY(items, $x, $x.price > 3 AND $x.tags.@count == SELF.n).@count > 0",
        "a[FIRST].b == c[2] + ~d * -4 ** 2",
        "TERNARY(a == 1, b, c) == CAST(12.5, 'NSDate') OR FUNCTION(a, 'length') < sum:(b) + 0x1F",
    ]

    static func make(_ random: inout SplitMix) -> String {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            let count = Int.random(in: 0..<16, using: &random)
            return (0..<count).map { _ in words.randomElement(using: &random) ?? "" }.joined(separator: " ")
        case 1:
            let count = Int.random(in: 0..<40, using: &random)
            return String(decoding: (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }, as: UTF8.self)
        case 2:
            let word = words.randomElement(using: &random) ?? "("
            return String(repeating: word, count: Int.random(in: 0..<2_000, using: &random))
        default: return damaged(&random)
        }
    }

    private static func damaged(_ random: inout SplitMix) -> String {
        var scalars = Array((good.randomElement(using: &random) ?? "").unicodeScalars)
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            let place = Int.random(in: 0..<scalars.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: scalars.remove(at: place)
            case 1: scalars.insert(contentsOf: (words.randomElement(using: &random) ?? "").unicodeScalars, at: place)
            default: scalars.swapAt(place, Int.random(in: 0..<scalars.count, using: &random))
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }
}

/// Values that are difficult for calculations, comparisons and patterns.
private enum HostileValue {
    static func make(_ random: inout SplitMix, _ depth: Int) -> Any? {
        let values: [Any?] = [
            nil, NSNull(), true, 0, -1, Int.min, Int.max, UInt64.max, Int8.min, 1.5, Double.nan, Double.infinity,
            -Double.infinity, -0.0, Double.greatestFiniteMagnitude, 1e18, 9.3e18, Float.nan, Decimal.nan,
            Decimal.greatestFiniteMagnitude, Decimal.leastNormalMagnitude, NSDecimalNumber.notANumber, "", "a", "*?\\",
            "((a)", "(a*)*b", "NSDate", "FIRST", "-1e999", "\u{0}", "\u{1F469}\u{200D}\u{1F467}", Date.distantPast,
            Date(timeIntervalSinceReferenceDate: .nan), Date(timeIntervalSinceReferenceDate: .infinity), Data([255]),
            UUID(), URL(filePath: "/"), NSObject(), Thread.current,
        ]
        guard depth > 0 else { return values.randomElement(using: &random) ?? nil }
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return list(&random, depth)
        case 1: return NSSet(array: hashable(&random, depth))
        case 2: return NSOrderedSet(array: hashable(&random, depth))
        case 3: return object(&random, depth)
        default: return values.randomElement(using: &random) ?? nil
        }
    }

    static func object(_ random: inout SplitMix, _ depth: Int = 3) -> [String: Any] {
        var object: [String: Any] = [:]
        for key in ["a", "b", "in", "k", "x", "size", "y", "self", "no"] {
            object[key] = make(&random, depth - 1) ?? NSNull()
        }
        return object
    }

    /// Only strings: Foundation overflows the stack when it hashes an `NSDecimalNumber`.
    private static func hashable(_ random: inout SplitMix, _ depth: Int) -> [Any] {
        list(&random, 1).filter { $0 is String }
    }

    private static func list(_ random: inout SplitMix, _ depth: Int) -> [Any] {
        (0..<Int.random(in: 0..<4, using: &random)).map { _ in make(&random, depth - 1) ?? NSNull() }
    }
}
