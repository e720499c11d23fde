// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Migrations by objects: from any kind of file to any other, in passes, and all or nothing.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Migration managers") struct MigrationManagerSpecification {
    private let new = LibraryModels.second()

    private func manager(_ library: LibraryStore) -> NSMigrationManager {
        NSMigrationManager(sourceModel: library.old, destinationModel: new)
    }

    private func mapping(_ library: LibraryStore) throws -> NSMappingModel {
        try NSMappingModel.inferredMappingModel(forSourceModel: library.old, destinationModel: new)
    }

    private func expectSample(_ kind: StoreKind, _ url: URL) throws {
        let stack = try OpenStack(kind, new, url)
        let volumes = try stack.objects("Volume", sortedBy: "name")
        #expect(volumes.map { $0.value(forKey: "name") as? String } == ["Dune", "Emma", "Persuasion"])
        #expect(volumes.map { $0.value(forKey: "pages") as? Int } == [612, 474, 249])
        #expect(volumes.map { $0.value(forKey: "rating") as? Int } == [3, 3, 3])
        let authors = volumes.map { ($0.value(forKey: "author") as? NSManagedObject)?.value(forKey: "name") as? String }
        #expect(authors == ["Frank", "Jane", "Jane"])
        let jane = try #require(
            try stack.objects("Author", sortedBy: "name").first { $0.value(forKey: "name") as? String == "Jane" })
        let books = try #require(jane.value(forKey: "books") as? NSOrderedSet)
        #expect(
            Set(books.array.compactMap { ($0 as? NSManagedObject)?.value(forKey: "name") as? String }) == [
                "Emma", "Persuasion",
            ])
        let tags = try stack.objects("Tag", sortedBy: "text")
        #expect(tags.map { ($0.value(forKey: "books") as? Set<NSManagedObject>)?.count } == [3, 1])
        #expect(try stack.count("Author") == 3)
        #expect(try stack.count("Shelf") == 0)
        try stack.close()
    }

    /// Proves: G22, G36, G48, G49
    @Test("values, links and counts arrive, and the source stays as it is", arguments: KindPair.all)
    func everyKind(pair: KindPair) throws {
        let library = try LibraryStore(pair.from)
        let before = try Data(contentsOf: library.url)
        for usesStatements in [true, false] {
            let manager = manager(library)
            manager.usesStoreSpecificMigrationManager = usesStatements
            let place = library.place("New\(usesStatements).store")
            try library.migrate(manager, mapping(library), to: pair.to, at: place)
            try expectSample(pair.to, place)
        }
        #expect(try Data(contentsOf: library.url) == before)
        let source = try OpenStack(pair.from, library.old, library.url)
        #expect(try source.count("Book") == 3)
        try source.close()
    }

    /// Proves: G49
    @Test("a store that a program wrote is a source and a destination", arguments: StoreKind.persistent)
    func programsOwnStores(kind: StoreKind) throws {
        let other = StoreKind.persistent.first { !StoreKind.files.contains($0) } ?? .xml
        let from = try LibraryStore(kind)
        try from.migrate(manager(from), mapping(from), to: other)
        try expectSample(other, from.place())
        let back = try LibraryStore(other)
        try back.migrate(manager(back), mapping(back), to: kind)
        try expectSample(kind, back.place())
    }

    /// Proves: G36
    @Test("the form with store types migrates, and the manager knows models and entities")
    func typedForm() throws {
        let library = try LibraryStore(.sqlite)
        let (manager, mapping) = (manager(library), try mapping(library))
        try manager.migrateStore(
            from: library.url, type: .sqlite, mapping: mapping, to: library.place(), type: .xml)
        try expectSample(.xml, library.place())
        #expect(manager.mappingModel === mapping && manager.sourceModel === library.old)
        let volume = try #require(mapping.entityMappingsByName["IEM_Transform_Volume"])
        #expect(manager.sourceEntity(for: volume)?.name == "Book")
        #expect(manager.destinationEntity(for: volume)?.name == "Volume")
        let shelf = try #require(mapping.entityMappingsByName["IEM_Add_Shelf"])
        #expect(manager.sourceEntity(for: shelf) == nil)
    }

    /// Proves: G37
    @Test(
        "a store at the destination gets the objects added, so that several passes make one store",
        arguments: StoreKind.files)
    func passes(kind: StoreKind) throws {
        let library = try LibraryStore(kind)
        for filter in ["pages > 300", "pages <= 300"] {
            let mapping = try mapping(library)
            mapping.entityMappings = mapping.entityMappings.filter { $0.name == "IEM_Transform_Volume" }
            mapping.entityMappings[0].relationshipMappings = nil
            mapping.entityMappings[0].sourceExpression = NSExpression(
                format:
                    "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"Book\", \"\(filter)\"), $manager.sourceContext, NO)"
            )
            try library.migrate(manager(library), mapping, to: kind)
        }
        let stack = try OpenStack(kind, new, library.place())
        #expect(
            try stack.objects("Volume", sortedBy: "name").map { $0.value(forKey: "name") as? String } == [
                "Dune", "Emma", "Persuasion",
            ])
        try stack.close()
    }

    /// Proves: G37
    @Test(
        "a store at the destination that is saved or made during the migration stays unchanged",
        arguments: StoreKind.files, [true, false])
    func disturbed(kind: StoreKind, isThere: Bool) throws {
        let library = try LibraryStore(kind)
        if isThere { try library.migrate(manager(library), mapping(library), to: kind) }
        let mapping = try mapping(library)
        mapping.entityMappingsByName["IEM_Transform_Volume"]?.entityMigrationPolicyClassName =
            String(reflecting: CallingPolicy.self)
        let manager = manager(library)
        let save = {
            let stack = try OpenStack(kind, new, library.place())
            NSEntityDescription.insertNewObject(forEntityName: "Volume", into: stack.context)
                .setValue("Zoo", forKey: "name")
            try stack.context.save()
            try stack.close()
        }
        manager.userInfo = ["call": save]
        let error = try #require(thrown { try library.migrate(manager, mapping, to: kind) })
        #expect(codes(error).contains(isThere ? NSMigrationError : CocoaError.fileWriteFileExists.rawValue))
        let stack = try OpenStack(kind, new, library.place())
        let names = try stack.objects("Volume", sortedBy: "name").map { $0.value(forKey: "name") as? String }
        #expect(names == (isThere ? ["Dune", "Emma", "Persuasion", "Zoo"] : ["Zoo"]))
        try stack.close()
    }

    /// Proves: G66
    @Test("objects that only the source's log has are migrated, and no old log meets the new file")
    func logs() throws {
        let library = try LibraryStore(.sqlite)
        let stack = try OpenStack(.sqlite, library.old, library.url)
        let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: stack.context)
        book.setValue("Zoo", forKey: "title")
        try stack.context.save()
        #expect(FileManager.default.fileExists(atPath: library.url.path + "-wal"))
        try Data("not a log".utf8).write(to: URL(filePath: library.place().path + "-wal"))
        try library.migrate(manager(library), mapping(library), to: .sqlite)
        try stack.close()
        let result = try OpenStack(.sqlite, new, library.place())
        #expect(try result.count("Volume") == 4)
        try result.close()
    }

    /// Proves: G43
    @Test("no class of the program is used", arguments: StoreKind.files)
    func classes(kind: StoreKind) throws {
        let library = try LibraryStore(kind)
        for model in [library.old, new] {
            let copy = try #require(model.copy() as? NSManagedObjectModel)
            copy.entitiesByName["Author"]?.managedObjectClassName = String(reflecting: TrappingAuthor.self)
            #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
        }
        let old = try #require(library.old.copy() as? NSManagedObjectModel)
        let trapping = LibraryModels.second()
        for model in [old, trapping] {
            model.entitiesByName["Author"]?.managedObjectClassName = String(reflecting: TrappingAuthor.self)
        }
        let manager = NSMigrationManager(sourceModel: old, destinationModel: trapping)
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: trapping)
        try library.migrate(manager, mapping, to: kind)
        try expectSample(kind, library.place())
    }

    /// Proves: G44
    @Test("progress rises to 1, is observed, and is 0 again afterwards", arguments: StoreKind.files)
    func progress(kind: StoreKind) throws {
        let library = try LibraryStore(kind)
        let manager = manager(library)
        let log = ProgressLog()
        let observation = manager.observe(\.migrationProgress, options: [.new]) { _, change in
            log.values.append(change.newValue ?? -1)
        }
        try library.migrate(manager, mapping(library), to: kind)
        observation.invalidate()
        #expect(log.values.last == 0 && log.values.dropLast().last == 1)
        #expect(log.values.dropLast().count > 3)
        #expect(Array(log.values.dropLast()) == log.values.dropLast().sorted())
        #expect(manager.migrationProgress == 0)
    }

    /// Proves: G46
    @Test("a manager does one migration after another", arguments: StoreKind.files)
    func again(kind: StoreKind) throws {
        let library = try LibraryStore(kind)
        let manager = manager(library)
        for name in ["A.store", "B.store"] {
            try library.migrate(manager, mapping(library), to: kind, at: library.place(name))
            try expectSample(kind, library.place(name))
            manager.reset()
            #expect(manager.mappingModel == nil)
        }
    }

    /// Proves: G87
    @Test("ten thousand objects with links arrive, and are checked at the end")
    func many() throws {
        let library = try LibraryStore(.sqlite) { context in
            var author: NSManagedObject?
            for number in 0..<10_000 {
                if number % 100 == 0 {
                    author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
                    author?.setValue("Author \(number)", forKey: "name")
                }
                let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                book.setValue(number, forKey: "pages")
                book.setValue(author, forKey: "author")
            }
        }
        try library.migrate(manager(library), mapping(library), to: .sqlite)
        let stack = try OpenStack(.sqlite, new, library.place())
        let volumes = try stack.objects("Volume", sortedBy: "pages")
        #expect(volumes.count == 10_000)
        let wrong = volumes.enumerated().filter { number, volume in
            let author = volume.value(forKey: "author") as? NSManagedObject
            return volume.value(forKey: "pages") as? Int != number
                || author?.value(forKey: "name") as? String != "Author \(number / 100 * 100)"
        }
        #expect(wrong.isEmpty)
        try stack.close()
        let strict = LibraryModels.second { $0.attributesByName["name"]?.isOptional = false }
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: library.old, destinationModel: strict)
        let manager = NSMigrationManager(sourceModel: library.old, destinationModel: strict)
        let place = library.place("Strict.store")
        let error = try #require(thrown { try library.migrate(manager, mapping, to: .sqlite, at: place) })
        #expect(error.code == NSMigrationError)
        #expect(codes(error).contains(NSValidationMissingMandatoryPropertyError))
        #expect(!FileManager.default.fileExists(atPath: place.path))
    }
}

final class ProgressLog: @unchecked Sendable {  // used on one thread
    var values: [Float] = []
}
