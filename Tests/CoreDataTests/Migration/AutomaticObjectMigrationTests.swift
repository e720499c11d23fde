// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests migrations by objects that adding a store begins with: XML and binary stores, and changes beyond statements.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

@Suite("Automatic migration by objects") struct AutomaticObjectMigrationTests {
    static let files: [StoreKind] = [.sqlite, .xml, .binary]
    static let atomic: [StoreKind] = [.xml, .binary]

    private let old = version { model in
        let author = model.entity("Author") { $0.attribute("name", .stringAttributeType) }
        let book = model.entity("Book") {
            $0.attribute("title", .stringAttributeType)
            $0.attribute("pages", .integer32AttributeType)
        }
        author.relate("books", .many, to: book, inverse: "author", .one)
    }

    private let new = version { model in
        let author = model.entity("Author") { $0.attribute("name", .stringAttributeType) }
        let volume = model.entity("Volume", former: "Book") {
            $0.attribute("name", .stringAttributeType).renamingIdentifier = "title"
            $0.attribute("pages", .integer64AttributeType)
            $0.attribute("rating", .integer16AttributeType, default: 3)
        }
        author.relate("books", .many, to: volume, inverse: "author", .one)
    }

    private func library(_ kind: StoreKind) throws -> MigratingStore {
        try MigratingStore(old, in: kind) { context in
            let jane = context.make("Author", ["name": "Jane"])
            for title in ["Emma", "Persuasion"] {
                context.make("Book", ["title": title, "pages": 300, "author": jane])
            }
            context.make("Book", ["title": "Dune"])
            context.persistentStoreCoordinator?.persistentStores.first?.metadata["own"] = "kept"
        }
    }

    /// XML and binary stores have no copy of their model.
    private var options: [AnyHashable: Any] {
        MigratingStore.migrating.merging([MigrationOption.versions: [old]]) { $1 }
    }

    private func store(of context: NSManagedObjectContext) throws -> NSPersistentStore {
        try #require(context.persistentStoreCoordinator?.persistentStores.first)
    }

    private func names(_ context: NSManagedObjectContext, _ entity: String, _ key: String) throws -> [String] {
        try context.all(entity).compactMap { $0.value(forKey: key) as? String }.sorted()
    }

