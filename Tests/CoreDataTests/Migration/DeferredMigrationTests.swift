// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests migrations that leave a part of their work for later.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("Deferred migration") struct DeferredMigrationTests {
    private let key = NSPersistentStoreDeferredLightweightMigrationOptionKey

    private let old = version { model in
        let book = model.entity("Book") {
            $0.attribute("isbn", .stringAttributeType)
            $0.attribute("pages", .integer32AttributeType)
            $0.attribute("title", .stringAttributeType)
        }
        let tag = model.entity("Tag") { $0.attribute("name", .stringAttributeType) }
        book.relate("tags", .many, to: tag, inverse: "books", .many)
        model.entity("Zone") { $0.attribute("name", .stringAttributeType) }
    }

    /// Two columns, an entity with its table, and a join table are removed.
    private let new = version { model in
        model.entity("Book") {
            $0.attribute("name", .stringAttributeType).renamingIdentifier = "title"
            $0.attribute("rating", .integer16AttributeType, default: 3)
        }
        model.entity("Tag") { $0.attribute("name", .stringAttributeType) }
    }

    private func library() throws -> MigratingStore {
        try MigratingStore(old) { context in
            let tag = context.make("Tag", ["name": "novel"])
            for title in ["Emma", "Dune"] {
                context.make("Book", ["title": title, "isbn": "1-\(title)", "pages": 300, "tags": Set([tag])])
            }
            context.make("Zone", ["name": "Z"])
        }
    }

    private func store(_ context: NSManagedObjectContext) throws -> NSPersistentStore {
        try #require(context.persistentStoreCoordinator?.persistentStores.first)
    }

    private func isMarked(_ library: MigratingStore) throws -> Bool {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: library.url)
        return metadata[key] as? Bool == true
    }

    /// Proves: G58, G59
    @Test("the store is usable at once, and the rest is done later") func finished() throws {
        let library = try library()
        let context = try library.open(new, options: MigratingStore.migrating.merging([key: true]) { $1 })
        let report = try #require(try store(context).migrationReport)
        #expect(!report.steps[0].statements.contains { $0.contains("DROP COLUMN") || $0.contains("DROP TABLE") })
        #expect(try store(context).metadata[key] as? Bool == true)
        #expect(try isMarked(library))
        #expect(try context.values("Book", "name") == ["Emma", "Dune"])
        #expect(try context.values("Book", "rating") == ["3", "3"])
        context.make("Book", ["name": "Ulysses"])
        try context.save()
        let left = try library.differences(from: new)
        #expect(left.count == 4 && left.allSatisfy { $0.hasSuffix("is left over") }, "\(left)")
        let coordinator = try #require(context.persistentStoreCoordinator)
        try coordinator.finishDeferredLightweightMigration()
        #expect(try library.differences(from: new) == [])
        #expect(try store(context).metadata[key] == nil)
        #expect(try !isMarked(library))
        try coordinator.finishDeferredLightweightMigration()
        try coordinator.finishDeferredLightweightMigrationTask()
        context.make("Book", ["name": "Persuasion"])
        try context.save()
        #expect(try context.values("Book", "name") == ["Emma", "Dune", "Ulysses", "Persuasion"])
        try library.close(context)
        let again = try library.open(new, options: nil)
        #expect(try again.all("Book").count == 4)
        try library.close(again)
    }

    /// Proves: G60, G65
    @Test("each task is one transaction, and those that are left survive closing") func tasks() throws {
        let library = try library()
        try library.close(library.open(new, options: MigratingStore.migrating.merging([key: true]) { $1 }))
        for left in [3, 2, 1] {
            let context = try library.open(new, options: nil)
            try context.persistentStoreCoordinator?.finishDeferredLightweightMigrationTask()
            #expect(try context.values("Book", "name") == ["Emma", "Dune"])
            try library.close(context)
            #expect(try library.differences(from: new).count == left)
            #expect(try isMarked(library))
        }
        let context = try library.open(new, options: nil)
        try context.persistentStoreCoordinator?.finishDeferredLightweightMigrationTask()
        try library.close(context)
        #expect(try library.differences(from: new) == [])
        #expect(try !isMarked(library))
    }

    /// Proves: G20, G34, G60
    @Test("a later migration gives a property that comes back no old value", arguments: [false, true])
    func laterMigration(defers: Bool) throws {
        let library = try library()
        let options = MigratingStore.migrating.merging([key: true]) { $1 }
        try library.close(library.open(new, options: options))
        let context = try library.open(old, options: defers ? options : MigratingStore.migrating)
        #expect(try context.values("Book", "isbn") == [nil, nil])
        #expect(try context.values("Book", "pages") == [nil, nil])
        #expect(try context.all("Zone").isEmpty)
        #expect(
            try context.all("Book").allSatisfy { ($0.value(forKey: "tags") as? Set<NSManagedObject>)?.isEmpty == true })
        #expect(try isMarked(library) == defers)
        if defers { try context.persistentStoreCoordinator?.finishDeferredLightweightMigration() }
        try library.close(context)
        #expect(try library.differences(from: old) == [])
        #expect(try !isMarked(library))
    }

    /// Proves: G58, G59
    @Test("nothing is marked where nothing is left, and a read-only store refuses the tasks") func unmarked() throws {
        let wider = version { model in
            let book = model.entity("Book") {
                $0.attribute("isbn", .stringAttributeType)
                $0.attribute("pages", .integer32AttributeType)
                $0.attribute("title", .stringAttributeType)
                $0.attribute("rating", .integer16AttributeType)
            }
            let tag = model.entity("Tag") { $0.attribute("name", .stringAttributeType) }
            book.relate("tags", .many, to: tag, inverse: "books", .many)
            model.entity("Zone") { $0.attribute("name", .stringAttributeType) }
        }
        let library = try library()
        let options = MigratingStore.migrating.merging([key: true]) { $1 }
        try library.close(library.open(wider, options: options))
        #expect(try !isMarked(library))
        #expect(try library.differences(from: wider) == [])
        try library.close(library.open(new, options: options))
        let context = try library.open(new, options: [NSReadOnlyPersistentStoreOption: true])
        let coordinator = try #require(context.persistentStoreCoordinator)
        let error = #expect(throws: NSError.self) { try coordinator.finishDeferredLightweightMigration() }
        #expect(error?.code == CocoaError.Code.fileWriteNoPermission.rawValue)
        try library.close(context)
    }

    /// Proves: G59
    @Test("others use the store while the tasks are done") func others() throws {
        let library = try library()
        let context = try library.open(new, options: MigratingStore.migrating.merging([key: true]) { $1 })
        let other = try library.open(new, options: nil)
        let book = try #require(try other.all("Book").first)
        #expect(book.value(forKey: "name") as? String == "Emma")
        try context.persistentStoreCoordinator?.finishDeferredLightweightMigration()
        book.setValue("Emma 2", forKey: "name")
        other.make("Book", ["name": "Ulysses"])
        try other.save()
        #expect(try Set(other.values("Book", "name")) == ["Emma 2", "Dune", "Ulysses"])
        try library.close(other)
        try library.close(context)
        #expect(try library.differences(from: new) == [])
    }
}
