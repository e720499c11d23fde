// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Several tenants in the same tables: none reads, writes or is notified of rows of another.

import CoreDataTestSupport
import Foundation
import PostgreSQLDriver
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

/// A schema of a user without superuser rights, dropped with it.
private final class TenantSchema {
    let url: URL
    let name: String
    private let user: String
    private let server: String

    init() throws {
        server = try #require(StoreKind.serverURL)
        let number = UUID().uuidString.lowercased().prefix(8)
        (name, user) = ("tenants_\(number)", "user_\(number)")
        url = try #require(
            URL(string: server.replacing("user=ocd", with: "user=\(user)") + "&schema=\(name)"))
        try administer("CREATE ROLE \(user) LOGIN", "CREATE SCHEMA \(name) AUTHORIZATION \(user)")
    }

    deinit { try? administer("DROP SCHEMA \(name) CASCADE", "DROP OWNED BY \(user)", "DROP ROLE \(user)") }

    func administer(_ statements: String...) throws {
        let settings = try ConnectionSettings(try #require(URL(string: server)))
        let connection = try Connection(settings.settings, deadline: Deadline(in: .seconds(5)))
        defer { connection.close() }
        for statement in statements {
            try connection.run(Statement(statement, isReused: false), Deadline(in: .seconds(10)))
        }
    }

    /// A direct connection of the user, which has no tenant.
    func connection() throws -> Connection {
        try Connection(ConnectionSettings(url).settings, deadline: Deadline(in: .seconds(5)))
    }

    func store(_ tenant: String?, _ more: [AnyHashable: Any] = [:], model: NSManagedObjectModel? = nil) throws
        -> TenantStore
    {
        var options = more
        if let tenant { options[NSPostgreSQLTenantOption] = tenant }
        return try TenantStore(url, options, model ?? NamedModel.make(isUnique: true))
    }
}

private final class TenantStore {
    let coordinator: NSPersistentStoreCoordinator
    let context = NSManagedObjectContext(concurrencyType: .confined)

    init(_ url: URL, _ options: [AnyHashable: Any], _ model: NSManagedObjectModel) throws {
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: StoreKind.postgresql.type, configurationName: nil, at: url, options: options)
        context.persistentStoreCoordinator = coordinator
    }

    deinit {
        for store in coordinator.persistentStores { try? coordinator.remove(store) }
    }

    var store: PostgreSQLStore { get throws { try #require(coordinator.persistentStores.first as? PostgreSQLStore) } }

    @discardableResult func save(_ name: String) throws -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: "Named", into: context)
        object.setValue(name, forKey: "name")
        try context.save()
        return object
    }

    func names(_ context: NSManagedObjectContext? = nil) throws -> [String] {
        let reader = NSManagedObjectContext(concurrencyType: .confined)
        reader.persistentStoreCoordinator = coordinator
        let request = NSFetchRequest<NSManagedObject>(entityName: "Named")
        return try (context ?? reader).fetch(request).compactMap { $0.value(forKey: "name") as? String }.sorted()
    }

    var transactionCount: Int? {
        get throws {
            try store.readHistory { source -> Int in
                var count = 0
                try source.transactions(after: 0) { _ in
                    count += 1
                    return true
                }
                return count
            }
        }
    }
}

@Suite("Tenants of a PostgreSQL store", .needsServer) struct TenantTests {
    private static let deadline = Duration.seconds(10)

    private func code(_ body: () throws -> Void) -> Int? {
        do {
            try body()
            return nil
        } catch {
            return (error as NSError).code
        }
    }

