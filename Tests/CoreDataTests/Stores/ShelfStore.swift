// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store in memory as users may write one; a test can replace each of its results.

import CoreDataTestSupport
import Foundation

@testable import CoreData

/// Records by reference ("Book 1"). Counts versions by default.
final class ShelfStore: NSIncrementalStore {
    struct Record {
        var entity: String
        var version: UInt64
        var values: [String: Any]
    }

    static let storeType = "Shelf"

    var records: [String: Record] = [:]
    var countsVersions = true
    var requests: [NSPersistentStoreRequest] = []
    var registered: [NSManagedObjectID] = []
    var unregistered: [NSManagedObjectID] = []
    /// Called instead of the store's own methods; nil continues with those.
    var answer: ((NSPersistentStoreRequest, NSManagedObjectContext?) throws -> Any?)?
    var node: ((NSManagedObjectID) throws -> NSIncrementalStoreNode?)?
    var value: ((NSRelationshipDescription, NSManagedObjectID) throws -> Any?)?
    var ids: (([NSManagedObject]) throws -> [NSManagedObjectID]?)?
    var leaving: (() -> Void)?
    private var last = 0

    override func loadMetadata() throws {
        if let given = options?["metadata"] as? [String: Any] {
            metadata = given
        } else {
            metadata = [NSStoreTypeKey: Self.storeType, NSStoreUUIDKey: Self.identifierForNewStore(at: url!)]
        }
    }

    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        requests.append(request)
        if let answer = try answer?(request, context) { return answer }
        switch request {
        case let request as NSFetchRequest<any NSFetchRequestResult>:
            return try results(of: request, among: records.keys.map(id), with: context)
        case let request as NSSaveChangesRequest:
            for object in (request.insertedObjects ?? []).union(request.updatedObjects ?? []) { store(object) }
            for object in request.deletedObjects ?? [] { records[reference(object.objectID)] = nil }
            return []
        default: throw CocoaError(.persistentStoreUnsupportedRequestType)
        }
    }

    private func store(_ object: NSManagedObject) {
        let reference = reference(object.objectID)
        let version = (records[reference]?.version ?? 0) + (countsVersions ? 1 : 0)
        records[reference] = Record(
            entity: object.entity.name!, version: max(version, 1), values: storedValues(of: object))
    }

    override func newValuesForObject(with objectID: NSManagedObjectID, with context: NSManagedObjectContext) throws
        -> NSIncrementalStoreNode
    {
        if let node = try node?(objectID) { return node }
        guard let record = records[reference(objectID)] else { throw CocoaError(.managedObjectReferentialIntegrity) }
        var values = record.values
        for name in objectID.entity.propertiesByName.keys where values[name] == nil { values[name] = NSNull() }
        return NSIncrementalStoreNode(objectID: id(reference(objectID)), withValues: values, version: record.version)
    }

    override func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        if let value = try value?(relationship, objectID) { return value }
        guard let record = records[reference(objectID)] else { throw CocoaError(.managedObjectReferentialIntegrity) }
        return record.values[relationship.name] ?? []
    }

    override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        if let ids = try ids?(array) { return ids }
        return array.map { object in
            last += 1
            return newObjectID(for: object.entity, referenceObject: "\(object.entity.name!) \(last)")
        }
    }

    override func willRemove(from coordinator: NSPersistentStoreCoordinator?) { leaving?() }

    override func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {
        registered += objectIDs
    }

    override func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {
        unregistered += objectIDs
    }

    func reference(_ id: NSManagedObjectID) -> String { referenceObject(for: id) as! String }

    func id(_ reference: String) -> NSManagedObjectID {
        let entity = records[reference]?.entity ?? String(reference.split(separator: " ")[0])
        let model = persistentStoreCoordinator!.managedObjectModel
        return newObjectID(for: model.entitiesByName[entity]!, referenceObject: reference)
    }
}

/// A bookshop on a shelf.
struct ShelfShop {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: BookshopModel.make())
    let context = NSManagedObjectContext(concurrencyType: .confined)
    let store: ShelfStore

    init(options: [AnyHashable: Any]? = nil) throws {
        NSPersistentStoreCoordinator.registerStoreClass(ShelfStore.self, forStoreType: ShelfStore.storeType)
        store =
            try coordinator.addPersistentStore(
                ofType: ShelfStore.storeType, configurationName: nil, at: nil, options: options) as! ShelfStore
        context.persistentStoreCoordinator = coordinator
    }

    func newContext(_ type: NSManagedObjectContextConcurrencyType = .confined) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: type)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    @discardableResult
    func book(_ title: String, pages: Int = 100) -> Book {
        let book = Book(context: context)
        book.title = title
        book.pages = pages
        return book
    }

    /// The objects of the last save.
    var lastSave: NSSaveChangesRequest? { store.requests.last { $0 is NSSaveChangesRequest } as? NSSaveChangesRequest }
}
