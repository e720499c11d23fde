// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Migrations that keep the original store and the rows that cannot be migrated, in further schemas of the database.

import CoreDataTestSupport
import Foundation
import PostgreSQLDriver
import Synchronization
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

/// A filled store of people, of whom two lack the nickname that the next version requires. Destroyed with all stores
/// that its migrations have made.
private final class Archive {
    let url: URL
    let old: NSManagedObjectModel
    let new: NSManagedObjectModel
    /// The contents of the old version.
    private(set) var contents: [String] = []

    static var options: [AnyHashable: Any] {
        MigrationTests.migrating.merging([MigrationOption.keepsOriginal: true, MigrationOption.quarantine: true]) { $1 }
    }

    /// - Parameter byObjects: whether an entity moves below another root, which statements cannot do.
    init(_ name: String = "kept", byObjects: Bool = false, _ options: [AnyHashable: Any]? = nil) throws {
        let change = VersionChange("a nickname that has to be there") { model in
            VersionChange.attribute("nickName", in: "Person", model)?.isOptional = false
            model.entitiesByName["Manager"]?.properties.removeAll { $0.name == "level" }
            guard byObjects, let tag = model.entitiesByName["Tag"] else { return }
            tag.properties.removeAll { $0.name == "name" }
            model.entitiesByName["Team"]?.subentities = [tag]
        }
        (old, new) = (change.old, change.new)
        let server = try #require(StoreKind.serverURL.flatMap { URL(string: $0) })
        url = server.inSchema("\(name)_\(UUID().uuidString.prefix(8).lowercased())")
        let context = try open(old, options)
        try VersionChange.fill(context, old)
        contents = try VersionChange.contents(context, old)
        try close(context)
    }

    deinit {
        for place in ((try? originals + quarantines) ?? []) + [url] { try? destroy(place) }
    }

    var schema: String { (try? ConnectionSettings(url).schema) ?? "" }
    var originals: [URL] { get throws { try PostgreSQLStore.keptOriginals(of: url) } }
    var quarantines: [URL] { get throws { try PostgreSQLStore.quarantines(of: url) } }

    /// - Parameter place: the URL of another store; nil for this one.
    func open(_ model: NSManagedObjectModel, _ options: [AnyHashable: Any]? = nil, at place: URL? = nil) throws
        -> NSManagedObjectContext
    {
        try MigrationTests.open(.postgresql, place ?? url, model, options).context
    }

