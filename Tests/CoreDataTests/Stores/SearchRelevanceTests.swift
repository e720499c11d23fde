// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Relevance by an index, or by counts that an index keeps, is that of a count of all texts.

#if !canImport(ObjectiveC)
    import CoreDataFoundation
    import CoreDataTestSupport
    import Foundation
    import SQLiteDriver
    import Testing

    @testable import CoreData

    /// Proves: Search-M6, Search-M8, Search-X4, SearchIndexes-10, SearchIndexes-11
    @Suite("Relevance by indexes") struct SearchRelevanceTests {
        private static var on: [AnyHashable: Any] { [NSFullTextIndexOption: true] }

        private static let queries = [
            "open", "open source", "title: open OR sour*", "\"open source\" OR x1", "body: x1", "zzz", "a a",
            "(open AND source) OR x1", "open NOT title: source", "NEAR(open source, 1)", "^open",
            "keywords: 東京タ OR open", "keywords: 東京", "sender: open",
        ]

        private static let words = ["open", "Öpen", "source", "sour", "a", "x1", "it's"]

        private func text(_ random: inout SeededGenerator) -> String? {
            let count = Int.random(in: 0..<7, using: &random)
            if count == 0 { return nil }
            return (0..<count).map { _ in Self.words.randomElement(using: &random) ?? "" }.joined(separator: " ")
        }

        private func change(_ paper: NSManagedObject, _ random: inout SeededGenerator) {
            for key in ["title", "body"] { paper.setValue(text(&random), forKey: key) }
            paper.setValue(Bool.random(using: &random) ? "東京タワー" : "東京都", forKey: "keywords")
        }

        private func fill(_ stack: Stack, _ random: inout SeededGenerator, _ numbers: Range<Int>) {
            for number in numbers {
                let paper = stack.insert(number % 3 == 0 ? "Letter" : "Paper")
                paper.setValue(number, forKey: "number")
                change(paper, &random)
                if number % 3 == 0 { paper.setValue(text(&random), forKey: "sender") }
            }
        }

        private func request(_ entity: String, _ format: String? = nil) -> NSFetchRequest<NSManagedObject> {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.predicate = format.map { NSPredicate(format: $0) }
            return request
        }

        private struct Found: Equatable {
            var number: Int
            var relevance: Double

            static func == (one: Found, other: Found) -> Bool {
                one.number == other.number && abs(one.relevance - other.relevance) < 1e-9
            }
        }

        private func found(_ results: [SearchResult<NSManagedObject>]) -> [Found] {
            results.map { Found(number: $0.object.value(forKey: "number") as? Int ?? -1, relevance: $0.relevance) }
        }

        /// The results by definition: all texts are counted, and objects of equal relevance are in the order of their
        /// keys.
        private func expected(
            _ query: SearchQuery, _ request: NSFetchRequest<NSManagedObject>, _ stored: [NSManagedObject],
            _ context: NSManagedObjectContext
        ) throws -> [Found] {
            let all = try context.fetch(request)
            guard let layout = (stored.first ?? all.first)?.table.layout, let search = try layout.resolved(query) else {
                return []
            }
            var statistics = SearchStatistics(search)
            for paper in stored { try statistics.add(SearchedTexts(of: paper), paper.table.layout.objectColumns) }
            var rows: [(key: UInt64, found: Found)] = []
            for paper in all where try SearchedTexts(of: paper).matches(search) {
                let relevance = try statistics.relevance(of: SearchedTexts(of: paper), paper.table.layout.objectColumns)
                let number = paper.value(forKey: "number") as? Int ?? -1
                let isNew = paper.objectID.isTemporaryID
                rows.append(
                    (UInt64(paper.key.magnitude) + (isNew ? 1 << 40 : 0), Found(number: number, relevance: relevance)))
            }
            rows.sort { one, other in
                let gap = one.found.relevance - other.found.relevance
                return abs(gap) < 1e-12 ? one.key < other.key : gap > 0
            }
            return rows.map(\.found)
        }

        private static let stores: [(kind: StoreKind, hasIndex: Bool)] = [
            (.sqlite, true), (.sqlite, false), (.inMemory, false), (.xml, false), (.binary, false),
        ]

        @Test("results and relevance are those of a count of all texts", arguments: stores)
        func relevance(kind: StoreKind, hasIndex: Bool) throws {
            var random = SeededGenerator(seed: 44)
            let stack = try Stack(kind, PapersModel.make(), options: hasIndex ? Self.on : nil)
            fill(stack, &random, 0..<60)
            try stack.context.save()
            for round in 0..<2 {
                let context = stack.newContext()
                let stored = try context.fetch(request("Paper"))
                for text in Self.queries {
                    let query = try SearchQuery(text)
                    for (entity, format) in [
                        ("Paper", nil), ("Letter", nil), ("Paper", "number > 20"), ("Letter", "title != nil"),
                        ("Paper", "title LIKE 'o*' OR number < 30"),
                    ] {
                        let all = try expected(query, request(entity, format), stored, context)
                        let name = Comment(rawValue: "\(text), \(entity), \(format ?? "-"), round \(round)")
                        #expect(try found(context.search(query, in: request(entity, format))) == all, name)
                        let window = request(entity, format)
                        (window.fetchOffset, window.fetchLimit) = (2, 5)
                        #expect(try found(context.search(query, in: window)) == Array(all.dropFirst(2).prefix(5)), name)
                    }
                }
                // Changed, deleted and new rows.
                let papers = try stack.context.fetch(request("Paper"))
                for paper in papers.shuffled(using: &random).prefix(10) { change(paper, &random) }
                for paper in papers.shuffled(using: &random).prefix(5) { stack.context.delete(paper) }
                fill(stack, &random, (100 + round * 10)..<(106 + round * 10))
                try unsaved(stack)
                try stack.context.save()
            }
        }

        /// Unsaved objects are ranked with the numbers of the stored rows.
        private func unsaved(_ stack: Stack) throws {
            let reader = stack.newContext()
            let stored = try reader.fetch(request("Paper"))
            for text in Self.queries.prefix(6) {
                let query = try SearchQuery(text)
                let all = try expected(query, request("Paper", "number >= 0"), stored, stack.context)
                let results = try stack.context.search(query, in: request("Paper", "number >= 0"))
                #expect(found(results) == all, "unsaved: \(text)")
            }
        }

        private func sqlite(_ stack: Stack) throws -> SQLiteStore { try #require(stack.store as? SQLiteStore) }

        private func fetch(_ stack: Stack, _ request: NSFetchRequest<NSManagedObject>) throws -> BoundFetch {
            let route = try FetchExecution(stack.context.state, request).route
            return try #require(route.onlyFetch(in: stack.context.state.scope)).fetch
        }

        @Test("the index ranks with conditions, and counts for all other searches") func usesIndex() throws {
            var random = SeededGenerator(seed: 1)
            let stack = try Stack(.sqlite, PapersModel.make(), options: Self.on)
            fill(stack, &random, 0..<30)
            try stack.context.save()
            let store = try sqlite(stack)
            let papers = try stack.context.fetch(request("Paper"))
            let layout = try #require(papers.first { $0.entity.name == "Paper" }).table.layout
            func search(_ text: String) throws -> ResolvedSearch {
                try #require(try layout.resolved(SearchQuery(text)))
            }
            for format in [nil, "number > 3", "folder.name == nil", "remark == nil AND title MATCHING 'open'"] {
                let request = request("Paper", format)
                request.fetchLimit = 5
                let rows = try store.ranked(search("{title body}: open"), in: fetch(stack, request))
                #expect(rows?.isEmpty == false, "\(format ?? "-")")
            }
            for text in ["(title: open AND title: source) OR body: x1", "keywords: 東京タ NOT title: a"] {
                #expect(try store.statistics(of: search(text), layout) != nil, "\(text)")
            }
            // Two characters have no trigram.
            #expect(try store.statistics(of: search("keywords: 東京"), layout) == nil)
        }

        /// Papers with few different texts, so that many are equally relevant, and with more matches than are tried
        /// before the order is chosen.
        @Test("results are in the same order whether few or most rows match the further conditions")
        func furtherConditions() throws {
            var random = SeededGenerator(seed: 9)
            let stack = try Stack(.sqlite, PapersModel.make(), options: Self.on)
            let folder = stack.insert("Folder")
            let count = FullTextRanking.sampledFrom + 300
            for number in 0..<count {
                let paper = stack.insert(number % 5 == 0 ? "Letter" : "Paper")
                paper.setValue(number, forKey: "number")
                let words = Int.random(in: 0..<5, using: &random)
                paper.setValue("open" + String(repeating: " a", count: words), forKey: "title")
                if number % 100 == 3 { paper.setValue(folder, forKey: "folder") }
            }
            try stack.context.save()
            let context = stack.newContext()
            let query = try SearchQuery("title: open")
            let stored = try context.fetch(request("Paper"))
            let layout = try #require(stored.first).table.layout
            let search = try #require(try layout.resolved(query))
            for (entity, format, isSelective) in [
                ("Paper", nil, false), ("Letter", nil, false), ("Paper", "number > 700", false),
                ("Paper", "number < 700 AND title ENDSWITH ' a a'", false), ("Paper", "number IN {5, 900, 1111}", true),
                ("Paper", "folder != nil", true), ("Paper", "folder.name == nil AND number > -1", false),
                ("Paper", "number < 0", true), ("Letter", "number > 0 AND title MATCHING 'a'", false),
            ] as [(String, String?, Bool)] {
                let all = try expected(query, request(entity, format), stored, context)
                for (offset, limit) in [(0, 1), (3, 7), (0, 400), (5, Int.max)] {
                    let window = request(entity, format)
                    (window.fetchOffset, window.fetchLimit) = (offset, limit)
                    let place = Comment(rawValue: "\(entity), \(format ?? "-"), \(offset), \(limit)")
                    let wanted = Array(all.dropFirst(offset).prefix(limit))
                    #expect(try found(context.search(query, in: window)) == wanted, place)
                }
                let window = request(entity, format)
                window.fetchLimit = 5
                let fetch = try fetch(stack, window)
                let entries = try sqlite(stack).ranking(search, in: fetch) { try $0.ranked(by: $1) }
                #expect((entries == nil) == isSelective, "\(entity), \(format ?? "-")")
            }
        }

        @Test("the entries of an index are given out by rank, then by key") func rankedEntries() {
            var random = SeededGenerator(seed: 3)
            for size in [0, 1, 2, 3, 10, 257] {
                let keys = Array(1...max(Int64(size), 1)).prefix(size).shuffled(using: &random)
                let list = keys.map { key in
                    RankedEntries.Entry(rank: Double(Int.random(in: -4...0, using: &random)), key: key)
                }
                var heap = RankedEntries(list)
                var found: [RankedEntries.Entry] = []
                while !heap.isEmpty { found += heap.removeFirst(Int.random(in: 1...40, using: &random)) }
                let sorted = list.sorted { ($0.rank, $0.key) < ($1.rank, $1.key) }
                #expect(found.map(\.key) == sorted.map(\.key))
                #expect(heap.removeFirst(3).isEmpty)
            }
        }

        @Test("a table without rows has no results, and its first row counts") func emptyTable() throws {
            let stack = try Stack(.sqlite, PapersModel.make(), options: Self.on)
            let query = try SearchQuery("(open AND source) OR x1")
            #expect(try stack.context.search(query, in: request("Paper")).isEmpty)
            stack.insert("Paper").setValue("x1", forKey: "title")
            #expect(try stack.context.search(query, in: request("Paper")).count == 1)
            try stack.context.save()
            #expect(try stack.newContext().search(query, in: request("Paper")).map(\.relevance) == [1e-6])
        }

        @Test("entries without a row, and rows of no entity, are no results") func missingRows() throws {
            let stack = try Stack(.sqlite, PapersModel.make(), options: Self.on)
            for number in 1...6 {
                let paper = stack.insert("Paper")
                paper.setValue(number, forKey: "number")
                paper.setValue("open", forKey: "title")
                try stack.context.save()
            }
            let file = FullTextFile(url: stack.url)
            try file.execute([
                "INSERT INTO OCD_FTS_ZPAPER (rowid, ZTITLE) VALUES (900, 'open')",
                "UPDATE ZPAPER SET Z_ENT = 99 WHERE Z_PK = 1",
            ])
            let window = request("Paper")
            (window.fetchOffset, window.fetchLimit) = (1, 3)
            let results = try stack.newContext().search(SearchQuery("title: open"), in: window)
            #expect(found(results).map(\.number) == [3, 4, 5])
        }

        @Test("a damaged index is passed over") func damagedIndex() throws {
            let stack = try Stack(.sqlite, PapersModel.make(), options: Self.on)
            for number in 1...3 {
                let paper = stack.insert("Paper")
                paper.setValue(number, forKey: "number")
                paper.setValue(String(repeating: "open ", count: number), forKey: "title")
            }
            try stack.context.save()
            try FullTextFile(url: stack.url).execute(["DELETE FROM OCD_FTS_ZPAPER_data WHERE id > 10"])
            let window = request("Paper")
            window.fetchLimit = 2
            for text in ["title: open", "(title: open AND title: open) OR body: x1"] {
                let results = try stack.newContext().search(SearchQuery(text), in: window)
                #expect(found(results).map(\.number) == [3, 2], "\(text)")
            }
        }

        @Test(
            "the totals of an index are numbers of one to nine bytes",
            arguments: [
                ([], 0, 0), ([3, 4, 5], 3, 9), ([0x82, 0x2C, 0x87, 0x04], 300, 900),
                ([1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 7], 1, 7),
            ] as [([UInt8], Int, Int)])
        func totals(record: [UInt8], rows: Int, tokens: Int) throws {
            let totals = try #require(FullTextTotals(record: record))
            #expect(totals.rows == rows && totals.tokens == tokens)
        }

        @Test("a record that ends within a number, or has a negative one, is not used") func wrongTotals() {
            #expect(FullTextTotals(record: [1, 0x80]) == nil)
            #expect(FullTextTotals(record: [UInt8](repeating: 0xFF, count: 9)) == nil)
            let most: [UInt8] = [0xBF] + [UInt8](repeating: 0xFF, count: 8)
            #expect(FullTextTotals(record: [1] + most + most) == nil)
        }
    }
#endif
