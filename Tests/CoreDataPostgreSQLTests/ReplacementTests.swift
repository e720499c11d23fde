// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Migrations by objects on a server: with a mapping model, to another root entity, and in stages.

import CoreDataModelFiles
import CoreDataTestSupport
import Foundation
import PostgreSQLDriver
import Synchronization
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

/// The action of the tests' policy for each source object; set by one test at a time.
private let action = Mutex<@Sendable (NSManagedObject) throws -> Void>({ _ in })

private struct Refusal: Error {}

/// Writes the title in capitals.
final class CapitalsPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource object: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try action.withLock { $0 }(object)
        try super.createDestinationInstances(forSource: object, in: mapping, manager: manager)
        for copy in manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [object]) {
            copy.setValue((object.value(forKey: "title") as? String)?.uppercased(), forKey: "title")
        }
    }
}

/// Authors and books of two versions, a store in a separate schema, and a mapping model with a policy.
private final class Shelf {
    let stack: Stack
    let old: NSManagedObjectModel
    let new: NSManagedObjectModel
    let folder = FileManager.default.temporaryDirectory.appending(path: "Mapping-\(UUID().uuidString)")
    let options: [AnyHashable: Any]

    static func version(_ number: Int) -> NSManagedObjectModel {
        let (book, author) = (NSEntityDescription("Book"), NSEntityDescription("Author"))
        book.attribute("title", .stringAttributeType)
        author.attribute("name", .stringAttributeType)
        if number > 1 { book.attribute("subtitle", .stringAttributeType) }
        author.relate("books", .ordered, to: book, inverse: "author", .one)
        return NSManagedObjectModel(book, author)
    }

    init(_ count: Int = 5, _ own: [AnyHashable: Any] = [:]) throws {
        (old, new) = (Self.version(1), Self.version(2))
        let stack = try Stack(.postgresql, old, options: own)
        self.stack = stack
        let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: stack.context)
        author.setValue("Ann", forKey: "name")
        let books = (0..<count).map { number in
            let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: stack.context)
            book.setValue("book \(number)", forKey: "title")
            return book
        }
        author.setValue(NSOrderedSet(array: books.reversed()), forKey: "books")
        stack.coordinator.persistentStores[0].metadata["own"] = "kept"
        try stack.context.save()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
        for entity in mapping.entityMappings where entity.destinationEntityName == "Book" {
            entity.entityMigrationPolicyClassName = String(reflecting: CapitalsPolicy.self)
        }
        let file = folder.appending(path: "own.cdm")
        try mapping.document().data().write(to: file)
        options = [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
            storeMappingFilesOption: [file],
        ].merging(own) { $1 }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var schema: String { stack.url.absoluteString.components(separatedBy: "schema=").last ?? "" }

    func close() throws {
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
    }

    /// - Parameter url: another URL of the store; nil for the usual one.
    func open(_ model: NSManagedObjectModel, _ options: [AnyHashable: Any]? = nil, at url: URL? = nil) throws
        -> NSManagedObjectContext
    {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: StoreKind.postgresql.type, configurationName: nil, at: url ?? stack.url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    static func titles(_ context: NSManagedObjectContext) throws -> [String] {
        let author = try #require(context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author")).first)
        let books = (author.value(forKey: "books") as? NSOrderedSet)?.array as? [NSManagedObject] ?? []
        return books.compactMap { $0.value(forKey: "title") as? String }
    }

    func run(_ statements: String...) throws {
        let connection = try connection()
        defer { connection.close() }
        for text in statements {
            try connection.run(
                Statement(text.replacing("%s", with: "\"\(schema)\""), isReused: false), Deadline(in: .seconds(10)))
        }
    }

    func ask(_ text: String) throws -> Int64? {
        let connection = try connection()
        defer { connection.close() }
        return try connection.run(
            Statement(text.replacing("%s", with: schema), isReused: false), Deadline(in: .seconds(10))
        ).first(\.integer)
    }

    private func connection() throws -> Connection {
        let server = try #require(StoreKind.serverURL.flatMap { URL(string: $0) })
        return try Connection(try ConnectionSettings(server).settings, deadline: Deadline(in: .seconds(5)))
    }

    /// The number of schemas of migrations.
    func sides() throws -> Int64? {
        try ask(
            "SELECT count(*) FROM pg_namespace WHERE nspname LIKE '\(schema.prefix(40))%' "
                + "AND obj_description(oid, 'pg_namespace') LIKE 'OpenCoreData:%'")
    }
}

