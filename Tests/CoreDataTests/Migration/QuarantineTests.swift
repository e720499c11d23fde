// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests that rows which cannot be migrated go into a separate store, and all others arrive.

import CoreDataModelFiles
import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

/// Throws for the books of two titles.
final class PickyPolicy: NSEntityMigrationPolicy {
    struct Refusal: Error {}

    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        if sInstance.value(forKey: "title") as? String == "i" { throw Refusal() }
    }

    override func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        if dInstance.value(forKey: "title") as? String == "j" { throw Refusal() }
        try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
    }
}

@Suite("Quarantine of rows that cannot come along") struct QuarantineTests {
    /// The kinds of stores that migrate by statements.
    static let databases = StoreKind.all.filter { $0 == .sqlite || $0.isOnServer }

    /// The kinds of migration.
    enum Way: String, CaseIterable, CustomTestStringConvertible {
        case statements, rebuilt, deferred, objects, xml, binary, server, serverObjects

        /// Those of the kinds of stores that are available.
        static let available = allCases.filter { way in
            way.isOnServer ? databases.contains(where: \.isOnServer) : StoreKind.all.contains(way.kind)
        }

        var testDescription: String { rawValue }
        var isOnServer: Bool { [.server, .serverObjects].contains(self) }
        var kind: StoreKind {
            if isOnServer { return databases.first(where: \.isOnServer) ?? .sqlite }
            return self == .xml ? .xml : self == .binary ? .binary : .sqlite
        }
        var byObjects: Bool { [.objects, .serverObjects].contains(self) }
        var options: [AnyHashable: Any] {
            let key = NSPersistentStoreDeferredLightweightMigrationOptionKey
            return QuarantineLibrary.options([MigrationOption.rebuilds: self == .rebuilt, key: self == .deferred])
        }
    }

    private func report(_ context: NSManagedObjectContext) throws -> MigrationReport {
        try #require(context.persistentStoreCoordinator?.persistentStores.first?.migrationReport)
    }

    private func titles(_ objects: Any?) -> [String] {
        let list = (objects as? NSOrderedSet)?.array ?? (objects as? Set<NSManagedObject>).map(Array.init) ?? []
        return list.compactMap { ($0 as? NSManagedObject)?.value(forKey: "title") as? String }
    }

    /// A migration by objects assigns new keys, so the code is the order.
    private func books(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        let code = { (book: NSManagedObject) in book.value(forKey: "code") as? Int ?? 0 }
        return try context.all("Book").sorted { code($0) < code($1) }
    }

    /// The store of a quarantine, opened with the old version.
    private func opened(_ url: URL?, _ kind: StoreKind, _ model: NSManagedObjectModel = QuarantineLibrary.old()) throws
        -> (MigratingStore, NSManagedObjectContext)
    {
        let url = try #require(url)
        let store =
            kind.isOnServer
            ? MigratingStore(at: url, kind)
            : try MigratingStore(copyOf: url.deletingLastPathComponent(), url.lastPathComponent, kind)
        return (store, try store.open(model, options: nil))
    }

