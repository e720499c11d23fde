// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the results of searches with relevance, in every kind of store.

#if !canImport(ObjectiveC)
    import CoreData
    import CoreDataTestSupport
    import Foundation
    import Testing

    @Suite("Searching with relevance") struct SearchSpecification {
        private func papers(_ kind: StoreKind) throws -> Papers {
            let papers = try Papers(in: kind)
            papers.paper(1, "Gardens", "A garden after a garden.")
            papers.paper(2, "Letters", "One garden and many other words which make this text longer than others")
            papers.paper(3, "Garden", "None of it", sender: "Gardener")
            papers.paper(4, nil, nil)
            papers.paper(5, "House", "A garden after a garden.", keywords: "庭園の花")
            for number in 6...12 { papers.paper(number, "House", "Nothing") }
            return papers
        }

        private func numbers(_ results: [SearchResult<NSManagedObject>]) -> [Int?] {
            results.map { $0.object.value(forKey: "number") as? Int }
        }

        private func request(_ format: String? = nil) -> NSFetchRequest<NSManagedObject> {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Paper")
            request.predicate = format.map { NSPredicate(format: $0) }
            return request
        }

        @Test("the best results come first, with the same relevance in each store", arguments: StoreKind.all)
        func relevance(kind: StoreKind) throws {
            let papers = try papers(kind)
            try papers.context.save()
            let context = papers.stack.newContext()
            let results = try context.search(SearchQuery("garden"), in: request())
            #expect(numbers(results) == [1, 5, 3, 2])
            // The bm25 of FTS5 for a table of these texts.
            #expect(results.map { ($0.relevance * 1e6).rounded() } == [748_222, 748_222, 559_670, 300_252])
            #expect(try numbers(context.search(SearchQuery("庭園"), in: request())) == [5])
            #expect(try numbers(context.search(SearchQuery(userText: ""), in: request())) == [])
            let window = request("number != 5")
            (window.fetchOffset, window.fetchLimit) = (1, 1)
            #expect(try numbers(context.search(SearchQuery("garden"), in: window)) == [3])
            let sorted = request()
            sorted.sortDescriptors = [NSSortDescriptor(key: "number", ascending: false)]
            sorted.fetchLimit = 2
            #expect(try numbers(context.search(SearchQuery("garden"), in: sorted)) == [5, 3])
            let letters = NSFetchRequest<NSManagedObject>(entityName: "Letter")
            let letter = try context.search(SearchQuery("garden"), in: letters)
            #expect(letter.map(\.relevance) == [results[2].relevance])
        }

        @Test("unsaved objects are ranked by their present texts", arguments: StoreKind.all)
        func unsaved(kind: StoreKind) throws {
            let papers = try papers(kind)
            #expect(try Set(numbers(papers.context.search(SearchQuery("garden"), in: request()))) == [1, 2, 3, 5])
            try papers.context.save()
            let before = try papers.context.search(SearchQuery("garden"), in: request())
            let house = try #require(try papers.context.fetch(Papers.request("number == 6")).first)
            house.setValue("garden garden garden", forKey: "body")
            before[0].object.setValue("Nothing", forKey: "title")
            before[0].object.setValue("Nothing", forKey: "body")
            let results = try papers.context.search(SearchQuery("garden"), in: request())
            #expect(numbers(results) == [6, 5, 3, 2])
            // Numbers of the last save: the others have the relevance that they had.
            #expect(results.dropFirst().map(\.relevance) == before.dropFirst().map(\.relevance))
            try papers.context.save()
            let saved = try papers.stack.newContext().search(SearchQuery("garden"), in: request())
            #expect(numbers(saved) == [6, 5, 3, 2])
        }

        @Test("highlights and snippets are parts of the present text") func parts() throws {
            let papers = try papers(.inMemory)
            try papers.context.save()
            let results = try papers.context.search(SearchQuery("body: garden* NOT long"), in: request())
            let first = try #require(results.first { $0.object.value(forKey: "number") as? Int == 2 })
            let text = try #require(first.object.value(forKey: "body") as? String)
            #expect(first.highlights(in: "body").map { text[$0] } == ["garden"])
            #expect(first.highlights(in: "title") == [])
            #expect(first.highlights(in: "sender") == [])
            let snippet = try #require(first.snippet(in: "body", tokens: 4))
            #expect(snippet.text == "One garden and many…")
            #expect(snippet.highlights.map { snippet.text[$0] } == ["garden"])
            first.object.setValue("gardens", forKey: "body")
            #expect(first.snippet(in: "body")?.text == "gardens")
            first.object.setValue(nil, forKey: "body")
            #expect(first.snippet(in: "body") == nil)
        }

        @Test("an attribute that is not searched has no highlights") func unknownAttribute() async {
            await #expect(processExitsWith: .failure) {
                let papers = try Papers(in: .inMemory)
                papers.paper(1, "a")
                let request = NSFetchRequest<NSManagedObject>(entityName: "Paper")
                _ = try papers.context.search(SearchQuery("a"), in: request)[0].highlights(in: "remark")
            }
        }

        @Test("a search that cannot be carried out is an error") func errors() throws {
            let papers = try papers(.inMemory)
            func failure(_ query: String, entity: String) throws -> NSError {
                let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                let query = try SearchQuery(query)
                do {
                    _ = try papers.context.search(query, in: request)
                    return NSError(domain: "none", code: 0)
                } catch { return error as NSError }
            }
            #expect(
                try failure("a", entity: "Shelf").localizedDescription.contains("'Shelf' has no searched attributes"))
            #expect(try failure("remark: a", entity: "Paper").localizedDescription.contains("'Paper.remark'"))
            #expect(try failure("a", entity: "Papre").code == 134060)
        }
    }
#endif
