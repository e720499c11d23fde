// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the parts of predicate and expression objects.

import Testing

@testable import CoreDataFoundation
import Foundation

private typealias NSExpression = CoreDataFoundation.NSExpression
private typealias NSComparisonPredicate = CoreDataFoundation.NSComparisonPredicate

@Suite("Predicate objects") struct PredicateObjectTests {
    @Test("a format gives the object that its text asks for")
    func classes() throws {
        let comparison = try #require(NSPredicate(format: "age > %@", 3) as? NSComparisonPredicate)
        #expect(comparison.leftExpression.keyPath == "age")
        #expect(comparison.rightExpression.constantValue as? Int == 3)
        #expect(comparison.predicateOperatorType == .greaterThan)
        let compound = try #require(NSPredicate(format: "a == 1 OR NOT b == %@", "x") as? NSCompoundPredicate)
        #expect(compound.compoundPredicateType == .or)
        #expect(compound.subpredicates.count == 2)
        #expect((compound.subpredicates[1] as? NSCompoundPredicate)?.compoundPredicateType == .not)
        #expect(NSPredicate(format: "TRUEPREDICATE").evaluate(with: nil))
        #expect(NSPredicate(format: "a == %@", argumentArray: [Date()]) is NSComparisonPredicate)
        #expect(NSCompoundPredicate(format: "a == 1 OR b == %@", "x").compoundPredicateType == .or)
        #expect(NSComparisonPredicate(format: "a == 1").options == [])
    }

