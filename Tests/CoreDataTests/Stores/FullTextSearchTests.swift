// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Searches of a SQLite store with full-text indexes: the index answers, with the answer of an evaluation in memory.

#if !canImport(ObjectiveC)
    import CoreDataTestSupport
    import Foundation
    import SQLiteDriver
    import Testing

    @testable import CoreData

    @Suite("Searches by full-text indexes") struct FullTextSearchTests {
        private static var on: [AnyHashable: Any] { [NSFullTextIndexOption: true] }

        /// Five papers in two folders; a letter has a sender, two papers have keywords with trigrams.
        private func papers(_ options: [AnyHashable: Any]? = FullTextSearchTests.on) throws -> Stack {
            let stack = try Stack(.sqlite, PapersModel.make(), options: options)
            func insert(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
                let object = stack.insert(entity)
                for (key, value) in values { object.setValue(value, forKey: key) }
                return object
            }
            let home = insert("Folder", ["name": "Home things"])
            let work = insert("Folder", ["name": "Work"])
            _ = insert(
                "Paper", ["number": 1, "title": "Swift on Linux", "body": "An open source language", "folder": home])
            _ = insert(
                "Paper",
                [
                    "number": 2, "title": "École", "body": "The swift bird is open to the wind", "keywords": "東京タワー",
                    "folder": home,
                ])
            _ = insert("Paper", ["number": 3, "folder": work])
            _ = insert(
                "Letter",
                [
                    "number": 4, "title": "Open letter", "body": "Dear reader", "sender": "Swift, Jonathan",
                    "folder": work,
                ])
            _ = insert("Paper", ["number": 5, "title": "open", "body": "source closed", "keywords": "SwiftUI"])
            try stack.context.save()
            return stack
        }

        private func request(_ format: String, _ arguments: [Any], entity: String = "Paper")
            -> NSFetchRequest<NSManagedObject>
        {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.predicate = NSPredicate(format: format, argumentArray: arguments)
            request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
            return request
        }

        private func numbers(_ request: NSFetchRequest<NSManagedObject>, _ context: NSManagedObjectContext) throws
            -> [Int]
        {
            try context.fetch(request).map { $0.value(forKey: "number") as? Int ?? -1 }
        }

        @Test("SQL answers searches of objects, attributes and related objects, in all combinations") func answers()
            throws
        {
            let stack = try papers()
            let cases: [(format: String, text: String, expected: [Int])] = [
                ("SELF MATCHING %@", "swift", [1, 2, 4, 5]),
                ("SELF MATCHING %@", "title: swift", [1]),
                ("SELF MATCHING %@", "sender: swift", [4]),
                ("SELF MATCHING %@", "{title body}: ecole OR \"open source\"", [1, 2]),
                ("SELF MATCHING %@", "open NOT swift", []),
                ("SELF MATCHING %@", "open NOT title: swift", [2, 4, 5]),
                ("SELF MATCHING %@", "^open", [4, 5]),
                ("SELF MATCHING %@", "NEAR(swift wind, 4)", []),
                ("SELF MATCHING %@", "NEAR(swift wind, 5)", [2]),
                ("SELF MATCHING %@", "lan*", [1]),
                ("SELF MATCHING %@", "京タワ", [2]),
                ("NOT SELF MATCHING %@", "swift", [3]),
                ("title MATCHING %@", "open", [4, 5]),
                ("NOT title MATCHING %@", "open", [1, 2, 3]),
                ("keywords MATCHING %@", "ftU", [5]),
                ("folder MATCHING %@", "home", [1, 2]),
                ("folder.name MATCHING %@", "thing*", [1, 2]),
                ("NOT folder MATCHING %@", "home", [3, 4, 5]),
                ("ANY folder.papers MATCHING %@", "reader", [3, 4]),
                ("ANY folder.papers.title MATCHING %@", "ecole", [1, 2]),
                ("ALL folder.papers.title MATCHING %@", "swift OR ecole", [1, 2, 5]),
                ("NONE folder.papers MATCHING %@", "reader", [1, 2, 5]),
                ("SUBQUERY(folder.papers, $p, $p MATCHING %@).@count > 0", "reader", [3, 4]),
                ("number > 1 AND SELF MATCHING %@ AND folder.name BEGINSWITH 'H'", "swift", [2]),
                ("number == 3 OR title MATCHING %@", "linux", [1, 3]),
            ]
            for (format, text, expected) in cases {
                let request = request(format, [text])
                #expect(try numbers(request, stack.newContext()) == expected, "\(format) \(text)")
                let explanation = try request.explain(in: stack.context)
                #expect(explanation.isAnsweredBySQL, "\(format) \(text): \(explanation)")
            }
            let sql = try #require(
                try request("SELF MATCHING %@", ["sender: a"]).explain(in: stack.context).stores.first?.sql)
            #expect(sql.contains("IN (SELECT rowid FROM OCD_FTS_ZPAPER WHERE OCD_FTS_ZPAPER MATCH ?)"))
            #expect(try stack.context.count(for: request("SELF MATCHING %@", ["open"])) == 4)
        }

        @Test("without an index, and for one or two characters of trigrams, memory has the same answer") func memory()
            throws
        {
            let stack = try papers(nil)
            let search = request("SELF MATCHING %@", ["open NOT title: swift"])
            #expect(try numbers(search, stack.newContext()) == [2, 4, 5])
            #expect(try !search.explain(in: stack.context).isAnsweredBySQL)
            try stack.reopen(options: Self.on)
            #expect(try search.explain(in: stack.context).isAnsweredBySQL)
            let short = request("SELF MATCHING %@", ["京タ"])
            #expect(try !short.explain(in: stack.context).isAnsweredBySQL)
            #expect(try numbers(short, stack.context) == [2])
            // Another process removes the index while this one has the store open.
            let (other, _) = try stack.secondCoordinator([NSFullTextIndexOption: false])
            try other.remove(other.persistentStores[0])
            #expect(try numbers(search, stack.newContext()) == [2, 4, 5])
        }

        @Test("the index ranks the first results as memory does") func ranking() throws {
            let stack = try Stack(.sqlite, PapersModel.make(), options: nil)
            var random = SeededGenerator(seed: 7)
            for number in 0..<120 {
                let paper = stack.insert(number % 3 == 0 ? "Letter" : "Paper")
                paper.setValue(number, forKey: "number")
                for key in ["title", "body"] { paper.setValue(RandomNotes.text(&random), forKey: key) }
            }
            try stack.context.save()
            let texts = [
                "open", "open source", "title: open OR sour*", "\"open source\" OR x1", "body: tokyo", "zzz", "a b",
            ]
            for entity in ["Paper", "Letter"] {
                for text in texts {
                    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                    (request.fetchLimit, request.fetchOffset) = (12, 3)
                    let query = try SearchQuery(text)
                    func results() throws -> [(number: Int, relevance: Double)] {
                        try stack.newContext().search(query, in: request).map {
                            ($0.object.value(forKey: "number") as? Int ?? -1, $0.relevance)
                        }
                    }
                    try stack.reopen(options: [NSFullTextIndexOption: false])
                    let expected = try results()
                    try stack.reopen(options: Self.on)
                    let found = try results()
                    #expect(found.map(\.number) == expected.map(\.number), "\(entity): \(text)")
                    let gaps = zip(found, expected).map { abs($0.relevance - $1.relevance) }
                    #expect((gaps.max() ?? 0) < 1e-9, "\(entity): \(text)")
                }
            }
        }

        @Test("a damaged index is passed over: the answer comes from the rows") func damagedIndex() throws {
            let stack = try papers()
            try FullTextFile(url: stack.url).execute(["DELETE FROM OCD_FTS_ZPAPER_data WHERE id > 10"])
            #expect(try numbers(request("SELF MATCHING %@", ["linux OR reader"]), stack.newContext()) == [1, 4])
        }

        @Test("a build that ends early leaves no index, and the next opening makes it") func endedBuild() throws {
            let stack = try papers(nil)
            for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
            let file = FullTextFile(url: stack.url)
            let schema = try Schema(model: PapersModel.make().compiledLayout(), in: file.inventory())
            var ended = 0
            for step in 1...40 {
                let connection = try Connection(url: stack.url)
                var calls = 0
                connection.setWatch(every: 20) {
                    calls += 1
                    return calls >= step * 3
                }
                do {
                    try SideIndexes<FullTextTable>(schema: schema).settle(.on, on: connection)
                } catch {
                    ended += 1
                    connection.setWatch(nil)
                    #expect(try file.names() == [])
                }
                connection.setWatch(nil)
                try connection.close()
            }
            #expect(ended > 3)
            let last = try Connection(url: stack.url)
            try SideIndexes<FullTextTable>(schema: schema).settle(.on, on: last)
            try last.close()
            #expect(try file.faults() == [])
            #expect(try file.keys(matching: "linux", in: "OCD_FTS_ZPAPER") == [1])
        }

        @Test("after random changes an index answers random queries as an evaluation of each object does")
        func randomQueries() throws {
            var random = SeededGenerator(seed: 44)
            let stack = try Stack(.sqlite, PapersModel.make(), options: Self.on)
            let file = FullTextFile(url: stack.url)
            for round in 0..<12 {
                try change(stack, &random)
                #expect(try file.faults() == [], "round \(round)")
                // Unsaved changes count as well, and are saved or taken back in the next round.
                try edit(stack, &random)
                let papers = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Paper"))
                for _ in 0..<60 {
                    let text = RandomNotes.query(&random, depth: 3)
                    let request = request("SELF MATCHING %@", [text])
                    let expected = papers.filter { request.predicate?.evaluate(with: $0) ?? false }
                        .map { $0.value(forKey: "number") as? Int ?? -1 }.sorted()
                    #expect(try numbers(request, stack.context) == expected, "round \(round): \(text)")
                }
            }
        }

        /// Saves or takes back, and then changes rows by batch requests.
        private func change(_ stack: Stack, _ random: inout SeededGenerator) throws {
            if Bool.random(using: &random) { try stack.context.save() } else { stack.context.rollback() }
            for _ in 0..<8 { try edit(stack, &random) }
            try stack.context.save()
            let low = Int.random(in: 0..<500, using: &random)
            let condition = NSPredicate(format: "number BETWEEN %@", [low, low + 60])
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                let update = NSBatchUpdateRequest(entityName: "Paper")
                update.predicate = condition
                update.propertiesToUpdate = ["title": RandomNotes.text(&random) ?? ""]
                _ = try stack.context.execute(update)
            case 1:
                let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Paper")
                request.predicate = condition
                _ = try stack.context.execute(NSBatchDeleteRequest(fetchRequest: request))
            default:
                let number = Int.random(in: 0..<500, using: &random)
                _ = try stack.context.execute(
                    NSBatchInsertRequest(
                        entityName: "Letter",
                        objects: [["number": number, "sender": RandomNotes.text(&random) ?? "nobody"]]))
            }
            stack.context.reset()
        }

        private func edit(_ stack: Stack, _ random: inout SeededGenerator) throws {
            let papers = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Paper"))
            let roll = Int.random(in: 0..<10, using: &random)
            if roll < 5 || papers.isEmpty {
                let paper = stack.insert(Bool.random(using: &random) ? "Paper" : "Letter")
                paper.setValue(Int.random(in: 0..<500, using: &random), forKey: "number")
                for key in ["title", "body", "keywords"] { paper.setValue(RandomNotes.text(&random), forKey: key) }
            } else if roll < 8 {
                papers.randomElement(using: &random)?.setValue(RandomNotes.text(&random), forKey: "body")
            } else {
                papers.randomElement(using: &random).map(stack.context.delete)
            }
        }
    }

    /// Texts and queries of few words, so that most queries match some texts.
    private enum RandomNotes {
        private static let words = ["open", "Öpen", "source", "sour", "a", "tōkyō", "東京タワー", "x1", "it's", "AND"]

        /// nil for one of six.
        static func text(_ random: inout SeededGenerator) -> String? {
            let count = Int.random(in: 0..<6, using: &random)
            guard count > 0 else { return nil }
            return (0..<count).map { _ in words.randomElement(using: &random) ?? "" }.joined(separator: " ")
        }

        static func query(_ random: inout SeededGenerator, depth: Int) -> String {
            let roll = Int.random(in: 0..<(depth > 0 ? 12 : 5), using: &random)
            switch roll {
            case 0, 1: return phrase(&random)
            case 2: return phrase(&random) + "*"
            case 3: return "^" + phrase(&random)
            case 4:
                let distance = Int.random(in: 0..<4, using: &random)
                return "NEAR(\(phrase(&random)) \(phrase(&random)), \(distance))"
            case 5, 6: return "(\(query(&random, depth: depth - 1)) AND \(query(&random, depth: depth - 1)))"
            case 7, 8: return "(\(query(&random, depth: depth - 1)) OR \(query(&random, depth: depth - 1)))"
            case 9: return "(\(query(&random, depth: depth - 1)) NOT \(query(&random, depth: depth - 1)))"
            default:
                let columns = ["title", "body", "{title sender}", "keywords"]
                return "\(columns.randomElement(using: &random) ?? "title"): (\(query(&random, depth: depth - 1)))"
            }
        }

        private static func phrase(_ random: inout SeededGenerator) -> String {
            let count = Int.random(in: 1...2, using: &random)
            let text = (0..<count).map { _ in words.randomElement(using: &random) ?? "" }.joined(separator: " ")
            return "\"\(text)\""
        }
    }
#endif
