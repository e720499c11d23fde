// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that a request has the same results in every kind of store and for unsaved objects.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("One meaning of predicates and expressions") struct OneMeaningSpecification {
    /// People of one department, with extreme numbers and texts.
    private struct Edges {
        let stack: Stack
        private let department: NSManagedObject

        init(_ kind: StoreKind) throws {
            stack = try Stack(kind, FirmModel.make())
            let department = stack.insert("Department")
            department.setValue("all", forKey: "name")
            self.department = department
            let rows: [(String, String, Int64, Double)] = [
                ("zero", "e", 0, 0), ("one", "\u{e9}", 1, 0.5), ("two", "e\u{301}", 2, -1),
                ("three", "ex", -3, 1e300), ("least", "f", .min, -0.0), ("greatest", "e\u{3b1}", .max, 2),
            ]
            for (name, nickname, number, salary) in rows {
                stack.insert("Person").setValuesForKeys([
                    "name": name, "nickname": nickname, "number": number, "salary": salary, "department": department,
                ])
            }
        }

        private func names(_ predicate: NSPredicate, _ entity: String = "Person") throws -> [String] {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.predicate = predicate
            return try stack.context.fetch(request).compactMap { $0.value(forKey: "name") as? String }.sorted()
        }

        /// The names of the matches of a predicate among unsaved objects, among saved ones, and among changed ones.
        func found(_ predicate: NSPredicate) throws -> [[String]] {
            let unsaved = try names(predicate)
            try stack.context.save()
            let saved = try names(predicate)
            for object in try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person")) {
                object.setValue(1, forKey: "mark")
            }
            let changed = try names(predicate)
            return [unsaved, saved, changed]
        }
    }

    private static let questions: [(format: String, names: [String])] = [
        ("number / 0 == nil", ["greatest", "least", "one", "three", "two", "zero"]),
        ("salary / 0 > 0", []), ("1 / number == nil", ["zero"]), ("1.0 / salary == nil", ["least", "zero"]),
        ("abs:(number) > 9e18 AND number < 0", ["least"]), ("abs:(number) == 3", ["three"]),
        ("number == '1'", ["one"]), ("number IN {'1', ' 2 ', 'x'}", ["one", "two"]), ("number == 'x'", []),
        ("number != '1'", ["greatest", "least", "three", "two", "zero"]), ("number < 'x'", []), ("number > 'x'", []),
        ("NOT number < 'x'", ["greatest", "least", "one", "three", "two", "zero"]),
        ("'1' == number", ["one"]), ("salary == '0.5'", ["one"]), ("number BETWEEN {'1', '2'}", ["one", "two"]),
        ("nickname BEGINSWITH 'e'", ["greatest", "three", "zero"]),
        ("nickname LIKE 'e*'", ["greatest", "three", "zero"]),
        ("NOT nickname BEGINSWITH 'e'", ["least", "one", "two"]), ("nickname ENDSWITH 'e'", ["zero"]),
        ("nickname == %@", ["one"]),
        ("(number + 1) < 'x'", []), ("(number + 1) == '2'", []), ("NOT uppercase:(nickname) > 5", everybody),
        ("TERNARY(number > 0, nil, nickname) == nil", ["greatest", "one", "two"]),
        ("TERNARY(number > 0, nil, number) / 2 == -1", ["three"]),
        ("TERNARY(number > 0, nickname, number) == 0", ["zero"]), ("salary & 1 == nil", ["three"]),
        ("CAST(nickname, 'NSNumber') == nil", everybody), ("CAST(nickname, 'NSDate') > 5", []),
        ("salary * 1e300 * 1e300 * 0 == nil", ["greatest", "one", "three", "two"]),
    ]
    private static let everybody = ["greatest", "least", "one", "three", "two", "zero"]

    @Test("edges of arithmetic and text", arguments: StoreKind.all, OneMeaningSpecification.questions.indices)
    func edges(kind: StoreKind, index: Int) throws {
        let question = Self.questions[index]
        let predicate = NSPredicate(format: question.format, argumentArray: ["\u{e9}"])
        for found in try Edges(kind).found(predicate) { #expect(found == question.names, "\(question.format)") }
    }

    @Test(
        "text that is compared with numbers inside of SUBQUERY is a number, too", arguments: StoreKind.all,
        [
            ("SUBQUERY(people, $x, $x.number == '1').@count == 1", true),
            ("SUBQUERY(people, $x, $x.number IN {'1', ' 2 ', 'x'}).@count == 2", true),
            ("SUBQUERY(people, $x, '1' == $x.number).@count == 1", true),
            ("SUBQUERY(people, $x, $x.number < 'x').@count == 0", true),
            ("SUBQUERY(people, $x, $x.number > '9').@count == 1", true),
            (
                "SUBQUERY(people, $x, SUBQUERY($x.department.people, $y, $y.salary == '0.5').@count == 1).@count == 6",
                true
            ),
            ("SUBQUERY(people, $x, $x.number != '1').@count == 6", false),
        ])
    func subqueries(kind: StoreKind, question: (format: String, holds: Bool)) throws {
        let edges = try Edges(kind)
        let predicate = NSPredicate(format: question.format)
        for step in 0..<3 {
            if step == 1 { try edges.stack.context.save() }
            if step == 2 {
                for object in edges.stack.context.registeredObjects where object.entity.name == "Person" {
                    object.setValue(1, forKey: "mark")
                }
                edges.stack.context.registeredObjects.first { $0.entity.name == "Department" }?.setValue(
                    "g", forKey: "name")
            }
            let request = NSFetchRequest<NSManagedObject>(entityName: "Department")
            request.predicate = predicate
            #expect(try edges.stack.context.count(for: request) == (question.holds ? 1 : 0), "\(question) \(step)")
        }
    }

    @Test("thousands of comparisons joined by OR or AND", arguments: StoreKind.all)
    func longConditions(kind: StoreKind) throws {
        let comparisons = (0..<2_000).map { NSPredicate(format: "number == %d OR name == %@", $0 * 3 + 1, "no \($0)") }
        let any = NSCompoundPredicate(orPredicateWithSubpredicates: comparisons)
        for found in try Edges(kind).found(any) { #expect(found == ["one"]) }
        let none = NSCompoundPredicate(notPredicateWithSubpredicate: any)
        for found in try Edges(kind).found(none) {
            #expect(found == ["greatest", "least", "three", "two", "zero"])
        }
        let text = (0..<2_000).map { "number == \($0 * 3 + 1)" }.joined(separator: " OR ")
        for found in try Edges(kind).found(NSPredicate(format: text)) { #expect(found == ["one"]) }
    }

    @Test("a sum beyond the integers is the nearest real number; others are exact", arguments: StoreKind.all)
    func sums(kind: StoreKind) throws {
        let edges = try Edges(kind)
        let context = edges.stack.context
        try context.save()
        func sum(_ format: String?) throws -> NSNumber? {
            let column = NSExpressionDescription()
            column.name = "sum"
            column.expression = NSExpression(format: "sum:(number)")
            let request = NSFetchRequest<NSDictionary>(entityName: "Person")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = [column]
            request.predicate = format.map { NSPredicate(format: $0) }
            return try context.fetch(request).first?["sum"] as? NSNumber
        }
        #expect(try sum(nil)?.int64Value == -1)
        #expect(try sum("number > 0")?.doubleValue == 0x1p63)
        #expect(try sum("number < 0")?.doubleValue == -0x1p63)
        #expect(try sum("number == 1 OR number == -3")?.int64Value == -2)
        #expect(try sum("number == 5")?.int64Value == 0)
        for _ in 0..<2 {
            let groups = NSFetchRequest<NSManagedObject>(entityName: "Department")
            for (format, count) in [
                ("people.@sum.number == -1", 1), ("people.@sum.number > 0", 0), ("people.@avg.number < 0", 1),
            ] {
                groups.predicate = NSPredicate(format: format)
                #expect(try context.fetch(groups).count == count, "\(format)")
            }
            // Unsaved now.
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Department")).first?.setValue(
                "x", forKey: "name")
        }
    }

    @Test("composed and decomposed text are two values of distinct rows and of groups", arguments: StoreKind.all)
    func distinctText(kind: StoreKind) throws {
        let edges = try Edges(kind)
        let context = edges.stack.context
        try context.save()
        let rows = NSFetchRequest<NSDictionary>(entityName: "Person")
        rows.resultType = .dictionaryResultType
        rows.propertiesToFetch = ["nickname"]
        rows.returnsDistinctResults = true
        #expect(try context.fetch(rows).count == 6)
        let count = NSExpressionDescription()
        count.name = "count"
        count.expression = NSExpression(format: "count:(name)")
        rows.returnsDistinctResults = false
        rows.propertiesToFetch = ["nickname", count]
        rows.propertiesToGroupBy = ["nickname"]
        #expect(try context.fetch(rows).count == 6)
    }

    @Test("text is compared with numbers, and UUIDs with their text, by fetches", arguments: StoreKind.all)
    func spelledConstants(kind: StoreKind) throws {
        let stack = try Stack(kind, FirmModel.make())
        for (name, badge) in [("9", Firm.badge), ("10", UUID()), ("9.5", UUID()), ("x", nil)] as [(String, UUID?)] {
            let person = stack.insert("Person")
            person.setValue(name, forKey: "name")
            person.setValue(badge, forKey: "badge")
        }
        try stack.context.save()
        let text = Firm.badge.uuidString
        let cases: [(format: String, argument: Any, names: [String])] = [
            ("name == %@", 9, ["9"]), ("%@ == name", 9, ["9"]), ("name != %@", NSNumber(value: 9), ["10", "9.5", "x"]),
            ("name IN %@", [9, 10], ["10", "9"]), ("name IN %@", Set([9, 10]), ["10", "9"]),
            ("name IN %@", NSSet(array: [9.5, "x"]), ["9.5", "x"]), ("NOT name IN %@", [9, 10], ["9.5", "x"]),
            ("name IN {9, 'x'}", 0, ["9", "x"]), ("name >= %@", 9, ["9", "9.5", "x"]),
            ("name == %@", Decimal(string: "9.5") ?? 0, ["9.5"]), ("name BEGINSWITH %@", 9, ["9", "9.5"]),
            ("name BETWEEN %@", [1, 9], ["10", "9"]), ("SUBQUERY(projects, $p, $p.name == %@).@count == 1", 9, []),
            ("badge == %@", text, ["9"]), ("badge == %@", text.lowercased(), ["9"]), ("%@ == badge", text, ["9"]),
            ("badge IN %@", [text, UUID().uuidString], ["9"]), ("badge != nil AND badge != %@", text, ["10", "9.5"]),
        ]
        for (format, argument, names) in cases {
            let request = Firm.request("Person", NSPredicate(format: format, argumentArray: [argument]))
            #expect(Firm.names(try stack.context.fetch(request)).sorted() == names, "\(format) \(argument)")
            #expect(try stack.context.count(for: request) == names.count, "\(format) \(argument), counted")
            for object in try stack.context.fetch(Firm.request()) { object.setValue(1, forKey: "mark") }
            #expect(Firm.names(try stack.context.fetch(request)).sorted() == names, "\(format) \(argument), changed")
            stack.context.rollback()
        }
    }
}
