// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A server and devices in one process, over stores in memory or in files.
import CoreData
import CoreDataPostgreSQL
import CoreDataSync
import CoreDataSyncProtocol
import CoreDataSyncServer
import CoreDataSyncSimulation
import Foundation
import Testing

/// The kind of the server's store. Devices of a server on PostgreSQL have SQLite files.
enum SyncStoreKind: String, CaseIterable, Sendable {
    case memory, sqlite, postgresql

    /// The kinds that are there: PostgreSQL only under `Scripts/with-postgres`.
    static var allCases: [SyncStoreKind] { [.memory, .sqlite] + (serverURL == nil ? [] : [.postgresql]) }

    /// Those of which a device's sidecar outlives its client.
    static var persistent: [SyncStoreKind] { allCases.filter { $0 != .memory } }

    fileprivate static var serverURL: String? { ProcessInfo.processInfo.environment["COREDATA_PG_URL"] }
}

/// A folder of stores that goes with the fixture.
final class SyncFixture {
    let folder: URL
    let kind: SyncStoreKind
    let server: NSPersistentContainer
    let service: SyncService
    private let model: NSManagedObjectModel
    private var count = 0

    init(
        _ kind: SyncStoreKind, model: NSManagedObjectModel = SyncFixture.model(),
        authority: any SyncAuthority = OpenAuthority()
    ) throws {
        self.kind = kind
        self.model = model
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("sync-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let schema = "sync_" + UUID().uuidString.lowercased().replacingOccurrences(of: "-", with: "")
        let url = SyncStoreKind.serverURL.flatMap { URL(string: $0 + "&schema=\(schema)") }
        server = try Self.container(
            kind, try .syncServer(of: model),
            (kind == .postgresql ? url : nil) ?? folder.appendingPathComponent("Server.sqlite"))
        service = try SyncService(container: server, authority: authority)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    static func container(
        _ kind: SyncStoreKind, _ model: NSManagedObjectModel, _ url: URL
    ) throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Shop", managedObjectModel: model)
        let description = NSPersistentStoreDescription(url: url)
        if kind == .memory { description.type = NSInMemoryStoreType }
        if kind == .postgresql {
            PostgreSQLStore.register()
            description.type = NSPostgreSQLStoreType
        }
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }

    /// A new device with an empty store.
    func device(of user: SyncUser = SyncUser(id: "ada"), shapes: [String] = []) throws -> SyncDevice {
        count += 1
        return try device(
            at: folder.appendingPathComponent("Device\(count).sqlite"), of: user, shapes: shapes)
    }

    func device(
        at url: URL, of user: SyncUser = SyncUser(id: "ada"), shapes: [String] = []
    ) throws -> SyncDevice {
        let container = try Self.container(kind == .memory ? .memory : .sqlite, model, url)
        let transport = DirectTransport(server: service, user: user)
        return SyncDevice(
            container: container,
            client: try SyncClient(container: container, transport: transport, shapes: shapes), url: url)
    }

    /// A function that gives the server a batch of another replica, made at a time.
    func pushes() -> (_ time: UInt64, _ changes: (SyncStamp) -> [SyncChange]) throws -> SyncPushAnswer {
        let start = SyncHybridClock.clock(of: Date())
        return { [service] time, changes in
            let stamp = SyncStamp(clock: start + time, replica: UUID())
            return try service.pushAndWait(
                SyncPush(
                    replica: stamp.replica, number: 1, id: UUID(), schema: SyncSchema(entities: [:]), observed: 0,
                    changes: changes(stamp)),
                user: SyncUser(id: "ada"))
        }
    }

    /// Books with unique numbers, ordered chapters, subjects (many-to-many) and authors that deny their deletion.
    static func model() -> NSManagedObjectModel {
        let title = ModelParts.attribute("title", .stringAttributeType, isOptional: true)
        title.isOptional = false
        let views = ModelParts.attribute("views", .integer64AttributeType, isOptional: true)
        views.userInfo = ["sync": "counter"]
        let book = ModelParts.entity(
            "Book",
            [
                title, views, ModelParts.attribute("number", .stringAttributeType, isOptional: true),
                ModelParts.attribute("pages", .integer16AttributeType, isOptional: true),
                ModelParts.attribute("copies", .integer32AttributeType, isOptional: true),
                ModelParts.attribute("sold", .integer64AttributeType, isOptional: true),
                ModelParts.attribute("price", .decimalAttributeType, isOptional: true),
                ModelParts.attribute("weight", .doubleAttributeType, isOptional: true),
                ModelParts.attribute("rating", .floatAttributeType, isOptional: true),
                ModelParts.attribute("isRead", .booleanAttributeType, isOptional: true),
                ModelParts.attribute("day", .dateAttributeType, isOptional: true),
                ModelParts.attribute("cover", .binaryDataAttributeType, isOptional: true),
                ModelParts.attribute("key", .UUIDAttributeType, isOptional: true),
                ModelParts.attribute("site", .URIAttributeType, isOptional: true),
                ModelParts.attribute("notes", .transformableAttributeType, isOptional: true),
            ])
        book.uniquenessConstraints = [["number"]]
        let author = ModelParts.entity("Author", [ModelParts.attribute("name", .stringAttributeType, isOptional: true)])
        let subject = ModelParts.entity(
            "Subject", [ModelParts.attribute("name", .stringAttributeType, isOptional: true)])
        let chapter = ModelParts.entity(
            "Chapter", [ModelParts.attribute("name", .stringAttributeType, isOptional: true)])
        ModelParts.relate(
            ModelParts.relationship("books", book, .denyDeleteRule, isToMany: true), author,
            ModelParts.relationship("author", author, .nullifyDeleteRule), book)
        ModelParts.relate(
            ModelParts.relationship("subjects", subject, .nullifyDeleteRule, isToMany: true), book,
            ModelParts.relationship("books", book, .nullifyDeleteRule, isToMany: true), subject)
        let chapters = ModelParts.relationship("chapters", chapter, .cascadeDeleteRule, isToMany: true)
        chapters.isOrdered = true
        ModelParts.relate(chapters, book, ModelParts.relationship("book", book, .nullifyDeleteRule), chapter)
        let model = NSManagedObjectModel()
        model.entities = [book, author, subject, chapter]
        return model
    }
}

extension SyncStamp {
    /// The stamp of an earlier time.
    func minus(_ time: UInt64) -> SyncStamp { SyncStamp(clock: clock - time, replica: replica) }
}

/// An app with a client.
struct SyncDevice {
    let container: NSPersistentContainer
    let client: SyncClient
    let url: URL

