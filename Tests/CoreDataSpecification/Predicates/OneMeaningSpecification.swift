// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that a request means the same in every kind of store and for unsaved objects.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("One meaning of predicates and expressions") struct OneMeaningSpecification {
    /// Numbers and texts at their edges.
    private struct Edges {
        let stack: Stack
        private let group: NSManagedObject

        init(_ kind: StoreKind) throws {
            let item = NSEntityDescription("Item")
            item.attribute("name", .stringAttributeType)
            item.attribute("text", .stringAttributeType)
            item.attribute("i64", .integer64AttributeType)
            item.attribute("real", .doubleAttributeType)
            item.attribute("mark", .integer16AttributeType)
            let group = NSEntityDescription("Group")
            group.attribute("name", .stringAttributeType)
            group.relate("items", .many, to: item, inverse: "group", .one)
            stack = try Stack(kind, NSManagedObjectModel(item, group))
            self.group = NSEntityDescription.insertNewObject(forEntityName: "Group", into: stack.context)
            let rows: [(String, String, Int64, Double)] = [
                ("zero", "e", 0, 0), ("one", "\u{e9}", 1, 0.5), ("two", "e\u{301}", 2, -1),
                ("three", "ex", -3, 1e300), ("least", "f", .min, -0.0), ("greatest", "e\u{3b1}", .max, 2),
            ]
            for (name, text, i64, real) in rows {
                let object = NSEntityDescription.insertNewObject(forEntityName: "Item", into: stack.context)
                object.setValue(name, forKey: "name")
                object.setValue(text, forKey: "text")
                object.setValue(i64, forKey: "i64")
                object.setValue(real, forKey: "real")
                object.setValue(self.group, forKey: "group")
            }
        }

        private func names(_ predicate: NSPredicate, _ entity: String = "Item") throws -> [String] {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.predicate = predicate
            return try stack.context.fetch(request).compactMap { $0.value(forKey: "name") as? String }.sorted()
        }

        /// The names of the matches of a predicate among unsaved objects, among saved ones, and among changed ones.
        func found(_ predicate: NSPredicate) throws -> [[String]] {
            let unsaved = try names(predicate)
            try stack.context.save()
            let saved = try names(predicate)
            for object in try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item")) {
                object.setValue(1, forKey: "mark")
            }
            let changed = try names(predicate)
            return [unsaved, saved, changed]
        }
    }

    private static let questions: [(format: String, names: [String])] = [
        ("i64 / 0 == nil", ["greatest", "least", "one", "three", "two", "zero"]),
        ("real / 0 > 0", []), ("1 / i64 == nil", ["zero"]), ("1.0 / real == nil", ["least", "zero"]),
        ("abs:(i64) > 9e18 AND i64 < 0", ["least"]), ("abs:(i64) == 3", ["three"]),
        ("i64 == '1'", ["one"]), ("i64 IN {'1', ' 2 ', 'x'}", ["one", "two"]), ("i64 == 'x'", []),
        ("i64 != '1'", ["greatest", "least", "three", "two", "zero"]), ("i64 < 'x'", []), ("i64 > 'x'", []),
        ("NOT i64 < 'x'", ["greatest", "least", "one", "three", "two", "zero"]),
        ("'1' == i64", ["one"]), ("real == '0.5'", ["one"]), ("i64 BETWEEN {'1', '2'}", ["one", "two"]),
        ("text BEGINSWITH 'e'", ["greatest", "three", "zero"]), ("text LIKE 'e*'", ["greatest", "three", "zero"]),
        ("NOT text BEGINSWITH 'e'", ["least", "one", "two"]), ("text ENDSWITH 'e'", ["zero"]),
        ("text == %@", ["one"]),
    ]

    @Test("edges of arithmetic and text", arguments: StoreKind.all, OneMeaningSpecification.questions.indices)
    func edges(kind: StoreKind, index: Int) throws {
        let question = Self.questions[index]
        let predicate = NSPredicate(format: question.format, argumentArray: ["\u{e9}"])
        for found in try Edges(kind).found(predicate) { #expect(found == question.names, "\(question.format)") }
    }

    @Test(
        "text that is compared with numbers inside of SUBQUERY is a number, too", arguments: StoreKind.all,
        [
            ("SUBQUERY(items, $x, $x.i64 == '1').@count == 1", true),
            ("SUBQUERY(items, $x, $x.i64 IN {'1', ' 2 ', 'x'}).@count == 2", true),
            ("SUBQUERY(items, $x, '1' == $x.i64).@count == 1", true),
            ("SUBQUERY(items, $x, $x.i64 < 'x').@count == 0", true),
            ("SUBQUERY(items, $x, $x.i64 > '9').@count == 1", true),
            ("SUBQUERY(items, $x, SUBQUERY($x.group.items, $y, $y.real == '0.5').@count == 1).@count == 6", true),
            ("SUBQUERY(items, $x, $x.i64 != '1').@count == 6", false),
        ])
    func subqueries(kind: StoreKind, question: (format: String, holds: Bool)) throws {
        let edges = try Edges(kind)
        let predicate = NSPredicate(format: question.format)
        for step in 0..<3 {
            if step == 1 { try edges.stack.context.save() }
            if step == 2 {
                for object in edges.stack.context.registeredObjects where object.entity.name == "Item" {
                    object.setValue(1, forKey: "mark")
                }
                edges.stack.context.registeredObjects.first { $0.entity.name == "Group" }?.setValue("g", forKey: "name")
            }
            let request = NSFetchRequest<NSManagedObject>(entityName: "Group")
            request.predicate = predicate
            #expect(try edges.stack.context.count(for: request) == (question.holds ? 1 : 0), "\(question) \(step)")
        }
    }

    @Test("thousands of comparisons joined by OR or AND", arguments: StoreKind.all)
    func longConditions(kind: StoreKind) throws {
        let comparisons = (0..<2_000).map { NSPredicate(format: "i64 == %d OR name == %@", $0 * 3 + 1, "no \($0)") }
        let any = NSCompoundPredicate(orPredicateWithSubpredicates: comparisons)
        for found in try Edges(kind).found(any) { #expect(found == ["one"]) }
        let none = NSCompoundPredicate(notPredicateWithSubpredicate: any)
        for found in try Edges(kind).found(none) {
            #expect(found == ["greatest", "least", "three", "two", "zero"])
        }
        let text = (0..<2_000).map { "i64 == \($0 * 3 + 1)" }.joined(separator: " OR ")
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
            column.expression = NSExpression(format: "sum:(i64)")
            let request = NSFetchRequest<NSDictionary>(entityName: "Item")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = [column]
            request.predicate = format.map { NSPredicate(format: $0) }
            return try context.fetch(request).first?["sum"] as? NSNumber
        }
        #expect(try sum(nil)?.int64Value == -1)
        #expect(try sum("i64 > 0")?.doubleValue == 0x1p63)
        #expect(try sum("i64 < 0")?.doubleValue == -0x1p63)
        #expect(try sum("i64 == 1 OR i64 == -3")?.int64Value == -2)
        #expect(try sum("i64 == 5")?.int64Value == 0)
        for _ in 0..<2 {
            let groups = NSFetchRequest<NSManagedObject>(entityName: "Group")
            for (format, count) in [("items.@sum.i64 == -1", 1), ("items.@sum.i64 > 0", 0), ("items.@avg.i64 < 0", 1)] {
                groups.predicate = NSPredicate(format: format)
                #expect(try context.fetch(groups).count == count, "\(format)")
            }
            // Unsaved now.
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Group")).first?.setValue("x", forKey: "name")
        }
    }

    @Test("composed and decomposed text are two values of distinct rows and of groups", arguments: StoreKind.all)
    func distinctText(kind: StoreKind) throws {
        let edges = try Edges(kind)
        let context = edges.stack.context
        try context.save()
        let rows = NSFetchRequest<NSDictionary>(entityName: "Item")
        rows.resultType = .dictionaryResultType
        rows.propertiesToFetch = ["text"]
        rows.returnsDistinctResults = true
        #expect(try context.fetch(rows).count == 6)
        let count = NSExpressionDescription()
        count.name = "count"
        count.expression = NSExpression(format: "count:(name)")
        rows.returnsDistinctResults = false
        rows.propertiesToFetch = ["text", count]
        rows.propertiesToGroupBy = ["text"]
        #expect(try context.fetch(rows).count == 6)
    }
}
