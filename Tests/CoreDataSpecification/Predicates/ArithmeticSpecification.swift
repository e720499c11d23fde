// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the results of arithmetic in predicates, columns, groups and batch requests: the same in every store.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

// Foundation has an unusable class of this name.
private typealias NSExpression = CoreData.NSExpression

@Suite("Arithmetic") struct ArithmeticSpecification {
    private static let quotients: [(format: String, numbers: [Int])] = [
        // Integers divide to integers, rounded towards zero, however they were computed.
        ("number / 2 == 1", [2, 3]), ("(number + 1) / 2 == 1", [1, 2]), ("number * 3 / 2 == 4", [3]),
        ("abs:(number) / 2 == 1", [-3, 2, 3]), ("-(number) / 2 == 1", [-3]), ("(number - 4) / 2 == -1", [1, 2]),
        ("7 / number == 3", [2]), ("7 / (number + 0) == -2", [-3]), ("(number + 1) / (number - 1) == 2", [3]),
        ("number / 2 / 2 * 4 == 0", [-3, 0, 1, 2, 3]), ("(isActive + 3) / 2 == 2", [1, 2, 3]),
        ("(reports.@count + 1) / 2 == 1", [0]), ("(reports.@sum.number + 1) / 2 == 1", [0, 1]),
        ("sum:(reports.number) / 2 == 1", [1]), ("max:(reports.number) / 2 == 1", [1]),
        ("SUBQUERY(reports, $r, $r.number > 0).@count / 2 == 1", [1]),
        ("TERNARY(number > 1, number, 5) / 2 == 2", [-3, 0, 1]), ("boss.number / 2 == 0", [1, 2, 3, -3]),
        ("(boss.number + number) / 2 == 1", [2]), ("modulus:by:(number, 2) == -1", [-3]),
        ("number & 2 == 2", [2, 3]), ("(9223372036854775807 + number) / 2 == 4611686018427387903", [0]),
        // A number that is not whole makes the quotient a real one.
        ("number / 2.0 == 1.5", [3]), ("(number + 0.0) / 2 == 0.5", [1]), ("(salary + 1) / 2 == 0.5", [0]),
        ("(reports.@avg.number + 1) / 2 == 0.5", [-3, 2, 3]), ("(born - boss.born) / 2000 == 0.5", [2, 3]),
        ("TERNARY(number > 1, salary, number) / 2 == 0", [0, 1]), ("balance / 2 == 1.5", [3]),
        ("(balance + 1) / 2 == 1.5", [2]),
        // A quotient of nil, and a division by zero, are nil.
        ("1 / number == nil", [0]), ("boss.number / 2 == nil", [0]), ("number / (number - number) == nil", all),
        ("modulus:by:(1, number) == nil", [0]),
        // Decimals are exact.
        ("cost + 0.1 == 0.3", [3]), ("cost * 3 == 0.6", [3]), ("cost + 1000000 - 1000000 == 0.2", [3]),
        ("reports.@sum.cost == 0.3", [0, 1]), ("cost - 0.3 == -0.1", [3]),
        // A date moves by seconds.
        ("born + 1000 > boss.born", [1, 2, 3]), ("born - 1 < %@", [-3, 0, 1]),
    ]
    private static let all = [-3, 0, 1, 2, 3]

    /// Five people: 0 is the boss of 1, 1 that of 2, 3 and -3.
    private struct People {
        let stack: Stack

