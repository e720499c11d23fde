// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the evaluation of predicate and expression objects.

import Foundation
import Testing

@testable import CoreDataFoundation

private typealias NSExpression = CoreDataFoundation.NSExpression
private typealias NSComparisonPredicate = CoreDataFoundation.NSComparisonPredicate

@Suite("Asking predicates") struct PredicateAskingTests {
    private let people: [[String: Any]] = [
        ["name": "Ada", "age": 36, "tags": ["math", "code"]], ["name": "Bob", "age": 20, "tags": ["code"]],
        ["name": "Émile", "age": 61, "tags": [String]()],
    ]

    private func names(_ predicate: NSPredicate, _ variables: [String: Any]? = nil) -> [String] {
        people.filter { predicate.evaluate(with: $0, substitutionVariables: variables) }.compactMap {
            $0["name"] as? String
        }
    }

    @Test("predicates of the user's classes answer for themselves in a format, at any depth")
    func ownAnswers() {
        let stubborn = Stubborn(
            leftExpression: NSExpression(forKeyPath: "age"), rightExpression: NSExpression(forConstantValue: 0),
            modifier: .direct, type: .equalTo)
        #expect(names(NSPredicate(format: "%@ AND age > 30", stubborn)) == ["Ada", "Émile"])
        let either = NSCompoundPredicate(orPredicateWithSubpredicates: [NSPredicate(value: false), stubborn])
        #expect(names(NSPredicate(format: "age < 30 AND %@", either)) == ["Bob"])
        #expect(names(NSPredicate(format: "NOT %@", stubborn)) == [])
        #expect(stubborn.syntax == NSPredicate(format: "age == 0").syntax)
    }