    func close(_ context: NSManagedObjectContext) throws {
        try MigrationTests.close(try #require(context.persistentStoreCoordinator))
    }

    func destroy(_ place: URL) throws {
        try NSPersistentStoreCoordinator(managedObjectModel: old).destroyPersistentStore(
            at: place, ofType: NSPostgreSQLStoreType)
    }

    @discardableResult
    func migrate(_ options: [AnyHashable: Any] = Archive.options, at place: URL? = nil) throws -> MigrationReport? {
        let context = try open(new, options, at: place)
        let report = context.persistentStoreCoordinator?.persistentStores.first?.migrationReport
        try close(context)
        return report
    }

    /// All objects of a store, as lines of text.
    func read(_ model: NSManagedObjectModel, at place: URL? = nil) throws -> [String] {
        let context = try open(model, at: place)
        let result = try VersionChange.contents(context, model)
        try close(context)
        return result
    }

    func run(_ statement: String) throws {
        let connection = try Connection(try ConnectionSettings(url).settings, deadline: Deadline(in: .seconds(5)))
        defer { connection.close() }
        let text = statement.replacing("%s", with: PostgreSQLDialect.quoted(schema))
        try connection.run(Statement(text, isReused: false), Deadline(in: .seconds(10)))
    }
}

@Suite("Former rows of a migrated PostgreSQL store", .needsServer) struct FormerRowsTests {
    /// Proves: PostgreSQL-M7
    @Test(
        "both stores have the names of files, and are found by the name of their store",
        arguments: ["kept", "K e'p\"t.ö\\"])
    func names(name: String) throws {
        let archive = try Archive(name)
        let report = try #require(try archive.migrate())
        let short = archive.old.versionChecksum.prefix(8).replacing("/", with: "_").replacing("+", with: "-")
        let (original, quarantine) = (try #require(report.originalURL), try #require(report.quarantineURL))
        #expect(try ConnectionSettings(original).schema == "\(archive.schema).before-\(short)")
        #expect(try ConnectionSettings(quarantine).schema == "\(archive.schema).quarantine-\(short)")
        #expect(try archive.originals == [original] && archive.quarantines == [quarantine])
        let stranger = archive.url.inSchema(archive.schema + "x")
        #expect(try PostgreSQLStore.keptOriginals(of: stranger).isEmpty)
        #expect(report.quarantined.count == 2 && report.isVerified)
        #expect(report.rowsBefore["Person"] == 5 && report.rowsAfter["Person"] == 4)
        #expect(report.quarantined.allSatisfy { $0.code == NSValidationMissingMandatoryPropertyError })
    }

    /// Proves: G69, PostgreSQL-M7
    @Test(
        "the original has all rows, the history and the foreign keys, also in a migration by objects",
        arguments: [false, true], [false, true])
    func original(byObjects: Bool, hasForeignKeys: Bool) throws {
        let options: [AnyHashable: Any] = [
            NSPersistentHistoryTrackingKey: true, NSPostgreSQLForeignKeysOption: hasForeignKeys,
        ]
        let archive = try Archive(byObjects: byObjects, options)
        let report = try #require(try archive.migrate(Archive.options.merging(options) { $1 }))
        #expect(report.steps.map(\.way) == [byObjects ? .objects : .statements])
        #expect(report.quarantined.count == 2)
        let original = try #require(report.originalURL)
        #expect(try archive.read(archive.old, at: original) == archive.contents)
        let context = try archive.open(archive.old, at: original)
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try context.execute(request) as? NSPersistentHistoryResult
        #expect((result?.result as? [NSPersistentHistoryTransaction])?.isEmpty == false)
        let opened = try #require(context.persistentStoreCoordinator?.persistentStores[0] as? PostgreSQLStore).opened()
        let keys = try opened.sessions.with(repeats: true) { connection in
            try ServerRelations(of: opened.dialect.schema, connection, opened.sessions.deadline)
                .hasForeignKeys(connection, opened.sessions.deadline)
        }
        #expect(keys == hasForeignKeys)
        try archive.close(context)
        #expect(try archive.read(archive.new).count == archive.contents.count - 2)
    }

    /// Proves: PostgreSQL-M14
    @Test("an original is put back with its history, is migrated again, and is destroyed") func restored() throws {
        let history: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
        let archive = try Archive("kept", history)
        let report = try #require(try archive.migrate(Archive.options.merging(history) { $1 }))
        let late = try archive.open(archive.new)
        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: late)
        note.setValue("late", forKey: "name")
        try late.save()
        let lastKey = try #require(Int(note.objectID.uriRepresentation().lastPathComponent.dropFirst()))
        try archive.close(late)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: archive.old)
        try coordinator.replacePersistentStore(
            at: archive.url, withPersistentStoreFrom: try #require(report.originalURL), ofType: NSPostgreSQLStoreType)
        #expect(try archive.read(archive.old) == archive.contents)
        let context = try archive.open(archive.old)
        // A key that a program had taken from the migrated store is not given again.
        let other = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
        other.setValue("other", forKey: "name")
        try context.save()
        #expect(try #require(Int(other.objectID.uriRepresentation().lastPathComponent.dropFirst())) > lastKey)
        context.delete(other)
        try context.save()
        try archive.close(context)
        #expect(try archive.migrate()?.quarantined.count == 2)
        #expect(try archive.originals.count == 2 && archive.quarantines.count == 2)
        for place in try archive.originals + archive.quarantines { try archive.destroy(place) }
        #expect(try archive.originals.isEmpty && archive.quarantines.isEmpty)
        #expect(try archive.read(archive.new).count == archive.contents.count - 2)
    }

    /// Proves: PostgreSQL-M14
    @Test("a store is not replaced by itself, by one of another database, or while a view uses its tables")
    func notRestored() throws {
        let archive = try Archive()
        let original = try #require(try archive.migrate()?.originalURL)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: archive.old)
        func replace(at place: URL, by source: URL) -> NSError? {
            do {
                try coordinator.replacePersistentStore(
                    at: place, withPersistentStoreFrom: source, ofType: NSPostgreSQLStoreType)
                return nil
            } catch {
                return error as NSError
            }
        }
        let other = try #require(URL(string: original.absoluteString.replacing("/postgres?", with: "/other?")))
        #expect(replace(at: other, by: original)?.code == NSPersistentStoreUnsupportedRequestTypeError)
        let same = try #require(URL(string: archive.url.absoluteString + "&application_name=same"))
        #expect(replace(at: same, by: archive.url)?.code == NSPersistentStoreUnsupportedRequestTypeError)
        try archive.run("CREATE VIEW %s.others_view AS SELECT name FROM %s.person")
        let error = try #require(replace(at: archive.url, by: original))
        #expect("\(error)".contains("2BP01"))
        try archive.run("DROP VIEW %s.others_view")
        #expect(try archive.read(archive.new).count == archive.contents.count - 2)
    }

