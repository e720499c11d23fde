// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the page about aggregates and pages, and of their comments.

import CoreDataModeling
import Foundation
import SwiftData
import Testing

// snippet: ink
enum Ink: Int, SQLConvertible { case red, green, blue }
// end

@Suite("Guides: searching and summing") @MainActor struct SearchingAndSumming {
    private func filled() async throws -> NSManagedObjectContext {
        let context = try await Notebook().container.viewContext
        let folder = Folder(context: context)
        folder.name = "Home"
        for (title, isPinned) in [("Books", true), ("Garden", false), ("Groceries", false)] {
            let note = Memo(context: context)
            (note.title, note.isPinned, note.folder) = (title, isPinned, title == "Books" ? nil : folder)
        }
        try context.save()
        return context
    }

    @Test("groups") func groups() async throws {
        let context = try await filled()
        // snippet: groups
        let folders = try context.aggregate(
            Memo.self, by: \.folder?.name, having: { $0.count > 1 }, sort: { [$0.count.descending] }, limit: 10
        ) { (count: $0.count, newest: $0.max(\.created)) }
        for group in folders { print(group.key ?? "no folder", group.value.count) }
        // end
        #expect(folders.map(\.key) == ["Home"])
        #expect(folders.map(\.value.count) == [2])
    }

    @Test("groups by months") func months() async throws {
        let context = try await filled()
        // snippet: months
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: "Europe/Berlin") ?? .gmt
        let months = try context.aggregate(Memo.self, by: .month(\.created, in: calendar)) { $0.count }
        for month in months { print(month.key ?? "no date", month.value) }
        // end
        #expect(months.map(\.value).reduce(0, +) == 3)
        // snippet: pairs
        let pairs = try context.aggregate(
            Memo.self, by: .value(\.folder?.name), .month(\.created, in: calendar)
        ) { $0.count }
        // end
        #expect(pairs.count >= 2)
    }

    @Test("all objects") func all() async throws {
        let context = try await filled()
        // snippet: all
        let (count, longest) = try context.aggregate(Memo.self, where: #Predicate { $0.isPinned }) {
            ($0.count, $0.max(\.title))
        }
        // end
        #expect(count == 1)
        #expect(longest == "Books")
    }

    @Test("pages") func pages() async throws {
        let context = try await filled()
        let key = Data("32 random bytes of the server".utf8)
        // snippet: pages
        let request = Memo.fetchRequest()
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        var cursor: FetchCursor?
        repeat {
            let page = try context.page(request, after: cursor, size: 2, signedWith: key)
            for note in page.results { print(note.title) }
            cursor = page.next  // nil after the last page
        } while cursor != nil
        // end
        #expect(cursor == nil)
        // snippet: plan
        let first = try context.page(request, size: 2)
        print(try request.explainPage(after: first.next, size: 2, in: context))
        // end
        #expect(first.next != nil)
    }

    @Test("rows of SQL") func rows() async throws {
        let folder = try EmptyFolder()
        let context = try await Notebook(at: folder.url.appending(path: "Notes.sqlite")).container.viewContext
        let home = Folder(context: context)
        home.name = "Home"
        for title in ["Books", "Garden", "Groceries"] {
            let note = Memo(context: context)
            (note.title, note.folder) = (title, title == "Books" ? nil : home)
        }
        try context.save()
        let title = "C"
        // snippet: rows
        let folders = try context.rows(
            "SELECT folder.name, count(*) FROM Memo WHERE title >= \(title) GROUP BY 1 ORDER BY 2 DESC",
            as: (String?, Int).self)
        for (name, count) in folders { print(name ?? "no folder", count) }
        // end
        #expect(folders.map(\.0) == ["Home"])
        #expect(folders.map(\.1) == [2])
        // snippet: ranks
        let latest = try context.rows(
            "SELECT objectID, rank() OVER (PARTITION BY folder ORDER BY created DESC) AS place FROM Memo ORDER BY place",
            as: (Memo, Int).self)
        for (note, place) in latest { print(place, note.title) }
        // end
        #expect(latest.count == 3)
        // snippet: rowsOfOne
        let notes = try context.rows("SELECT objectID FROM Memo WHERE folder IS NULL", as: Memo.self)
        // end
        #expect(notes.map(\.title) == ["Books"])
        // snippet: counted
        let wanted = "Groceries"
        let query: SQLQuery = "SELECT count(*) FROM Memo WHERE title = \(wanted)"
        let counts = try context.rows(query, as: Int.self)
        // end
        #expect(counts == [1])
        // snippet: rowsPlan
        print(try context.explain("SELECT count(*) FROM Memo WHERE title = \(title)"))
        // end
    }

    @Test("rows of models") func modelRows() throws {
        let folder = try EmptyFolder()
        let configuration = ModelConfiguration(url: folder.url.appending(path: "Albums.store"))
        let context = ModelContext(try ModelContainer(for: Album.self, configurations: configuration))
        for number in 1...3 { context.insert(Page(number: number)) }
        try context.save()
        let number = 1
        // snippet: modelRows
        let albums = try context.rows(
            "SELECT album.name, count(*) FROM Page WHERE number > \(number) GROUP BY 1", as: (String?, Int).self)
        for (name, count) in albums { print(name ?? "no album", count) }
        // end
        #expect(albums.map(\.1) == [2])
        // snippet: modelIDs
        let ids = try context.rows("SELECT objectID FROM Page WHERE album IS NULL", as: PersistentIdentifier.self)
        // end
        #expect(ids.count == 3)
        #expect(try context.rows("SELECT \(Ink.green)", as: Ink.self) == [.green])
    }

    @Test("models") func models() throws {
        let context = ModelContext(
            try ModelContainer(
                for: Album.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        for number in 1...3 { context.insert(Page(number: number)) }
        // snippet: models
        let albums = try context.aggregate(
            Page.self, by: \.album?.name, having: { $0.count > 1 }, sort: { [$0.count.descending] }, limit: 10
        ) { (count: $0.count, last: $0.max(\.number)) }
        for group in albums { print(group.key ?? "no album", group.value.count) }
        // end
        #expect(albums.map(\.value.last) == [3])
        // snippet: allModels
        let (count, last) = try context.aggregate(Page.self, where: #Predicate { $0.number > 1 }) {
            ($0.count, $0.max(\.number))
        }
        // end
        #expect(count == 2)
        #expect(last == 3)
    }
}
