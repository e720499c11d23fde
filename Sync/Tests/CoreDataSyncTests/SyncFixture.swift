// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A server and devices in one process, over stores in memory or in files.
import CoreData
import CoreDataSync
import CoreDataSyncProtocol
import CoreDataSyncServer
import Foundation
import Testing

enum SyncStoreKind: String, CaseIterable, Sendable {
    case memory, sqlite
}

/// A folder of stores that goes with the fixture.
final class SyncFixture {
    let folder: URL
    let kind: SyncStoreKind
    let server: NSPersistentContainer
    let service: SyncService
    private let model: NSManagedObjectModel
    private var count = 0

    init(_ kind: SyncStoreKind, model: NSManagedObjectModel = SyncFixture.model()) throws {
        self.kind = kind
        self.model = model
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("sync-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        server = try Self.container(
            kind, try .syncServer(of: model), folder.appendingPathComponent("Server.sqlite"))
        service = try SyncService(container: server, authority: OpenAuthority())
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    static func container(
        _ kind: SyncStoreKind, _ model: NSManagedObjectModel, _ url: URL
    ) throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Shop", managedObjectModel: model)
        let description = NSPersistentStoreDescription(url: url)
        if kind == .memory { description.type = NSInMemoryStoreType }
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }

    /// A new device with an empty store.
    func device() throws -> SyncDevice {
        count += 1
        return try device(at: folder.appendingPathComponent("Device\(count).sqlite"))
    }

    func device(at url: URL) throws -> SyncDevice {
        let container = try Self.container(kind, model, url)
        let transport = DirectTransport(server: service, user: SyncUser(id: "ada"))
        return SyncDevice(
            container: container, client: try SyncClient(container: container, transport: transport), url: url)
    }

    /// Books with unique numbers, ordered chapters, subjects (many-to-many) and authors that deny their deletion.
    static func model() -> NSManagedObjectModel {
        let title = attribute("title", .stringAttributeType)
        title.isOptional = false
        let views = attribute("views", .integer64AttributeType)
        views.userInfo = ["sync": "counter"]
        let book = entity(
            "Book",
            [
                title, views, attribute("number", .stringAttributeType), attribute("pages", .integer16AttributeType),
                attribute("copies", .integer32AttributeType), attribute("sold", .integer64AttributeType),
                attribute("price", .decimalAttributeType), attribute("weight", .doubleAttributeType),
                attribute("rating", .floatAttributeType), attribute("isRead", .booleanAttributeType),
                attribute("day", .dateAttributeType), attribute("cover", .binaryDataAttributeType),
                attribute("key", .UUIDAttributeType), attribute("site", .URIAttributeType),
                attribute("notes", .transformableAttributeType),
            ])
        book.uniquenessConstraints = [["number"]]
        let author = entity("Author", [attribute("name", .stringAttributeType)])
        let subject = entity("Subject", [attribute("name", .stringAttributeType)])
        let chapter = entity("Chapter", [attribute("name", .stringAttributeType)])
        relate(
            relationship("books", book, .denyDeleteRule, isToMany: true), author,
            relationship("author", author, .nullifyDeleteRule), book)
        relate(
            relationship("subjects", subject, .nullifyDeleteRule, isToMany: true), book,
            relationship("books", book, .nullifyDeleteRule, isToMany: true), subject)
        let chapters = relationship("chapters", chapter, .cascadeDeleteRule, isToMany: true)
        chapters.isOrdered = true
        relate(chapters, book, relationship("book", book, .nullifyDeleteRule), chapter)
        let model = NSManagedObjectModel()
        model.entities = [book, author, subject, chapter]
        return model
    }

    private static func entity(_ name: String, _ attributes: [NSAttributeDescription]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = attributes
        return entity
    }

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }

    private static func relationship(
        _ name: String, _ destination: NSEntityDescription, _ rule: NSDeleteRule, isToMany: Bool = false
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.deleteRule = rule
        relationship.minCount = 0
        relationship.maxCount = isToMany ? 0 : 1
        return relationship
    }

    private static func relate(
        _ one: NSRelationshipDescription, _ first: NSEntityDescription, _ other: NSRelationshipDescription,
        _ second: NSEntityDescription
    ) {
        one.inverseRelationship = other
        other.inverseRelationship = one
        first.properties.append(one)
        second.properties.append(other)
    }
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