        init(_ kind: StoreKind) throws {
            let person = NSEntityDescription("Person")
            person.attribute("number", .integer64AttributeType, optional: false, default: 0)
            person.attribute("salary", .doubleAttributeType)
            person.attribute("balance", .decimalAttributeType)
            person.attribute("cost", .decimalAttributeType)
            person.attribute("isActive", .booleanAttributeType, optional: false, default: false)
            person.attribute("born", .dateAttributeType)
            person.relate("boss", .one, to: person, inverse: "reports", .many)
            stack = try Stack(kind, NSManagedObjectModel(person))
            var people: [Int: NSManagedObject] = [:]
            for (number, boss) in [(0, nil), (1, 0), (2, 1), (3, 1), (-3, 1)] as [(Int, Int?)] {
                let person = stack.insert("Person")
                person.setValue(number, forKey: "number")
                person.setValue(Double(number) / 2, forKey: "salary")
                person.setValue(NSDecimalNumber(value: number), forKey: "balance")
                let cost = [1: "0.3", 2: "0.1", 3: "0.2"][number]
                if let cost { person.setValue(NSDecimalNumber(string: cost), forKey: "cost") }
                person.setValue(number >= 1, forKey: "isActive")
                person.setValue(Date(timeIntervalSinceReferenceDate: Double(number / 2) * 1000), forKey: "born")
                person.setValue(boss.flatMap { people[$0] }, forKey: "boss")
                people[number] = person
            }
            try stack.context.save()
        }

        func request<Result>(_ type: Result.Type, _ predicate: NSPredicate? = nil) -> NSFetchRequest<Result> {
            let request = NSFetchRequest<Result>(entityName: "Person")
            if Result.self == NSDictionary.self { request.resultType = .dictionaryResultType }
            request.predicate = predicate
            request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
            return request
        }

        func numbers(_ predicate: NSPredicate?) throws -> [Int] {
            try stack.context.fetch(request(NSManagedObject.self, predicate)).compactMap {
                $0.value(forKey: "number") as? Int
            }
        }
    }

    private static func column(_ name: String, _ expression: String, _ type: NSAttributeType? = nil)
        -> NSExpressionDescription
    {
        let description = NSExpressionDescription()
        description.name = name
        description.expression = NSExpression(format: expression)
        if let type { description.expressionResultType = type }
        return description
    }

    @Test("comparisons of computed numbers, saved, unsaved and in memory", arguments: StoreKind.all)
    func predicates(kind: StoreKind) throws {
        let people = try People(kind)
        let objects = try people.stack.context.fetch(people.request(NSManagedObject.self))
        for (format, numbers) in Self.quotients {
            let predicate = NSPredicate(
                format: format, argumentArray: [Date(timeIntervalSinceReferenceDate: 0)])
            let evaluated = objects.filter { predicate.evaluate(with: $0) }.map { $0.value(forKey: "number") as? Int }
            #expect(evaluated == numbers.sorted(), "\(format), in memory")
            #expect(try people.numbers(predicate) == numbers.sorted(), "\(format)")
        }
    }

    @Test("columns of dictionaries divide alike", arguments: StoreKind.all)
    func columns(kind: StoreKind) throws {
        let people = try People(kind)
        let request = people.request(NSDictionary.self)
        request.propertiesToFetch = [
            Self.column("half", "(number + 1) / 2"), Self.column("real", "(number + 1) / 2", .doubleAttributeType),
            Self.column("exact", "number / 2.0"), Self.column("cut", "number / 2.0", .integer64AttributeType),
            Self.column("cost", "cost + 0.1"), Self.column("later", "born + 1"),
        ]
        let rows = try people.stack.context.fetch(request)
        #expect(rows.map { $0["half"] as? Int } == [-1, 0, 1, 1, 2])
        #expect(rows.map { $0["real"] as? Double } == [-1, 0, 1, 1, 2])
        #expect(rows.map { $0["exact"] as? Double } == [-1.5, 0, 0.5, 1, 1.5])
        #expect(rows.map { $0["cut"] as? Int } == [-1, 0, 0, 1, 1])
        #expect(rows.map { ($0["cost"] as? NSNumber)?.stringValue } == [nil, nil, "0.4", "0.2", "0.3"])
        #expect(rows.map { ($0["later"] as? Date)?.timeIntervalSinceReferenceDate } == [-999, 1, 1, 1001, 1001])
    }