    /// Proves: G70, PostgreSQL-M7
    @Test("rows of the quarantine are mended, and copied to the migrated store") func mended() throws {
        let archive = try Archive()
        let report = try #require(try archive.migrate())
        let left = try archive.open(archive.old, at: report.quarantineURL)
        let people = try left.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person"))
        #expect(people.map(\.entity.name).sorted { ($0 ?? "") < ($1 ?? "") } == ["Manager", "Person"])
        let coordinator = try #require(left.persistentStoreCoordinator)
        let ids = Set(report.quarantined.map { coordinator.managedObjectID(forURIRepresentation: $0.objectURI) })
        #expect(ids == Set(people.map { $0.objectID as NSManagedObjectID? }))
        let context = try archive.open(archive.new)
        for person in people {
            let copy = NSEntityDescription.insertNewObject(forEntityName: person.entity.name ?? "", into: context)
            copy.setValue(person.value(forKey: "name"), forKey: "name")
            copy.setValue("mended", forKey: "nickName")
            left.delete(person)
        }
        try context.save()
        try left.save()
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Person")) == 10)
        try archive.close(context)
        try archive.close(left)
    }

    // MARK: Several programs, refusals, and lost lines

    /// Proves: PostgreSQL-M6, PostgreSQL-M7
    @Test("of several programs one migrates and keeps the former rows, once", arguments: [false, true])
    func several(byObjects: Bool) throws {
        let archive = try Archive(byObjects: byObjects)
        let models = try (0..<3).map { _ in try #require(archive.new.copy() as? NSManagedObjectModel) }
        let results = Mutex<[String]>([])
        let url = archive.url
        DispatchQueue.concurrentPerform(iterations: models.count) { number in
            do {
                let options = Archive.options.merging([NSPersistentStoreTimeoutOption: 60]) { $1 }
                let coordinator = try MigrationTests.open(.postgresql, url, models[number], options).coordinator
                let report = coordinator.persistentStores[0].migrationReport
                results.withLock { $0.append("\(report?.quarantined.count ?? 0)") }
                try MigrationTests.close(coordinator)
            } catch {
                results.withLock { $0.append("\(error)") }
            }
        }
        #expect(results.withLock { $0.sorted() } == ["0", "0", "2"])
        #expect(try archive.originals.count == 1 && archive.quarantines.count == 1)
    }

    /// Proves: PostgreSQL-M1, PostgreSQL-M7
    @Test("a migration that the server refuses leaves the old store, and no other", arguments: [false, true])
    func refused(byObjects: Bool) throws {
        let archive = try Archive(byObjects: byObjects)
        try archive.run("CREATE VIEW %s.others_view AS SELECT level FROM %s.person")
        let error = #expect(throws: CocoaError.self) { try archive.migrate() }
        #expect("\(try #require(error) as NSError)".contains("2BP01"))
        try archive.run("DROP VIEW %s.others_view")
        #expect(try archive.originals.isEmpty && archive.quarantines.isEmpty)
        #expect(try archive.read(archive.old) == archive.contents)
    }

    /// Proves: PostgreSQL-M2, PostgreSQL-M7
    @Test("without a quarantine such a row ends the migration, and no original stays") func ended() throws {
        let archive = try Archive()
        let error = #expect(throws: CocoaError.self) {
            try archive.migrate(MigrationTests.migrating.merging([MigrationOption.keepsOriginal: true]) { $1 })
        }
        #expect(error?.code.rawValue == NSMigrationError)
        #expect(try archive.originals.isEmpty)
        #expect(try archive.read(archive.old) == archive.contents)
    }

    /// Proves: PostgreSQL-M1, PostgreSQL-M7
    @Test(
        "a line that is cut leaves the old version or the new one, with one store of each kind",
        arguments: ["CREATE SCHEMA", "INSERT INTO", "DELETE FROM", "COMMIT"], [LineProxy.Cut.before, .during, .after])
    func cuts(word: String, cut: LineProxy.Cut) throws {
        let archive = try Archive()
        let server = try #require(StoreKind.serverURL)
        let folder = try #require(server.components(separatedBy: "host=").last?.components(separatedBy: "&").first)
        let proxy = try LineProxy(to: folder)
        defer { proxy.stop() }
        let place = try #require(
            URL(string: archive.url.absoluteString.replacing(folder, with: proxy.folder.path)) as URL?)
        proxy.arm(cut, at: word)
        try archive.migrate(Archive.options.merging([NSPostgreSQLAnswerTimeoutOption: 0.5]) { $1 }, at: place)
        #expect(proxy.cuts == 1)
        #expect(try archive.originals.count == 1 && archive.quarantines.count == 1)
        #expect(try archive.read(archive.new).count == archive.contents.count - 2)
        #expect(try archive.read(archive.old, at: archive.originals[0]) == archive.contents)
    }
}