    /// Changes objects and saves them as one transaction.
    func save(_ body: (NSManagedObjectContext) throws -> Void) throws { try container.saveTest(body) }

    func read<Value>(_ body: (NSManagedObjectContext) throws -> Value) throws -> Value {
        let context = container.newBackgroundContext()
        return try context.performAndWait { try body(context) }
    }

    func titles() throws -> [String] { try read { try $0.books().map { $0.value(forKey: "title") as? String ?? "" } } }
}

extension NSPersistentContainer {
    func saveTest(_ body: (NSManagedObjectContext) throws -> Void) throws {
        let context = newBackgroundContext()
        try context.performAndWait {
            try body(context)
            try context.save()
        }
    }
}

extension NSManagedObjectContext {
    func books() throws -> [NSManagedObject] { try all("Book", by: "title") }

    func all(_ entity: String, by key: String) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
        return try fetch(request)
    }

    @discardableResult
    func insert(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }
}

extension SyncFixture {
    /// Two devices. The second one has deleted an author while the first one added a book of it, which Deny refuses.
    func refusedDeletion() async throws -> (one: SyncDevice, other: SyncDevice) {
        let (one, other) = (try device(), try device())
        try one.save { $0.insert("Author", ["name": "Ada"]) }
        _ = try await one.client.syncNow()
        _ = try await other.client.syncNow()
        try one.save { context in
            context.insert("Book", ["title": "Notes"]).setValue(
                try context.all("Author", by: "name")[0], forKey: "author")
        }
        try other.save { context in context.delete(try context.all("Author", by: "name")[0]) }
        _ = try await one.client.syncNow()
        #expect(try await other.client.syncNow().refused == 1)
        return (one, other)
    }
}