    /// Proves: Predicates-22
    @Test("a text that is no search query matches nothing, and ends neither the process nor the other conditions")
    func noQuery() {
        for text in ["a AND", "\"a", "NEAR(a", "(", "a)", ": a", "a b)"] {
            #expect(throws: SearchQueryError.self) {
                try PredicateEvaluator(.parsing("SELF MATCHING %@", arguments: [text]))
            }
            let predicate = NSPredicate(format: "SELF MATCHING %@", text)
            #expect(!predicate.evaluate(with: "a b"), "\(text)")
            #expect(NSPredicate(format: "NOT SELF MATCHING %@", text).evaluate(with: "a b"), "\(text)")
            let note: [String: Any] = ["text": "a b", "query": text, "notes": ["a b", "a"]]
            #expect(NSPredicate(format: "text MATCHING query OR text == 'a b'").evaluate(with: note))
            #expect(!NSPredicate(format: "text MATCHING $q").evaluate(with: note, substitutionVariables: ["q": text]))
            #expect(!NSPredicate(format: "ANY notes MATCHING %@", text).evaluate(with: note))
            let count = NSExpression(format: "SUBQUERY(notes, $n, $n MATCHING query).@count")
            #expect(count.expressionValue(with: note, context: nil) as? Int == 0)
        }
        #expect(NSPredicate(format: "SELF MATCHING %@", "a").evaluate(with: "a b"))
        // A colon makes a word the name of an attribute.
        #expect(!NSPredicate(format: "SELF MATCHING %@", "a: b").evaluate(with: "a b"))
    }

    /// Proves: Predicates-22
    @Test("a pattern of an object that is none, and a text that a pattern finds no end in, do not match")
    func patternsOfObjects() async {
        let words: [String: Any] = ["text": String(repeating: "a", count: 40), "pattern": "("]
        #expect(!NSPredicate(format: "text MATCHES pattern").evaluate(with: words))
        #expect(NSPredicate(format: "NOT text MATCHES pattern").evaluate(with: words))
        #expect(!NSPredicate(format: "text MATCHES '(a+)+b'").evaluate(with: words))
        #expect(NSPredicate(format: "text MATCHES 'a+'").evaluate(with: words))
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSPredicate(format: "SELF MATCHES '('").evaluate(with: "a")
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("no regular expression"))
    }

    @Test("predicates from text pick objects")
    func formats() {
        #expect(names(NSPredicate(format: "age > %d AND name != %@", 30, "Ada")) == ["Émile"])
        #expect(names(NSPredicate(format: "ANY tags == 'math' OR name BEGINSWITH[cd] 'e'")) == ["Ada", "Émile"])
        #expect(names(NSPredicate(format: "NOT age BETWEEN {20, 40}")) == ["Émile"])
        #expect(names(NSPredicate(format: "tags.@count + 1 == $N"), ["N": 2]) == ["Bob"])
        #expect(names(NSPredicate(format: "age == $A").withSubstitutionVariables(["A": 36])) == ["Ada"])
        let foundations = NSCompoundPredicate(orPredicateWithSubpredicates: [
            NSPredicate(format: "age == 20"),
            NSPredicate { object, _ in (object as? [String: Any])?["age"] as? Int == 61 },
        ])
        #expect(names(foundations) == ["Bob", "Émile"])
        #expect((people as NSArray).filtered(using: NSPredicate(format: "age < 30")).count == 1)
    }

    private final class Word: NSObject {
        let text: String
        init(_ text: String) { self.text = text }
    }

    @Test("Foundation's mutable sets are filtered in place")
    func filteringInPlace() {
        let words = ["a", "b", "a", "c"].map(Word.init)
        let set = NSMutableSet(array: words)
        set.filter(using: NSPredicate(format: "text == 'a'"))
        #expect(set.count == 2)
        let ordered = NSMutableOrderedSet(array: words)
        ordered.filter(using: NSPredicate(format: "text == 'a'"))
        #expect(ordered.array as? [Word] == [words[0], words[2]])
        let array = NSMutableArray(array: words)
        array.filter(using: NSPredicate(format: "text != 'a'"))
        #expect(array as? [Word] == [words[1], words[3]])
    }

    @Test("a comparison may be code")
    func customComparison() {
        let predicate = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "age"), rightExpression: NSExpression(forConstantValue: 10),
            matching: { left, right in (left as? Int ?? 0) % (right as? Int ?? 1) == 0 })
        #expect(names(predicate) == ["Bob"])
    }

    @Test("expressions give values")
    func expressions() {
        let ada: [String: Any] = people[0]
        #expect(NSExpression(format: "age * 2 + %d", 1).expressionValue(with: ada, context: nil) as? Int == 73)
        #expect(NSExpression(forVariable: "x").expressionValue(with: nil, context: ["x": 7]) as? Int == 7)
        let block = NSExpression(
            block: { _, values, _ in values.count }, arguments: [NSExpression(forConstantValue: 1)])
        #expect(block.expressionValue(with: nil, context: nil) as? Int == 1)
        let doubled = AgeDoubled(expressionType: .function)
        #expect(doubled.expressionValue(with: ada, context: nil) as? Int == 72)
        let predicate = NSComparisonPredicate(
            leftExpression: doubled, rightExpression: NSExpression(forConstantValue: 72), modifier: .direct,
            type: .equalTo)
        #expect(predicate.evaluate(with: ada))
        #expect(doubled == doubled && predicate == predicate)
        let element = NSExpression(
            forFunction: "objectFrom:withIndex:",
            arguments: [NSExpression(forKeyPath: "tags"), NSExpression(forConstantValue: "LAST")])
        #expect(element.expressionValue(with: ada, context: nil) as? String == "code")
    }

    @Test("many threads may ask one predicate")
    func threads() {
        let predicate = NSPredicate(format: "name LIKE[c] 'a*' AND age IN {36, 37}")
        let asking = Asking(predicate: predicate, object: people[0])
        DispatchQueue.concurrentPerform(iterations: 200) { _ in asking.ask() }
        #expect(asking.answers.count == 200)
        #expect(asking.answers.allSatisfy { $0 })
    }

    @Test("asking without a variable's value traps and names it")
    func missingVariable() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSPredicate(format: "age == $missing").evaluate(with: ["age": 1])
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("missing"))
    }
}

private final class AgeDoubled: CoreDataFoundation.NSExpression, @unchecked Sendable {
    override func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
        ((object as? [String: Any])?["age"] as? Int).map { $0 * 2 }
    }
}

/// Is true for every object.
private final class Stubborn: NSComparisonPredicate {
    override func evaluate(with object: Any?) -> Bool { true }
    override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool { true }
}

private final class Asking: @unchecked Sendable {
    // `lock` guards `answers`; the rest never changes.
    private let lock = NSLock()
    private let predicate: NSPredicate
    private let object: [String: Any]
    private(set) var answers: [Bool] = []

    init(predicate: NSPredicate, object: [String: Any]) {
        self.predicate = predicate
        self.object = object
    }

    func ask() {
        let answer = predicate.evaluate(with: object)
        lock.withLock { answers.append(answer) }
    }
}
