// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the comments of fetch requests, predicates and sort descriptors.

import CoreDataModeling
import Foundation
import Testing

@Suite("Comments: requests") @MainActor struct RequestExamples {
    /// Three notes, one of them pinned, in one folder.
    private func filled() async throws -> NSManagedObjectContext {
        let context = try await Notebook().container.viewContext
        let folder = Folder(context: context)
        folder.name = "Home"
        for (title, isPinned) in [("Books", true), ("Garden", false), ("groceries", false)] {
            let note = Memo(context: context)
            (note.title, note.isPinned, note.folder) = (title, isPinned, folder)
        }
        try context.save()
        return context
    }

    @Test("a request by entity name") func request() async throws {
        let context = try await filled()
        // snippet: request
        let request = NSFetchRequest<Memo>(entityName: "Memo")
        request.predicate = NSPredicate(format: "folder.name == %@", "Home")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        request.fetchLimit = 20
        let notes = try context.fetch(request)
        // end
        #expect(notes.count == 3)
    }

    @Test("conditions along relationships") func predicates() async throws {
        let context = try await filled()
        // snippet: predicate
        let request = Memo.fetchRequest()
        request.predicate = NSPredicate(format: "isPinned == YES AND NONE tags.name == %@", "weekly")
        let notes = try context.fetch(request)
        // end
        #expect(notes.map(\.title) == ["Books"])
    }

    @Test("a predicate from text with values") func format() async throws {
        let context = try await filled()
        let (key, names) = ("title", ["Books", "Garden"])
        // snippet: format
        let byPrefix = NSPredicate(format: "title BEGINSWITH[cd] %@", "g")  // a value
        let byKey = NSPredicate(format: "%K IN %@", key, names)  // a key path and an array
        let recent = NSPredicate(format: "created > %@", Date(timeIntervalSinceNow: -3600) as NSDate)
        let all = NSCompoundPredicate(andPredicateWithSubpredicates: [byPrefix, byKey, recent])
        // end
        let request = Memo.fetchRequest()
        request.predicate = all
        #expect(try context.fetch(request).map(\.title) == ["Garden"])
    }

    @Test("an order of two keys") func sorting() async throws {
        let context = try await filled()
        // snippet: sort
        let request = Memo.fetchRequest()
        request.sortDescriptors = [
            NSSortDescriptor(key: "isPinned", ascending: false), NSSortDescriptor(key: "title", ascending: true),
        ]
        let notes = try context.fetch(request)  // pinned notes first
        // end
        #expect(notes.map(\.title) == ["Books", "Garden", "groceries"])
    }

    @Test("an order by typed key paths, and one for readers") func typedSorting() async throws {
        let context = try await filled()
        let request = Memo.fetchRequest()
        // snippet: typedSort
        request.sortDescriptors = [
            NSSortDescriptor(keyPath: \Memo.isPinned, ascending: false),
            NSSortDescriptor(keyPath: \Memo.title, ascending: true),
        ]
        // end
        #expect(try context.fetch(request).first?.title == "Books")
        // snippet: selector
        let byTitle = NSSortDescriptor(
            key: "title", ascending: true, selector: Selector("localizedStandardCompare:"))
        request.sortDescriptors = [byTitle]
        // end
        #expect(try context.fetch(request).map(\.title) == ["Books", "Garden", "groceries"])
    }

    @Test("pages of a list") func window() async throws {
        let context = try await filled()
        // snippet: limit
        let request = Memo.fetchRequest()
        request.sortDescriptors = [NSSortDescriptor(key: "created", ascending: false)]
        request.fetchLimit = 20
        request.fetchOffset = 20  // the second page
        let page = try context.fetch(request)
        // end
        #expect(page.isEmpty)
    }

    @Test("rows in batches") func batches() async throws {
        let context = try await filled()
        // snippet: batch
        let request = Memo.fetchRequest()
        request.fetchBatchSize = 100
        for note in try context.fetch(request) { print(note.title) }  // one statement for each 100 notes
        // end
        context.reset()
        #expect(try context.fetch(request).count == 3)
    }

    @Test("related rows along with the results") func prefetching() async throws {
        let context = try await filled()
        context.reset()
        // snippet: prefetch
        let request = Memo.fetchRequest()
        request.relationshipKeyPathsForPrefetching = ["folder", "tags"]
        for note in try context.fetch(request) { print(note.folder?.name ?? "", note.tags.count) }
        // end
        #expect(try context.fetch(request).count == 3)
    }

    @Test("objects with their values") func values() async throws {
        let context = try await filled()
        context.reset()
        // snippet: faults
        let request = Memo.fetchRequest()
        request.returnsObjectsAsFaults = false
        let notes = try context.fetch(request)
        print(notes.allSatisfy { !$0.isFault })  // true
        // end
        #expect(notes.allSatisfy { !$0.isFault })
    }

    @Test("ids, dictionaries and a number") func forms() async throws {
        let context = try await filled()
        // snippet: ids
        let request = NSFetchRequest<NSManagedObjectID>(entityName: "Memo")
        request.resultType = .managedObjectIDResultType
        let ids = try context.fetch(request)  // may go to any thread
        // end
        #expect(ids.count == 3)
        // snippet: properties
        let rows = NSFetchRequest<NSDictionary>(entityName: "Memo")
        rows.resultType = .dictionaryResultType
        rows.propertiesToFetch = ["title", "folder.name"]
        for row in try context.fetch(rows) { print(row["title"] ?? "", row["folder.name"] ?? "") }
        // end
        #expect(try context.fetch(rows).first?["folder.name"] as? String == "Home")
    }

    @Test("pages with cursors") func pages() async throws {
        let context = try await filled()
        // snippet: cursors
        let request = Memo.fetchRequest()
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let first = try context.page(request, size: 2)
        let text = first.next?.rawValue ?? ""  // to a browser, and back
        let second = try context.page(request, after: FetchCursor(rawValue: text), size: 2)
        // end
        #expect(first.results.map(\.title) == ["Books", "Garden"])
        #expect(second.results.map(\.title) == ["groceries"])
        #expect(second.next == nil)
        #expect(throws: FetchCursorError.self) {
            try context.page(request, after: FetchCursor(rawValue: "not a cursor"), size: 20)
        }
        // snippet: cursorErrors
        do {
            _ = try context.page(request, after: FetchCursor(rawValue: "not a cursor"), size: 20)
        } catch let error as FetchCursorError {
            print(error.reason, error.entityName)  // malformed Memo
        }
        // end
    }
}
