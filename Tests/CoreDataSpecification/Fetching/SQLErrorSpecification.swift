// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the errors of SQL queries: injections, writes, wrong names, results of other types, unsaved changes, stores.

#if !canImport(ObjectiveC)
    import CoreData
    import CoreDataTestSupport
    import Foundation
    import Testing

    @Suite("Errors of SQL queries") struct SQLErrorSpecification {
        private func shop(_ kind: StoreKind = .sqlite) throws -> Bookshop {
            let shop = try Bookshop(in: kind)
            shop.book("Dune", pages: 400, by: shop.author("Frank")).setValue(2.5, forKey: "rating")
            try shop.context.save()
            return shop
        }

        /// The error of a query; nil without one.
        private func error(
            _ context: NSManagedObjectContext, _ query: SQLQuery, in store: NSPersistentStore? = nil
        ) throws -> SQLQueryError? {
            do {
                _ = try context.rows(query, as: Int?.self, in: store)
                return nil
            } catch let error as SQLQueryError {
                return error
            }
        }

        private static let hostileQueries: [SQLQuery] = [
            "DELETE FROM ZBOOK", "UPDATE Book SET title = ''", "INSERT INTO Book VALUES (1)", "DROP TABLE ZBOOK",
            "ATTACH 'x.sqlite' AS y", "PRAGMA journal_mode = DELETE", "PRAGMA user_version", "VACUUM", "BEGIN",
            "WITH x AS (SELECT 1) DELETE FROM ZBOOK", "WITH x AS (SELECT 1) UPDATE ZBOOK SET ZPAGES = 1",
            "WITH x(a) AS (DELETE FROM ZBOOK RETURNING Z_PK) SELECT a FROM x",
            "SELECT count(*) FROM Book; DELETE FROM ZBOOK", "SELECT 1;;SELECT 2", ";SELECT 1", "",
            "EXPLAIN SELECT 1", "EXPLAIN QUERY PLAN SELECT 1", "/* SELECT 1 */", "-- SELECT 1",
            "SELECT count(*) FROM ZBOOK", "SELECT count(*) FROM main.ZBOOK", "SELECT count(*) FROM \"ZBOOK\"",
            "SELECT count(*) FROM 'ZBOOK'", "SELECT 1 WHERE 1 IN ZBOOK", "SELECT 1 WHERE 1 IN main.ZBOOK",
            "SELECT count(*) FROM Book, ZAUTHOR", "SELECT count(*) FROM (ZBOOK)", "SELECT count(*) FROM temp.x",
            "SELECT count(*) FROM sqlite_master", "SELECT name FROM sqlite_schema", "SELECT count(*) FROM Z_METADATA",
            "SELECT count(*) FROM pragma_table_info('ZBOOK')", "SELECT count(*) FROM pragma_database_list",
            "SELECT count(*) FROM dbstat", "SELECT count(*) FROM ATRANSACTION",
            "WITH z_metadata AS (SELECT 1) SELECT (WITH b AS (SELECT 1) SELECT 2), count(*) FROM main.z_metadata",
            "SELECT (WITH Z_METADATA AS (SELECT 1) SELECT 1) + (SELECT count(*) FROM Z_METADATA)",
            "SELECT (WITH ZAUTHOR AS (SELECT 1) SELECT 1) + (SELECT count(*) FROM ZAUTHOR)",
            "SELECT (WITH sqlite_master AS (SELECT 1) SELECT 1) + (SELECT count(*) FROM sqlite_master)",
            "SELECT (WITH pragma_database_list AS (SELECT 1) SELECT 1) + (SELECT count(*) FROM pragma_database_list)",
            "SELECT (WITH ZAUTHOR AS (SELECT 1) SELECT 1) + (SELECT max(ZNAME) FROM ZAUTHOR)",
            "SELECT load_extension('x')", "SELECT writefile('x', 'y')", "SELECT readfile('/etc/passwd')",
            "SELECT edit('x')", "SELECT fts3_tokenizer('x')", "SELECT sqlite_source_id()",
            "SELECT NSCoreDataTriggerUpdateAffectedObjectValue(1, 2, 3, 4, 5)", "SELECT last_insert_rowid()",
            "SELECT count(*) FROM Book WHERE pages = ?", "SELECT ?1", "SELECT :a", "SELECT @a", "SELECT $a",
            "SELECT count(*) FROM Book INDEXED BY ZBOOK_ZAUTHOR_INDEX", "SELECT 'a", "SELECT \"a", "SELECT [a",
            "SELECT 1\u{0}; DELETE FROM ZBOOK", "SELECT 1 /* \u{0} */",
        ]

        @Test("statements that do more than read entities are refused, and nothing changes")
        func hostile() throws {
            let shop = try shop()
            let before = try Data(contentsOf: shop.stack.url)
            for query in Self.hostileQueries {
                let error = try #require(try error(shop.context, query), "\(query)")
                #expect(
                    [.notOneSelect, .refused, .unknownName, .invalidStatement].contains(error.reason),
                    "\(query): \(error)")
                #expect(try shop.context.rows("SELECT count(*) FROM Book", as: Int.self) == [1], "\(query)")
            }
            #expect(try Data(contentsOf: shop.stack.url) == before)
        }

        @Test("hostile values stay values")
        func injections() throws {
            let shop = try shop()
            for text in [
                "' OR 1 = 1 --", "'; DELETE FROM ZBOOK; --", "\" OR 1 = 1", "?", "*/ OR 1 = 1 /*", "\u{0}' OR 1 = 1",
                "Dune' --", "%", ")) OR ((1 = 1",
            ] {
                #expect(
                    try shop.context.rows(
                        "SELECT count(*) FROM Book WHERE title = \(text) OR title IN \([text]) OR title > '~' || \(text)",
                        as: Int.self) == [0], "\(text)")
                #expect(try shop.context.rows("SELECT \(text)", as: String.self) == [text])
            }
        }

        @Test("a value inside of quotes, comments and names is refused")
        func hiddenValues() throws {
            let shop = try shop()
            let queries: [SQLQuery] = [
                "SELECT count(*) FROM Book WHERE title = '\("x")'", "SELECT \"\("x")\" FROM Book",
                "SELECT 1 /* \("x") */", "SELECT 1 -- \("x")", "SELECT [\("x")] FROM Book", "SELECT x'\("x")'",
                "SELECT `\("x")` FROM Book", "SELECT '%' || '\("x")%'",
            ]
            for query in queries {
                let error = try #require(try error(shop.context, query), "\(query)")
                #expect(error.reason == .unsupportedValue || error.reason == .notOneSelect, "\(error)")
            }
            let names: [SQLQuery] = ["SELECT count(*) FROM \("Book")", "SELECT count(*) FROM Bo\("x")ok"]
            for query in names { #expect(try error(shop.context, query) != nil, "\(query)") }
        }

        @Test("a wrong name has its place and the nearest name")
        func wrongNames() throws {
            let shop = try shop()
            let cases: [(SQLQuery, String, Int, Int, String)] = [
                ("SELECT count(*) FROM Bok", "Bok", 1, 22, "'Book'"),
                ("SELECT count(*)\nFROM Book b\nWHERE titel = 'x'", "titel", 3, 7, "'title'"),
                ("SELECT count(*) FROM Book WHERE \(1) = 1 AND b.title = 'x'", "b", 1, 43, "b"),
                ("SELECT autor.name FROM Book", "autor", 1, 8, "'author'"),
                ("SELECT author.nam FROM Book", "nam", 1, 15, "'name'"),
                ("SELECT b.author.nam FROM Book b", "nam", 1, 17, "'name'"),
                ("SELECT title.name FROM Book", "title", 1, 8, "to-one"),
                ("SELECT chapters.heading FROM Book", "chapters", 1, 8, "chapters"),
                ("SELECT b.chapters.heading FROM Book b", "chapters", 1, 10, "join 'Chapter'"),
                ("SELECT \"titel\" FROM Book", "titel", 1, 8, "'title'"),
                ("SELECT lenght(title) FROM Book", "lenght", 1, 8, "'length'"),
            ]
            for (query, name, line, column, hint) in cases {
                let error = try #require(try error(shop.context, query), "\(query)")
                #expect(error.reason == .unknownName, "\(error)")
                #expect(error.name == name, "\(error)")
                #expect(error.position.map { "\($0.line):\($0.column)" } ?? "none" == "\(line):\(column)", "\(error)")
                #expect(error.description.contains(hint), "\(error)")
            }
            let syntax = try #require(try error(shop.context, "SELECT count(*)\nFROM Book\nWHERE pages >"))
            #expect(syntax.reason == .invalidStatement)
            let place = try #require(try error(shop.context, "SELECT count(*) FROM Book\n  WHERE WHERE pages = \(1)"))
            #expect(place.position?.line == 2 && place.position?.column == 9)
            let twice = try #require(try error(shop.context, "SELECT author.name FROM Book a, Book b"))
            #expect(twice.reason == .invalidStatement && twice.description.contains("alias"))
        }

        @Test("a comparison that no row can meet is an error")
        func comparisons() throws {
            let shop = try shop()
            let author = try #require(try shop.context.fetch(Book.request()).first?.author)
            let queries: [SQLQuery] = [
                "SELECT count(*) FROM Book WHERE published > '2020-01-01'",
                "SELECT count(*) FROM Book WHERE published BETWEEN '2020-01-01' AND '2021-01-01'",
                "SELECT count(*) FROM Book WHERE \("2020-01-01") <= Book.published",
                "SELECT count(*) FROM Book WHERE identifier = \(UUID().uuidString)",
                "SELECT count(*) FROM Book WHERE cover IN \(["a"])",
                "SELECT count(*) FROM Book WHERE title = \(Data())",
                "SELECT count(*) FROM Book WHERE author = 'Frank'",
                "SELECT count(*) FROM Book WHERE author = \("Frank")",
                "SELECT count(*) FROM Book WHERE objectID = \(author)",
                "SELECT count(*) FROM Book WHERE pages = \(author)",
                "SELECT \(author)", "SELECT count(*) FROM Chapter WHERE book.author <> 'x'",
                "SELECT count(*) FROM Book WHERE rating = \(Double.nan)",
                "SELECT count(*) FROM Book WHERE pages = \(UInt64.max)",
            ]
            for query in queries {
                let error = try #require(try error(shop.context, query), "\(query)")
                #expect(error.reason == .unsupportedValue, "\(error)")
            }
            let unsaved = shop.author("New")
            let temporary = try #require(
                try error(shop.context, "SELECT count(*) FROM Tag WHERE objectID = \(unsaved)"))
            #expect(temporary.reason == .unsupportedValue)
        }

        @Test("results of another type or number are errors that name column and row")
        func results() throws {
            let shop = try shop()
            let context = shop.context
            let types = try #require(try error(context, "SELECT 1 UNION ALL SELECT 'x'"))
            #expect(types.reason == .unfitValue && types.row == 2 && types.name == "1")
            #expect(throws: SQLQueryError.self) { try context.rows("SELECT rating FROM Book", as: Int.self) }
            #expect(throws: SQLQueryError.self) { try context.rows("SELECT cover FROM Book", as: Data.self) }
            #expect(throws: SQLQueryError.self) { try context.rows("SELECT pages FROM Book", as: Int8.self) }
            #expect(throws: SQLQueryError.self) { try context.rows("SELECT pages FROM Book", as: Bool.self) }
            #expect(throws: SQLQueryError.self) { try context.rows("SELECT title FROM Book", as: UUID.self) }
            #expect(throws: SQLQueryError.self) { try context.rows("SELECT 1 << 62 | 1", as: Double.self) }
            #expect(throws: SQLQueryError.self) { try context.rows("SELECT 0.1", as: Float.self) }
            let count = try #require(try error(context, "SELECT title, pages FROM Book"))
            #expect(count.reason == .wrongColumns && count.description.contains("title, pages"))
            for query: SQLQuery in [
                "SELECT pages FROM Book", "SELECT objectID + 1 FROM Book", "SELECT max(objectID) FROM Book",
                "SELECT objectID FROM (SELECT objectID FROM Book)", "SELECT * FROM Book_tags", "VALUES (1)",
                "SELECT objectID FROM Book UNION SELECT objectID FROM Author", "SELECT title FROM Book",
            ] {
                #expect(throws: SQLQueryError.self, "\(query)") { try context.rows(query, as: NSManagedObjectID.self) }
            }
            #expect(throws: SQLQueryError.self) { try context.rows("SELECT objectID FROM Author", as: Book.self) }
            #expect(throws: SQLQueryError.self) { try context.rows("SELECT author FROM Book", as: Book.self) }
        }

        @Test("unsaved changes of a table that the statement reads are an error, also in a parent")
        func unsaved() throws {
            let shop = try shop()
            shop.tag("new")
            #expect(try shop.context.rows("SELECT count(*) FROM Book", as: Int.self) == [1])
            #expect(try error(shop.context, "SELECT count(*) FROM Tag")?.reason == .unsavedChanges)
            #expect(try error(shop.context, "SELECT count(*) FROM Book_tags")?.name == "Tag")
            shop.author("Other")
            #expect(try error(shop.context, "SELECT count(*) FROM Book")?.reason == nil)
            #expect(try error(shop.context, "SELECT author.name FROM Book")?.name == "Author")
            let book = try #require(try shop.context.fetch(Book.request()).first)
            shop.context.delete(book)
            #expect(try error(shop.context, "SELECT count(*) FROM Book")?.reason == .unsavedChanges)
            shop.context.rollback()
            #expect(try error(shop.context, "SELECT count(*) FROM Tag") == nil)
            let parent = shop.stack.newContext(.privateQueueConcurrencyType)
            let found = try parent.performAndWait {
                let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                child.parent = parent
                shop.tag("unsaved", in: parent)
                return try child.performAndWait {
                    try ["Tag", "Author"].map { name in
                        try error(child, name == "Tag" ? "SELECT count(*) FROM Tag" : "SELECT count(*) FROM Author")?
                            .reason
                    }
                }
            }
            #expect(found == [.unsavedChanges, nil])
        }

        @Test("stores without SQL queries say what to use", arguments: StoreKind.all)
        func kinds(kind: StoreKind) throws {
            let shop = try shop(kind)
            let error = try error(shop.context, "SELECT count(*) FROM Book")
            #expect(error?.reason == (kind == .sqlite ? nil : .unsupportedStore))
            #expect(kind == .sqlite || error?.description.contains("aggregate") == true)
        }

        @Test("a statement reads one store, which the call names if several have the entities")
        func severalStores() throws {
            let shop = try ManyStores(StoreMixture(kinds: [.sqlite, .inMemory, .sqlite], special: 0))
            try shop.context.save()
            #expect(try error(shop.context, "SELECT count(*) FROM Book")?.reason == .ambiguousStore)
            for (place, store) in shop.stores.enumerated() where place != 1 {
                #expect(
                    try shop.context.rows("SELECT title FROM Book", as: String.self, in: store) == ["\(place)"])
            }
            #expect(try error(shop.context, "SELECT 1", in: shop.stores[1])?.reason == .unsupportedStore)
            let book = try #require(shop.books.first)
            #expect(
                try error(shop.context, "SELECT count(*) FROM Book WHERE objectID = \(book)", in: shop.stores[2])?
                    .reason
                    == .unsupportedValue)
            let other = try Bookshop(in: .sqlite)
            #expect(try error(shop.context, "SELECT 1", in: other.stack.store)?.reason == .ambiguousStore)
        }

        @Test("a query ends when its task is cancelled")
        func cancellation() async throws {
            let task = Task {
                let stack = try Stack(.sqlite, BookshopModel.make())
                return try stack.context.rows(
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
                    as: Int.self)
            }
            task.cancel()
            let result = await task.result
            #expect(throws: CancellationError.self) { try result.get() }
        }
    }
#endif
