// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the reference: requests, results, observation.

import CoreDataModeling
import Foundation
import Testing

@Suite("Reference: requests and objects") @MainActor struct RequestReference {
    private func filled() async throws -> NSManagedObjectContext {
        let context = try await Notebook().container.viewContext
        for title in ["Books", "Garden", "Groceries"] { Memo(context: context).title = title }
        try context.save()
        return context
    }

    @Test("any number of results in bounded memory") func pages() async throws {
        let context = try await filled()
        // snippet: pages
        let request = Memo.fetchRequest()
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        request.fetchBatchSize = 100  // the size of a page
        let notes = try context.fetchPaged(request)  // the keys, and a few pages of objects
        let last = notes[notes.count - 1]
        // end
        #expect(last.title == "Groceries" && notes.count == 3)
    }

    @Test("the work of a fetch") func explanation() async throws {
        let context = try await filled()
        // snippet: explain
        let request = Memo.fetchRequest()
        request.predicate = NSPredicate(format: "title LIKE[c] %@", "g*")
        let explanation = try request.explain(in: context)
        print(explanation)  // the SQL, the plan of the database, the work in memory with its reason
        // end
        #expect("\(explanation)".contains("SELECT"))
    }

    @Test("faults that fire one at a time are errors") func strict() async throws {
        let context = try await filled()
        // snippet: strict
        context.repeatedFaultingPolicy = RepeatedFaultingPolicy(.error, limit: 10)  // for tests
        let notes = try context.fetch(Memo.fetchRequest())
        for note in notes { _ = note.title }
        // end
        #expect(notes.count == 3)
    }

    @Test("a fetch away from the queue") func asynchronous() async throws {
        let context = try await filled()
        let titles: [String] = try await withCheckedThrowingContinuation { continuation in
            // snippet: asynchronous
            let request = NSAsynchronousFetchRequest(fetchRequest: Memo.fetchRequest()) { result in
                // on the context's queue, when the stores have answered
                continuation.resume(returning: (result.finalResult ?? []).map(\.title).sorted())
            }
            do { try context.execute(request) } catch { continuation.resume(throwing: error) }
            // end
        }
        #expect(titles == ["Books", "Garden", "Groceries"])
    }

    @Test("a change is observed") func observation() async throws {
        let context = try await filled()
        let note = try #require(try context.fetch(Memo.fetchRequest()).first)
        var titles: [String] = []
        // snippet: observe
        let observation = note.observe(\.title, options: [.new]) { _, change in
            titles.append(change.newValue ?? "")
        }
        note.title = "Library"
        observation.invalidate()
        // end
        #expect(titles == ["Library"])
    }

    @Test("a predicate from parts, and text that may be wrong") func predicates() async throws {
        let context = try await filled()
        // snippet: predicate
        let starts = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "title"), rightExpression: NSExpression(forConstantValue: "G"),
            modifier: .direct, type: .beginsWith)
        let text = try NSPredicate.parsing("title CONTAINS %@", arguments: ["ard"])  // may throw

        let request = Memo.fetchRequest()
        request.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: [starts, text])
        let titles = try context.fetch(request).map(\.title)
        // end
        #expect(titles == ["Garden"])
        #expect(throws: (any Error).self) { try NSPredicate.parsing("title CONTAINS", arguments: []) }
    }

    @Test("a list follows a context") func results() async throws {
        let context = try await filled()
        // snippet: results
        let request = Memo.fetchRequest()
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        let list = List()
        controller.delegate = list  // without a delegate the results stay as they were fetched
        try controller.performFetch()
        Memo(context: context).title = "Attic"
        context.processPendingChanges()  // comes by itself at the end of a turn of the main queue
        let titles = controller.fetchedObjects?.map(\.title)  // Attic is the first
        // end
        #expect(titles == ["Attic", "Books", "Garden", "Groceries"] && list.insertions == [0])
    }
}

// snippet: delegate
final class List: NSFetchedResultsControllerDelegate {
    private(set) var insertions: [Int] = []

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        if type == .insert, let row = newIndexPath?.last { insertions.append(row) }
    }
}
// end
