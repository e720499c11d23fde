// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the contents of dictionary results: properties, expressions, groups.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

// Foundation has an unusable class of this name.
private typealias NSExpression = CoreData.NSExpression

@Suite("Dictionary results") struct DictionarySpecification {
    private func request(_ entity: String = "Person", _ properties: [Any]? = nil, sortedBy key: String? = nil)
        -> NSFetchRequest<NSDictionary>
    {
        let request = NSFetchRequest<NSDictionary>(entityName: entity)
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = properties
        if let key { request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)] }
        return request
    }

    private func column(_ name: String, _ function: String, _ keyPath: String, _ type: NSAttributeType)
        -> NSExpressionDescription
    {
        column(name, NSExpression(forFunction: function, arguments: [NSExpression(forKeyPath: keyPath)]), type)
    }

    private func column(_ name: String, _ expression: NSExpression, _ type: NSAttributeType) -> NSExpressionDescription
    {
        let description = NSExpressionDescription()
        description.name = name
        description.expression = expression
        description.expressionResultType = type
        return description
    }

    @Test("properties come by name, without entries for nil", arguments: StoreKind.all)
    func properties(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let rows = try firm.context.fetch(request("Person", ["name", "age"], sortedBy: "number"))
        #expect(rows.count == 8)
        #expect(rows[0] == ["name": "Bob", "age": 20] as NSDictionary)
        #expect(rows[5] == ["name": "STRASSE"] as NSDictionary)
        let described = try #require(firm.stack.model.entitiesByName["Person"]?.propertiesByName["name"])
        #expect(
            try firm.context.fetch(request("Person", [described], sortedBy: "number"))[1] == ["name": "Ada"]
                as NSDictionary)
    }

    /// Proves: F43
    @Test("without properties to fetch there are all attributes and no relationships", arguments: StoreKind.all)
    func everything(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let all = request("Person", sortedBy: "number")
        all.predicate = NSPredicate(format: "name == 'Ada'")
        let row = try #require(try firm.context.fetch(all).first)
        #expect(
            Set(row.allKeys as? [String] ?? []) == [
                "name", "age", "salary", "balance", "born", "isActive", "badge", "number", "weight",
            ])
        #expect(row["balance"] as? Decimal == Decimal(string: "10.10"))
        #expect(row["born"] as? Date == Date(timeIntervalSinceReferenceDate: 0))
        #expect(row["badge"] as? UUID == Firm.badge)
        #expect(row["isActive"] as? Bool == true)
        #expect(row["salary"] as? Double == 5000.5)
    }

    /// Proves: F44
    @Test("a to-one relationship gives an id, a key path through it a value", arguments: StoreKind.all)
    func relationships(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let rows = try firm.context.fetch(
            request("Person", ["department", "boss", "department.name"], sortedBy: "number"))
        #expect(rows[0]["department"] as? NSManagedObjectID == firm.department("Research").objectID)
        #expect(rows[0]["boss"] as? NSManagedObjectID == firm.person("Ada").objectID)
        #expect(rows[0]["department.name"] as? String == "Research")
        #expect(rows[4]["department"] == nil)
        #expect(rows[1]["boss"] == nil)
    }

    @Test("the object itself gives its id", arguments: StoreKind.all)
    func objectID(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let itself = column("me", NSExpression.expressionForEvaluatedObject(), .objectIDAttributeType)
        let rows = try firm.context.fetch(request("Person", [itself, "name"], sortedBy: "number"))
        #expect(rows[1]["me"] as? NSManagedObjectID == firm.person("Ada").objectID)
    }

    /// Proves: F44
    @Test("objects that expressions give are ids, with their own entities", arguments: StoreKind.all)
    func objectsOfExpressions(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let (ada, bob) = (firm.person("Ada").objectID, firm.person("Bob").objectID)
        let sales = firm.department("Sales")
        let columns = [
            ("id", "objectID"), ("boss", "boss"), ("bossID", "boss.objectID"),
            ("either", "TERNARY(age > 30, boss, SELF)"),
            ("perhaps", "TERNARY(age > 30, nil, boss)"), ("department", "department"),
        ].map { column($0, NSExpression(format: $1), .undefinedAttributeType) }
        let fixed = column(
            "fixed", NSExpression(format: "TERNARY(age > 30, department, %@)", sales), .undefinedAttributeType)
        let rows = try firm.context.fetch(request("Person", columns + [fixed], sortedBy: "number"))
        let (first, second) = (try #require(rows.first), rows[1])
        for (key, id) in [
            ("id", bob), ("boss", ada), ("bossID", ada), ("either", bob), ("perhaps", ada),
            ("department", firm.department("Research").objectID), ("fixed", sales.objectID),
        ] {
            let found = try #require(first[key] as? NSManagedObjectID, "\(key)")
            #expect(found == id, "\(key)")
            #expect(found.entity.name == id.entity.name, "\(key)")
        }
        #expect(second["id"] as? NSManagedObjectID == ada)
        for key in ["boss", "bossID", "either", "perhaps"] { #expect(second[key] == nil, "\(key)") }
        #expect(second["fixed"] as? NSManagedObjectID == firm.department("Research").objectID)
    }

    /// Decided by `fetch(_:)` of dictionaries with `SUBQUERY` in an `NSExpressionDescription`: the type of its value.
    @Test("members that an expression chooses are a list of ids", .tags(.assumed), arguments: StoreKind.all)
    func chosenMembers(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let young = column("young", NSExpression(format: "SUBQUERY(reports, $r, $r.age < 40)"), .undefinedAttributeType)
        let rows = try firm.context.fetch(request("Person", [young], sortedBy: "number"))
        #expect(rows[1]["young"] as? [NSManagedObjectID] == [firm.person("Bob").objectID])
        #expect(rows[0]["young"] as? [NSManagedObjectID] == [firm.person("elodie").objectID])
    }

    /// Proves: F48
    @Test("groups of objects have ids, and are chosen by objects", arguments: StoreKind.all)
    func groupsOfObjects(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let count = column("count", "count:", "name", .integer64AttributeType)
        let leader = column("leader", NSExpression(forKeyPath: "boss"), .undefinedAttributeType)
        let groups = request("Person", ["boss", leader, count])
        groups.propertiesToGroupBy = ["boss"]
        let ada = firm.person("Ada")
        for format in ["boss == %@", "$leader == %@", "$boss == %@ AND count > 1"] {
            groups.havingPredicate = NSPredicate(format: format, ada)
            let rows = try firm.context.fetch(groups)
            #expect(rows.count == 1, "\(format)")
            #expect(rows.first?["boss"] as? NSManagedObjectID == ada.objectID, "\(format)")
            #expect((rows.first?["leader"] as? NSManagedObjectID)?.entity.name == "Manager", "\(format)")
            #expect(rows.first?["count"] as? Int == 3, "\(format)")
        }
        groups.havingPredicate = NSPredicate(format: "boss == nil")
        #expect(try firm.context.fetch(groups).map { $0["count"] as? Int } == [2])
    }

    /// Decided by `fetch(_:)` of dictionaries with an `NSExpressionDescription` that has no `expression`.
    @Test(
        "an expression description without an expression is the property of its name", .tags(.assumed),
        arguments: StoreKind.all)
    func withoutExpression(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        func described(_ name: String, _ type: NSAttributeType = .undefinedAttributeType) -> NSExpressionDescription {
            let description = NSExpressionDescription()
            description.name = name
            description.expressionResultType = type
            return description
        }
        let rows = try firm.context.fetch(
            request(
                "Person",
                [
                    described("name"), described("age", .doubleAttributeType), described("department.name"),
                    described("boss"), described("me", .objectIDAttributeType),
                    described("objectID", .objectIDAttributeType),
                ], sortedBy: "number"))
        let bob = firm.person("Bob").objectID
        #expect(
            rows[0] == [
                "name": "Bob", "age": 20.0, "department.name": "Research", "boss": firm.person("Ada").objectID,
                "me": bob, "objectID": bob,
            ] as NSDictionary)
    }

    /// Proves: F42
    @Test("they show saved values, not unsaved changes", arguments: StoreKind.all)
    func storeOnly(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        firm.person("Ada").setValue("Lovelace", forKey: "name")
        firm.context.delete(firm.person("bob"))
        firm.insert("Person", ["name": "New"])
        let names = try firm.context.fetch(request("Person", ["name"])).compactMap { $0["name"] as? String }
        #expect(names.sorted() == firm.people.keys.sorted())
    }

    /// Proves: F45
    @Test("equal rows are given once when asked for", arguments: StoreKind.all)
    func distinct(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let ages = request("Person", ["age"], sortedBy: "age")
        ages.predicate = NSPredicate(format: "age != nil")
        #expect(try firm.context.fetch(ages).count == 7)
        ages.returnsDistinctResults = true
        #expect(try firm.context.fetch(ages).compactMap { $0["age"] as? Int } == [7, 20, 36, 40, 50, 65])
        ages.fetchLimit = 2
        ages.fetchOffset = 1
        #expect(try firm.context.fetch(ages).compactMap { $0["age"] as? Int } == [20, 36])
    }

    /// Proves: F47, F49
    @Test("sum, average, least, greatest and count make one row of all", arguments: StoreKind.all)
    func aggregates(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let rows = try firm.context.fetch(
            request(
                "Person",
                [
                    column("sum", "sum:", "age", .integer64AttributeType),
                    column("average", "average:", "age", .doubleAttributeType),
                    column("least", "min:", "age", .integer16AttributeType),
                    column("greatest", "max:", "age", .integer16AttributeType),
                    column("count", "count:", "age", .integer64AttributeType),
                    column("all", "count:", "name", .integer64AttributeType),
                    column("pay", "sum:", "salary", .doubleAttributeType),
                    column("last", "max:", "born", .dateAttributeType),
                    column("first", "min:", "name", .stringAttributeType),
                    column("whole", "average:", "age", .integer64AttributeType),
                ]))
        #expect(rows.count == 1)
        let row = try #require(rows.first)
        #expect(row["sum"] as? Int == 238)
        #expect(row["average"] as? Double == 34)
        #expect(row["least"] as? Int == 7)
        #expect(row["greatest"] as? Int == 65)
        #expect(row["count"] as? Int == 7)
        #expect(row["all"] as? Int == 8)
        #expect(row["whole"] as? Int == 34)
        #expect(abs((row["pay"] as? Double ?? 0) - 7260.35) < 1e-9)
        #expect(row["last"] as? Date == Date(timeIntervalSinceReferenceDate: Firm.day))
        #expect(row["first"] as? String == "Ada")
    }

    /// Decided by `fetch(_:)` of dictionaries with `count:` and `max:` over no rows.
    @Test("aggregates of nothing are zero or missing", .tags(.assumed), arguments: StoreKind.all)
    func aggregatesOfNothing(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let nothing = request(
            "Person",
            [
                column("count", "count:", "age", .integer64AttributeType),
                column("greatest", "max:", "age", .integer16AttributeType),
            ])
        nothing.predicate = NSPredicate(format: "FALSEPREDICATE")
        #expect(try firm.context.fetch(nothing) == [["count": 0] as NSDictionary])
    }

    @Test("groups have one row each, in the order asked for", arguments: StoreKind.all)
    func groups(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let count = column("count", "count:", "name", .integer64AttributeType)
        let oldest = column("oldest", "max:", "age", .integer16AttributeType)
        let groups = request("Person", ["department.name", count, oldest], sortedBy: "department.name")
        groups.propertiesToGroupBy = ["department.name"]
        groups.predicate = NSPredicate(format: "department != nil")
        #expect(
            try firm.context.fetch(groups) == [
                ["department.name": "Research", "count": 2, "oldest": 36] as NSDictionary,
                ["department.name": "Sales", "count": 4, "oldest": 65] as NSDictionary,
            ])
        let ages = request("Person", ["age", count], sortedBy: "age")
        ages.propertiesToGroupBy = ["age"]
        let rows = try firm.context.fetch(ages)
        #expect(rows.count == 7)
        #expect(rows[0] == ["count": 1] as NSDictionary)
        #expect(rows[2] == ["age": 20, "count": 2] as NSDictionary)
    }

    @Test("objects without a value are one group, however many they are", arguments: StoreKind.all)
    func groupOfNil(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        for number in 0..<60 {
            let book = shop.book("B\(number)", pages: number)
            book.setValue(number % 6 == 0 ? Double(number) : nil, forKey: "rating")
        }
        try shop.context.save()
        let count = column("count", "count:", "pages", .integer64AttributeType)
        let groups = request("Book", ["rating", count], sortedBy: "rating")
        groups.propertiesToGroupBy = ["rating"]
        let rows = try shop.context.fetch(groups)
        #expect(rows.count == 11)
        #expect(rows.first == ["count": 50] as NSDictionary)
        let ratings = request("Book", ["rating"], sortedBy: "rating")
        ratings.returnsDistinctResults = true
        #expect(try shop.context.fetch(ratings).count == 11)
    }

    /// Proves: F48
    @Test("decimals are grouped, and distinct", arguments: StoreKind.all)
    func decimals(kind: StoreKind) throws {
        let thing = NSEntityDescription("Thing")
        thing.attribute("price", .decimalAttributeType)
        let stack = try Stack(kind, NSManagedObjectModel(thing))
        for text in ["1.5", "2.25", "1.50"] {
            stack.insert("Thing").setValue(NSDecimalNumber(string: text), forKey: "price")
        }
        try stack.context.save()
        let prices = request("Thing", ["price"], sortedBy: "price")
        prices.returnsDistinctResults = true
        #expect(try stack.context.fetch(prices).map { "\($0["price"] ?? "none")" } == ["1.5", "2.25"])
        let groups = request(
            "Thing", ["price", column("count", "count:", "price", .integer64AttributeType)], sortedBy: "price")
        groups.propertiesToGroupBy = ["price"]
        #expect(try stack.context.fetch(groups).map { $0["count"] as? Int } == [2, 1])
    }

    /// Proves: F48. By key path it differs from Apple's on purpose.
    @Test("groups are chosen by their aggregates", arguments: StoreKind.all)
    func having(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let count = column("count", "count:", "name", .integer64AttributeType)
        let groups = request("Person", ["age", count], sortedBy: "age")
        groups.propertiesToGroupBy = ["age"]
        groups.havingPredicate = NSPredicate(format: "$count > 1")
        #expect(try firm.context.fetch(groups) == [["age": 20, "count": 2] as NSDictionary])
        groups.havingPredicate = NSPredicate(format: "age > 45")
        #expect(try firm.context.fetch(groups).compactMap { $0["age"] as? Int } == [50, 65])
        groups.havingPredicate = NSPredicate(format: "count:(name) > 1")
        #expect(try firm.context.fetch(groups) == [["age": 20, "count": 2] as NSDictionary])
    }

    /// Proves: F48
    @Test("text in a condition on groups is the number that it spells", arguments: StoreKind.all)
    func havingText(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let count = column("count", "count:", "name", .integer64AttributeType)
        let groups = request("Person", ["age", count], sortedBy: "age")
        groups.propertiesToGroupBy = ["age"]
        for (format, ages) in [
            ("$count > '1'", [20]), ("NOT ('1' == $count)", [20]), ("count IN {'2', '3'}", [20]),
            ("count:(name) == '2'", [20]), ("sum:(age) == '40'", [20, 40]), ("age > '45'", [50, 65]),
            ("max:(age) BETWEEN {'45', '60'}", [50]), ("$count == 'two'", []),
        ] {
            groups.havingPredicate = NSPredicate(format: format)
            #expect(try firm.context.fetch(groups).compactMap { $0["age"] as? Int } == ages, "\(format)")
        }
    }

    /// Proves: C8
    @Test("groups are those of the store, without unsaved changes, in a child as well", arguments: StoreKind.all)
    func havingWithChanges(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let count = column("count", "count:", "name", .integer64AttributeType)
        let groups = request("Person", ["age", count], sortedBy: "age")
        groups.propertiesToGroupBy = ["age"]
        groups.havingPredicate = NSPredicate(format: "$count > 1 AND age > 0")
        let parent = firm.stack.newContext(.privateQueueConcurrencyType)
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        try parent.performAndWait {
            for person in try parent.fetch(Firm.request()) { person.setValue(36, forKey: "age") }
        }
        for person in firm.people.values { person.setValue(65, forKey: "age") }
        firm.insert("Person", ["name": "New", "age": 20])
        #expect(try firm.context.fetch(groups) == [["age": 20, "count": 2] as NSDictionary])
        let found = try child.performAndWait { try child.fetch(groups) }
        #expect(found == [["age": 20, "count": 2] as NSDictionary])
        try firm.context.save()
        #expect(try firm.context.fetch(groups) == [["age": 65, "count": 8] as NSDictionary])
    }

    @Test("expressions of one row are calculated", arguments: StoreKind.all)
    func calculated(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let doubled = column("doubled", NSExpression(format: "age * 2"), .integer64AttributeType)
        let projects = column("projects", NSExpression(format: "projects.@count"), .integer64AttributeType)
        let rows = try firm.context.fetch(request("Person", [doubled, projects, "name"], sortedBy: "number"))
        #expect(rows[0] == ["doubled": 40, "projects": 1, "name": "Bob"] as NSDictionary)
        #expect(rows[5] == ["projects": 1, "name": "STRASSE"] as NSDictionary)
        #expect(rows[1]["projects"] as? Int == 2)
    }

    @Test("subentities are left out where the request says so", arguments: StoreKind.all)
    func subentities(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let rows = request("Employee", ["title"])
        rows.includesSubentities = false
        #expect(try firm.context.fetch(rows).count == 2)
        rows.includesSubentities = true
        #expect(try firm.context.fetch(rows).count == 4)
    }
}
