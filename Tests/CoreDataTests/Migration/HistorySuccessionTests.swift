// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Migrations of stores with tombstones, and of stores with search indexes: both are there afterwards.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

@Suite("What a migration keeps beside the objects") struct HistorySuccessionTests {
    private static var tracking: [AnyHashable: Any] { [NSPersistentHistoryTrackingKey: true] }

    private func deletions(_ context: NSManagedObjectContext) throws -> [[String: String]] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try context.execute(request) as? NSPersistentHistoryResult
        let changes = (result?.result as? [NSPersistentHistoryTransaction])?.flatMap { $0.changes ?? [] } ?? []
        return changes.filter { $0.changeType == .delete }.map { change in
            var values: [String: String] = [:]
            for (key, value) in change.tombstone ?? [:] { values["\(key)"] = "\(value)" }
            return values
        }
    }

    /// Proves: H26, G84
    @Test("tombstones have their values under the names of the new version, however the kept attributes change")
    func tombstones() throws {
        func model(_ kept: [String], former: [String: String] = [:]) -> NSManagedObjectModel {
            version { model in
                model.entity("Book") { book in
                    for name in kept {
                        let attribute = book.attribute(name, .stringAttributeType)
                        attribute.preservesValueInHistoryOnDeletion = true
                        attribute.renamingIdentifier = former[name]
                    }
                    book.attribute("plain", .stringAttributeType)
                }
            }
        }
        let store = try MigratingStore()
        let first = try store.open(model(["isbn", "title"]), options: Self.tracking)
        let doomed = first.make("Book", ["isbn": "1", "title": "Dune"])
        first.make("Book", ["isbn": "2", "title": "Emma"])
        try first.save()
        first.delete(doomed)
        try first.save()
        #expect(try deletions(first) == [["isbn": "1", "title": "Dune"]])
        try store.close(first)
        let options = MigratingStore.migrating.merging(Self.tracking) { $1 }
        let second = try store.open(model(["author", "isbn", "name"], former: ["name": "title"]), options: options)
        #expect(try deletions(second) == [["isbn": "1", "name": "Dune"]])
        let rest = try #require(try second.all("Book").first)
        rest.setValue("Jane", forKey: "author")
        try second.save()
        second.delete(rest)
        try second.save()
        #expect(
            try deletions(second) == [["isbn": "1", "name": "Dune"], ["author": "Jane", "isbn": "2", "name": "Emma"]])
        try store.close(second)
        let third = try store.open(model(["name"]), options: options)
        #expect(try deletions(third) == [["name": "Dune"], ["name": "Emma"]])
        try store.close(third)
    }

    /// Proves: SearchIndexes-5
    @Test("a migration by objects makes the search indexes that the store had, without the option")
    func searchIndexes() throws {
        func model(joined: Bool) -> NSManagedObjectModel {
            version { model in
                let animal = model.entity("Animal") {
                    $0.attribute("name", .stringAttributeType).isIndexedBySpotlight = true
                    let meta = $0.attribute("meta", .transformableAttributeType)
                    meta.userInfo = [NSAttributeDescription.indexedPathsKey: "size"]
                }
                model.entity("Cat", parent: joined ? animal : nil) {
                    if !joined { $0.attribute("name", .stringAttributeType) }
                }
            }
        }
        let store = try MigratingStore()
        let first = try store.open(
            model(joined: false), options: [NSFullTextIndexOption: true, NSValueIndexOption: true])
        first.make("Animal", ["name": "Leo the lion", "meta": ["size": 7]])
        first.make("Cat", ["name": "Tom"])
        try first.save()
        try store.close(first)
        let file = FullTextFile(url: store.url)
        #expect(try !file.tables().isEmpty)
        let values = ValueFile(url: store.url)
        let before = try values.names()
        #expect(!before.isEmpty)
        let second = try store.open(model(joined: true))
        #expect(try second.all("Animal").count == 2)
        try store.close(second)
        #expect(try !file.tables().isEmpty)
        #expect(try file.faults().isEmpty)
        #expect(try values.names() == before)
        #expect(try values.faults(model(joined: true)).isEmpty)
    }

    /// Proves: G72
    @Test("former rows are left out where derived attributes, their triggers and indexes of places are kept")
    func quarantineWithTriggers() throws {
        func model(_ isNew: Bool) -> NSManagedObjectModel {
            version { model in
                let shelf = model.entity("Shelf") { $0.attribute("name", .stringAttributeType) }
                let book = model.entity("Book") {
                    $0.attribute("title", .stringAttributeType, optional: !isNew)
                    $0.attribute("latitude", .doubleAttributeType)
                }
                shelf.relate("books", .many, to: book, inverse: "shelf", .one)
                shelf.derived("size", .integer64AttributeType, "books.@count")
                book.derived("lower", .stringAttributeType, "lowercase:(title)")
            }
        }
        let store = try MigratingStore(model(false)) { context in
            let shelf = context.make("Shelf", ["name": "A"])
            for title in ["Dune", nil, "Emma"] {
                let book = context.make("Book", ["shelf": shelf])
                book.setValue(title, forKey: "title")
            }
        }
        let options = MigratingStore.migrating.merging([
            MigrationOption.quarantine: true, MigrationOption.versions: [model(false)],
        ]) { $1 }
        let context = try store.open(model(true), options: options)
        let report = try #require(context.persistentStoreCoordinator?.persistentStores.first?.migrationReport)
        #expect(
            try context.all("Book").compactMap { $0.value(forKey: "lower") as? String }.sorted() == ["dune", "emma"])
        #expect(try context.all("Shelf").map { $0.value(forKey: "size") as? Int } == [2])
        context.make("Book", ["title": "Ubik", "shelf": try #require(try context.all("Shelf").first)])
        try context.save()
        context.refreshAllObjects()
        #expect(try context.all("Shelf").map { $0.value(forKey: "size") as? Int } == [3])
        let left = MigratingStore(at: try #require(report.quarantineURLs.first))
        let former = try left.open(model(false), options: nil)
        #expect(try former.all("Book").count == 1)
        try left.close(former)
        try store.close(context)
    }

    /// Proves: G68
    @Test("a table of many entities is counted before and after") func manyEntities() throws {
        func model(_ isNew: Bool) -> NSManagedObjectModel {
            version { model in
                let root = model.entity("Root") {
                    $0.attribute("name", .stringAttributeType)
                    if isNew { $0.attribute("more", .stringAttributeType, optional: false, default: "x") }
                }
                for number in 0..<20 { model.entity("Part\(number)", parent: root) }
            }
        }
        let store = try MigratingStore(model(false)) { context in
            for number in 0..<20 { for _ in 0...number { context.make("Part\(number)", ["name": "\(number)"]) } }
        }
        for rebuilds in [false, true] {
            let copy = try MigratingStore()
            try FileManager.default.copyItem(at: store.url, to: copy.url)
            let options = MigratingStore.migrating.merging([MigrationOption.rebuilds: rebuilds]) { $1 }
            let context = try copy.open(model(true), options: options)
            #expect(try context.all("Root").count == 210)
            let report = try #require(context.persistentStoreCoordinator?.persistentStores.first?.migrationReport)
            #expect(report.isVerified)
            #expect(report.rowsAfter["Part7"] == 8)
            try copy.close(context)
        }
    }
}
