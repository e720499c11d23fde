// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Names of objects, chips of relationships, and composite values in the grid.

import CoreData
import CoreDataToolKit
import Foundation
import StudioSample
import Synchronization
import Testing

@testable import CoreDataStudio

/// Proves: Studio-N1, Studio-R6
@Suite("Objects are known by their names, in the grid and on all pages")
struct NamesAndChipsTests {
    private func text(_ name: String, isOptional: Bool = true) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        (attribute.name, attribute.attributeType, attribute.isOptional) = (name, .stringAttributeType, isOptional)
        return attribute
    }

    /// The naming attribute of an entity with some texts, in a store that is opened for reading and for writing.
    private func names(_ texts: [NSAttributeDescription], unique: [[String]] = []) throws -> [String?] {
        let sample = try SampleStore(books: [])
        let url = sample.folder.appendingPathComponent("Names.sqlite")
        let entity = NSEntityDescription()
        entity.name = "Thing"
        entity.properties = texts
        entity.uniquenessConstraints = unique
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        try coordinator.remove(store)
        return try [false, true].map { isWritable in
            let opened = try BrowsedStore(path: url.path, isWritable: isWritable)
            return opened.model.entitiesByName["Thing"].flatMap(BrowsedStore.namingAttribute)
        }
    }

    @Test func aUsualNameComesFirstThenAUniqueTextThenARequiredOne() throws {
        let all = { (required: String) in [text("note"), text("serial"), text(required, isOptional: false)] }
        #expect(try names(all("shelf") + [text("label")], unique: [["serial"]]) == ["label", "label"])
        #expect(try names(all("shelf") + [text("brandName")], unique: [["serial"]]) == ["brandName", "brandName"])
        #expect(try names(all("shelf"), unique: [["note", "shelf"], ["serial"]]) == ["serial", "serial"])
        #expect(try names(all("shelf")) == ["shelf", "shelf"])
        #expect(try names([text("note")]) == [nil, nil])
    }

    @Test func chipsNameTheObjectsOfRelationships() async throws {
        let sample = try SampleStore(books: ["A", "B", "C", "D"])
        for isWritable in [false, true] {
            let site = Site(session: try sample.session(isWritable: isWritable))
            let books = await site.ask(["rows", "Book"]).text
            #expect(books.contains(">Frank Herbert</bdi></a>"))
            let authors = await site.ask(["rows", "Author"]).text
            for title in ["A", "B", "C"] { #expect(authors.contains("<bdi>\(title)</bdi>")) }
            #expect(!authors.contains("<bdi>D</bdi>") && authors.contains("aria-label=\"4 Book\">4</a>"))
            #expect(authors.contains("/data/Book?q=author%20%3D%3D%20%22Author%2F1%22"))
        }
    }

    @Test func aRelationshipWithManyMembersHasANumberWithoutReadingThem() async throws {
        let sample = try SampleStore(books: (1...50).map { "Book \($0)" })
        let text = await Site(session: try sample.session(isWritable: false)).ask(["rows", "Author"]).text
        #expect(text.contains("aria-label=\"50 Book\"") && !text.contains("<bdi>Book 1</bdi>"))
        #expect(try sample.titles().count == 50)
    }

    @Test func theNumberOfStatementsDoesNotDependOnTheRows() async throws {
        let sample = try SampleStore(books: ["Book 0", "More 0"])
        try sample.edit { context in
            for number in 1...120 {
                try SampleShop.fill(context, titles: ["Book \(number)", "More \(number)"], author: "Author \(number)")
            }
        }
        var counts: [Int] = []
        for rows in [20, 100] {
            let (counter, definition) = (Counter(), try ViewDefinition(entityName: "Author", query: [:]))
            let session = try StudioSession(path: sample.url.path, observer: counter)
            let before = counter.count
            let window = try await session.read { try $0.window(definition, from: 0, count: rows) }
            #expect(window.rows.count == rows)
            #expect(window.rows.allSatisfy { $0.cells.contains { $0.namesTwo } })
            counts.append(counter.count - before)
        }
        #expect(counts[0] == counts[1] && counts[0] > 0)
    }

    @Test func compositeValuesShowTheirElements() async throws {
        let sample = try SampleStore(books: ["Dune"])
        try sample.edit { context in
            let book = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).first
            book?.setValue(["width": 12.5, "height": 7.0, "unit": "cm"], forKey: "size")
        }
        let text = await Site(session: try sample.session(isWritable: false)).ask(["rows", "Book"]).text
        #expect(text.contains("<td>12.5 × 7, cm</td>") && !text.contains("width"))
    }
}

/// Counts on any thread.
private final class Counter: StoreObserver {
    private let number = Mutex(0)
    var count: Int { number.withLock { $0 } }
    func add() { number.withLock { $0 += 1 } }

    func begin(_ operation: StoreOperation) -> StoreOperation.End? {
        if operation.kind == .statement { add() }
        return nil
    }
}

extension GridCell {
    fileprivate var namesTwo: Bool {
        if case .members(2, let first, _) = content { return first.count == 2 }
        return false
    }
}