    /// Proves: G70, G65, G82
    @Test(
        "rows that break a rule, and those that need them, go into a store of the old version",
        arguments: Way.available)
    func everyReason(way: Way) throws {
        let library = try QuarantineLibrary.store(way.kind)
        let context = try library.open(QuarantineLibrary.new(byObjects: way.byObjects), options: way.options)
        let report = try report(context)
        let books = try books(context)
        #expect(books.compactMap { $0.value(forKey: "title") as? String } == QuarantineLibrary.titles)
        let shelf = try #require(try context.all("Shelf").first)
        #expect(titles(shelf.value(forKey: "books")) == QuarantineLibrary.titles.reversed())
        let words = try context.all("Keyword").map { word in
            "\(word.value(forKey: "text") ?? ""): \(titles(word.value(forKey: "books")).sorted().joined())"
        }
        #expect(words.sorted() == ["sea: ai", "war: dfj"])
        #expect(try context.values("Chapter", "text") == QuarantineLibrary.kept.map { "c\($0)" })
        #expect(try context.values("Note", "text") == QuarantineLibrary.kept.map { "n\($0)" })
        // Only the eighth and ninth of the books that stay follow one another.
        let sequels = books.map {
            ($0.value(forKey: "sequel") as? NSManagedObject)?.value(forKey: "title") as? String
        }
        #expect(sequels == [nil, nil, nil, "j", nil])
        #expect(try context.values("Stamp", "text") == ["s"])
        for (number, book) in zip(QuarantineLibrary.kept, books) {
            #expect(book.value(forKey: "cover") as? Data == Data(repeating: UInt8(number), count: 150_000))
        }
        try library.close(context)
        let (copy, left) = try opened(report.quarantineURL, way.kind)
        #expect(Set(try left.values("Book", "code")) == ["2", "1", "5", "7", "6"])
        #expect(try left.all("Chapter").count == 5 && left.all("Note").count == 5)
        #expect(try left.all("Shelf").isEmpty && left.all("Stamp").isEmpty)
        for book in try left.all("Book") {
            let cover = try #require(book.value(forKey: "cover") as? Data)
            #expect(cover.count == 150_000)
            let chapters = try #require(book.value(forKey: "chapters") as? Set<NSManagedObject>)
            #expect(chapters.map { $0.value(forKey: "text") as? String } == ["c\(cover[0])"])
        }
        // The ids of the report are those of both stores.
        let coordinator = try #require(left.persistentStoreCoordinator)
        for row in report.quarantined {
            let id = try #require(coordinator.managedObjectID(forURIRepresentation: row.objectURI))
            #expect(id.entity.name == row.entity)
            #expect(throws: Never.self) { try left.existingObject(with: id) }
        }
        try copy.close(left)
        let codes = Dictionary(report.quarantined.map { ($0.code, 1) }, uniquingKeysWith: +)
        #expect(
            codes == [
                NSValidationMissingMandatoryPropertyError: 12, NSMigrationConstraintViolationError: 2,
                NSMigrationError: 1,
            ])
        #expect(report.quarantined.allSatisfy { !$0.reason.isEmpty })
        #expect(report.isVerified)
        let isByStatements = [.statements, .rebuilt, .deferred, .server].contains(way)
        #expect(report.steps.map(\.way) == [isByStatements ? .statements : .objects])
        #expect(report.rowsBefore["Chapter"] == 10 && report.rowsAfter["Chapter"] == 5)
        let names = try FileManager.default.contentsOfDirectory(atPath: library.folder.path)
        #expect(names.filter { $0.contains(".quarantine") && !$0.hasPrefix(".") }.count == (way.isOnServer ? 0 : 1))
        #expect(names.filter { $0.hasSuffix(".quarantine") || $0.hasSuffix("-lock") } == [])
    }

    /// Proves: G70
    @Test(
        "the structure of the store, and its large data, are those of a new one", arguments: [Way.statements, .rebuilt])
    func structure(way: Way) throws {
        let library = try QuarantineLibrary.store(.sqlite)
        let new = QuarantineLibrary.new()
        try library.close(try library.open(new, options: way.options))
        #expect(try library.differences(from: new) == [])
        try library.close(try library.open(new))
        let folder = ExternalFiles.folder(of: library.url)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 5)
        #expect(try StoreExamination.defects(ofStoreAt: library.url, model: QuarantineLibrary.new()) == [])
    }

    /// Proves: G70
    @Test("a store in which every row can come along has no quarantine", arguments: Way.available)
    func nothing(way: Way) throws {
        let library = try MigratingStore(QuarantineLibrary.old(), in: way.kind) {
            $0.make("Book", ["title": "a", "code": 1])
        }
        let context = try library.open(QuarantineLibrary.new(byObjects: way.byObjects), options: way.options)
        let report = try report(context)
        #expect(report.quarantined.isEmpty && report.quarantineURL == nil)
        #expect(try context.all("Book").count == 1)
        try library.close(context)
    }

    /// Proves: G70
    @Test(
        "rows that a policy refuses are quarantined, and those that need them",
        arguments: StoreKind.all.filter { [.sqlite, .xml].contains($0) || $0.isOnServer })
    func policies(kind: StoreKind) throws {
        let (old, new) = (QuarantineLibrary.old(), QuarantineLibrary.new())
        let library = try QuarantineLibrary.store(kind)
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
        for entity in mapping.entityMappings where ["Book", "Novel"].contains(entity.destinationEntityName) {
            entity.entityMigrationPolicyClassName = String(reflecting: PickyPolicy.self)
        }
        let file = library.folder.appending(path: "own.cdm")
        try mapping.document().data().write(to: file)
        let options = QuarantineLibrary.options([storeMappingFilesOption: [file]])
        let context = try library.open(new, options: options)
        let titles = try books(context).map { $0.value(forKey: "title") as? String }
        #expect(titles == ["a", "d", "f"])
        #expect(try context.values("Note", "text") == ["n0", "n3", "n5"])
        let report = try report(context)
        #expect(report.quarantined.count { $0.reason.contains("Refusal") } == 2)
        try library.close(context)
        let (copy, left) = try opened(report.quarantineURL, kind)
        #expect(try left.all("Book").count == 7 && left.all("Note").count == 7)
        try copy.close(left)
    }

    /// Proves: G70, G71
    @Test("errors of a mapping model end the migration") func mappingFaults() throws {
        let (old, new) = (QuarantineLibrary.old(), QuarantineLibrary.new())
        let library = try QuarantineLibrary.store(.sqlite)
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
        let book = try #require(mapping.entityMappings.first { $0.destinationEntityName == "Book" })
        book.attributeMappings?.first { $0.name == "title" }?.valueExpression = NSExpression(format: "$source.nothing")
        let file = library.folder.appending(path: "own.cdm")
        try mapping.document().data().write(to: file)
        let before = try library.account(old)
        let error = try library.failure(
            new, options: QuarantineLibrary.options([storeMappingFilesOption: [file]]))
        #expect(error.code == NSMigrationError)
        #expect(try library.account(old) == before)
        #expect(try library.quarantines(old).isEmpty)
    }

    /// Proves: G70
    @Test("each part of a path has a quarantine of that part's version", arguments: databases)
    func chain(kind: StoreKind) throws {
        // The second step makes mandatory the property that the first one has added only for some rows.
        let first = version { $0.entity("Book") { $0.attribute("year", .integer32AttributeType) } }
        let second = version {
            $0.entity("Book") {
                $0.attribute("year", .integer16AttributeType)
                $0.attribute("title", .stringAttributeType)
            }
        }
        let library = try MigratingStore(first, in: kind) { context in
            for year in [1, 2, 100_000] { context.make("Book", ["year": year]) }
            context.make("Book")
        }
        var options = MigratingStore.migrating
        options[MigrationOption.quarantine] = true
        let one = try library.open(second, options: options)
        #expect(try one.all("Book").count == 3)
        let former = try #require(try report(one).quarantineURL)
        try library.close(one)
        let third = version {
            $0.entity("Book") {
                $0.attribute("year", .integer16AttributeType, optional: false)
                $0.attribute("title", .stringAttributeType)
            }
        }
        let two = try library.open(third, options: options)
        let report = try report(two)
        #expect(try two.values("Book", "year") == ["1", "2"])
        #expect(report.quarantineURL != former && report.quarantined.count == 1)
        try library.close(two)
        for (url, model) in [(former, first), (try #require(report.quarantineURL), second)] {
            let (part, context) = try opened(url, kind, model)
            #expect(try context.all("Book").count == 1)
            try part.close(context)
        }
    }

    /// Proves: G70
    @Test("a name that is taken is not overwritten") func taken() throws {
        let library = try QuarantineLibrary.store(.sqlite)
        let copy = try library.copied()
        let context = try copy.open(QuarantineLibrary.new(), options: QuarantineLibrary.options())
        let name = try #require(try report(context).quarantineURL?.lastPathComponent)
        try copy.close(context)
        let foreign = library.folder.appending(path: name)
        try Data("mine".utf8).write(to: foreign)
        let other = try library.open(QuarantineLibrary.new(), options: QuarantineLibrary.options())
        let url = try #require(try report(other).quarantineURL)
        #expect(url != foreign && FileManager.default.fileExists(atPath: url.path))
        #expect(try Data(contentsOf: foreign) == Data("mine".utf8))
        try library.close(other)
    }

    /// Proves: G70
    @Test("a plan counts the rows, and its run puts them aside", arguments: databases) func plan(kind: StoreKind) throws
    {
        let library = try QuarantineLibrary.store(kind)
        let plan = try MigrationPlan(
            forStoreAt: library.url, type: .init(rawValue: kind.type), to: QuarantineLibrary.new(),
            options: QuarantineLibrary.options())
        #expect(
            plan.warnings.map { "\($0.kind) \($0.rows)" }.sorted() == ["conversion 1", "duplicate 2", "missingValue 2"])
        #expect(plan.countedSteps == plan.steps.count && plan.bytesNeeded > 0)
        // A number of another type gets a new column on a server, and keeps its column in a file.
        #expect(plan.costs.contains { $0.rows == 10 && $0.bytes > 0 } == kind.isOnServer)
        let report = try plan.run()
        #expect(report.quarantined.count == 15)
    }

    /// Proves: G70, G84
    @Test("history stays, with tokens, and large values of all types are kept", arguments: databases)
    func history(kind: StoreKind) throws {
        let library = try MigratingStore(kind)
        let options: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
        let context = try library.open(QuarantineLibrary.old(), options: options)
        try QuarantineLibrary.fill(context)
        try context.save()
        try library.close(context)
        let migrated = try library.open(QuarantineLibrary.new(), options: QuarantineLibrary.options(options))
        let coordinator = try #require(migrated.persistentStoreCoordinator)
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try coordinator.execute(request, with: migrated) as? NSPersistentHistoryResult
        #expect((result?.result as? [NSPersistentHistoryTransaction])?.isEmpty == false)
        migrated.make("Book", ["title": "new", "code": 77])
        try migrated.save()
        // No key of a row in the quarantine is given again.
        let last = try #require(try migrated.all("Book").last)
        #expect(last.value(forKey: "title") as? String == "new" && last.objectID.rowKey > 10)
        try library.close(migrated)
    }
}