    /// Proves: PostgreSQL-E1, PostgreSQL-E3
    @Test("each sees and changes only its own rows, and values are unique within one") func rows() throws {
        let schema = try TenantSchema()
        let acme = try schema.store("acme")
        let other = try schema.store("o'Brien \\ \"x\"")
        let object = try acme.save("one")
        try acme.save("two")
        #expect(try other.names() == [])
        try other.save("one")
        #expect(try acme.names() == ["one", "two"])
        #expect(try other.names() == ["one"])
        #expect(code { try other.save("one") } == NSManagedObjectConstraintMergeError)
        other.context.rollback()
        // A key of another tenant finds no row.
        let layout = try #require(try other.store.opened().schema.model.layout(named: "Named"))
        #expect(try other.store.rows([object.objectID.key], root: layout, in: nil).isEmpty)
        let update = NSBatchUpdateRequest(entityName: "Named")
        update.propertiesToUpdate = ["nickname": "x"]
        update.resultType = .updatedObjectsCountResultType
        #expect((try other.context.execute(update) as? NSBatchUpdateResult)?.result as? Int == 1)
        let delete = NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Named"))
        _ = try other.context.execute(delete)
        #expect(try other.names() == [])
        #expect(try acme.names() == ["one", "two"])
    }

    /// Proves: PostgreSQL-E1, PostgreSQL-E2
    @Test("without a tenant nothing is seen or written, also on a connection that a store gave back")
    func noTenant() throws {
        let schema = try TenantSchema()
        let acme = try schema.store("acme")
        try acme.save("one")
        let table = "\"\(schema.name)\".named"
        let outside = try schema.connection()
        defer { outside.close() }
        let count = Statement("SELECT count(*) FROM \(table)", isReused: false)
        #expect(try outside.run(count, Deadline(in: Self.deadline)).first(\.integer) == 0)
        let change = Statement("UPDATE \(table) SET name = 'x'", isReused: false)
        #expect(try outside.run(change, Deadline(in: Self.deadline)).changes == 0)
        #expect(throws: PostgreSQLError.self) {
            try outside.run(
                Statement("INSERT INTO \(table) (name) VALUES ('x')", isReused: false), Deadline(in: Self.deadline))
        }
        #expect(throws: PostgreSQLError.self) {
            try outside.run(
                Statement("INSERT INTO \(table) (name, tenant) VALUES ('x', 'acme')", isReused: false),
                Deadline(in: Self.deadline))
        }
        let left = try acme.store.opened().sessions.with(repeats: false) { connection -> Int64? in
            // As another program finds the connection in a pooler.
            let preamble = connection.preamble
            connection.preamble = nil
            defer { connection.preamble = preamble }
            return try connection.run(count, Deadline(in: Self.deadline)).first(\.integer)
        }
        #expect(left == 0)
        #expect(try acme.names() == ["one"])
    }

    /// Proves: PostgreSQL-E2
    @Test("many rows, generations and copies are read as their tenant") func ways() throws {
        let schema = try TenantSchema()
        let (acme, other) = (try schema.store("acme"), try schema.store("other"))
        for number in 0..<1_500 {
            let object = NSEntityDescription.insertNewObject(forEntityName: "Named", into: acme.context)
            object.setValue("\(number)", forKey: "name")
        }
        try acme.context.save()
        try other.save("theirs")
        #expect(try acme.names().count == 1_500)
        #expect(try acme.names().count == 1_500)
        let pinned = NSManagedObjectContext(concurrencyType: .confined)
        pinned.persistentStoreCoordinator = acme.coordinator
        try pinned.setQueryGenerationFrom(.current)
        #expect(try acme.names(pinned).count == 1_500)
        let source = try other.store.copySource()
        let layout = try #require(try other.store.opened().schema.model.layout(named: "Named"))
        let keys = (1...3_000).map(Int64.init)
        #expect(try source.rows(keys, root: layout, in: nil).count == 1)
    }

    /// Proves: PostgreSQL-E3
    @Test("history, notifications and row caches are those of one tenant") func history() throws {
        let schema = try TenantSchema()
        let options: [AnyHashable: Any] = [
            NSPersistentHistoryTrackingKey: true, NSPersistentStoreRemoteChangeNotificationPostOptionKey: true,
        ]
        let (acme, twin) = (try schema.store("acme", options), try schema.store("acme", options))
        let other = try schema.store("other", options)
        #expect(try acme.store.identifier == twin.store.identifier)
        #expect(try acme.store.identifier != other.store.identifier)
        let log = NotificationLog(.NSPersistentStoreRemoteChange, of: acme.coordinator)
        try other.save("theirs")
        #expect(try acme.transactionCount == 0)
        try twin.save("ours")
        #expect(eventually { log.count >= 1 })
        #expect(try acme.transactionCount == 1)
        #expect(try other.transactionCount == 1)
        let readers = [try acme.store, try other.store]
        try readers[0].setHistoryReader("widget", to: 7)
        #expect(try readers[1].historyReader("widget") == nil)
        try readers[1].setHistoryReader("widget", to: 3)
        #expect(try readers[0].historyReader("widget") == 7)
    }

    /// Proves: PostgreSQL-E4
    @Test("a user who is exempt from row security is refused", arguments: ["SUPERUSER", "BYPASSRLS"])
    func bypass(right: String) throws {
        let schema = try TenantSchema()
        try schema.store("acme").save("one")
        let user = try #require(schema.url.absoluteString.components(separatedBy: "user=").last?.prefix(13))
        try schema.administer("ALTER ROLE \(user) \(right)")
        let error = #expect(throws: CocoaError.self) { _ = try schema.store("acme") }
        #expect("\(try #require(error) as NSError)".contains(user))
    }

    /// Proves: PostgreSQL-E4
    @Test("stores with tenants and without are not taken for one another, nor tables without row security")
    func kinds() throws {
        let schema = try TenantSchema()
        try schema.store("acme").save("one")
        #expect(code { _ = try schema.store(nil) } != nil)
        #expect(
            code { _ = try schema.store("acme", model: NamedModel.make()) }
                == NSPersistentStoreIncompatibleVersionHashError)
        #expect(code { _ = try schema.store("new", model: NamedModel.make()) } != nil)
        #expect(code { _ = try schema.store("") } != nil)
        try schema.administer("ALTER TABLE \(schema.name).named NO FORCE ROW LEVEL SECURITY")
        let error = #expect(throws: CocoaError.self) { _ = try schema.store("acme") }
        #expect("\(try #require(error) as NSError)".contains("named"))
        let plain = try TenantSchema()
        try plain.store(nil).save("one")
        #expect(code { _ = try plain.store("acme") } != nil)
    }

    /// Proves: PostgreSQL-E5
    @Test("a tenant's store is destroyed with only its rows") func destruction() throws {
        let schema = try TenantSchema()
        let other = try schema.store("other")
        do {
            let acme = try schema.store("acme")
            try acme.save("one")
        }
        try other.save("theirs")
        // A coordinator removes its store of the same URL, for any tenant.
        try NSPersistentStoreCoordinator(managedObjectModel: NamedModel.make()).destroyPersistentStore(
            at: schema.url, ofType: StoreKind.postgresql.type, options: [NSPostgreSQLTenantOption: "acme"])
        #expect(try schema.store("acme").names() == [])
        #expect(try other.names() == ["theirs"])
    }

    /// Proves: PostgreSQL-E1, PostgreSQL-E3, PostgreSQL-E5
    @Test("a whole store with every type and relationship is copied to two tenants, and one of them destroyed")
    func wholeStores() throws {
        let schema = try TenantSchema()
        let museum = try Museum(in: .sqlite)
        try museum.fill()
        let account = try museum.account()
        var coordinators: [NSPersistentStoreCoordinator] = []
        for tenant in ["acme", "other"] {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: museum.stack.model)
            let source = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: museum.stack.url)
            _ = try coordinator.migratePersistentStore(
                source, to: schema.url, options: [NSPostgreSQLTenantOption: tenant], withType: StoreKind.postgresql.type
            )
            coordinators.append(coordinator)
        }
        for coordinator in coordinators { #expect(try Museum.account(coordinator) == account) }
        let acme = try #require(coordinators.first)
        for store in acme.persistentStores { try acme.remove(store) }
        try acme.destroyPersistentStore(
            at: schema.url, ofType: StoreKind.postgresql.type, options: [NSPostgreSQLTenantOption: "acme"])
        #expect(try Museum.account(try #require(coordinators.last)) == account)
        for coordinator in coordinators {
            for store in coordinator.persistentStores { try coordinator.remove(store) }
        }
    }
}
