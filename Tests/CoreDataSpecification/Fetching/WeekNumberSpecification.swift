// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that numbers of weeks are those of the calendar, and sums those of all digits, in every store.

#if !canImport(ObjectiveC)
    import CoreData
    import CoreDataTestSupport
    import Foundation
    import Testing

    extension Book {
        fileprivate var published: Date? { value(forKey: "published") as? Date }
        fileprivate var price: Decimal? { value(forKey: "price") as? Decimal }
    }

    @Suite("Numbers of weeks, and long sums") struct WeekNumberSpecification {
        @Test("the first days of a year may be in the last week of the year before", arguments: StoreKind.all)
        func weeks(kind: StoreKind) throws {
            let shop = try Bookshop(in: kind)
            for text in ["2020-12-31", "2021-01-03", "2021-01-04", "2018-12-31", "2022-01-01"] {
                shop.book(text).setValue(try Date("\(text)T12:00:00Z", strategy: .iso8601), forKey: "published")
            }
            try shop.context.save()
            var calendar = Calendar(identifier: .iso8601)
            calendar.timeZone = .gmt
            let weeks = try shop.context.aggregate(
                Book.self, by: .component(.yearForWeekOfYear, of: \.published, in: calendar),
                .component(.weekOfYear, of: \.published, in: calendar)
            ) { $0.count }
            let found = Set(weeks.map { "\($0.key.0 ?? 0)-\($0.key.1 ?? 0): \($0.value)" })
            #expect(found == ["2019-1: 1", "2020-53: 2", "2021-1: 1", "2021-52: 1"])
        }

        @Test("a sum of decimals has all their digits", arguments: StoreKind.all.filter { $0 != .sqlite })
        func longSums(kind: StoreKind) throws {
            let shop = try Bookshop(in: kind)
            let prices = ["12345678901234567890.125", "0.0000000001", "-3", "98765432109876543210.875"]
            for price in prices { shop.book("Dune").setValue(NSDecimalNumber(string: price), forKey: "price") }
            try shop.context.save()
            let sum = NSExpressionDescription()
            sum.name = "sum"
            sum.expression = NSExpression(format: "sum:(price)")
            sum.expressionResultType = .decimalAttributeType
            let request = NSFetchRequest<NSDictionary>(entityName: "Book")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = [sum]
            let found = try shop.context.fetch(request).first?["sum"] as? NSDecimalNumber
            #expect(found?.stringValue == "111111111011111111098.0000000001")
        }
    }
#endif
