// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States what MATCHING finds, in every kind of store, saved and unsaved.

#if !canImport(ObjectiveC)
    import CoreData
    import CoreDataTestSupport
    import Foundation
    import Testing

    @Suite("Searching with predicates") struct SearchPredicateSpecification {
        private func papers(_ kind: StoreKind) throws -> Papers {
            let papers = try Papers(in: kind)
            let (home, work) = (papers.folder("Home things"), papers.folder("Work"))
            papers.paper(1, "Swift on Linux", "An open source language", in: home)
            papers.paper(2, "École", "The swift bird is open to the wind", keywords: "東京タワー", in: home)
            papers.paper(3, nil, nil, in: work)
            papers.paper(4, "Open letter", "Dear reader", sender: "Swift, Jonathan", in: work)
            papers.paper(5, "open", "source closed", keywords: "SwiftUI")
            return papers
        }

        @Test(
            "a search has the same answer saved and unsaved, and as the evaluation of each object",
            arguments: StoreKind.all)
        func answers(kind: StoreKind) throws {
            let papers = try papers(kind)
            let cases: [(String, String, [Int])] = [
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
                ("SELF MATCHING %@", "京タ", [2]),
                ("SELF MATCHING %@", "", []),
                ("SELF MATCHING %@", "!!", []),
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
                ("SUBQUERY(folder.papers, $p, $p.title MATCHING %@ AND $p.number < 2).@count > 0", "linux", [1, 2]),
                ("number > 1 AND SELF MATCHING %@ AND folder.name BEGINSWITH 'H'", "swift", [2]),
                ("number == 3 OR title MATCHING %@", "linux", [1, 3]),
            ]
            let objects = try papers.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Paper"))
            for isSaved in [false, true] {
                if isSaved { try papers.context.save() }
                let context = isSaved ? papers.stack.newContext() : papers.context
                for (format, text, expected) in cases {
                    let query = try SearchQuery(text)
                    let found = try papers.numbers(format, query, in: context)
                    #expect(found == expected, "\(format) \(text), saved: \(isSaved)")
                    #expect(try papers.numbers(format, text, in: context) == expected)
                    let predicate = NSPredicate(format: format, argumentArray: [query])
                    let evaluated = objects.filter { predicate.evaluate(with: $0) }
                        .map { $0.value(forKey: "number") as? Int ?? -1 }.sorted()
                    #expect(evaluated == expected, "evaluated: \(format) \(text)")
                    let request = Papers.request(format, query)
                    #expect(try context.count(for: request) == expected.count)
                }
            }
        }

        @Test("a changed text is found in its present state, before and after the save", arguments: StoreKind.all)
        func changes(kind: StoreKind) throws {
            let papers = try papers(kind)
            try papers.context.save()
            let first = try #require(try papers.context.fetch(Papers.request("number == 1")).first)
            first.setValue("Rust on Linux", forKey: "title")
            first.setValue(nil, forKey: "body")
            try papers.context.delete(#require(try papers.context.fetch(Papers.request("number == 2")).first))
            papers.paper(6, "swift")
            #expect(try papers.numbers("SELF MATCHING 'swift'") == [4, 5, 6])
            #expect(try papers.numbers("SELF MATCHING 'rust'") == [1])
            try papers.context.save()
            let context = papers.stack.newContext()
            #expect(try papers.numbers("SELF MATCHING 'swift'", in: context) == [4, 5, 6])
            #expect(try papers.numbers("SELF MATCHING 'rust'", in: context) == [1])
        }

        @Test("a child searches the unsaved texts of its parent, and its own", arguments: StoreKind.builtIn)
        @MainActor func nested(kind: StoreKind) throws {
            let papers = try papers(kind)
            try papers.context.save()
            let root = papers.stack.newContext(.mainQueueConcurrencyType)
            let sixth = NSEntityDescription.insertNewObject(forEntityName: "Paper", into: root)
            sixth.setValue(6, forKey: "number")
            sixth.setValue("Swift parents", forKey: "title")
            let child = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
            child.parent = root
            let fifth = try #require(try child.fetch(Papers.request("number == 5")).first)
            fifth.setValue("Kotlin", forKey: "keywords")
            #expect(try papers.numbers("SELF MATCHING 'swift'", in: child) == [1, 2, 4, 6])
            #expect(try papers.numbers("SELF MATCHING 'tlin'", in: child) == [5])
            #expect(try papers.numbers("SELF MATCHING 'swift'", in: root) == [1, 2, 4, 5, 6])
            let results = try child.search(
                SearchQuery("swift"), in: NSFetchRequest<NSManagedObject>(entityName: "Paper"))
            #expect(Set(results.map { $0.object.value(forKey: "number") as? Int }) == [1, 2, 4, 6])
        }

        @Test("offset, limit, dictionaries and batch requests follow a search", arguments: StoreKind.builtIn)
        func forms(kind: StoreKind) throws {
            let papers = try papers(kind)
            try papers.context.save()
            let window = Papers.request("SELF MATCHING 'swift'")
            (window.fetchOffset, window.fetchLimit) = (1, 2)
            #expect(try papers.context.fetch(window).map { $0.value(forKey: "number") as? Int } == [2, 4])
            let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Paper")
            dictionaries.predicate = NSPredicate(format: "SELF MATCHING 'open'")
            dictionaries.sortDescriptors = [NSSortDescriptor(key: "number", ascending: false)]
            dictionaries.resultType = .dictionaryResultType
            dictionaries.propertiesToFetch = ["number"]
            #expect(try papers.context.fetch(dictionaries).map { $0["number"] as? Int } == [5, 4, 2, 1])
            let deletion = NSBatchDeleteRequest(
                fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Paper"))
            deletion.fetchRequest.predicate = NSPredicate(format: "title MATCHING 'linux OR ecole'")
            try papers.context.execute(deletion)
            #expect(try papers.numbers("number > 0", in: papers.stack.newContext()) == [3, 4, 5])
        }

        @Test("a search of what is not searched is an error that says what to do", arguments: StoreKind.all)
        func errors(kind: StoreKind) throws {
            let papers = try papers(kind)
            func failure(_ format: String, entity: String = "Paper") -> String {
                let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                request.predicate = NSPredicate(format: format)
                do {
                    _ = try papers.context.fetch(request)
                    return "no error"
                } catch { return "\(error)" }
            }
            #expect(failure("SELF MATCHING 'a'", entity: "Shelf").contains("'Shelf' has no searched attributes"))
            #expect(failure("label MATCHING 'a'", entity: "Shelf").contains("isIndexedBySpotlight"))
            #expect(failure("remark MATCHING 'a'").contains("'Paper.remark' is not searched"))
            #expect(failure("SELF MATCHING 'tilte: a'").contains("'Paper.tilte' is not searched"))
            #expect(failure("SELF MATCHING 'tilte: a'").contains("body, keywords, sender, title"))
            #expect(failure("number MATCHING 'a'").contains("'Paper.number' is not searched"))
            #expect(failure("SELF MATCHING 3").contains("not a value of type Int"))
            #expect(failure("ANY folder.shelf MATCHING 'a'").contains("'Shelf' has no searched attributes"))
            #expect(failure("folder.papers MATCHING 'a'").contains("write ANY, ALL or NONE"))
            #expect(failure("folder.nmae MATCHING 'a'").contains("has no property 'nmae'"))
            let request = Papers.request("SELF MATCHING 'a AND'")
            let error = try #require(throws: SearchQueryError.self) { try papers.context.fetch(request) }
            #expect(error.offset == 5)
            let counted = try #require(throws: SearchQueryError.self) { try papers.context.count(for: request) }
            #expect(counted == error)
        }

        @Test(
            "an object that is asked by a text that is no query does not match; the fetch throws",
            arguments: StoreKind.all)
        func malformedTexts(kind: StoreKind) throws {
            let papers = try papers(kind)
            let objects = try papers.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Paper"))
            for format in ["SELF MATCHING %@", "title MATCHING %@", "ANY folder.papers MATCHING %@"] {
                let predicate = NSPredicate(format: format, argumentArray: ["\"swift"])
                #expect(objects.allSatisfy { !predicate.evaluate(with: $0) }, "\(format)")
                let request = NSFetchRequest<NSManagedObject>(entityName: "Paper")
                request.predicate = predicate
                #expect(throws: SearchQueryError.self) { try papers.context.fetch(request) }
                // A colon makes a word the name of an attribute.
                let filter = NSPredicate(format: format, argumentArray: ["tilte: swift"])
                #expect(objects.allSatisfy { !filter.evaluate(with: $0) }, "\(format)")
                request.predicate = filter
                #expect(throws: CocoaError.self) { try papers.context.fetch(request) }
            }
        }

        @Test("a list follows a search, also of related objects, while objects change", arguments: StoreKind.builtIn)
        func results(kind: StoreKind) throws {
            let papers = try papers(kind)
            try papers.context.save()
            let log = ResultsLog(by: "number")
            func list(_ format: String) throws -> NSFetchedResultsController<NSManagedObject> {
                let list = NSFetchedResultsController(
                    fetchRequest: Papers.request(format), managedObjectContext: papers.context,
                    sectionNameKeyPath: nil, cacheName: nil)
                // A list without a delegate is not followed.
                list.delegate = log
                try list.performFetch()
                return list
            }
            let own = try list("SELF MATCHING 'swift'")
            let related = try list("folder MATCHING 'home'")
            func numbers(_ list: NSFetchedResultsController<NSManagedObject>) -> [Int?] {
                list.fetchedObjects?.map { $0.value(forKey: "number") as? Int } ?? []
            }
            #expect(numbers(own) == [1, 2, 4, 5])
            #expect(numbers(related) == [1, 2])
            let first = try #require(own.fetchedObjects?.first)
            first.setValue("Rust", forKey: "title")
            papers.paper(0, "Swift again")
            (first.value(forKey: "folder") as? NSManagedObject)?.setValue("House", forKey: "name")
            papers.context.processPendingChanges()
            #expect(numbers(own) == [0, 2, 4, 5])
            #expect(numbers(related) == [])
        }

        @Test("the text of a predicate makes an equal predicate, and MATCHING is a key elsewhere")
        func texts() throws {
            for format in [
                "SELF MATCHING \"swift AND \\\"open source\\\"\"", "ANY papers.title MATCHING $query",
                "NOT note MATCHING \"a*\"",
            ] {
                #expect(NSPredicate(format: format).description == format)
            }
            let query = SearchQuery(userText: "open sou")
            let predicate = NSPredicate(format: "title matching %@", query)
            #expect(predicate.description == #"title MATCHING "\"open\" AND \"sou\"*""#)
            #expect(NSPredicate(format: predicate.description) == predicate)
            #expect(
                NSPredicate(format: "matching == 1 AND SELF.matching > matching").description
                    == "matching == 1 AND matching > matching")
            let substituted = NSPredicate(format: "text MATCHING $query").withSubstitutionVariables(["query": query])
            #expect(substituted.evaluate(with: ["text": "The Source is open"]))
            #expect(!substituted.evaluate(with: ["text": "open"]))
        }
    }
#endif