@Suite("A PostgreSQL store that is migrated by objects", .needsServer, .serialized) struct ReplacementTests {
    private let capitals = (0..<5).reversed().map { "BOOK \($0)" }
    private let plain = (0..<5).reversed().map { "book \($0)" }

    private static func with(_ body: @escaping @Sendable (NSManagedObject) throws -> Void) {
        action.withLock { $0 = body }
    }

    /// Proves: PostgreSQL-M9
    @Test(
        "a mapping model and its policy make the new store, which keeps its identifier and metadata",
        arguments: [false, true])
    func policy(hasForeignKeys: Bool) throws {
        Self.with { _ in }
        let shelf = try Shelf(5, [NSPostgreSQLForeignKeysOption: hasForeignKeys])
        let identifier = shelf.stack.coordinator.persistentStores[0].identifier
        let keys = try shelf.ask(
            "SELECT count(*) FROM pg_constraint WHERE connamespace = '\"%s\"'::regnamespace AND contype = 'f'")
        try shelf.close()
        let context = try shelf.open(shelf.new, shelf.options)
        #expect(try Shelf.titles(context) == capitals)
        let store = try #require(context.persistentStoreCoordinator?.persistentStores.first)
        #expect(store.identifier == identifier && store.metadata["own"] as? String == "kept")
        let report = try #require(store.migrationReport)
        #expect(report.steps.map(\.way) == [.objects])
        #expect(report.rowsBefore == ["Book": 5, "Author": 1] && report.rowsAfter == report.rowsBefore)
        #expect(try shelf.sides() == 0)
        #expect(keys == (hasForeignKeys ? 1 : 0))
        #expect(
            try shelf.ask(
                "SELECT count(*) FROM pg_constraint WHERE connamespace = '\"%s\"'::regnamespace AND contype = 'f'")
                == keys)
        // It goes on as a separate store.
        NSEntityDescription.insertNewObject(forEntityName: "Book", into: context).setValue("x", forKey: "subtitle")
        try context.save()
        let again = try shelf.open(shelf.new)
        #expect(try again.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 6)
        #expect(try shelf.ask("SELECT count(*) FROM \"%s\".ocd_transaction") ?? 0 >= 2)
    }

    /// Proves: PostgreSQL-M9
    @Test("a policy that throws leaves the old store, and the next attempt migrates") func failure() throws {
        let shelf = try Shelf()
        try shelf.close()
        let count = Mutex(0)
        Self.with { _ in
            let isThird = count.withLock { count in
                count += 1
                return count == 3
            }
            if isThird { throw Refusal() }
        }
        let error = #expect(throws: CocoaError.self) { try shelf.open(shelf.new, shelf.options) }
        #expect(error?.code.rawValue == NSMigrationError)
        #expect(try Shelf.titles(shelf.open(shelf.old)) == plain)
        #expect(try Shelf.titles(shelf.open(shelf.new, shelf.options)) == capitals)
        #expect(try shelf.sides() == 0)
    }

    /// Proves: PostgreSQL-M9, PostgreSQL-M10
    @Test("a migration whose connections are cut leaves the old store; the next one removes its leftovers")
    func killed() throws {
        let shelf = try Shelf()
        try shelf.close()
        let count = Mutex(0)
        let settings = try ConnectionSettings(try #require(StoreKind.serverURL.flatMap { URL(string: $0) })).settings
        let schema = shelf.schema
        Self.with { _ in
            let isThird = count.withLock { count in
                count += 1
                return count == 3
            }
            guard isThird else { return }
            let connection = try Connection(settings, deadline: Deadline(in: .seconds(5)))
            defer { connection.close() }
            // The locks of the migration are those of one connection.
            let question =
                "SELECT pg_terminate_backend(l.pid) FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation "
                + "WHERE l.mode = 'ShareLock' AND c.relnamespace = '\"\(schema)\"'::regnamespace"
            _ = try connection.run(Statement(question, isReused: false), Deadline(in: .seconds(5)))
        }
        #expect(throws: CocoaError.self) { try shelf.open(shelf.new, shelf.options) }
        #expect(try Shelf.titles(shelf.open(shelf.old)) == plain)
        #expect(try shelf.sides() == 1)
        #expect(try Shelf.titles(shelf.open(shelf.new, shelf.options)) == capitals)
        #expect(try shelf.sides() == 0)
    }

    /// Proves: PostgreSQL-M10
    @Test("while the new tables are filled others fetch, saves wait, and then get 134100; nothing is lost")
    func others()
        throws
    {
        let shelf = try Shelf()
        let context = shelf.stack.context
        let late = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
        late.setValue("late", forKey: "title")
        let outcomes = Mutex<[String]>([])
        let reader = try shelf.open(shelf.old, [NSPersistentStoreTimeoutOption: 0.2])
        let writer = try shelf.open(shelf.old, [NSPersistentStoreTimeoutOption: 0.2])
        Self.with { object in
            guard object.value(forKey: "title") as? String == "book 2" else { return }
            let count = try reader.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book"))
            outcomes.withLock { $0.append("\(count) books") }
            _ = NSEntityDescription.insertNewObject(forEntityName: "Book", into: writer)
            do {
                try writer.save()
            } catch {
                outcomes.withLock { $0.append("refused") }
            }
        }
        let new = try shelf.open(shelf.new, shelf.options)
        #expect(outcomes.withLock { $0 } == ["5 books", "refused"])
        for saver in [context, writer] {
            let error = #expect(throws: CocoaError.self) { try saver.save() }
            #expect(error?.code.rawValue == NSPersistentStoreIncompatibleVersionHashError)
            #expect(saver.insertedObjects.count == 1)
        }
        #expect(try new.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 5)
    }

    /// Proves: PostgreSQL-M6, PostgreSQL-M9
    @Test("of several openers at once one migrates, and all open the store") func openers() throws {
        let shelf = try Shelf()
        try shelf.close()
        let count = Mutex(0)
        Self.with { _ in count.withLock { $0 += 1 } }
        let reports = Mutex<[Bool]>([])
        let errors = Mutex<[String]>([])
        let (model, options, url) = (shelf.new, Unchecked(value: shelf.options), shelf.stack.url)
        _ = try model.compiledLayout()
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            do {
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Shelf.version(2))
                let store = try coordinator.addPersistentStore(
                    ofType: StoreKind.postgresql.type, configurationName: nil, at: url, options: options.value)
                let isMigrated = store.migrationReport != nil
                reports.withLock { $0.append(isMigrated) }
                try coordinator.remove(store)
            } catch {
                errors.withLock { $0.append("\(error)") }
            }
        }
        #expect(errors.withLock { $0 } == [])
        #expect(reports.withLock { $0.filter { $0 }.count } == 1)
        #expect(count.withLock { $0 } == 5)
        #expect(try Shelf.titles(shelf.open(shelf.new)) == capitals)
    }

    /// Proves: PostgreSQL-M11
    @Test("others keep their rights, and the history begins anew after all former tokens") func rights() throws {
        Self.with { _ in }
        let shelf = try Shelf(5, [NSPersistentHistoryTrackingKey: true])
        let token = try #require(shelf.stack.coordinator.currentPersistentHistoryToken(fromStores: nil))
        try shelf.close()
        let role = "reader_\(UUID().uuidString.prefix(8).lowercased())"
        try shelf.run(
            "CREATE ROLE \(role)", "GRANT SELECT, UPDATE ON %s.book TO \(role)", "GRANT SELECT ON %s.author TO PUBLIC",
            "GRANT USAGE ON SEQUENCE %s.book_id_seq TO \(role) WITH GRANT OPTION")
        defer { try? shelf.run("DROP OWNED BY \(role)", "DROP ROLE \(role)") }
        let context = try shelf.open(shelf.new, shelf.options)
        for right in [
            "has_table_privilege('\(role)', '\"%s\".book', 'UPDATE')",
            "has_table_privilege('\(role)', '\"%s\".author', 'SELECT')",
            "has_sequence_privilege('\(role)', '\"%s\".book_id_seq', 'USAGE WITH GRANT OPTION')",
            "NOT has_table_privilege('\(role)', '\"%s\".book', 'DELETE')",
        ] { #expect(try shelf.ask("SELECT \(right)") == 1, "\(right)") }
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        let error = #expect(throws: CocoaError.self) { try context.execute(request) }
        #expect(error?.code.rawValue == NSPersistentHistoryTokenExpiredError)
        _ = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
        try context.save()
        let all = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try #require(context.execute(all) as? NSPersistentHistoryResult)
        #expect((result.result as? [NSPersistentHistoryTransaction])?.count == 1)
    }

    /// Proves: PostgreSQL-M9
    @Test("a foreign view over a table ends the migration, and nothing has changed") func view() throws {
        Self.with { _ in }
        let shelf = try Shelf()
        try shelf.close()
        try shelf.run("CREATE VIEW %s.others AS SELECT title FROM %s.book")
        let error = #expect(throws: CocoaError.self) { try shelf.open(shelf.new, shelf.options) }
        #expect("\(try #require(error) as NSError)".contains("2BP01"))
        #expect(try Shelf.titles(shelf.open(shelf.old)) == plain)
        try shelf.run("DROP VIEW %s.others")
        #expect(try Shelf.titles(shelf.open(shelf.new, shelf.options)) == capitals)
    }

    /// Proves: PostgreSQL-M9
    @Test("a schema with the name of a side schema that is no migration's is an error, and stays") func foreignSchema()
        throws
    {
        Self.with { _ in }
        let shelf = try Shelf()
        try shelf.close()
        let name = "\"" + SnakeNames().limited("\(shelf.schema) ocd migration 0") + "\""
        try shelf.run("CREATE SCHEMA \(name)", "CREATE TABLE \(name).treasure (a int)")
        let error = #expect(throws: CocoaError.self) { try shelf.open(shelf.new, shelf.options) }
        #expect("\(try #require(error) as NSError)".contains("no migration has left it"))
        try shelf.run("DROP TABLE \(name).treasure", "DROP SCHEMA \(name)")
        #expect(try Shelf.titles(shelf.open(shelf.old)) == plain)
    }

    /// Proves: PostgreSQL-M9
    @Test(
        "an entity that comes below another root has the objects of a migrated SQLite store",
        arguments: [StoreKind.postgresql])
    func belowAnotherRoot(kind: StoreKind) throws {
        let change = VersionChange("two roots get one parent") { model in
            let (tag, note) = (model.entitiesByName["Tag"], model.entitiesByName["Note"])
            if let note { tag?.subentities = [note] }
            note?.properties.removeAll { $0.name == "name" }
        }
        var found: [[String]] = []
        for kind in [kind, .sqlite] {
            let stack = try Stack(kind, change.old)
            try VersionChange.fill(stack.context, stack.model)
            for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: change.new)
            let store = try coordinator.addPersistentStore(
                ofType: kind.type, configurationName: nil, at: stack.url,
                options: [
                    NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
                ])
            let context = NSManagedObjectContext(concurrencyType: .confined)
            context.persistentStoreCoordinator = coordinator
            found.append(try VersionChange.contents(context, change.new))
            #expect(store.migrationReport?.steps.map(\.way) == [.objects])
            try coordinator.remove(store)
        }
        #expect(found[0] == found[1] && found[0].count > 10)
    }

    // MARK: Stages

    private static func manager(
        _ will: @escaping (NSManagedObjectContext) throws -> Void,
        _ did: @escaping (NSManagedObjectContext) throws -> Void, then end: @escaping () -> Void = {}
    )
        -> NSStagedMigrationManager
    {
        func reference(_ number: Int) -> NSManagedObjectModelReference {
            let model = Shelf.version(number)
            return NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
        }
        func handler(_ body: @escaping (NSManagedObjectContext) throws -> Void)
            -> (NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void
        {
            { manager, _ in
                guard let coordinator = manager.container?.persistentStoreCoordinator else { throw Refusal() }
                let context = NSManagedObjectContext(concurrencyType: .confined)
                context.persistentStoreCoordinator = coordinator
                try body(context)
                try context.save()
            }
        }
        let stage = NSCustomMigrationStage(migratingFrom: reference(1), to: reference(2))
        stage.willMigrateHandler = handler(will)
        stage.didMigrateHandler = { manager, stage in
            try handler(did)(manager, stage)
            end()
        }
        return NSStagedMigrationManager([stage])
    }

    /// Opens the store through a line that is cut at the COMMIT of the stage.
    ///
    /// - Returns: the titles of the migrated store, or the error of the opening.
    private func migrate(_ shelf: Shelf, _ cut: LineProxy.Cut, isAway: Bool = false) throws -> Result<
        [String], any Error
    > {
        let server = try #require(StoreKind.serverURL)
        let folder = try #require(server.components(separatedBy: "host=").last?.components(separatedBy: "&").first)
        let proxy = try LineProxy(to: folder)
        defer { proxy.stop() }
        let url = try #require(URL(string: shelf.stack.url.absoluteString.replacing(folder, with: proxy.folder.path)))
        // The second handler's save is the last COMMIT before that of the stage.
        let manager = Self.manager(thenDoing: {
            proxy.arm(cut)
            proxy.setDown(isAway)
        })
        let options: [AnyHashable: Any] = [
            NSPersistentStoreStagedMigrationManagerOptionKey: manager, NSPostgreSQLAnswerTimeoutOption: 0.5,
            NSPersistentStoreTimeoutOption: 1,
        ]
        let result = Result { try Shelf.titles(shelf.open(shelf.new, options, at: url)) }
        #expect(proxy.cuts == 1)
        return result
    }

    /// The opening after a cut, without the proxy.
    private func expectWhole(_ shelf: Shelf) throws {
        let options = [NSPersistentStoreStagedMigrationManagerOptionKey: Self.manager(thenDoing: {})]
        let context = try shelf.open(shelf.new, options)
        #expect(try Shelf.titles(context) == plain.map { $0 + " will" })
        let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
        #expect(Set(books.map { $0.value(forKey: "subtitle") as? String }) == ["did"])
        #expect(try shelf.sides() == 0)
    }

    private static func manager(thenDoing end: @escaping () -> Void) -> NSStagedMigrationManager {
        manager({ try add(" will", to: "title", $0) }, { try add("did", to: "subtitle", $0) }, then: end)
    }

    /// Proves: PostgreSQL-M12, PostgreSQL-M13
    @Test(
        "a lost answer to the COMMIT of a stage is found out: the store is migrated, or the opening throws and it is old",
        arguments: LineProxy.Cut.allCases)
    func lostAnswer(cut: LineProxy.Cut) throws {
        let shelf = try Shelf()
        try shelf.close()
        switch try migrate(shelf, cut) {
        case .success(let titles):
            #expect(![.before, .swallowed].contains(cut))
            #expect(titles == plain.map { $0 + " will" })
        case .failure(let error):
            #expect(![.after, .frozen].contains(cut))
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            #expect(cause?.domain == NSPostgreSQLErrorDomain)
            #expect(try Shelf.titles(shelf.open(shelf.old)) == plain)
        }
        try expectWhole(shelf)
    }

    /// Proves: PostgreSQL-M12, PostgreSQL-M13
    @Test(
        "a stage with an unknown outcome says so, and the next opening finds one version, whole",
        arguments: [LineProxy.Cut.before, .after])
    func unknownEnd(cut: LineProxy.Cut) throws {
        let shelf = try Shelf()
        try shelf.close()
        let result = try migrate(shelf, cut, isAway: true)
        let error = #expect(throws: CocoaError.self) { try result.get() }
        let cause = error?.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(cause?.userInfo[NSPostgreSQLStateErrorKey] as? String == "08007")
        try expectWhole(shelf)
    }

    private static func add(_ text: String, to key: String, _ context: NSManagedObjectContext) throws {
        for book in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")) {
            book.setValue("\(book.value(forKey: key) as? String ?? "")\(text)", forKey: key)
        }
    }

    /// Proves: PostgreSQL-M12
    @Test("both handlers of a stage change the new store, and the store is replaced once") func stages() throws {
        let shelf = try Shelf()
        let identifier = shelf.stack.coordinator.persistentStores[0].identifier
        try shelf.close()
        let manager = Self.manager(
            { try Self.add(" will", to: "title", $0) }, { try Self.add("did", to: "subtitle", $0) })
        let context = try shelf.open(shelf.new, [NSPersistentStoreStagedMigrationManagerOptionKey: manager])
        #expect(try Shelf.titles(context) == plain.map { $0 + " will" })
        let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
        #expect(Set(books.map { $0.value(forKey: "subtitle") as? String }) == ["did"])
        let store = try #require(context.persistentStoreCoordinator?.persistentStores.first)
        #expect(store.identifier == identifier && store.metadata["own"] as? String == "kept")
        #expect(try shelf.sides() == 0)
        let again = try shelf.open(shelf.new, [NSPersistentStoreStagedMigrationManagerOptionKey: manager])
        #expect(try Shelf.titles(again) == plain.map { $0 + " will" })
    }

    /// Proves: PostgreSQL-M12
    @Test("a handler that throws leaves the store as before the stage", arguments: [true, false]) func failedStage(
        isFirst: Bool
    )
        throws
    {
        let shelf = try Shelf()
        try shelf.close()
        let broken = Self.manager(
            {
                try Self.add(" will", to: "title", $0)
                if isFirst { throw Refusal() }
            },
            {
                try Self.add(" did", to: "title", $0)
                throw Refusal()
            })
        let error = #expect(throws: CocoaError.self) {
            try shelf.open(shelf.new, [NSPersistentStoreStagedMigrationManagerOptionKey: broken])
        }
        #expect(error?.code.rawValue == NSMigrationError)
        #expect(try Shelf.titles(shelf.open(shelf.old)) == plain)
        let whole = Self.manager({ _ in }, { _ in })
        #expect(
            try Shelf.titles(shelf.open(shelf.new, [NSPersistentStoreStagedMigrationManagerOptionKey: whole])) == plain)
        #expect(try shelf.sides() == 0)
    }
}

private struct Unchecked<Value>: @unchecked Sendable {  // only read
    let value: Value
}
