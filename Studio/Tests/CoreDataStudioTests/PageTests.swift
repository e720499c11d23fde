// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The pages of reports and models, and their facts about a store.

import CoreData
import CoreDataToolKit
import Foundation
import Testing

@testable import CoreDataStudio

@Suite("Pages show the contents of the store and its model")
struct PageTests {
    private let sample: SampleStore
    private let site: Site

    init() throws {
        sample = try SampleStore()
        site = Site(session: try sample.session(isWritable: false))
    }

    private func page(_ path: String..., query: [String: String] = [:]) async throws -> String {
        let answer = await site.ask(path, query: query)
        #expect(answer.status == 200)
        return answer.text
    }

    @Test func theFirstPageHasEntitiesAndTheFile() async throws {
        let text = try await page()
        #expect(text.contains("/data/Book\">Book</a>") && text.contains("<td class=\"number\">3</td>"))
        #expect(text.contains(sample.url.path))
    }

    @Test func theHistoryHasTransactionsWithAuthors() async throws {
        try sample.edit { context in
            for book in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")) {
                book.setValue(7, forKey: "pages")
            }
        }
        let text = try await page("history")
        let link = "<a href=\"/\(site.guards.token)/history?transaction=2\">transaction 2</a>"
        #expect(text.contains("shop · \(link) · 3 changes"))
        #expect(text.contains("changed</span>") && text.contains(": pages</li>"))
        let older = try await page("history", query: ["before": "2"])
        #expect(older.contains(">transaction 1</a>") && !older.contains(">transaction 2</a>"))
    }

    @Test func theDoctorNamesTheBrokenRuleAndItsObject() async throws {
        #expect(try await page("doctor").contains("The store is sound"))
        try execute("UPDATE ZBOOK SET ZAUTHOR = 99 WHERE Z_PK = 2")
        let site = Site(session: try sample.session(isWritable: false))
        let text = await site.ask(["doctor"]).text
        #expect(text.contains("reference.dangling") && text.contains("/object/Book/2\">Book/2</a>"))
        #expect(text.contains("--fix reference.dangling"))
    }

    private func execute(_ statement: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", "-c", "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()",
            sample.url.path, statement,
        ]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test func statisticsHaveSizesOfEntitiesAttributesAndIndexes() async throws {
        let text = try await page("statistics")
        for title in ["Entities", "Attributes", "Indexes"] { #expect(text.contains("<h2>\(title)</h2>")) }
        #expect(text.contains("Book.title") && text.contains("<svg class=\"bar\""))
    }

    @Test func theModelIsAPictureWithLinksToTheData() async throws {
        let text = try await page("model")
        #expect(text.contains("<svg") && text.contains("href=\"/\(site.guards.token)/data/Book\""))
        #expect(text.contains("optional") && text.contains("Composite"))
        #expect(try await page("migration").contains("--model App.xcdatamodeld"))
        #expect(await site.ask(["model", "versions"]).status == 404)
    }

    @Test func versionsStandSideBySideAndAMigrationHasAPlan() async throws {
        let model = try versionedModel()
        let store = sample.folder.appendingPathComponent("Notes.sqlite")
        let versions = try BrowsedModel(path: model.path)
        #expect(versions.versions.map(\.name) == ["Notes", "Notes 2"])
        let first = try #require(
            NSManagedObjectModel(contentsOf: model.appendingPathComponent("Notes.xcdatamodel")))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: first)
        let made = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: store, options: nil)
        try coordinator.remove(made)
        let session = try StudioSession(path: store.path, model: model.path, modelVersion: "Notes")
        let site = Site(session: session)
        let comparison = await site.ask(["model", "versions"]).text
        #expect(comparison.contains("<tr class=\"added\"><th scope=\"row\">written</th>"))
        let plan = await site.ask(["migration"], query: ["to": "Notes 2"]).text
        #expect(plan.contains("A migration is needed, and possible.") && plan.contains("ZWRITTEN"))
        #expect(await Site(model: versions).ask(["model"]).text.contains("Compare versions"))
    }

    /// A model of notes in two versions.
    private func versionedModel() throws -> URL {
        let folder = sample.folder.appendingPathComponent("Notes.xcdatamodeld")
        for (name, more) in [
            ("Notes", ""), ("Notes 2", #"<attribute name="written" optional="YES" attributeType="Date"/>"#),
        ] {
            let version = folder.appendingPathComponent("\(name).xcdatamodel")
            try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
            let text = """
                <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
                <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
                    <entity name="Note" representedClassName="NSManagedObject">
                        <attribute name="text" optional="YES" attributeType="String"/>\(more)
                    </entity>
                </model>
                """
            try Data(text.utf8).write(to: version.appendingPathComponent("contents"))
        }
        let current: [String: String] = ["_XCCurrentVersionName": "Notes 2.xcdatamodel"]
        try PropertyListSerialization.data(fromPropertyList: current, format: .xml, options: 0)
            .write(to: folder.appendingPathComponent(".xccurrentversion"))
        return folder
    }
}
