// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Edits: values, rules, undo, saves, deletions, conflicts, and a store that is only read.

import CoreData
import Foundation
import StudioSample
import Testing

@testable import CoreDataStudio

/// Proves: Studio-E1, Studio-E2, Studio-E3, Studio-E4, Studio-E5, Studio-E6, Studio-E8
@Suite("Edits reach the store in one save, and overwrite nothing unseen")
struct EditingTests {
    private let sample: SampleStore

    init() throws { sample = try SampleStore() }

    private func name(of title: String, in session: StudioSession) async throws -> String {
        try await session.read { desk in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "title == %@", title)
            return try desk.context.fetch(request).first?.studioID ?? ""
        }
    }

    @Test func aSaveWritesAllEditsAtOnce() async throws {
        let session = try sample.session()
        let site = Site(session: session)
        let dune = try await name(of: "Dune", in: session)
        #expect(await site.post("set", #"{"object": "\#(dune)", "property": "title", "value": "Dune!"}"#).status == 200)
        let inserted = await site.post("insert", #"{"entity": "Author"}"#)
        #expect(inserted.text.contains("Author\\/new-"))
        #expect(try sample.titles().contains("Dune"))
        let refused = await site.post("save")
        #expect(refused.status == 409)
        #expect(refused.text.contains("\"property\":\"name\""))
        #expect(try sample.titles().contains("Dune"))
        #expect(await site.post("undo").status == 200)
        #expect(await site.post("save").status == 200)
        #expect(try sample.titles().contains("Dune!"))
    }

    @Test func eachEditIsOneStepOfUndo() async throws {
        let session = try sample.session()
        let site = Site(session: session)
        let dune = try await name(of: "Dune", in: session)
        for title in ["A", "B", "C"] {
            _ = await site.post("set", #"{"object": "\#(dune)", "property": "title", "value": "\#(title)"}"#)
        }
        func title() async throws -> String? {
            try await session.read { try $0.object(dune).value(forKey: "title") as? String }
        }
        _ = await site.post("undo")
        #expect(try await title() == "B")
        _ = await site.post("undo")
        _ = await site.post("undo")
        #expect(try await title() == "Dune")
        _ = await site.post("redo")
        #expect(try await title() == "A")
        _ = await site.post("discard")
        #expect(try await title() == "Dune")
    }

    @Test(arguments: [
        ("pages", "many"), ("pages", "9999999999"), ("pages", "6000"), ("added", "2024-02-30"), ("title", nil),
        ("nothing", "x"), ("author", "Book/1"),
    ])
    func aWrongValueIsRefusedAtItsField(_ property: String, _ value: String?) async throws {
        let session = try sample.session()
        let site = Site(session: session)
        let dune = try await name(of: "Dune", in: session)
        let text = value.map { "\"\($0)\"" } ?? "null"
        let answer = await site.post("set", #"{"object": "\#(dune)", "property": "\#(property)", "value": \#(text)}"#)
        #expect(answer.status == 422)
        #expect(answer.text.contains("\"property\":\"\(property)\""))
        #expect(answer.text.contains("\"changes\":0"))
    }

    @Test func aPreviewTellsOfTheDeleteRulesAndChangesNothing() async throws {
        let session = try sample.session()
        let preview = try await session.preview(deletionOf: "Author/1")
        #expect(preview.deleted.map(\.entityName) == ["Author", "Book"])
        #expect(preview.deleted.map(\.count) == [1, 3])
        #expect(try await session.read { $0.editState().changes } == 0)
        let site = Site(session: session)
        #expect(await site.post("delete", #"{"object": "Author/1"}"#).text.contains("\"changes\":4"))
        #expect(await site.post("undo").text.contains("\"changes\":0"))
        #expect(try sample.titles().count == 3)
    }

    @Test(arguments: ["mine", "theirs"])
    func aConflictShowsBothSides(_ choice: String) async throws {
        let session = try sample.session()
        let site = Site(session: session)
        let dune = try await name(of: "Dune", in: session)
        _ = await site.post("set", #"{"object": "\#(dune)", "property": "title", "value": "Mine"}"#)
        try sample.edit { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "title == 'Dune'")
            try context.fetch(request).first?.setValue("Theirs", forKey: "title")
        }
        let save = await site.post("save")
        #expect(save.status == 409)
        #expect(save.text.contains("\"isConflict\":true"))
        let sides = await site.ask(["edit", "conflicts"]).text
        #expect(sides.contains("Mine") && sides.contains("Theirs") && sides.contains("Dune"))
        _ = await site.post("resolve", #"{"object": "\#(dune)", "choice": "\#(choice)"}"#)
        #expect(await site.post("save").status == 200)
        #expect(try sample.titles().contains(choice == "mine" ? "Mine" : "Theirs"))
    }

    @Test func aStoreForReadingStaysAsItIs() async throws {
        let before = try Data(contentsOf: sample.url)
        let files = try FileManager.default.contentsOfDirectory(atPath: sample.folder.path).sorted()
        let site = Site(session: try sample.session(isWritable: false))
        #expect(await site.ask(["data", "Book"]).status == 200)
        #expect(await site.ask(["object", "Book", "1"]).status == 200)
        for action in ["set", "insert", "delete", "undo", "redo", "save", "discard", "resolve"] {
            #expect(await site.post(action).status == 403)
        }
        #expect(await site.ask(["edit", "deletion", "Book", "1"]).status == 403)
        #expect(try Data(contentsOf: sample.url) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: sample.folder.path).sorted() == files)
    }

    @Test func editingKeepsTheMetadata() async throws {
        let before = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: sample.url)
        let session = try sample.session()
        let site = Site(session: session)
        let dune = try await name(of: "Dune", in: session)
        _ = await site.post("set", #"{"object": "\#(dune)", "property": "pages", "value": "412"}"#)
        #expect(await site.post("save").status == 200)
        let after = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: sample.url)
        #expect(after as NSDictionary == before as NSDictionary)
        #expect(
            SampleShop.model().isConfiguration(
                withName: nil, compatibleWithStoreMetadata: after))
    }

    /// Without the lock another process deletes the log when it closes the database, and a save goes to a deleted file.
    @Test(arguments: ["doctor", "statistics", "migration", "model", "export/Book.csv", "sql"])
    func aPageAboutTheFileLeavesItLockedSoThatALaterSaveIsKept(_ page: String) async throws {
        let session = try sample.session()
        let site = Site(session: session)
        let dune = try await name(of: "Dune", in: session)
        #expect(await site.post("set", #"{"object": "\#(dune)", "property": "pages", "value": "7"}"#).status == 200)
        #expect(await site.post("save").status == 200)
        let query = page == "sql" ? ["q": "SELECT title FROM Book"] : [:]
        #expect(await site.ask(page.split(separator: "/").map(String.init), query: query).status == 200)
        try readByAnotherProcess()
        #expect(await site.post("set", #"{"object": "\#(dune)", "property": "title", "value": "Kept"}"#).status == 200)
        #expect(await site.post("save").status == 200)
        #expect(try readByAnotherProcess().contains("Kept"))
    }

    /// The titles of all books, read by a process that closes the database as SQLite does it: the last user moves the
    /// log into the file and deletes it.
    @discardableResult
    private func readByAnotherProcess() throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", "-c",
            "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); print(c.execute('SELECT ZTITLE FROM ZBOOK').fetchall());"
                + " c.close()",
            sample.url.path,
        ]
        process.standardOutput = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: text, as: UTF8.self)
    }
}
