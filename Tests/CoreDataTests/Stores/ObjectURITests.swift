// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// URIs of objects: the usual form takes a short way, with the results of the general rules of URLs.
import CoreData
import Foundation
import Testing

@Suite("URIs of objects") struct ObjectURITests {
    private func container(_ names: [String]) throws -> NSPersistentContainer {
        let model = NSManagedObjectModel()
        model.entities = names.map { name in
            let entity = NSEntityDescription()
            entity.name = name
            let title = NSAttributeDescription()
            title.name = "title"
            title.attributeType = .stringAttributeType
            title.isOptional = true
            entity.properties = [title]
            return entity
        }
        let container = NSPersistentContainer(name: "URIs", managedObjectModel: model)
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }

    /// The URIs of an object before and after its save, and the ids that the coordinator finds for them.
    private struct Found {
        let temporary: (uri: URL, id: NSManagedObjectID?)
        let id: NSManagedObjectID
        let uri: URL
        let byURI: NSManagedObjectID?
        let byText: NSManagedObjectID?
    }

    private func find(_ name: String, _ container: NSPersistentContainer) throws -> Found {
        let coordinator = container.persistentStoreCoordinator
        let context = container.newBackgroundContext()
        return try context.performAndWait {
            let object = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
            let temporary = object.objectID.uriRepresentation()
            let early = coordinator.managedObjectID(forURIRepresentation: temporary)
            try context.save()
            let uri = object.objectID.uriRepresentation()
            return Found(
                temporary: (temporary, early), id: object.objectID, uri: uri,
                byURI: coordinator.managedObjectID(forURIRepresentation: uri),
                byText: coordinator.managedObjectID(for: uri.absoluteString))
        }
    }

    @Test("the id of an object comes back from its URI and from the URI's text, whatever its entity's name is")
    func names() throws {
        let names = ["Note", "Note_2", "Größe", "Ünit", "書"]
        let container = try container(names)
        for name in names {
            let found = try find(name, container)
            #expect(found.temporary.uri.absoluteString.hasPrefix("x-coredata:///"))
            #expect(found.temporary.id == nil)
            var components = URLComponents()
            components.scheme = "x-coredata"
            components.host = found.id.persistentStore?.identifier
            components.path = "/\(name)/\(found.uri.lastPathComponent)"
            #expect(found.uri == components.url)
            #expect(found.byURI == found.id)
            #expect(found.byText == found.id)
        }
    }

    @Test("the UUID of a URI may have letters of either case; text of another form gives no id")
    func forms() throws {
        let coordinator = try container(["Note"]).persistentStoreCoordinator
        let store = try #require(coordinator.persistentStores.first?.identifier)
        for text in ["x-coredata://\(store)/Note/p7", "x-coredata://\(store.lowercased())/Note/p7"] {
            let id = try #require(coordinator.managedObjectID(for: text))
            #expect(id.uriRepresentation().absoluteString == "x-coredata://\(store)/Note/p7")
        }
        for part in [
            "Note/p", "Note/p0", "Note/p-1", "Note/p7x", "Note/t7", "Note/7", "Note/p99999999999999999999", "Other/p7",
            "Note", "Note/p7/8", "/p7", "",
        ] {
            #expect(coordinator.managedObjectID(for: "x-coredata://\(store)/\(part)") == nil)
        }
        let other = UUID().uuidString
        for text in ["x-coredata://\(other)/Note/p7", "x-core://\(store)/Note/p7", "\(store)/Note/p7", "é"] {
            #expect(coordinator.managedObjectID(for: text) == nil)
        }
    }
}