    /// Proves: F48
    @Test("groups and conditions on them divide alike", arguments: StoreKind.all)
    func groups(kind: StoreKind) throws {
        let people = try People(kind)
        let request = NSFetchRequest<NSDictionary>(entityName: "Person")
        request.resultType = .dictionaryResultType
        request.propertiesToGroupBy = ["isActive"]
        let sum = Self.column("sum", "sum:(number)")
        let real = Self.column("real", "sum:(number)", .doubleAttributeType)
        request.propertiesToFetch = [
            "isActive", sum, real, Self.column("halves", "sum:(number / 2)"), Self.column("costs", "sum:(cost)"),
            Self.column("mean", "average:(number + 1)"),
        ]
        let cases: [(having: String, isActive: [Bool])] = [
            ("sum:(number) / 4 == 1", [true]), ("$sum / 4 == 1", [true]), ("$real / 4 == 1.5", [true]),
            ("sum:(number) / 2 == -1", [false]), ("sum:(number / 2) == 2", [true]), ("max:(number) / 2 == 1", [true]),
            ("count:(number) / 2 == 1", [false, true]), ("sum:(cost) == 0.6", [true]),
            ("average:(number) / 4 == 0.5", [true]), ("average:(number) == -1.5", [false]),
        ]
        for (having, isActive) in cases {
            request.havingPredicate = NSPredicate(format: having)
            let rows = try people.stack.context.fetch(request)
            #expect(Set(rows.map { $0["isActive"] as? Bool }) == Set(isActive), "\(having)")
        }
        request.havingPredicate = NSPredicate(format: "isActive == YES")
        let row = try #require(try people.stack.context.fetch(request).first)
        #expect(row["halves"] as? Int == 2)
        #expect((row["costs"] as? NSNumber)?.stringValue == "0.6")
        #expect(row["mean"] as? Double == 3)
    }

    @Test(
        "a function of members is one value for each row, a function of rows is one for all", arguments: StoreKind.all)
    func membersAndRows(kind: StoreKind) throws {
        let people = try People(kind)
        let request = people.request(NSDictionary.self)
        request.propertiesToFetch = [
            "number", Self.column("reports", "count:(reports)"), Self.column("most", "max:(reports.number)"),
        ]
        let rows = try people.stack.context.fetch(request)
        #expect(rows.map { $0["reports"] as? Int } == [0, 1, 3, 0, 0])
        #expect(rows.map { $0["most"] as? Int } == [nil, 1, 3, nil, nil])
        request.sortDescriptors = nil
        request.propertiesToFetch = [
            Self.column("isLarge", "TERNARY(max:(number) > 2, 1, 0)"), Self.column("count", "count:(number)"),
        ]
        #expect(try people.stack.context.fetch(request) == [["isLarge": 1, "count": 5] as NSDictionary])
    }

    /// Three tills with the sums 12345678901234.560000012345678, the same with 9 at the end, and 12345678901234.56: as
    /// real numbers they are equal.
    private func tills(_ kind: StoreKind) throws -> Stack {
        let sale = NSEntityDescription("Sale")
        sale.attribute("amount", .decimalAttributeType)
        let till = NSEntityDescription("Till")
        till.attribute("name", .stringAttributeType)
        till.relate("sales", .many, to: sale, inverse: "till", .one)
        let stack = try Stack(kind, NSManagedObjectModel(sale, till))
        let amounts = ["a": ["0.000000012345678"], "b": ["0.000000012345679"], "c": []]
        for (name, rest) in amounts {
            let till = stack.insert("Till")
            till.setValue(name, forKey: "name")
            for amount in ["12345678901234.56"] + rest {
                stack.insert("Sale").setValuesForKeys(["amount": NSDecimalNumber(string: amount), "till": till])
            }
        }
        try stack.context.save()
        stack.context.reset()
        return stack
    }

    private static func decimal(_ text: String) -> NSDecimalNumber { NSDecimalNumber(string: text) }

    private static let sum = "12345678901234.56000001234567"

