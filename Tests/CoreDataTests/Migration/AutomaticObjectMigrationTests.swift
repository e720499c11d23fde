// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests migrations by objects when a store is added: XML and binary stores, and changes that statements cannot make.

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
    @Test("a store that cannot be migrated gives the errors of SQLite stores, and stays as it is", arguments: atomic)
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
                    store: StoreLocation(url: store.url, type: NSSQLiteStoreType, options: nil), configuration: nil,
                    source: before,
                    destination: after, mapping: nil
                ).run()
            }
            let context = try store.open(after)
            found.append(try change.links(context))
            try store.close(context)
        }
        #expect(found == [change.expected, change.expected])
    }

    private func plan(_ store: MigratingStore, to model: NSManagedObjectModel, _ options: [AnyHashable: Any]) throws
        -> [String]
    {
        try MigrationPlan(
            forStoreAt: store.url, type: NSPersistentStore.StoreType(rawValue: store.kind.type), to: model,
            options: options
        ).warnings.map { "\($0.kind) \($0.entity).\($0.property ?? "") \($0.rows)" }
    }

    /// Proves: G17, G35
    @Test("Booleans become 0 and 1", arguments: files) func booleans(kind: StoreKind) throws {
        let types: [NSAttributeType] = [
            .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
        ]
        func model(_ isNew: Bool) -> NSManagedObjectModel {
            version { model in
                model.entity("Lamp") { lamp in
                    for (number, type) in types.enumerated() {
                        lamp.attribute("on\(number)", isNew ? type : .booleanAttributeType)
                    }
                    lamp.attribute(
                        "default", isNew ? types[0] : .booleanAttributeType, optional: !isNew, default: isNew ? 7 : nil)
                }
            }
        }
        let store = try MigratingStore(model(false), in: kind) { context in
            for value in [true, false, nil] as [Bool?] {
                let lamp = context.make("Lamp")
                for key in ["on0", "on1", "on2", "default"] { lamp.setValue(value, forKey: key) }
            }
        }
        let options = MigratingStore.migrating.merging([MigrationOption.versions: [model(false)]]) { $1 }
        #expect(try plan(store, to: model(true), options) == [])
        let context = try store.open(model(true), options: options)
        func sorted(_ key: String) throws -> [String] { try context.values("Lamp", key).map { $0 ?? "nil" }.sorted() }
        for key in ["on0", "on1", "on2"] { #expect(try sorted(key) == ["0", "1", "nil"]) }
        #expect(try sorted("default") == ["0", "1", "7"])
        for lamp in try context.all("Lamp") { lamp.setValue(300, forKey: "on1") }
        try context.save()
        try store.close(context)
    }

    /// Artworks with parts, tags and a cover, which are images at first and documents later.
    private func artworks(_ isNew: Bool) -> NSManagedObjectModel {
        version { model in
            let artwork = model.entity("Artwork") { $0.attribute("name", .stringAttributeType) }
            let document = model.entity("Document") { $0.attribute("name", .stringAttributeType) }
            let image = model.entity("Image") { $0.attribute("name", .stringAttributeType) }
            artwork.relate("parts", .many, to: isNew ? document : image, inverse: "artwork", .one)
            artwork.relate("tags", .many, to: isNew ? document : image, inverse: "tagged", .many)
            artwork.relationship("cover", .one, to: isNew ? document : image)
            image.relate("source", .one, to: document, inverse: "images", .many)
        }
    }

    /// Proves: G17, G24, G35, G63
    @Test("a relationship with an unrelated new destination is empty, and the plan counts its links", arguments: files)
    func otherDestination(kind: StoreKind) throws {
        let store = try MigratingStore(artworks(false), in: kind) { context in
            let artwork = context.make("Artwork", ["name": "a"])
            let document = context.make("Document", ["name": "d"])
            let images = (0..<2).map {
                context.make("Image", ["name": "i\($0)", "artwork": artwork, "source": document])
            }
            artwork.setValue(Set(images), forKey: "tags")
            artwork.setValue(images[0], forKey: "cover")
            context.make("Artwork", ["name": "b"])
        }
        let options = MigratingStore.migrating.merging([MigrationOption.versions: [artworks(false)]]) { $1 }
        let warnings = try plan(store, to: artworks(true), options)
        #expect(
            warnings.sorted() == [
                "dataLoss Artwork.cover 1", "dataLoss Artwork.parts 1", "dataLoss Artwork.tags 1",
                "dataLoss Image.artwork 2", "dataLoss Image.tagged 2",
            ])
        let context = try store.open(artworks(true), options: options)
        for artwork in try context.all("Artwork") {
            #expect((artwork.value(forKey: "parts") as? Set<NSManagedObject>)?.isEmpty == true)
            #expect((artwork.value(forKey: "tags") as? Set<NSManagedObject>)?.isEmpty == true)
            #expect(artwork.value(forKey: "cover") == nil)
        }
        let document = try #require(try context.all("Document").first)
        #expect((document.value(forKey: "images") as? Set<NSManagedObject>)?.count == 2)
        #expect(document.value(forKey: "artwork") == nil)
        let artwork = try #require(try context.all("Artwork").first)
        artwork.setValue(Set([document]), forKey: "parts")
        try context.save()
        try store.close(context)
        if kind == .sqlite { #expect(try store.differences(from: artworks(true)) == []) }
    }

    private func owners(_ isNew: Bool) -> NSManagedObjectModel {
        version { model in
            let animal = model.entity("Animal") { $0.attribute("name", .stringAttributeType) }
            let cat = model.entity("Cat", parent: animal)
            model.entity("Dog", parent: animal)
            let person = model.entity("Person") { $0.attribute("name", .stringAttributeType) }
            person.relate("pets", .many, to: isNew ? cat : animal, inverse: "owner", .one)
            person.relate("friends", .many, to: isNew ? cat : animal, inverse: "friendsOf", .many)
            person.relationship("first", .one, to: isNew ? cat : animal)
        }
    }

    /// Proves: G17, G28, G35, G63
    @Test(
        "a relationship to a subentity keeps the links to its objects, and the plan counts the others", arguments: files
    )
    func narrowerDestination(kind: StoreKind) throws {
        let store = try MigratingStore(owners(false), in: kind) { context in
            for number in 0..<2 {
                let person = context.make("Person", ["name": "p\(number)"])
                let pets = ["Cat", "Dog"].map { context.make($0, ["name": "\($0)\(number)", "owner": person]) }
                person.setValue(Set(pets), forKey: "friends")
                person.setValue(pets[number], forKey: "first")
            }
        }
        let options = MigratingStore.migrating.merging([MigrationOption.versions: [owners(false)]]) { $1 }
        let warnings = try plan(store, to: owners(true), options)
        #expect(
            warnings.sorted() == ["dataLoss Person.first 1", "dataLoss Person.friends 2", "dataLoss Person.pets 2"])
        let context = try store.open(owners(true), options: options)
        let people = try context.all("Person").sorted { Self.name($0) < Self.name($1) }
        for (number, person) in people.enumerated() {
            for key in ["pets", "friends"] {
                let members = person.value(forKey: key) as? Set<NSManagedObject> ?? []
                #expect(members.map(Self.name) == ["Cat\(number)"])
            }
        }
        let firsts = people.map { ($0.value(forKey: "first") as? NSManagedObject).map(Self.name) }
        #expect(firsts == ["Cat0", nil])
        try store.close(context)
        if kind == .sqlite { #expect(try store.differences(from: owners(true)) == []) }
    }

    private static func name(_ object: NSManagedObject) -> String { object.value(forKey: "name") as? String ?? "" }
}
