// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The guide to tests: containers, templates, fixtures, seeds, contents, watching.

// snippet: test
import CoreDataModeling
import CoreDataTesting
import Testing

@Suite struct PinnedNotesTests {
    @Test func pinnedNotesComeFirst() throws {
        let container = try TestContainer(Notebook.model)  // a database in memory, gone with the container
        let seed: Seed = [
            "Memo/1": ["title": "Groceries"],
            "Memo/2": ["title": "Garden", "isPinned": true, "folder": "Folder/home"],
            "Folder/home": ["name": "Home"],
        ]
        let context = container.newBackgroundContext()
        let titles = try context.performAndWait {
            try seed.insert(into: context)
            try context.save()
            let request = Memo.fetchRequest()
            request.sortDescriptors = [NSSortDescriptor(key: "isPinned", ascending: false)]
            return try context.fetch(request).map(\.title)
        }
        #expect(titles == ["Garden", "Groceries"])
    }
}
// end

@Suite("Guide: Tests") struct UserTests {
    // snippet: template
    static let filled = StoreTemplate(Notebook.model) { context in
        try Fixture(in: context, seed: 1).populate(["Memo": 500, "Folder": 10, "Tag": 20])
    }

    @Test func searchingManyNotes() throws {
        let container = try Self.filled.makeContainer()  // a copy of the filled store
        let report = try container.watch {
            let context = container.newBackgroundContext()
            return try context.performAndWait { try context.count(for: Memo.fetchRequest()) }
        }
        #expect(report.result == 500)
        #expect(report.statements.count == 1)
    }
    // end

    @Test("places") func places() throws {
        // snippet: places
        let memory = try TestContainer(Notebook.model)
        let file = try TestContainer(Notebook.model, in: .file)
        let xml = try TestContainer(Notebook.model, in: .temporaryFile(type: NSXMLStoreType))
        // end
        #expect([memory, file, xml].allSatisfy { $0.persistentStoreCoordinator.persistentStores.count == 1 })
    }

    @Test("fixtures") func fixtures() throws {
        let container = try TestContainer(Notebook.model)
        let context = container.newBackgroundContext()
        let (title, created, count) = try context.performAndWait {
            // snippet: fixture
            let fixture = Fixture(in: context, seed: 7)
            let memo = try fixture.make(Memo.self) { $0.isPinned = true }  // the title is made up
            fixture.values["Memo.text"] = { number in "text \(number)" }
            try fixture.populate(["Memo": 100, "Folder": 5])
            try context.save()
            // end
            return (memo.title, memo.created, try context.count(for: Memo.fetchRequest()))
        }
        #expect(!title.isEmpty && created != nil && count == 101)
    }

    @Test("seeds in files") func seeds() throws {
        let folder = try EmptyFolder()
        let url = folder.url.appending(path: "Notes.jsonl")
        let text = """
            {"objectID": "Memo/garden", "title": "Garden", "tags": ["Tag/outside"]}
            {"objectID": "Tag/outside", "name": "outside"}
            """
        try text.write(to: url, atomically: true, encoding: .utf8)
        let container = try TestContainer(Notebook.model)
        let context = container.newBackgroundContext()
        let name = try context.performAndWait {
            // snippet: lines
            let objects = try Seed(contentsOf: url).insert(into: context)
            let garden = objects["Memo/garden"] as? Memo
            // end
            return garden?.tags.first?.name
        }
        #expect(name == "outside")
    }

    @Test("contents") func contents() throws {
        let container = try TestContainer(Notebook.model)
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let memo = Memo(context: context)
            memo.title = "Garden"
            memo.folder = Folder(context: context)
            memo.folder?.name = "Home"
            try context.save()
        }
        // snippet: contents
        let contents = try StoreContents(of: container, leavingOut: ["Memo.created"])
        try contents.verify(
            """
            Folder "Home"
              name: "Home"
              notes: Memo "Garden"
            Memo "Garden"
              folder: Folder "Home"
              isPinned: false
              title: "Garden"
            """)
        // end
        #expect(contents.text.hasPrefix("Folder"))
    }

    @Test("watching") func watching() async throws {
        let container = try Self.filled.makeContainer()
        // snippet: watch
        let report = try await container.watch {
            try await container.performBackgroundTask { context in
                try context.fetch(Memo.fetchRequest()).compactMap { $0.folder?.name }.count
            }
        }
        #expect(report.leaks == [])
        for faulting in report.repeatedFaulting { print(faulting) }  // … Add "folder" to relationshipKeyPaths…
        // end
        // snippet: verify
        #expect(throws: WatchFailure.self) { try report.verify(statements: 2) }
        // end
    }

    @Test("rolling back") func rollingBack() throws {
        // snippet: rolling
        let container = try TestContainer(Notebook.model, in: .file)
        try container.rollBackAfter {
            let context = container.newBackgroundContext()
            try context.performAndWait {
                Memo(context: context).title = "Groceries"
                try context.save()
            }
        }
        #expect(try StoreContents(of: container).text == "")
        // end
    }
}
