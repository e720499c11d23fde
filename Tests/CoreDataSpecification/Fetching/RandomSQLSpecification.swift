// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that SQL queries return the rows of fetches, and that changed statements never trap.

#if !canImport(ObjectiveC)
    import CoreData
    import CoreDataTestSupport
    import Foundation
    import Testing

    @Suite("Random SQL queries") struct RandomSQLSpecification {
        private func shop(_ random: inout SeededGenerator) throws -> Bookshop {
            let shop = try Bookshop(in: .sqlite)
            let authors = ["A", "B", "C"].map { shop.author($0) }
            for _ in 0..<60 {
                let book = shop.book(
                    ["b", "B", "a10", "é", "z"].randomElement(using: &random) ?? "",
                    pages: .random(in: 0..<9, using: &random),
                    by: random.chance(0.8) ? authors.randomElement(using: &random) : nil)
                if random.chance(0.7) {
                    book.setValue(Double.random(in: 0..<4, using: &random).rounded(), forKey: "rating")
                }
                if random.chance(0.7) {
                    let second = Double.random(in: 0..<9, using: &random).rounded()
                    book.setValue(Date(timeIntervalSinceReferenceDate: second), forKey: "published")
                }
            }
            try shop.context.save()
            return shop
        }

        @Test("a random condition finds the objects that a fetch finds")
        func conditions() throws {
            var random = SeededGenerator(seed: 7)
            let shop = try shop(&random)
            for step in 0..<120 {
                let pages = Int.random(in: 0..<9, using: &random)
                let date = Date(timeIntervalSinceReferenceDate: Double(Int.random(in: 0..<9, using: &random)))
                let title = ["b", "B", "a10", "é", "z"].randomElement(using: &random) ?? ""
                let list = [pages, pages / 2, 3]
                let rating = Double(pages / 2)
                let (query, format, arguments): (SQLQuery, String, [Any]) =
                    switch step % 8 {
                    case 0: ("SELECT objectID FROM Book WHERE pages > \(pages)", "pages > %@", [pages])
                    case 1:
                        (
                            "SELECT objectID FROM Book b WHERE b.author.name = \(title.uppercased()) OR pages = \(pages)",
                            "author.name == %@ OR pages == %@", [title.uppercased(), pages]
                        )
                    case 2: ("SELECT objectID FROM Book WHERE pages IN \(list)", "pages IN %@", [list])
                    case 3:
                        (
                            "SELECT objectID FROM Book WHERE published <= \(date) AND title = \(title)",
                            "published <= %@ AND title == %@", [date, title]
                        )
                    case 4:
                        (
                            "SELECT objectID FROM Book WHERE author IS NULL AND pages < \(pages)",
                            "author == nil AND pages < %@", [pages]
                        )
                    case 5: ("SELECT b.objectID FROM Book b WHERE rating IS NOT \(rating)", "rating != %@", [rating])
                    case 6:
                        (
                            "SELECT objectID FROM Book WHERE author IN (SELECT objectID FROM Author WHERE name > \(title.uppercased()))",
                            "author.name > %@", [title.uppercased()]
                        )
                    default:
                        (
                            "SELECT objectID FROM Book WHERE title BETWEEN \("a") AND \(title)",
                            "title >= 'a' AND title <= %@", [title]
                        )
                    }
                let request = Book.request()
                request.predicate = NSPredicate(format: format, argumentArray: arguments)
                let expected = Set(try shop.context.fetch(request))
                let found = try shop.context.rows(query, as: Book.self)
                #expect(Set(found) == expected, "\(step): \(query)")
                #expect(found.count == expected.count, "\(step): \(query)")
            }
        }

        @Test("changed statements give rows or an error of the query")
        func mutations() throws {
            var random = SeededGenerator(seed: 11)
            let shop = try shop(&random)
            let before = try Data(contentsOf: shop.stack.url)
            let seeds = [
                "SELECT author.name, count(*) FROM Book b WHERE b.pages > 3 AND b.author.name IN ('A', 'B') GROUP BY 1",
                "WITH x AS (SELECT title AS t FROM Book), y(a) AS (SELECT 1) SELECT t FROM x JOIN y ON t <> a",
                "SELECT \"title\", `pages`, [rating], x'00', 1e5, .5 FROM Book, (SELECT 1) s -- end\n ORDER BY 1 /* x */",
                "SELECT * FROM Book_tags JOIN Book ON Book = Book.objectID LEFT JOIN Author a ON a.objectID = Book.author",
            ]
            let pieces = [
                "(", ")", ",", ".", "'", "\"", "`", "[", "]", ";", "--", "/*", "*/", " FROM ", " SELECT ", " AS ",
                " IN ",
                " WITH ", "Book", "author", "*", "é", "\u{0}", "?", " UNION ", " JOIN ", " ON ", "objectID", "=", "1",
                "\n",
                " VALUES ", " EXPLAIN ", "🙂", "main.", "x'", " DISTINCT ", " BETWEEN ", " NOT ", " IS ",
            ]
            var (answers, errors) = (0, 0)
            for _ in 0..<1_500 {
                var text = Array(seeds.randomElement(using: &random) ?? "")
                for _ in 0..<Int.random(in: 1..<5, using: &random) {
                    let place = Int.random(in: 0...text.count, using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: text.insert(contentsOf: pieces.randomElement(using: &random) ?? "", at: place)
                    case 1: text.removeSubrange(place..<min(text.count, place + Int.random(in: 0..<9, using: &random)))
                    case 2: text.insert(contentsOf: text[place..<min(text.count, place + 12)], at: place)
                    default: text.swapAt(max(0, min(place, text.count - 1)), text.count / 2)
                    }
                    if text.isEmpty { text = ["x"] }
                }
                do {
                    _ = try shop.context.explain(SQLQuery(stringLiteral: String(text)))
                    // A product of more tables would take minutes.
                    if String(text).components(separatedBy: "Book").count < 4 {
                        _ = try shop.context.rows(SQLQuery(stringLiteral: String(text)), as: NSManagedObjectID?.self)
                    }
                    answers += 1
                } catch let error as SQLQueryError {
                    errors += error.description.isEmpty ? 0 : 1
                }
            }
            #expect(answers + errors == 1_500)
            #expect(errors > 500)
            #expect(try Data(contentsOf: shop.stack.url) == before)
        }
    }
#endif
