// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the translation of typed predicates, expressions and sort descriptors.

import Foundation
import Testing

@testable import CoreDataFoundation

private typealias NSExpression = CoreDataFoundation.NSExpression

private final class Task: KeyValueCoding, KeyPathRoot {
    var title = ""
    var note: String?
    var points = 0
    var weight = 1.0
    var isDone = false
    var tags: [String] = []
    var parent: Task?
    var parts: [Task] = []

    init(_ title: String, _ points: Int = 0, note: String? = nil, isDone: Bool = false, parent: Task? = nil) {
        (self.title, self.points, self.note, self.isDone, self.parent) = (title, points, note, isDone, parent)
    }

    func value(forKey key: String) -> Any? {
        switch key {
        case "title": title
        case "note": note
        case "points": points
        case "weight": weight
        case "isDone": isDone
        case "tags": tags
        case "parent": parent
        case "parts": parts
        default: nil
        }
    }

    func setValue(_ value: Any?, forKey key: String) {}

    static func keyPathName(_ path: AnyKeyPath) -> String? {
        switch path {
        case \Task.title: "title"
        case \Task.note: "note"
        case \Task.points: "points"
        case \Task.weight: "weight"
        case \Task.isDone: "isDone"
        case \Task.tags: "tags"
        case \Task.parent: "parent"
        case \Task.parts: "parts"
        default: nil
        }
    }
}

@Suite("Typed predicates") struct TypedPredicateTests {
    private let tasks: [Task]

    init() {
        let plan = Task("Plan", 5, note: "first of all", isDone: true)
        let build = Task("Build", 8, parent: plan)
        let test = Task("Test", 3, note: "", parent: build)
        plan.parts = [build, test]
        plan.tags = ["red", "blue"]
        test.tags = ["red"]
        build.weight = 2.5
        tasks = [plan, build, test]
    }

    /// The format of a converted typed predicate, after both have found the same objects.
    private func format(_ typed: Predicate<Task>) throws -> String {
        let predicate = try NSPredicate.converting(typed)
        let found = tasks.filter { predicate.evaluate(with: $0) }.map(\.title)
        let expected = try tasks.filter { try typed.evaluate($0) }.map(\.title)
        #expect(found == expected, "\(predicate)")
        let read = try NSPredicate.parsing("\(predicate)")
        #expect(read == predicate)
        return "\(predicate)"
    }

    @Test("comparisons and logic")
    func comparisons() throws {
        #expect(try format(#Predicate { $0.title == "Plan" }) == #"title == "Plan""#)
        #expect(try format(#Predicate { $0.title != "Plan" }) == #"title != "Plan""#)
        #expect(try format(#Predicate { $0.points > 3 && $0.points <= 8 }) == "points > 3 AND points <= 8")
        #expect(try format(#Predicate { $0.points < 4 || $0.isDone }) == "points < 4 OR isDone == 1")
        #expect(try format(#Predicate { !$0.isDone }) == "NOT isDone == 1")
        #expect(try format(#Predicate { $0.isDone == false }) == "isDone == 0")
        #expect(try format(#Predicate { _ in true }) == "TRUEPREDICATE")
        let least = 5
        #expect(try format(#Predicate { $0.points >= least }) == "points >= 5")
    }

