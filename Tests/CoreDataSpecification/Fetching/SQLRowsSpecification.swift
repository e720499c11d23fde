// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States SQL queries with the names of the model: columns, paths, values, results with types, and the plan.

// Apple's framework has no such feature.
#if !canImport(ObjectiveC)
    import CoreData
    import CoreDataTestSupport
    import Foundation
    import Testing

    @Suite("SQL queries") struct SQLRowsSpecification {
        private enum Size: Int, SQLConvertible { case short = 100, long = 400 }

        private func shop() throws -> Bookshop {
            let shop = try Bookshop(in: .sqlite)
            let (ada, bob) = (shop.author("Ada"), shop.author("Bob"))
            let tag = shop.tag("new")
            for (number, author) in [ada, ada, bob, nil, ada].enumerated() {
                let book = shop.book("Book \(number)", pages: number * 100, by: author)
                book.setValue(NSDecimalNumber(string: "0.1"), forKey: "price")
                if number > 0 {
                    book.setValue(Double(number) / 2, forKey: "rating")
                    book.setValue(Date(timeIntervalSinceReferenceDate: Double(number)), forKey: "published")
                }
                if number % 2 == 0 { book.tags = [tag] }
            }
            try shop.context.save()
            return shop
        }

        @Test("rows are tuples of the given types, grouped along a relationship")
        func tuples() throws {
            let shop = try shop()
            let least = 50
            let rows = try shop.context.rows(
                "SELECT author.name, count(*), sum(pages) FROM Book WHERE pages > \(least) GROUP BY 1 ORDER BY 1",
                as: (String?, Int, Int).self)
            #expect(rows.map(\.0) == [nil, "Ada", "Bob"])
            #expect(rows.map(\.1) == [1, 2, 1])
            #expect(rows.map(\.2) == [300, 500, 200])
        }

        @Test("one column is a list of values")
        func single() throws {
            let shop = try shop()
            #expect(try shop.context.rows("SELECT count(*) FROM Book", as: Int.self) == [5])
            #expect(
                try shop.context.rows("SELECT name FROM Author ORDER BY name DESC", as: String.self) == ["Bob", "Ada"])
            #expect(try shop.context.rows("SELECT title FROM Book WHERE pages < 0", as: String.self) == [])
        }

        @Test("each type of attribute comes back as it was saved, and is found by its value")
        func types() throws {
            let shop = try Bookshop(in: .sqlite)
            let book = shop.book("Ünï 'code'\u{0}\"", pages: -7)
            let (date, identifier) = (Date(timeIntervalSinceReferenceDate: 12_345.678_9), UUID())
            let page = try #require(URL(string: "https://example.org/a?b=c"))
            let (price, cover) = (try #require(Decimal(string: "19.99")), Data([0, 1, 2, 255]))
            book.setValue(NSDecimalNumber(decimal: price), forKey: "price")
            book.setValue(0.1 + 0.2, forKey: "rating")
            book.setValue(date, forKey: "published")
            book.setValue(false, forKey: "inPrint")
            book.setValue(cover, forKey: "cover")
            book.setValue(identifier, forKey: "identifier")
            book.setValue(page, forKey: "page")
            try shop.context.save()
            let rows = try shop.context.rows(
                """
                SELECT title, pages, price, rating, published, inPrint, cover, identifier, page FROM Book
                WHERE title = \(book.title) AND pages IN \([-7, 8]) AND price = \(price) AND rating = \(0.1 + 0.2)
                    AND published = \(date) AND inPrint = \(false) AND cover = \(cover) AND identifier = \(identifier)
                    AND page = \(page) AND \(Optional<Int>.none) IS NULL
                """, as: (String, Int16, Decimal, Double, Date, Bool, Data, UUID, URL).self)
            let row = try #require(rows.first)
            #expect(rows.count == 1)
            #expect(row.0 == book.title && row.1 == -7 && row.2 == price)
            #expect(row.3 == 0.1 + 0.2 && row.4 == date && !row.5)
            #expect(row.6 == cover && row.7 == identifier && row.8 == page)
        }

        @Test("values of an enumeration convert by their raw value")
        func enumerations() throws {
            let shop = try shop()
            let sizes = try shop.context.rows("SELECT pages FROM Book WHERE pages = \(Size.long)", as: Size.self)
            #expect(sizes == [.long])
        }

        @Test("objects and ids are results, and values of comparisons")
        func objects() throws {
            let shop = try shop()
            let books = try shop.context.fetch(Book.request()).sorted { $0.pages < $1.pages }
            let ada = try #require(books[0].author)
            let found = try shop.context.rows(
                "SELECT objectID, author FROM Book WHERE author = \(ada) ORDER BY pages",
                as: (Book, Author?).self)
            #expect(found.map(\.0) == [books[0], books[1], books[4]])
            #expect(found.allSatisfy { $0.1 === ada })
            let ids = try shop.context.rows(
                "SELECT b.author AS writer FROM Book b WHERE b.objectID IN \(books.map(\.objectID)) ORDER BY b.pages",
                as: NSManagedObjectID?.self)
            #expect(ids == books.map { $0.author?.objectID })
            let many = Array(repeating: books[0].objectID, count: 5_000) + [books[1].objectID]
            #expect(try shop.context.rows("SELECT count(*) FROM Book WHERE objectID IN \(many)", as: Int.self) == [2])
            let none: [Int] = []
            #expect(try shop.context.rows("SELECT count(*) FROM Book WHERE pages IN \(none)", as: Int.self) == [0])
            #expect(
                try shop.context.rows("SELECT count(*) FROM Book WHERE pages IN \(Array(0..<9_000))", as: Int.self) == [
                    5
                ])
        }

        @Test("subentities are rows of their superentity, with their own entity in results")
        func inheritance() throws {
            let stack = try Stack(.sqlite, EmployeesModel.make())
            let department = stack.insert("Department")
            department.setValue("Sales", forKey: "name")
            for (name, entity) in [("Ann", "Employee"), ("Ben", "Manager"), ("Cem", "Employee")] {
                let person = stack.insert(entity)
                person.setValue(name, forKey: "name")
                person.setValue(department, forKey: "department")
            }
            try stack.context.save()
            let people = try stack.context.fetch(NSFetchRequest<Person>(entityName: "Person"))
            let boss = try #require(people.first { $0 is Manager })
            for person in people where person !== boss { person.setValue(boss, forKey: "manager") }
            try stack.context.save()
            let context = stack.newContext()
            let rows = try context.rows(
                "SELECT p.objectID, entity, name FROM Person p ORDER BY name",
                as: (NSManagedObjectID, String, String).self)
            #expect(rows.map(\.1) == ["Employee", "Manager", "Employee"])
            #expect(rows.map(\.0.entity.name) == rows.map(\.1))
            #expect(rows.map(\.0) == people.sorted { ($0.name ?? "") < ($1.name ?? "") }.map(\.objectID))
            #expect(try context.rows("SELECT count(*) FROM Manager", as: Int.self) == [1])
            #expect(
                try context.rows("SELECT name FROM Employee WHERE manager = \(boss)", as: String.self).sorted()
                    == ["Ann", "Cem"])
            let managers = try context.rows(
                "SELECT DISTINCT manager, manager.name, manager.department.name FROM Employee WHERE manager IS NOT NULL",
                as: (Manager, String, String).self)
            let all = try context.rows(
                "SELECT objectID, n.* FROM (SELECT 1 AS one, 2 AS two) n, Person WHERE name = \("Ben")",
                as: (NSManagedObjectID, Int, Int).self)
            #expect(all.map(\.0) == [boss.objectID])
            #expect(all.map(\.2) == [2])
            #expect(managers.map(\.1) == ["Ben"])
            #expect(managers.map(\.2) == ["Sales"])
            #expect(managers.map(\.0.objectID) == [boss.objectID])
        }

        @Test("many-to-many relationships are tables")
        func links() throws {
            let shop = try shop()
            #expect(
                try shop.context.rows(
                    "SELECT Book.title FROM Book_tags JOIN Book ON Book = Book.objectID WHERE tags.name = \("new") ORDER BY 1",
                    as: String.self) == ["Book 0", "Book 2", "Book 4"])
            let tags = try shop.context.rows("SELECT DISTINCT tags FROM Book_tags", as: Tag.self)
            #expect(tags.map(\.name) == ["new"])
        }

        @Test("joins, window functions, subqueries and common table expressions are SQLite's")
        func language() throws {
            let shop = try shop()
            let ranks = try shop.context.rows(
                """
                SELECT a.name, b.title, rank() OVER (PARTITION BY a.objectID ORDER BY b.pages DESC) AS place
                FROM Book AS b JOIN Author AS a ON b.author = a.objectID ORDER BY a.name, place
                """, as: (String, String, Int).self)
            #expect(ranks.map(\.1) == ["Book 4", "Book 1", "Book 0", "Book 2"])
            #expect(ranks.map(\.2) == [1, 2, 3, 1])
            let thick = try shop.context.rows(
                """
                WITH RECURSIVE steps(n) AS (SELECT 100 UNION ALL SELECT n + 100 FROM steps WHERE n < 400),
                    thick AS (SELECT title, pages FROM Book WHERE pages IN (SELECT n FROM steps))
                SELECT count(*), max(thick.pages) FROM thick -- a comment with 'quotes' and ?
                """, as: (Int, Int).self)
            #expect(thick.map(\.0) == [4])
            #expect(thick.map(\.1) == [400])
            #expect(
                try shop.context.rows(
                    """
                    SELECT name FROM Author a /* two books */
                    WHERE (SELECT count(*) FROM Book WHERE author = a.objectID AND author.name = a.name) > \(1);
                    """, as: String.self) == ["Ada"])
            #expect(
                try shop.context.rows(
                    "SELECT \"title\" FROM [Book] WHERE `pages` = 100 UNION SELECT 'x'", as: String.self)
                    == ["Book 1", "x"])
            #expect(
                try shop.context.rows(
                    "SELECT j.value FROM Book b, json_each('[1,2]') j WHERE b.pages = 0 ORDER BY 1", as: Int.self)
                    == [1, 2])
            #expect(try shop.context.rows("VALUES (1, 'a'), (2, 'b')", as: (Int, String).self).map(\.1) == ["a", "b"])
            #expect(
                try shop.context.rows(
                    "SELECT count(*) FROM Book WHERE author.name IS NOT DISTINCT FROM NULL", as: Int.self)
                    == [1])
        }

        @Test("a path works where a table has the name of a relationship, and where two tables have the relationship")
        func names() throws {
            let shop = try shop()
            #expect(
                try shop.context.rows(
                    "SELECT author.name FROM Book JOIN Author author ON Book.author = author.objectID WHERE pages = 0",
                    as: String.self) == ["Ada"])
            #expect(
                try shop.context.rows(
                    "SELECT one.author.name, two.author.name FROM Book one, Book two WHERE one.pages = 0 AND two.pages = 200",
                    as: (String, String).self
                ).map(\.1) == ["Bob"])
            #expect(
                try shop.context.rows("select BOOK.AUTHOR.NAME from book where PAGES = 0", as: String.self) == ["Ada"])
        }

        @Test("the plan shows the statement of the file, and that an index serves a condition")
        func plan() throws {
            let model = BookshopModel.make()
            let book = try #require(model.entitiesByName["Book"])
            book.indexes = [
                NSFetchIndexDescription(
                    name: "byPages",
                    elements: [
                        NSFetchIndexElementDescription(
                            property: try #require(book.propertiesByName["pages"]), collationType: .binary)
                    ])
            ]
            let stack = try Stack(.sqlite, model)
            let plan = try stack.context.explain("SELECT title FROM Book WHERE pages = \(7) AND author.name = \("x")")
            #expect(plan.sql.contains("main.ZBOOK AS R LEFT JOIN main.ZAUTHOR AS R1 ON R1.Z_PK = R.ZAUTHOR"))
            #expect(plan.sql.hasSuffix("WHERE pages = ? AND `author.name` = ?"))
            #expect("\(plan)".contains("byPages (ZPAGES=?)"), "\(plan)")
            #expect("\(plan)".contains("INTEGER PRIMARY KEY (rowid=?)"), "\(plan)")
        }

        @Test("rows are those of the context's query generation, and of the parents of a context")
        func moment() throws {
            let shop = try shop()
            let pinned = shop.stack.newContext()
            try pinned.setQueryGenerationFrom(.current)
            #expect(try pinned.rows("SELECT count(*) FROM Book", as: Int.self) == [5])
            shop.book("Later")
            try shop.context.save()
            #expect(try pinned.rows("SELECT count(*) FROM Book", as: Int.self) == [5])
            #expect(try shop.context.rows("SELECT count(*) FROM Book", as: Int.self) == [6])
            let parent = shop.stack.newContext(.privateQueueConcurrencyType)
            let (before, after, titles) = try parent.performAndWait {
                try parent.setQueryGenerationFrom(.current)
                let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                child.parent = parent
                let before = try child.performAndWait { try child.rows("SELECT count(*) FROM Book", as: Int.self) }
                shop.book("Latest")
                try shop.context.save()
                return try child.performAndWait {
                    let books = try child.rows("SELECT objectID FROM Book WHERE pages = 0", as: Book.self)
                    return (before, try child.rows("SELECT count(*) FROM Book", as: Int.self), books.map(\.title))
                }
            }
            #expect(before == [6])
            #expect(after == [6])
            #expect(titles == ["Book 0"])
        }

        @Test("statements of fetches work as before after a query")
        func afterwards() throws {
            let shop = try shop()
            for round in 0..<3 {
                #expect(try shop.context.count(for: Book.request()) == 5 + round)
                #expect(try shop.context.rows("SELECT count(*) FROM Book", as: Int.self) == [5 + round])
                shop.book("Another")
                try shop.context.save()
            }
        }
    }
#endif
