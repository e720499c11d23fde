// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that a printed predicate reads back as the same one.

import Foundation
import Testing

@testable import CoreDataFoundation

private typealias NSExpression = CoreDataFoundation.NSExpression
private typealias NSComparisonPredicate = CoreDataFoundation.NSComparisonPredicate

@Suite("Predicate printing") struct PredicatePrintingTests {
    @Test("reading a printed predicate gives the same tree", arguments: 0..<8)
    func roundTrip(seed: Int) throws {
        var trees = RandomTrees(random: SplitMix(state: UInt64(seed)))
        for _ in 0..<250 {
            let tree = trees.predicate(depth: 4)
            let text = tree.description
            let read = try PredicateSyntax.parsing(text)
            #expect(read == tree, "\(text) became \(read)")
            #expect(read.description == text)
        }
    }

    @Test("constants of all kinds read back as themselves")
    func constants() throws {
        let values: [Any?] = [
            nil, true, 0, -1, Int.min, Int.max, UInt64.max, 1.5, -0.1, 1e300, Double.leastNonzeroMagnitude, "",
            "it's \"so\"\\\n\t\r é😀",
            UUID(),
            Date(timeIntervalSinceReferenceDate: -86400.25), URL(string: "https://a.b/c?d=%20e"), Data([0, 255]),
            Decimal(string: "123456789012345678901234.5"), Decimal(string: "0.1"), Float(0.1),
        ]
        for value in values {
            let tree = ExpressionSyntax.constant(value)
            let read = try ExpressionSyntax.parsing(tree.description)
            #expect(read == tree, "\(tree) became \(read)")
        }
    }

    @Test("NSNull is written as <null>, nil as nil, and both mean the same")
    func null() throws {
        let name = NSExpression(forKeyPath: "name")
        let null = NSExpression(forConstantValue: NSNull())
        let predicate = NSComparisonPredicate(
            leftExpression: name, rightExpression: null, modifier: .direct, type: .equalTo)
        #expect(null.description == "<null>")
        #expect(null.constantValue is NSNull)
        #expect(predicate.description == "name == <null>")
        #expect(NSPredicate(format: "name == %@", NSNull()).description == "name == <null>")
        #expect(NSPredicate(format: "name == nil").description == "name == nil")
        #expect(try PredicateSyntax.parsing("name == <null>") == PredicateSyntax.parsing("name == nil"))
        #expect(predicate.evaluate(with: ["name": NSNull()]))
        #expect(!predicate.evaluate(with: ["name": "Ann"]))
    }

    @Test("types that compare equal are written alike")
    func numbers() {
        #expect(PredicateConstants.text(of: 3.0) == "3")
        #expect(PredicateConstants.text(of: true) == "1")
        #expect(PredicateConstants.text(of: [1, "a"] as [Any]) == #"{1, "a"}"#)
        #expect(PredicateConstants.text(of: Set(["b", "a"])) == #"{"a", "b"}"#)
    }
}

/// Trees that the language can express.
struct RandomTrees {
    var random: SplitMix

    mutating func predicate(depth: Int) -> PredicateSyntax {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 3), using: &random) {
        case 0: .constant(Bool.random(using: &random))
        case 1, 2, 3: comparison(depth: depth)
        case 4, 5: .and(predicates(depth: depth - 1))
        case 6: .or(predicates(depth: depth - 1))
        default: .not(predicate(depth: depth - 1))
        }
    }

    private mutating func predicates(depth: Int) -> [PredicateSyntax] {
        (0..<Int.random(in: 2...4, using: &random)).map { _ in predicate(depth: depth) }
    }

    private mutating func comparison(depth: Int) -> PredicateSyntax {
        let operators: [ComparisonSyntax.Operator] = [
            .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo, .notEqualTo, .matches, .like,
            .beginsWith, .endsWith, .in, .contains, .between,
        ]
        let modifiers: [ComparisonSyntax.Modifier] = [.direct, .direct, .any, .all]
        return .comparison(
            ComparisonSyntax(
                expression(depth: depth - 1), operators.randomElement(using: &random) ?? .equalTo,
                expression(depth: depth - 1), modifier: modifiers.randomElement(using: &random) ?? .direct,
                options: ComparisonSyntax.Options(rawValue: UInt.random(in: 0..<16, using: &random))))
    }

    private mutating func expression(depth: Int) -> ExpressionSyntax {
        guard depth > 0 else { return leaf() }
        let part = expression(depth: depth - 1)
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return .function(name: binaryFunction(), arguments: [part, expression(depth: depth - 1)])
        case 1: return .function(name: "sum:", arguments: [part])
        case 2: return .function(name: "now", arguments: [])
        case 3: return .aggregate([part, leaf()])
        case 4: return .subquery(collection: part, variable: "x", predicate: predicate(depth: depth - 1))
        case 5:
            return .setOperation([.union, .intersection, .minus].randomElement(using: &random) ?? .union, part, leaf())
        case 6: return .conditional(predicate(depth: depth - 1), part, leaf())
        case 7: return .index(part, [.first, .last, .size, .at(leaf())].randomElement(using: &random) ?? .first)
        case 8: return PredicateParser.path("k.@count", on: part)
        case 9: return .function(name: PredicateFunctions.cast, arguments: [.keyPath("a"), .constant("NSDate")])
        case 10: return .function(name: PredicateFunctions.call, arguments: [part, .constant("at:"), leaf()])
        default: return leaf()
        }
    }

    private mutating func binaryFunction() -> String {
        let names = [
            "add:to:", "from:subtract:", "multiply:by:", "divide:by:", "raise:toPower:", "modulus:by:",
            "bitwiseAnd:with:", "leftshift:by:",
        ]
        return names.randomElement(using: &random) ?? "add:to:"
    }

    private mutating func leaf() -> ExpressionSyntax {
        switch Int.random(in: 0..<9, using: &random) {
        case 0: .constant(nil)
        case 1: .constant(Int.random(in: -9...9, using: &random))
        case 2: .constant(Double.random(in: -9...9, using: &random))
        case 3: .constant(["", "a\"b", "\\", "'é\n"].randomElement(using: &random) ?? "")
        case 4: .constant(Date(timeIntervalSinceReferenceDate: Double(Int.random(in: -999...999, using: &random)) / 4))
        case 5: .evaluatedObject
        case 6: .variable("v")
        case 7: .keyPath(["a", "a.b", "in", "x.size.@max.y", "self.no"].randomElement(using: &random) ?? "a")
        default: .anyKey
        }
    }
}