    @Test("conditions on sums, means and products of decimals compare all digits", arguments: StoreKind.all)
    func longDecimals(kind: StoreKind) throws {
        let stack = try tills(kind)
        let cases: [(format: String, value: Any, names: String)] = [
            ("sales.@sum.amount == %@", Self.decimal(Self.sum + "9"), "b"),
            ("sales.@sum.amount != %@", Self.decimal(Self.sum + "9"), "ac"),
            ("sales.@sum.amount > %@", Self.decimal("12345678901234.56"), "ab"),
            ("sales.@sum.amount <= %@", Self.decimal(Self.sum + "8"), "ac"),
            ("sales.@sum.amount IN %@", [Self.decimal(Self.sum + "8"), Self.decimal("1")], "a"),
            ("NOT sales.@sum.amount IN %@", [Self.decimal(Self.sum + "8"), Self.decimal("1")], "bc"),
            ("sales.@sum.amount BETWEEN %@", [Self.decimal(Self.sum + "85"), Self.decimal(Self.sum + "95")], "b"),
            ("sales.@avg.amount == %@", Self.decimal("6172839450617.280000006172839"), "a"),
            (
                "SUBQUERY(sales, $s, $s.amount * $s.amount == %@).@count == 1 AND sales.@count == 1",
                Self.decimal("152415787532388172687092138.3936"), "c"
            ),
            (
                "SUBQUERY(sales, $s, $s.amount * $s.amount == %@).@count == 1 AND sales.@count == 1",
                Self.decimal("152415787532388172687092138.3937"), ""
            ),
            (
                "SUBQUERY(sales, $s, abs:(0 - $s.amount * 3.000000000000001) == %@).@count == 1",
                Self.decimal("37037036703703.69234567890123456"), "abc"
            ),
            (
                "SUBQUERY(sales, $s, $s.amount + 0.000000012345678 == %@).@count == 1", Self.decimal(Self.sum + "8"),
                "abc"
            ),
        ]
        let request = NSFetchRequest<NSManagedObject>(entityName: "Till")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let objects = try stack.context.fetch(request)
        for (format, value, names) in cases {
            let predicate = NSPredicate(format: format, argumentArray: [value])
            let evaluated = objects.filter { predicate.evaluate(with: $0) }
            #expect(
                evaluated.compactMap { $0.value(forKey: "name") as? String }.joined() == names, "\(format), in memory")
            request.predicate = predicate
            let found = try stack.context.fetch(request).compactMap { $0.value(forKey: "name") as? String }
            #expect(found.joined() == names, "\(format)")
        }
    }

    /// Proves: F48
    @Test("groups have sums, means and extremes of decimals with all digits", arguments: StoreKind.all)
    func longDecimalsOfGroups(kind: StoreKind) throws {
        let stack = try tills(kind)
        let request = NSFetchRequest<NSDictionary>(entityName: "Sale")
        request.resultType = .dictionaryResultType
        request.propertiesToGroupBy = ["till.name"]
        request.propertiesToFetch = [
            "till.name", Self.column("sum", "sum:(amount)"), Self.column("mean", "average:(amount)"),
            Self.column("most", "max:(amount + 0.000000012345678)"), Self.column("least", "min:(amount * 1.1)"),
            Self.column("double", "sum:(amount)", .doubleAttributeType),
        ]
        func rows(_ having: String, _ value: Any) throws -> [NSDictionary] {
            request.havingPredicate = NSPredicate(format: having, argumentArray: [value])
            return try stack.context.fetch(request)
                .sorted { ($0["till.name"] as? String ?? "") < ($1["till.name"] as? String ?? "") }
        }
        let all = try rows("sum:(amount) > %@", 0)
        func texts(_ key: String) -> [String?] { all.map { ($0[key] as? NSNumber)?.stringValue } }
        #expect(texts("sum") == [Self.sum + "8", Self.sum + "9", "12345678901234.56"])
        #expect(
            texts("mean") == ["6172839450617.280000006172839", "6172839450617.2800000061728395", "12345678901234.56"])
        #expect(texts("most") == Array(repeating: Self.sum + "8", count: 3))
        #expect(texts("least") == ["0.0000000135802458", "0.0000000135802469", "13580246791358.016"])
        #expect(all.map { $0["double"] as? Double } == Array(repeating: 12_345_678_901_234.56, count: 3))
        #expect(
            try rows("sum:(amount) == %@", Self.decimal(Self.sum + "9")).map { $0["till.name"] as? String } == ["b"])
        #expect(
            try rows("average:(amount) < %@", Self.decimal("6172839450617.2800000061728391"))
                .map { $0["till.name"] as? String } == ["a"])
        let together = NSFetchRequest<NSDictionary>(entityName: "Sale")
        together.resultType = .dictionaryResultType
        together.propertiesToFetch = [Self.column("sum", "sum:(amount)")]
        let total = try #require(try stack.context.fetch(together).first?["sum"] as? NSNumber)
        #expect(total.stringValue == "37037036703703.680000024691357")
    }

    /// Proves: B9
    @Test("a batch update writes a sum of decimals, as its column can hold it", arguments: StoreKind.all)
    func longDecimalsOfUpdates(kind: StoreKind) throws {
        let stack = try tills(kind)
        let update = NSBatchUpdateRequest(
            "Sale", where: "amount < 1", ["amount": NSExpression(format: "amount + 12345678901234.56")])
        try stack.context.execute(update)
        let found = try stack.stored(NSFetchRequest<NSManagedObject>(entityName: "Sale")) { sale in
            (sale.value(forKey: "amount") as? NSNumber).flatMap { Double($0.stringValue) }
        }
        #expect(found == Array(repeating: 12_345_678_901_234.56, count: 5))
    }

    /// Proves: B9
    @Test("batch updates divide alike, and refuse a number that the attribute cannot hold", arguments: StoreKind.all)
    func batchUpdates(kind: StoreKind) throws {
        let people = try People(kind)
        let context = people.stack.context
        func update(_ key: String, _ expression: String, where format: String) throws {
            let request = NSBatchUpdateRequest("Person", where: format, [key: NSExpression(format: expression)])
            try context.execute(request)
            context.reset()
        }
        try update("number", "(number + 1) / 2", where: "(number + 1) / 2 == 2")
        #expect(try people.numbers(nil) == [-3, 0, 1, 2, 2])
        try update("number", "salary * 3", where: "number == 0 OR number == 1")
        #expect(try people.numbers(nil) == [-3, 0, 1, 2, 2])
        try update("salary", "(number + 3) / 2", where: "number == 2")
        try update("balance", "cost + 0.1", where: "cost != nil")
        let objects = try context.fetch(people.request(NSManagedObject.self))
        #expect(objects.map { $0.value(forKey: "salary") as? Double } == [-1.5, 0, 0.5, 2, 2])
        #expect(
            objects.filter { $0.value(forKey: "cost") != nil }.map { "\($0.value(forKey: "balance") ?? "-")" }.sorted()
                == ["0.2", "0.3", "0.4"])
        for expression in ["number + 9223372036854775807 + 1", "number * 1e300"] {
            let failure = code { try update("number", expression, where: "number == 2") }
            // Stores of users report several invalid objects as 1560.
            #expect(failure == NSCoreDataError || failure == 1560, "\(expression)")
        }
        #expect(code { try update("number", "1 / number", where: "number < 2") } == 1570)
        #expect(try people.numbers(nil) == [-3, 0, 1, 2, 2])
    }

    /// Proves: B23
    @Test("batch deletions divide alike", arguments: StoreKind.all)
    func batchDeletions(kind: StoreKind) throws {
        let people = try People(kind)
        try people.stack.context.execute(NSBatchDeleteRequest("Person", where: "(number + 1) / 2 == 1"))
        people.stack.context.reset()
        #expect(try people.numbers(nil) == [-3, 0, 3])
    }
}