    private func cause(_ error: NSError) throws -> NSError {
        try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError)
    }

    /// Proves: G2, G5, G35, G78, G82
    @Test("XML and binary stores come to another version when they are added", arguments: atomic)
    func atomicStores(kind: StoreKind) throws {
        let library = try library(kind)
        let first = try library.open(old, options: nil)
        let identifier = try store(of: first).identifier
        try library.close(first)
        let files = try library.bytes().keys.sorted()
        let context = try library.open(new, options: options)
        #expect(try names(context, "Volume", "name") == ["Dune", "Emma", "Persuasion"])
        #expect(try context.values("Volume", "rating") == ["3", "3", "3"])
        let jane = try #require(try context.all("Author").first)
        let books = try #require(jane.value(forKey: "books") as? Set<NSManagedObject>)
        #expect(Set(books.compactMap { $0.value(forKey: "name") as? String }) == ["Emma", "Persuasion"])
        let opened = try store(of: context)
        let report = try #require(opened.migrationReport)
        #expect(report.steps.map(\.way) == [.objects] && report.isVerified)
        #expect(report.rowsBefore == ["Author": 1, "Volume": 3] && report.rowsAfter == report.rowsBefore)
        #expect(opened.identifier == identifier && opened.metadata["own"] as? String == "kept")
        let entry = try #require((opened.metadata[MigrationHistoryKey] as? [[String: Any]])?.first)
        #expect(entry["way"] as? String == "objects" && entry["to"] as? String == new.versionChecksum)
        context.make("Volume", ["name": "Ulysses"])
        try context.save()
        #expect(Set(try context.all("Volume").map(\.objectID)).count == 4)
        try library.close(context)
        let again = try library.open(new, options: nil)
        #expect(try store(of: again).migrationReport == nil)
        #expect(try again.all("Volume").count == 4)
        try library.close(again)
        #expect(try library.failure(old, options: nil).code == NSPersistentStoreIncompatibleVersionHashError)
        #expect(try library.bytes().keys.sorted() == files)
    }

    /// Proves: G17, G34, G35
    @Test("entities that come below a known root keep their rows", arguments: files)
    func joinedTrees(kind: StoreKind) throws {
        let one = version { model in
            model.entity("Animal") { $0.attribute("name", .stringAttributeType) }
            model.entity("Cat") { $0.attribute("name", .stringAttributeType) }
        }
        let two = version { model in
            let animal = model.entity("Animal") { $0.attribute("name", .stringAttributeType) }
            model.entity("Cat", parent: animal)
        }
        let zoo = try MigratingStore(one, in: kind) { context in
            context.make("Animal", ["name": "Leo"])
            for name in ["Tom", "Kit"] { context.make("Cat", ["name": name]) }
        }
        let options: [AnyHashable: Any] = [MigrationOption.versions: [one]]
        let context = try zoo.open(two, options: MigratingStore.migrating.merging(options) { $1 })
        #expect(try store(of: context).migrationReport?.steps.map(\.way) == [.objects])
        #expect(try names(context, "Animal", "name") == ["Kit", "Leo", "Tom"])
        #expect(try names(context, "Cat", "name") == ["Kit", "Tom"])
        try zoo.close(context)
        if kind == .sqlite { #expect(try zoo.differences(from: two) == []) }
    }

    /// Proves: G6, G7, G8, G9, G71
    @Test("what cannot be migrated has the errors of SQLite stores, and stays as it is", arguments: atomic)
    func refused(kind: StoreKind) throws {
        let library = try library(kind)
        let before = try library.bytes()
        #expect(try library.failure(new).code == NSMigrationMissingSourceModelError)
        var options = options
        options[NSInferMappingModelAutomaticallyOption] = nil
        let unmapped = try library.failure(new, options: options)
        #expect(unmapped.code == NSMigrationMissingMappingModelError)
        #expect(unmapped.userInfo["reason"] as? String == "Can't find mapping model for migration")
        let retyped = version { model in
            model.entity("Book") { $0.attribute("title", .dateAttributeType) }
        }
        let untyped = try library.failure(retyped, options: self.options)
        #expect(untyped.code == NSMigrationMissingMappingModelError)
        #expect(try cause(untyped).code == NSInferredMappingModelError)
        options = self.options
        options[NSReadOnlyPersistentStoreOption] = true
        let readOnly = try library.failure(new, options: options)
        #expect(readOnly.code == NSMigrationError)
        #expect(try cause(readOnly).code == CocoaError.Code.fileWriteNoPermission.rawValue)
        #expect(try library.bytes() == before)
    }

    /// Proves: G11, G21, G71
    @Test("a missing mandatory value ends the migration, each time in the same way", arguments: atomic)
    func missingValue(kind: StoreKind) throws {
        let strict = version { model in
            model.entity("Book") {
                $0.attribute("title", .stringAttributeType)
                $0.attribute("isbn", .stringAttributeType, optional: false)
            }
        }
        let library = try library(kind)
        let before = try library.bytes()
        for _ in 0..<2 {
            let error = try library.failure(strict, options: options)
            #expect(error.code == NSMigrationError)
            #expect(error.userInfo["sourceURL"] as? URL == library.url)
            let name = (error.userInfo["destinationURL"] as? URL)?.lastPathComponent
            #expect(name?.wholeMatch(of: /\.store\.sqlite\.migrationdestination_[0-9A-Fa-f]{32}/) != nil)
            #expect(
                error.userInfo["reason"] as? String
                    == "Validation error missing attribute values on mandatory destination attribute")
        }
        #expect(try library.bytes() == before)
    }

    /// Proves: G79
    @Test("of several openers one migrates, and all can work", arguments: files)
    func severalOpeners(kind: StoreKind) async throws {
        let one = version { model in
            model.entity("Animal")
            model.entity("Cat") { $0.attribute("name", .stringAttributeType) }
        }
        func later() -> NSManagedObjectModel {
            version { model in
                let animal = model.entity("Animal")
                model.entity("Cat", parent: animal) { $0.attribute("name", .stringAttributeType) }
            }
        }
        let zoo = try MigratingStore(one, in: kind) { for _ in 0..<50 { $0.make("Cat", ["name": "Tom"]) } }
        let (url, type) = (zoo.url, kind.type)
        let models = (0..<3).map { _ in later() }
        let sources = try (0..<3).map { _ in try #require(one.copy() as? NSManagedObjectModel) }
        let reports = try await withThrowingTaskGroup(of: Bool.self) { group in
            for (model, source) in zip(models, sources) {
                group.addTask {
                    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
                    let opened = try coordinator.addPersistentStore(
                        ofType: type, configurationName: nil, at: url,
                        options: [
                            NSMigratePersistentStoresAutomaticallyOption: true,
                            NSInferMappingModelAutomaticallyOption: true, NSPersistentStoreTimeoutOption: 60,
                            MigrationOption.versions: [source],
                        ])
                    let isMigrated = opened.migrationReport != nil
                    try coordinator.remove(opened)
                    return isMigrated
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(reports.count { $0 } == 1)
        let context = try zoo.open(later(), options: nil)
        #expect(try context.all("Cat").count == 50)
        try zoo.close(context)
        #expect(try zoo.bytes().keys.allSatisfy { !$0.contains(".half") })
    }

    /// Proves: G35
    @Test("statements and objects leave the same links", arguments: LinkChange.all) func links(change: LinkChange)
        throws
    {
        let (before, after) = (change.model(change.before), change.model(change.after))
        var found: [[[String]]] = []
        for isByObjects in [false, true] {
            let store = try MigratingStore(before) { context in
                let ends = (0..<3).map { context.make("A", ["name": "a\($0)"]) }
                let members = (0..<3).map { context.make("B", ["name": "b\($0)"]) }
                change.link(ends, members, context)
            }
            if isByObjects {
                try ObjectMigration(
                    url: store.url, type: NSSQLiteStoreType, configuration: nil, options: nil, source: before,
                    destination: after, mapping: nil
                ).run()
            }
            let context = try store.open(after)
            found.append(try change.links(context))
            try store.close(context)
        }
        #expect(found == [change.expected, change.expected])
    }
}
