// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States what this version does with stores of earlier ones: opens, queries, changes and migrates them.

import CoreData
import CoreDataTesting
import CoreDataToolKit
import Foundation
import GoldenStores
import Testing

/// Proves: GoldenStores-G1 to G6
@Suite("Golden stores") struct GoldenStoreTests {
    @Test("there are stores of several commits")
    func sets() {
        #expect(GoldenStore.sets.count >= 3)
        #expect(GoldenStore.all.count >= 15)
    }

    @Test("open with the contents that their commit wrote down", arguments: GoldenStore.all)
    func contents(store: GoldenStore) throws {
        let recorded = try store.recorded()
        #expect(recorded.contains("Book \"Dune\""))
        try store.withCopy { url in
            let contents = try store.open(url) { try StoreContents(of: $0) }
            try contents.verify(StoreContents(text: recorded))
        }
    }

    @Test("answer queries by values, by related objects, in order, and by groups", arguments: GoldenStore.all)
    func queries(store: GoldenStore) throws {
        let answers = try store.withCopy { url in
            try store.open(url) { context in
                try [
                    "title == 'Dune'", "key BEGINSWITH 'str'", "ANY tags.name == 'rare'", "price > 59.9",
                    "released < CAST(0, 'NSDate')", "size.width >= 5", "chapters.@count == 2", "sequel != nil",
                ].map { format in
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                    request.predicate = NSPredicate(format: format)
                    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
                    return try context.fetch(request).map { $0.value(forKey: "title") as? String ?? "-" }
                }
            }
        }
        #expect(answers[0] == ["Dune"])
        #expect(answers[1] == ["Straße \"4\""])
        #expect(answers[2] == ["A\nB", "日本"])
        #expect(answers[3].count == 4)
        #expect(answers[4] == ["A\nB", "Ulysses", "Éclair", "日本"])
        #expect(answers[5] == ["Ulysses", "日本"])
        #expect(answers[6] == ["Straße \"4\"", "Ulysses"])
        #expect(answers[7] == ["Dune"])
    }

    @Test("take changes as a new store does", arguments: GoldenStore.all.filter { !$0.variant.isMigrated })
    func changes(store: GoldenStore) throws {
        let expected = try TemporaryPlace.with { folder in
            try store.variant.write(in: folder)
            return try changed(folder.appendingPathComponent(store.variant.fileName), store)
        }
        let contents = try store.withCopy { try changed($0, store) }
        #expect(contents.text.contains("Atlas \"New\""))
        try contents.verify(expected)
    }

    /// Changes the store, and reads it after it was closed.
    private func changed(_ url: URL, _ store: GoldenStore) throws -> StoreContents {
        try store.open(url) { try GoldenPopulation.change($0) }
        return try store.open(url) { try StoreContents(of: $0) }
    }

    @Test(
        "migrate to another version as a new store does", arguments: GoldenStore.all.filter { !$0.variant.isMigrated })
    func migration(store: GoldenStore) throws {
        let expected = try TemporaryPlace.with { folder in
            try store.variant.write(in: folder)
            return try migrated(folder.appendingPathComponent(store.variant.fileName), store)
        }
        let contents = try store.withCopy { try migrated($0, store) }
        #expect(contents.text.contains("House") && contents.text.contains("length: "))
        try contents.verify(expected)
    }

    private func migrated(_ url: URL, _ store: GoldenStore) throws -> StoreContents {
        try store.open(url, model: GoldenModel.second(), migrates: true) { try StoreContents(of: $0) }
    }

    @Test("that were migrated take changes", arguments: GoldenStore.of([.migrated]))
    func changesAfterMigration(store: GoldenStore) throws {
        let contents = try store.withCopy { url in
            try store.open(url) { context in
                let house = NSEntityDescription.insertNewObject(forEntityName: "House", into: context)
                house.setValue("New", forKey: "name")
                let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                request.predicate = NSPredicate(format: "title == 'Emma'")
                try context.fetch(request).first?.setValue(house, forKey: "publisher")
                try context.save()
            }
            return try store.open(url) { try StoreContents(of: $0, entities: ["House", "Book"]).text }
        }
        #expect(contents.contains("House \"New\"\n  bookCount: 1\n  books: Book \"Emma\"\n"))
    }

    @Test("are healthy before and after changes", arguments: GoldenStore.all)
    func health(store: GoldenStore) throws {
        let findings = try store.withCopy { url in
            let before = try Doctor(url).examine()
            if !store.variant.isMigrated { try store.open(url) { try GoldenPopulation.change($0) } }
            return try before + Doctor(url).examine()
        }
        // The doctor mentions a journal mode that a user has chosen.
        let expected = store.variant == .rollback ? Array(repeating: "The journal mode is DELETE.", count: 2) : []
        #expect(findings.map(\.text) == expected)
    }

    @Test("keep their history", arguments: GoldenStore.of([.history]))
    func history(store: GoldenStore) throws {
        let (old, all) = try store.withCopy { url in
            let old = try store.open(url, Self.transactions)
            try store.open(url) { try GoldenPopulation.change($0) }
            return (old, try store.open(url, Self.transactions))
        }
        #expect(old.map(\.author) == ["golden", "golden"])
        #expect(old.map(\.changes.count) == [24, 5])
        #expect(all.count == 3)
        #expect(all.prefix(2).map(\.changes) == old.map(\.changes))
    }

    private struct Transaction: Sendable {
        let author: String?
        let changes: [String]
    }

    private static func transactions(_ context: NSManagedObjectContext) throws -> [Transaction] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try context.execute(request) as? NSPersistentHistoryResult
        return (result?.result as? [NSPersistentHistoryTransaction] ?? []).map { transaction in
            Transaction(
                author: transaction.author,
                changes: (transaction.changes ?? []).map { change in
                    let kind = "\(change.changeType)"
                    let names = (change.updatedProperties ?? []).map(\.name).sorted()
                    return "\(kind) \(change.changedObjectID.entity.name ?? "") \(names)"
                })
        }
    }

    @Test("search by their full-text index", arguments: GoldenStore.of([.fullText]))
    func search(store: GoldenStore) throws {
        let titles = try store.withCopy { url in
            try store.open(url) { context in
                let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                request.predicate = NSPredicate(format: "SELF MATCHING %@", "dune")
                return try context.fetch(request).map { $0.value(forKey: "title") as? String ?? "" }
            }
        }
        #expect(titles == ["Dune"])
    }
}