    @Test("optionals")
    func optionals() throws {
        #expect(try format(#Predicate { $0.note == nil }) == "note == nil")
        #expect(try format(#Predicate { $0.parent?.title == "Plan" }) == #"parent.title == "Plan""#)
        #expect(try format(#Predicate { $0.parent?.parent?.title == "Plan" }) == #"parent.parent.title == "Plan""#)
        #expect(
            try format(#Predicate { $0.parent?.points ?? 0 > 4 })
                == "TERNARY(parent.points != nil, parent.points, 0) > 4")
        #expect(try format(#Predicate { $0.note?.contains("all") ?? false }) == #"note != nil AND note CONTAINS "all""#)
        #expect(try format(#Predicate { $0.note?.isEmpty ?? true }) == #"(NOT note != nil) OR note == """#)
        #expect(
            try format(#Predicate { $0.note?.starts(with: "f") == true })
                == #"note != nil AND note BEGINSWITH "f""#)
        #expect(try format(#Predicate { $0.note?.isEmpty == false }) == #"note != nil AND (NOT note == "")"#)
        #expect(try format(#Predicate { $0.note?.isEmpty == nil }) == "NOT note != nil")
    }

    @Test("arithmetic and conditions")
    func arithmetic() throws {
        #expect(try format(#Predicate { $0.points + 1 == 6 }) == "points + 1 == 6")
        #expect(try format(#Predicate { $0.points * 2 - 1 > 8 }) == "(points * 2) - 1 > 8")
        #expect(try format(#Predicate { $0.points / 2 == 2 }) == "points / 2 == 2")
        #expect(try format(#Predicate { $0.points % 2 == 1 }) == "modulus:by:(points, 2) == 1")
        #expect(try format(#Predicate { $0.weight / 2 > 1 }) == "weight / 2 > 1")
        #expect(try format(#Predicate { -$0.points < -4 }) == "0 - points < -4")
        #expect(
            try format(#Predicate { ($0.isDone ? 1 : $0.points) < 5 })
                == "TERNARY(isDone == 1, 1, points) < 5")
        #expect(
            try format(#Predicate { if $0.isDone { $0.points == 5 } else { $0.points == 3 } })
                == "(isDone == 1 AND points == 5) OR ((NOT isDone == 1) AND points == 3)")
    }

    @Test("collections and ranges")
    func collections() throws {
        let titles = ["Plan", "Test"]
        #expect(try format(#Predicate { titles.contains($0.title) }) == #"title IN {"Plan", "Test"}"#)
        #expect(try format(#Predicate { $0.tags.contains("blue") }) == #"tags CONTAINS "blue""#)
        #expect(try format(#Predicate { $0.tags.count == 2 }) == "tags.@count == 2")
        #expect(try format(#Predicate { $0.tags.isEmpty }) == "tags.@count == 0")
        #expect(
            try format(#Predicate { $0.parts.contains { $0.points > 7 } })
                == "SUBQUERY(parts, $x1, $x1.points > 7).@count > 0")
        #expect(
            try format(#Predicate { $0.parts.allSatisfy { $0.points > 7 } })
                == "SUBQUERY(parts, $x1, NOT $x1.points > 7).@count == 0")
        #expect(
            try format(#Predicate { task in task.parts.filter { $0.points < task.points }.count == 1 })
                == "SUBQUERY(parts, $x1, $x1.points < points).@count == 1")
        #expect(try format(#Predicate { (3...5).contains($0.points) }) == "points BETWEEN {3, 5}")
        #expect(try format(#Predicate { (3..<5).contains($0.points) }) == "points >= 3 AND points < 5")
        let range = 4...
        #expect(try format(#Predicate { range.contains($0.points) }) == "points >= 4")
    }

    @Test("texts")
    func texts() throws {
        #expect(try format(#Predicate { $0.title.contains("l") }) == #"title CONTAINS "l""#)
        #expect(try format(#Predicate { $0.title.starts(with: "B") }) == #"title BEGINSWITH "B""#)
        #expect(try format(#Predicate { $0.title.count == 4 }) == "length:(title) == 4")
        #expect(try format(#Predicate { $0.title.contains(/u.l/) }) == #"title MATCHES "(?s:.*)(?:u.l)(?s:.*)""#)
    }

    @Test("a form without translation is refused by name, and Apple's initializer gives nil")
    func refusals() {
        let named = #Predicate<Task> { $0.title.count + $0.tags.count == 3 }
        #expect(NSPredicate(named) != nil)
        let sequence = #Predicate<Task> { $0.tags.starts(with: ["red"]) }
        #expect(NSPredicate(sequence) == nil)
        #expect(throws: PredicateConversionError.unsupportedOperation("SequenceStartsWith")) {
            try NSPredicate.converting(sequence)
        }
        let unnamed = #Predicate<[Int]> { $0.capacity > 3 }
        #expect(NSPredicate(unnamed) == nil)
        let error = #expect(throws: PredicateConversionError.self) { try NSPredicate.converting(unnamed) }
        #expect("\(error as Any)".contains("key path"))
    }

    @Test("typed expressions and key paths make expressions")
    func expressions() throws {
        let typed = #Expression<Task, Int> { $0.points * 2 }
        #expect(NSExpression(typed).map { "\($0)" } == "points * 2")
        #expect(try NSExpression.converting(typed).expressionValue(with: tasks[0], context: nil) as? Int == 10)
        #expect(NSExpression(forKeyPath: \Task.points) == NSExpression(forKeyPath: "points"))
        #expect("\(NSPredicate(format: "%K > 3", \Task.points))" == "points > 3")
        #expect(throws: PredicateFormatError.self) { try NSPredicate.parsing("%K > 3", arguments: [\[Int].count]) }
    }

    @Test("typed sort descriptors make sort descriptors")
    func sorting() throws {
        let named = NSSortDescriptor(SortDescriptor(\Task.points, order: .reverse))
        #expect(named.key == "points" && !named.ascending)
        #expect(try ObjectOrdering([named]).sorted(tasks).map(\.points) == [8, 5, 3])
        let words = NSSortDescriptor(SortDescriptor(\String.count, order: .reverse))
        #expect(words.key == nil && words.sortKey == nil)
        #expect(try ObjectOrdering([words]).sorted(["a", "ccc", "bb"]) == ["ccc", "bb", "a"])
    }
}
