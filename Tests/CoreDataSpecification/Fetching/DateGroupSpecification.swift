// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States groups by parts of dates, means of decimals, and the first groups of an order: the same from every store.

#if !canImport(ObjectiveC)
    import CoreData
    import CoreDataTestSupport
    import Foundation
    import Testing

    extension Book {
        fileprivate var price: Decimal? { value(forKey: "price") as? Decimal }
        fileprivate var rating: Double? { value(forKey: "rating") as? Double }
        fileprivate var published: Date? { value(forKey: "published") as? Date }
        fileprivate var inPrint: Bool { value(forKey: "inPrint") as? Bool ?? false }
    }

    extension Author {
        fileprivate var born: Date? { value(forKey: "born") as? Date }
    }

    @Suite("Groups by parts of dates") struct DateGroupSpecification {
        private func calendar(
            _ zone: String, _ identifier: Calendar.Identifier = .gregorian, firstWeekday: Int = 2
        ) throws -> Calendar {
            var calendar = Calendar(identifier: identifier)
            calendar.timeZone = try #require(TimeZone(identifier: zone))
            calendar.firstWeekday = firstWeekday
            return calendar
        }

        private func date(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

        private func shop(_ kind: StoreKind, _ dates: [Date?]) throws -> Bookshop {
            let shop = try Bookshop(in: kind)
            for (number, date) in dates.enumerated() {
                shop.book("Book \(number)", pages: number).setValue(date, forKey: "published")
            }
            try shop.context.save()
            return shop
        }

        @Test("a period is its first instant in the calendar's time zone", arguments: StoreKind.all)
        func periods(kind: StoreKind) throws {
            let shop = try shop(
                kind,
                [
                    date("2024-12-31T22:59:59Z"), date("2024-12-31T23:00:00Z"), date("2025-03-30T12:00:00Z"), nil,
                    date("2025-03-31T12:00:00Z"), nil,
                ])
            let berlin = try calendar("Europe/Berlin")
            for isChanged in [false, true] {
                if isChanged { shop.book("Unsaved", pages: 7) }
                let years = try shop.context.aggregate(Book.self, by: .year(\.published, in: berlin)) { $0.count }
                #expect(
                    try years.map(\.key) == [nil, date("2023-12-31T23:00:00Z"), date("2024-12-31T23:00:00Z")])
                #expect(years.map(\.value) == [isChanged ? 3 : 2, 1, 3])
                let weeks = try shop.context.aggregate(
                    Book.self, where: #Predicate { $0.pages > 1 }, by: .week(\.published, in: berlin),
                    having: { $0.count(\.published) > 0 }
                ) { $0.max(\.pages) }
                #expect(try weeks.map(\.key) == [date("2025-03-23T23:00:00Z"), date("2025-03-30T22:00:00Z")])
                #expect(weeks.map(\.value) == [2, 4])
                let days = try shop.context.aggregate(
                    Book.self, by: .component(.weekday, of: \.published, in: berlin), .value(\.inPrint),
                    sort: { [$0.count.descending] }, limit: 2
                ) { $0.count }
                #expect(days.map(\.key.0) == [nil, 1])
                #expect(days.map(\.value) == [isChanged ? 3 : 2, 1])
            }
        }

        @Test("an hour that clocks repeat is two hours, in half hours, too", arguments: StoreKind.all)
        func repeatedHour(kind: StoreKind) throws {
            let repeated = try [
                date("2024-10-27T00:30:00Z"), date("2024-10-27T01:30:00Z"), date("2024-10-27T01:45:00Z"),
            ]
            let shop = try shop(kind, repeated)
            let hours = try shop.context.aggregate(
                Book.self, by: .hour(\.published, in: calendar("Europe/Berlin"))
            ) { $0.count }
            #expect(try hours.map(\.key) == [date("2024-10-27T00:00:00Z"), date("2024-10-27T01:00:00Z")])
            #expect(hours.map(\.value) == [1, 2])
            let india = try shop.context.aggregate(
                Book.self, by: .hour(\.published, in: calendar("Asia/Kolkata"))
            ) { $0.count }
            #expect(try india.map(\.key) == [date("2024-10-27T00:30:00Z"), date("2024-10-27T01:30:00Z")])
        }

        @Test("dates of any time have a part, also along a relationship", arguments: StoreKind.all)
        func farDates(kind: StoreKind) throws {
            let shop = try shop(kind, [.distantPast, .distantFuture, date("1890-05-05T00:00:00Z")])
            let utc = try calendar("UTC")
            let years = try shop.context.aggregate(
                Book.self, by: .component(.year, of: \.published, in: utc)
            ) { $0.count }
            #expect(years.map(\.key) == [1, 1890, 4001])
            let author = shop.author("Ada")
            author.setValue(try date("1815-12-10T08:00:00Z"), forKey: "born")
            for book in try shop.context.fetch(Book.request()) { book.author = author }
            try shop.context.save()
            let days = try shop.context.aggregate(Book.self, by: .day(\.author?.born, in: utc)) { $0.count }
            #expect(try days.map(\.key) == [date("1815-12-10T00:00:00Z")])
            #expect(days.map(\.value) == [3])
        }

        @Test("a component without groups is an error, and so is an attribute that is no date")
        func errors() throws {
            let shop = try shop(.sqlite, [])
            let utc = try calendar("UTC")
            let error = #expect(throws: AggregateError.self) {
                try shop.context.aggregate(Book.self, by: .component(.nanosecond, of: \.published, in: utc)) {
                    $0.count
                }
            }
            #expect(error?.reason == .unsupportedComponent)
            #expect(error?.propertyName == "published")
        }

        @Test("a quarter is three months of the calendar, also where Foundation's number is another one")
        func quarters() throws {
            for identifier in [Calendar.Identifier.gregorian, .iso8601, .japanese, .buddhist, .persian, .islamicCivil] {
                let calendar = try calendar("America/Sao_Paulo", identifier)
                let days = (0..<900).map { Date(timeIntervalSinceReferenceDate: Double($0) * 86_400 * 1.7 - 5e8) }
                let shop = try shop(.sqlite, days)
                let groups = try shop.context.aggregate(
                    Book.self, by: .quarter(\.published, in: calendar),
                    .component(.quarter, of: \.published, in: calendar)
                ) { (first: $0.min(\.published), last: $0.max(\.published), count: $0.count) }
                #expect(groups.map(\.value.count).reduce(0, +) == days.count)
                for group in groups {
                    let (start, number) = (try #require(group.key.0), group.key.1)
                    let (first, last) = (try #require(group.value.first), try #require(group.value.last))
                    #expect(calendar.component(.month, from: start) == (try #require(number) - 1) * 3 + 1)
                    #expect(calendar.startOfDay(for: start) == start && calendar.component(.day, from: start) == 1)
                    let end = try #require(calendar.date(byAdding: .month, value: 3, to: start))
                    #expect(start <= first && last < end, "\(identifier) \(start)")
                }
            }
        }

        @Test("a calendar with thirteen months has no quarters") func quartersOfThirteenMonths() throws {
            let shop = try shop(.sqlite, [])
            let hebrew = try calendar("UTC", .hebrew)
            let error = #expect(throws: AggregateError.self) {
                try shop.context.aggregate(Book.self, by: .quarter(\.published, in: hebrew)) { $0.count }
            }
            #expect(error?.reason == .unsupportedComponent && error?.propertyName == "published")
            #expect(error?.description.contains("'hebrew'") == true)
            let numbers = #expect(throws: AggregateError.self) {
                try shop.context.aggregate(
                    Book.self, by: .component(.quarter, of: \.published, in: hebrew)
                ) { $0.count }
            }
            #expect(numbers?.reason == .unsupportedComponent)
        }

        // MARK: Random

        private static let zones = [
            "UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "America/St_Johns",
            "America/Sao_Paulo", "Pacific/Apia", "Africa/Casablanca", "GMT+0130",
        ]

        private func dates(near zone: TimeZone, _ random: inout SeededGenerator) -> [Date?] {
            (0..<40).map { _ in
                if random.chance(0.1) { return nil }
                let day = Double(Int.random(in: -14_000..<14_000, using: &random))
                let start = Date(timeIntervalSinceReferenceDate: day * 86_400)
                let second = Double(Int.random(in: -90_000...90_000, using: &random))
                if random.chance(0.6), let transition = zone.nextDaylightSavingTimeTransition(after: start) {
                    return transition + second
                }
                return start + second
            }
        }

        private func check<Key: Hashable>(
            _ shop: Bookshop, _ key: AggregateKey<Book, Key>, _ place: String, expected: (Date?) -> Key
        ) throws {
            let groups = try shop.context.aggregate(Book.self, by: key) { ($0.count, $0.sum(\.pages)) }
            let books = Dictionary(grouping: try shop.context.fetch(Book.request())) { expected($0.published) }
            #expect(Set(groups.map(\.key)) == Set(books.keys), "\(place)")
            #expect(groups.count == books.count, "\(place)")
            for group in groups {
                let members = books[group.key] ?? []
                #expect(group.value == (members.count, members.map(\.pages).reduce(0, +)), "\(place)")
            }
            // The first groups are those of the whole list, in its order.
            let sorted = try shop.context.aggregate(Book.self, by: key, sort: { [$0.count.descending] }) { $0.count }
            let first = try shop.context.aggregate(
                Book.self, by: key, sort: { [$0.count.descending] }, limit: 3
            ) { $0.count }
            #expect(first.map(\.key) == Array(sorted.map(\.key).prefix(3)), "\(place)")
        }

        @Test("groups are those of a loop with the calendar, in any time zone and calendar", arguments: StoreKind.all)
        func random(kind: StoreKind) throws {
            // All stores without SQL group in one way, in memory: fewer zones do for each.
            for (seed, name) in Self.zones.enumerated() where kind == .sqlite || kind.isOnServer || seed % 3 == 0 {
                var random = SeededGenerator(seed: UInt64(seed))
                let identifier: Calendar.Identifier =
                    [.gregorian, .gregorian, .iso8601, .hebrew].randomElement(using: &random) ?? .gregorian
                let calendar = try calendar(name, identifier, firstWeekday: .random(in: 1...7, using: &random))
                let shop = try shop(kind, dates(near: calendar.timeZone, &random))
                for isChanged in [false, true] {
                    if isChanged { shop.book("Unsaved", pages: 3).setValue(Date(), forKey: "published") }
                    let place = "\(name) \(identifier) \(isChanged)"
                    func start(_ component: Calendar.Component) -> (Date?) -> Date? {
                        { date in date.map { calendar.dateInterval(of: component, for: $0)?.start ?? $0 } }
                    }
                    try check(shop, .year(\.published, in: calendar), place, expected: start(.year))
                    try check(shop, .month(\.published, in: calendar), place, expected: start(.month))
                    if identifier != .hebrew {
                        try check(shop, .quarter(\.published, in: calendar), place, expected: start(.quarter))
                        try check(
                            shop, .component(.quarter, of: \.published, in: calendar), "\(place) quarter",
                            expected: { $0.map { (calendar.component(.month, from: $0) + 2) / 3 } })
                    }
                    try check(shop, .week(\.published, in: calendar), place, expected: start(.weekOfYear))
                    try check(shop, .day(\.published, in: calendar), place, expected: start(.day))
                    try check(shop, .hour(\.published, in: calendar), place, expected: start(.hour))
                    for component in [
                        Calendar.Component.year, .month, .weekOfYear, .yearForWeekOfYear, .day, .dayOfYear, .weekday,
                        .hour, .minute,
                    ] {
                        try check(
                            shop, .component(component, of: \.published, in: calendar), "\(place) \(component)",
                            expected: { $0.map { calendar.component(component, from: $0) } })
                    }
                }
            }
        }

        // MARK: Means and windows

        @Test(
            "the mean of decimals has all digits of a decimal, in conditions and orders, too", arguments: StoreKind.all)
        func means(kind: StoreKind) throws {
            let shop = try Bookshop(in: kind)
            for (number, price) in ["0.1", "0.1", "0.2", "5", "7"].enumerated() {
                let book = shop.book(number < 3 ? "cheap" : "dear", pages: 1)
                book.setValue(NSDecimalNumber(string: price), forKey: "price")
            }
            shop.book("free", pages: 1)
            try shop.context.save()
            let third = try #require(Decimal(string: "0.4")) / 3
            for isChanged in [false, true] {
                if isChanged { shop.book("new", pages: 2) }
                let groups = try shop.context.aggregate(
                    Book.self, where: #Predicate { $0.pages == 1 }, by: \.title,
                    sort: { [$0.average(\.price).descending] }
                ) { $0.average(\.price) }
                #expect(groups.map(\.key) == ["dear", "cheap", "free"])
                #expect(groups.map(\.value) == [6, third, nil])
                let few = try shop.context.aggregate(
                    Book.self, by: \.title, having: { $0.average(\.price) < 6 && $0.count > 1 }, limit: 1
                ) { $0.average(\.price) }
                #expect(few.map(\.value) == [third])
                let all = try shop.context.aggregate(Book.self) { $0.average(\.price) }
                #expect(all == Decimal(string: "2.48"))
            }
        }

        @Test("the first groups are those of the whole list, for any order", arguments: StoreKind.all)
        func windows(kind: StoreKind) throws {
            let shop = try Bookshop(in: kind)
            var random = SeededGenerator(seed: 7)
            let authors = ["a", "B", "é", "z"].map { shop.author($0) }
            for _ in 0..<60 {
                let book = shop.book(["x", "X", "ä", "10", "9"].randomElement(using: &random) ?? "", pages: 0)
                book.pages = Int.random(in: 0..<4, using: &random)
                book.author = random.chance(0.8) ? authors.randomElement(using: &random) : nil
                if random.chance(0.7) { book.setValue(Double(book.pages) / 2, forKey: "rating") }
                if random.chance(0.7) { book.setValue(NSDecimalNumber(value: book.pages), forKey: "price") }
            }
            try shop.context.save()
            let orders: [(AggregateTerms<Book>) -> [AggregateOrder]] = [
                { [$0.count.descending] }, { [$0.sum(\.pages).ascending, $0.max(\.title).descending] },
                { [$0.average(\.rating).descending] }, { [$0.sum(\.price).ascending] },
                { [$0.min(\.rating).ascending] },
                { [$0.average(\.price).ascending] }, { _ in [] },
            ]
            for (number, order) in orders.enumerated() {
                let all = try shop.context.aggregate(Book.self, by: \.title, \.author?.name, sort: order) { $0.count }
                for limit in [0, 1, 5, 100] {
                    let first = try shop.context.aggregate(
                        Book.self, by: \.title, \.author?.name, sort: order, limit: limit
                    ) { $0.count }
                    #expect(first.map(\.key.0) == all.prefix(limit).map(\.key.0), "order \(number), limit \(limit)")
                    #expect(first.map(\.key.1) == all.prefix(limit).map(\.key.1), "order \(number), limit \(limit)")
                }
            }
        }
    }
#endif
