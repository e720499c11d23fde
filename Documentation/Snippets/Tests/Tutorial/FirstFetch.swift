// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Chapter 2: a first fetch.

import CoreDataModeling
import Foundation
import Testing

@Suite("Tutorial 2: a first fetch") struct FirstFetch {
    /// Three notes, one of them pinned.
    private func filled() async throws -> NSPersistentContainer {
        let container = try await Notebook().container
        // snippet: fill
        try await container.performBackgroundTask { context in
            for (title, isPinned) in [("Groceries", true), ("Garden", false), ("Books", false)] {
                let note = Memo(context: context)
                note.title = title
                note.isPinned = isPinned
            }
            try context.save()
        }
        // end
        return container
    }

    @Test("conditions, order, windows") func conditions() async throws {
        let container = try await filled()
        // snippet: condition
        let titles = try await container.performBackgroundTask { context in
            let request = Memo.fetchRequest()
            request.predicate = NSPredicate(format: "title BEGINSWITH[c] %@ AND isPinned == NO", "g")
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            request.fetchLimit = 20
            return try context.fetch(request).map(\.title)
        }
        // end
        #expect(titles == ["Garden"])
    }

    @Test("typed predicates") func typed() async throws {
        let container = try await filled()
        // snippet: typed
        let pinned = try await container.performBackgroundTask { context in
            let request = Memo.fetchRequest()
            request.predicate = NSPredicate(#Predicate<Memo> { $0.isPinned && $0.title.contains("oc") })
            request.sortDescriptors = [NSSortDescriptor(keyPath: \Memo.title, ascending: true)]
            return try context.fetch(request).map(\.title)
        }
        // end
        #expect(pinned == ["Groceries"])
    }

    @Test("counts and rows without objects") func rows() async throws {
        let container = try await filled()
        // snippet: rows
        let (count, rows) = try await container.performBackgroundTask { context in
            let count = try context.count(for: Memo.fetchRequest())

            let request = NSFetchRequest<NSDictionary>(entityName: "Memo")
            request.resultType = .dictionaryResultType
            let number = NSExpressionDescription()
            number.name = "number"
            number.expression = NSExpression(forFunction: "count:", arguments: [NSExpression(forKeyPath: "title")])
            number.expressionResultType = .integer64AttributeType
            request.propertiesToGroupBy = ["isPinned"]
            request.propertiesToFetch = ["isPinned", number]
            request.sortDescriptors = [NSSortDescriptor(key: "isPinned", ascending: true)]
            return (count, try context.fetch(request).compactMap { $0["number"] as? Int })
        }
        // end
        #expect(count == 3)
        #expect(rows == [2, 1])
    }

    @Test("a misspelt name is an error with a suggestion") func mistake() async throws {
        let container = try await filled()
        // snippet: mistake
        do {
            _ = try await container.performBackgroundTask { context in
                let request = Memo.fetchRequest()
                request.predicate = NSPredicate(format: "titel == 'Garden'")
                return try context.count(for: request)
            }
        } catch {
            print(error.localizedDescription)
        }
        // end
        let error = await #expect(throws: (any Error).self) {
            try await container.performBackgroundTask { context in
                let request = Memo.fetchRequest()
                request.predicate = NSPredicate(format: "titel == 'Garden'")
                return try context.count(for: request)
            }
        }
        let message = error?.localizedDescription ?? ""
        #expect(message.contains("title"))
    }
}