    @Test("nil, optionals and every kind of value are arguments")
    func arguments() {
        let name: String? = nil
        #expect("\(NSPredicate(format: "a == %@", name))" == "a == nil")
        #expect("\(NSPredicate(format: "a IN %@ AND b == %d", ["x", "y"], 4))" == #"a IN {"x", "y"} AND b == 4"#)
        #expect(
            "\(NSPredicate(format: "a == %@ AND %@", NSExpression(forVariable: "V"), NSPredicate(format: "b == 1")))"
                == "a == $V AND b == 1")
    }

    @Test("predicates print in Apple's spelling")
    func printing() {
        let texts = [
            "(X == 10 AND Y == 30) AND (Z == 20 OR K == 40)", "TRUEPREDICATE", "FALSEPREDICATE", #"ANY a.b == "x""#,
            #"name BEGINSWITH[cd] "a""#, "age BETWEEN {2, 5}", #"when > CAST(12.500000, "NSDate")"#, "NOT a == 1",
            "NOT (a == 1 AND b == 2)", "a.@count > 3", "(a + 1) * 2 == $V.x", "a == 1.5", "a == nil", "#in.#size == 1",
            "SUBQUERY(items, $x, $x.price > 3).@count > 0", "TERNARY(a == 1, b, c) == SELF", "a[FIRST].b == c[2]",
            #"CAST(a, "NSDate") < now()"#, "count:(a) == 2", #"FUNCTION(SELF, "at:", 3) == 1"#, "a UNION b == c",
        ]
        let printed = texts.map { "\(NSPredicate(format: $0))" }
        #expect(printed == texts)
        #expect("\(NSPredicate(format: "NONE a.b = YES && c =< -1"))" == "(NOT ANY a.b == 1) AND c <= -1")
    }

    @Test("any predicate has a tree, Foundation's own included")
    func syntax() throws {
        #expect(NSPredicate(value: true).syntax == .constant(true))
        #expect(NSPredicate(value: false).syntax == .constant(false))
        let parts = [NSPredicate(format: "a == 1"), NSPredicate(value: true)]
        let compound = NSCompoundPredicate(andPredicateWithSubpredicates: parts)
        #expect(compound.syntax == (try PredicateSyntax.parsing("a == 1 AND TRUEPREDICATE")))
        #expect(NSCompoundPredicate(notPredicateWithSubpredicate: parts[0]).syntax == (try .parsing("NOT a == 1")))
        let block = NSPredicate { object, _ in object as? Int == 1 }
        guard case .block(let code) = block.syntax else {
            Issue.record("a block is not seen as one")
            return
        }
        #expect(code.evaluate(1, nil))
        #expect(!code.evaluate(2, nil))
        #expect(block.syntax == block.syntax)
        #expect(block.syntax.predicate === block)
        #expect(compound.faithfulCopy.syntax == compound.syntax)
    }

    @Test("equal predicates are equal objects with equal hashes")
    func equality() {
        let predicate = NSPredicate(format: "a == 1 AND b LIKE[c] 'x*'")
        let same = NSPredicate(format: "a = %@ && b like[c] %@", 1.0, "x*")
        #expect(predicate == same)
        #expect(predicate.hash == same.hash)
        #expect(predicate != NSPredicate(format: "a == 1 AND b LIKE 'x*'"))
        #expect(NSPredicate(format: "a == 1") != NSPredicate(value: true))
        #expect(NSPredicate(format: "a == 1") != NSPredicate(value: false))
        #expect(NSPredicate(format: "TRUEPREDICATE") == NSPredicate(value: true))
        #expect(predicate.copy() as? NSPredicate == predicate)
        #expect(NSExpression(forKeyPath: "a.b") == NSExpression(format: "a.%K", "b"))
        #expect(NSExpression(forConstantValue: "a") != NSExpression(forKeyPath: "a"))
    }

    @Test("expressions give back their parts")
    func expressions() {
        let key = NSExpression(forKeyPath: "price")
        let one = NSExpression(forConstantValue: 1)
        let sum = NSExpression(forFunction: "add:to:", arguments: [key, one])
        #expect(sum.expressionType == .function)
        #expect(sum.function == "add:to:")
        #expect(sum.arguments == [key, one])
        #expect("\(sum)" == "price + 1")
        let list = NSExpression(forAggregate: [key, one])
        #expect(list.collection as? [NSExpression] == [key, one])
        let condition = NSPredicate(format: "$x.a == 1")
        let subquery = NSExpression(forSubquery: key, usingIteratorVariable: "x", predicate: condition)
        #expect(
            subquery.variable == "x" && subquery.predicate == condition && subquery.collection as? NSExpression == key)
        let union = NSExpression(forUnionSet: key, with: one)
        #expect(union.left == key && union.right == one && union.expressionType == .unionSet)
        let conditional = NSExpression(forConditional: condition, trueExpression: key, falseExpression: one)
        #expect(conditional.true == key && conditional.false == one && conditional.predicate == condition)
        let method = NSExpression(forFunction: key, selectorName: "plus:", arguments: [one])
        #expect(method.function == "plus:" && method.operand == key && method.arguments == [one])
        #expect(NSExpression.expressionForEvaluatedObject().expressionType == .evaluatedObject)
        #expect(NSExpression(forConstantValue: nil).constantValue == nil)
        #expect(NSExpression.ExpressionType.conditional.rawValue == 20)
    }

    @Test("variables are replaced, but not those that a subquery makes")
    func substitution() throws {
        let template = NSPredicate(format: "a == $V AND SUBQUERY(b, $x, $x.c == $V AND $x.d == 1).@count > 0")
        let filled = template.withSubstitutionVariables(["V": "k", "x": 3])
        #expect("\(filled)" == #"a == "k" AND SUBQUERY(b, $x, $x.c == "k" AND $x.d == 1).@count > 0"#)
        #expect(template.syntax.variables == ["V"])
        #expect(NSPredicate(value: true).withSubstitutionVariables(["V": 1]) == NSPredicate(value: true))
        let path = NSPredicate(format: "$V.name == 1").withSubstitutionVariables(["V": NSExpression(forKeyPath: "a")])
        #expect("\(path)" == "a.name == 1")
    }

    @Test("trees list their key paths and conjuncts")
    func visiting() throws {
        let tree = try PredicateSyntax.parsing(
            "a.b == 1 AND (c < a.b AND TRUEPREDICATE) AND SUBQUERY(d, $x, $x.e == f).@count > 0")
        #expect(tree.keyPaths == ["a.b", "c", "d", "f"])
        #expect(tree.conjuncts.count == 3)
        #expect(!tree.containsCode)
        let code = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "a"), rightExpression: NSExpression(forConstantValue: 1),
            matching: { _, _ in true })
        #expect(code.syntax.containsCode)
        #expect(code.predicateOperatorType == .customSelector)
    }

    /// Decided by `NSPredicate(format:).description`, which shows the parentheses of `a + b * c ** d ** e == 1`.
    @Test("operators bind as in C, powers to the right, and a minus sign subtracts from zero", .tags(.assumed))
    func precedence() throws {
        let pairs = [
            ("a + b * c ** d ** e == 1", "a + (b * (c ** (d ** e))) == 1"),
            ("a - b - c == 1", "(a - b) - c == 1"), ("-a * 2 == -3", "(0 - a) * 2 == -3"),
            ("a | b & c << 1 + 2 == 1", "a | (b & (c << (1 + 2))) == 1"),
            ("a UNION b + 1 == c", "a UNION (b + 1) == c"),
            ("a == 1 OR b == 2 AND NOT c == 3", "a == 1 OR (b == 2 AND (NOT (c == 3)))"),
        ]
        for (short, long) in pairs {
            #expect(try PredicateSyntax.parsing(short) == PredicateSyntax.parsing(long), "\(short)")
        }
    }

    @Test("a wrong text throws or traps, as the caller asked")
    func wrongTexts() async {
        #expect(throws: PredicateFormatError.self) { try NSPredicate.parsing("a ==") }
        await #expect(processExitsWith: .failure) { _ = NSPredicate(format: "a ==") }
    }
}
