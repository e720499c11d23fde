// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Staged migrations: which stages run, in which order, with which containers, and the state after a failure.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Staged migrations") struct StagedMigrationSpecification {
    /// Four versions: a subtitle is added, the title becomes a name, the subtitle is removed.
    private static func version(_ number: Int) -> NSManagedObjectModel {
        let book = NSEntityDescription("Book")
        let title = book.attribute(number < 3 ? "title" : "name", .stringAttributeType)
        if number == 3 { title.renamingIdentifier = "title" }
        if number == 2 || number == 3 { book.attribute("subtitle", .stringAttributeType) }
        return NSManagedObjectModel(book)
    }

    private let versions = (1...4).map(version)
    private var checksums: [String] { versions.map(\.versionChecksum) }

    private func reference(_ number: Int) -> NSManagedObjectModelReference {
        NSManagedObjectModelReference(model: Self.version(number), versionChecksum: checksums[number - 1])
    }

    private func custom(_ number: Int) -> NSCustomMigrationStage {
        NSCustomMigrationStage(migratingFrom: reference(number), to: reference(number + 1))
    }

    private func inFolder<T>(_ body: (URL) throws -> T) throws -> T {
        let folder = FileManager.default.temporaryDirectory.appending(path: "Stages-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder.appending(path: "Store.data"))
    }

    private func fill(_ kind: StoreKind, _ url: URL, version number: Int) throws {
        let stack = try OpenStack(kind, versions[number - 1], url)
        NSEntityDescription.insertNewObject(forEntityName: "Book", into: stack.context)
            .setValue("Emma", forKey: number < 3 ? "title" : "name")
        stack.coordinator.persistentStores[0].metadata["own"] = "kept"
        try stack.context.save()
        try stack.close()
    }

    private func open(_ kind: StoreKind, _ url: URL, version number: Int, _ manager: NSStagedMigrationManager) throws
        -> (titles: [String?], identifier: String?, own: String?)
    {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: versions[number - 1])
        let store = try coordinator.addPersistentStore(
            ofType: kind.type, configurationName: nil, at: url,
            options: [NSPersistentStoreStagedMigrationManagerOptionKey: manager])
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
        let titles = books.map { $0.value(forKey: number < 3 ? "title" : "name") as? String }
        let result = (titles, store.identifier, store.metadata["own"] as? String)
        try coordinator.remove(store)
        return result
    }

    private func uuid(_ kind: StoreKind, _ url: URL) throws -> String? {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: kind.type, at: url)[NSStoreUUIDKey]
            as? String
    }

    /// Changes all titles, and logs the call with the entities' attributes.
    private func handler(_ word: String, _ key: String, _ log: CallLog)
        -> (NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void
    {
        { manager, stage in
            let container = try #require(manager.container)
            let names = container.managedObjectModel.entitiesByName["Book"]?.attributesByName.keys.sorted() ?? []
            log.calls.append("\(word) \(stage.label ?? "") \(names.joined(separator: ","))")
            let context = NSManagedObjectContext(concurrencyType: .confined)
            context.persistentStoreCoordinator = container.persistentStoreCoordinator
            for book in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")) {
                book.setValue("\(book.value(forKey: key) as? String ?? "") \(word)", forKey: key)
            }
            try context.save()
        }
    }

    private func staged(_ log: CallLog) -> NSStagedMigrationManager {
        let stage = custom(2)
        stage.label = "names"
        stage.willMigrateHandler = handler("will", "title", log)
        stage.didMigrateHandler = handler("did", "name", log)
        return NSStagedMigrationManager([
            custom(1), stage, NSLightweightMigrationStage([checksums[3]]),
        ])
    }

    /// Proves: G50
    @Test("managers and stages have their initial values, and a container only in handlers")
    func properties() {
        let (stage, lightweight) = (custom(2), NSLightweightMigrationStage(checksums))
        #expect(stage.currentModel.versionChecksum == checksums[1] && stage.nextModel.versionChecksum == checksums[2])
        #expect(lightweight.versionChecksums == checksums && lightweight.label == nil)
        let manager = NSStagedMigrationManager([lightweight])
        #expect(manager.stages == [lightweight] && manager.container == nil)
    }

    /// Proves: G51, G57
    @Test("the stages after the store's version run in order, and handlers' saves stay", arguments: StoreKind.files)
    func order(kind: StoreKind) throws {
        for start in 1...4 {
            try inFolder { url in
                try fill(kind, url, version: start)
                let identifier = try uuid(kind, url)
                let log = CallLog()
                let manager = staged(log)
                let result = try open(kind, url, version: 4, manager)
                let isBefore = start < 3
                let calls = ["will names subtitle,title", "did names name,subtitle"]
                // A suite's helper may not expect inside of a closure, so a wrong result is thrown.
                try check(result.titles == [isBefore ? "Emma will did" : "Emma"], "titles from \(start)")
                try check(log.calls == (isBefore ? calls : []), "calls from \(start)")
                try check(result.identifier == identifier && result.own == "kept", "metadata from \(start)")
                try check(manager.container == nil, "container from \(start)")
                let again = try open(kind, url, version: 4, manager)
                try check(again.titles == result.titles, "titles the second time from \(start)")
            }
        }
    }

    /// Proves: G51
    @Test("the code of a stage runs also where it ends in the last version", arguments: StoreKind.files)
    func lastStage(kind: StoreKind) throws {
        let log = CallLog()
        let stage = custom(2)
        stage.label = "names"
        stage.didMigrateHandler = handler("did", "name", log)
        let titles = try inFolder { url in
            try fill(kind, url, version: 1)
            return try open(kind, url, version: 3, NSStagedMigrationManager([custom(1), stage])).titles
        }
        #expect(titles == ["Emma did"])
        #expect(log.calls == ["did names name,subtitle"])
    }

    private struct Mismatch: Error { let what: String }

    private func check(_ condition: Bool, _ what: String) throws {
        if !condition { throw Mismatch(what: what) }
    }

    /// Proves: G51
    @Test("a store that is not there yet is made in the last version, without a stage", arguments: StoreKind.files)
    func newStore(kind: StoreKind) throws {
        let log = CallLog()
        let titles = try inFolder { url in try open(kind, url, version: 4, staged(log)).titles }
        #expect(titles.isEmpty && log.calls.isEmpty)
    }

    /// Proves: G52
    @Test(
        "without the model of the store's version nothing is migrated: 134130 with its checksum",
        arguments: StoreKind.files)
    func unknownStart(kind: StoreKind) throws {
        let manager = NSStagedMigrationManager([NSLightweightMigrationStage(Array(checksums.prefix(2)))])
        let (error, titles) = try inFolder { url in
            try fill(kind, url, version: 1)
            let error = thrown { _ = try open(kind, url, version: 2, manager) }
            return (error, try open(kind, url, version: error == nil ? 2 : 1, manager).titles)
        }
        #expect(titles == ["Emma"])
        // A SQLite store has a copy of its model.
        if kind == .sqlite {
            #expect(error == nil)
        } else {
            #expect(error?.code == NSMigrationMissingSourceModelError)
            #expect(error?.localizedDescription.contains(checksums[0]) == true)
        }
    }

    /// Proves: G52, G75
    @Test(
        "a handler that throws leaves the store as before its stage, and the next attempt works",
        arguments: StoreKind.files)
    func failure(kind: StoreKind) throws {
        let log = CallLog()
        let (error, titles, files) = try inFolder { url in
            try fill(kind, url, version: 1)
            let manager = staged(log)
            let stage = try #require(manager.stages[1] as? NSCustomMigrationStage)
            let did = stage.didMigrateHandler
            stage.didMigrateHandler = { manager, stage in
                try did?(manager, stage)
                throw PolicyFailure()
            }
            let error = thrown { _ = try open(kind, url, version: 4, manager) }
            let second = try open(kind, url, version: 2, NSStagedMigrationManager([custom(2)])).titles
            stage.didMigrateHandler = did
            let third = try open(kind, url, version: 4, manager).titles
            let folder = url.deletingLastPathComponent()
            return (error, [second, third], try FileManager.default.contentsOfDirectory(atPath: folder.path))
        }
        let failure = try #require(error)
        #expect(failure.code == NSMigrationError && codes(failure).count == 2)
        #expect(titles == [["Emma"], ["Emma will did"]])
        #expect(files.filter { $0.hasSuffix(".half") || $0.hasSuffix(".half-lock") }.isEmpty)
    }

    /// Proves: G53, G54
    @Test("a version that no stage has, and one that lies before the store, are errors", arguments: StoreKind.files)
    func unknownVersions(kind: StoreKind) throws {
        let foreign = try #require(
            try inFolder { url in
                try fill(kind, url, version: 4)
                return thrown { _ = try open(kind, url, version: 3, NSStagedMigrationManager([custom(1), custom(2)])) }
            })
        #expect(foreign.code == NSManagedObjectModelReferenceNotFoundError)
        let backward = try #require(
            try inFolder { url in
                try fill(kind, url, version: 3)
                return thrown { _ = try open(kind, url, version: 1, NSStagedMigrationManager([custom(1), custom(2)])) }
            })
        #expect(backward.code == NSStagedMigrationBackwardMigrationError)
    }

    /// Proves: G55
    @Test("two stages that begin with one version stop the program")
    func duplicates() async {
        await #expect(processExitsWith: .failure) {
            _ = NSStagedMigrationManager([NSLightweightMigrationStage(["a"]), NSLightweightMigrationStage(["a"])])
        }
    }

    /// Proves: G56
    @Test(
        "lightweight stages go from version to version where first and last are not inferable",
        arguments: StoreKind.files)
    func chains(kind: StoreKind) throws {
        func model(_ types: [String: NSAttributeType]) -> NSManagedObjectModel {
            let book = NSEntityDescription("Book")
            for (name, type) in types { book.attribute(name, type) }
            return NSManagedObjectModel(book)
        }
        let first = model(["title": .stringAttributeType, "pages": .stringAttributeType])
        let second = model(["title": .stringAttributeType])
        let third = model(["title": .stringAttributeType, "pages": .integer32AttributeType])
        #expect(throws: (any Error).self) {
            try NSMappingModel.inferredMappingModel(forSourceModel: first, destinationModel: third)
        }
        let references = [first, second].map {
            NSManagedObjectModelReference(model: $0, versionChecksum: $0.versionChecksum)
        }
        let manager = NSStagedMigrationManager([
            NSCustomMigrationStage(migratingFrom: references[0], to: references[1]),
            NSLightweightMigrationStage([second.versionChecksum, third.versionChecksum]),
        ])
        let titles = try inFolder { url in
            let stack = try OpenStack(kind, first, url)
            NSEntityDescription.insertNewObject(forEntityName: "Book", into: stack.context)
                .setValue("Emma", forKey: "title")
            try stack.context.save()
            try stack.close()
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: third)
            let store = try coordinator.addPersistentStore(
                ofType: kind.type, configurationName: nil, at: url,
                options: [NSPersistentStoreStagedMigrationManagerOptionKey: manager])
            let context = NSManagedObjectContext(concurrencyType: .confined)
            context.persistentStoreCoordinator = coordinator
            let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
            let titles = books.map { $0.value(forKey: "title") as? String }
            try coordinator.remove(store)
            return titles
        }
        #expect(titles == ["Emma"])
    }

    /// Each version renames the title and knows only the name of the one before. It is mandatory from the second on.
    private static func renamed(_ number: Int) -> NSManagedObjectModel {
        let book = NSEntityDescription("Book")
        let names = ["title", "name", "headline", "caption"]
        let attribute = book.attribute(
            names[number], .stringAttributeType, optional: number == 0, default: number == 0 ? nil : "?")
        if number > 0 { attribute.renamingIdentifier = names[number - 1] }
        return NSManagedObjectModel(book)
    }

    private func addRenamed(_ kind: StoreKind, _ url: URL) throws {
        let stack = try OpenStack(kind, Self.renamed(0), url)
        NSEntityDescription.insertNewObject(forEntityName: "Book", into: stack.context)
            .setValue("Emma", forKey: "title")
        try stack.context.save()
        try stack.close()
    }

    private func openRenamed(
        _ kind: StoreKind, _ url: URL, _ manager: NSStagedMigrationManager, _ versions: [NSManagedObjectModel]
    ) throws -> [String?] {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.renamed(3))
        let store = try coordinator.addPersistentStore(
            ofType: kind.type, configurationName: nil, at: url,
            options: [
                NSPersistentStoreStagedMigrationManagerOptionKey: manager, MigrationOption.versions: versions,
            ])
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
        let titles = books.map { $0.value(forKey: "caption") as? String }
        try coordinator.remove(store)
        return titles
    }

    /// Proves: G51, G56
    @Test(
        "a version that only MigrationOption.versions has is an intermediate version, and renamed values are kept",
        arguments: StoreKind.files)
    func versionsOfOptions(kind: StoreKind) throws {
        let models = (0..<4).map(Self.renamed)
        let manager = NSStagedMigrationManager([NSLightweightMigrationStage(models.map(\.versionChecksum))])
        let titles = try inFolder { url in
            try addRenamed(kind, url)
            return try openRenamed(kind, url, manager, Array(models.prefix(3)))
        }
        #expect(titles == ["Emma"])
    }

    /// Proves: G52, G71
    @Test(
        "a version that is nowhere is an error with its checksum before any stage: 134130", arguments: StoreKind.files)
    func missingVersion(kind: StoreKind) throws {
        let models = (0..<4).map(Self.renamed)
        let references = models.map { NSManagedObjectModelReference(model: $0, versionChecksum: $0.versionChecksum) }
        let stage = NSCustomMigrationStage(migratingFrom: references[0], to: references[1])
        let log = CallLog()
        stage.willMigrateHandler = { _, _ in log.calls.append("will") }
        let manager = NSStagedMigrationManager([
            stage, NSLightweightMigrationStage(models.dropFirst().map(\.versionChecksum)),
        ])
        let (errors, titles) = try inFolder { url in
            try addRenamed(kind, url)
            let errors = (0..<2).map { _ in thrown { _ = try openRenamed(kind, url, manager, [models[0]]) } }
            return (errors, try openRenamed(kind, url, manager, [models[2]]))
        }
        #expect(errors.map { $0?.code } == [NSMigrationMissingSourceModelError, NSMigrationMissingSourceModelError])
        #expect(errors.allSatisfy { $0?.localizedDescription.contains(models[2].versionChecksum) == true })
        #expect(titles == ["Emma"])
        #expect(log.calls == ["will"])
    }
}
