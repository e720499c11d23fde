// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The engine's store on top of a custom store. SwiftData-W1 to W6.

import CoreData
import Foundation

// Sendable: the engine calls it under the store's lock.
/// Answers the engine's requests with the snapshots of a `DataStore`.
///
/// # Identifiers
///     new record ──obtainPermanentIDs──▶ reference is a UUID ──save──▶ reference is the key that the store gave
/// (1) An id with a UUID as reference is a temporary identifier for the store. (2) A record has the same engine id
/// before and after; the save renames the reference.
final class DataStoreBridge: NSIncrementalStore, @unchecked Sendable {
    static let storeType = "SwiftDataStore"
    static let optionKey = "SwiftDataStore"

    /// Set by `loadMetadata()`, before any other call.
    private var opened: (any DataStore)?
    var store: any DataStore {
        guard let opened else { preconditionFailure("The store is asked before its metadata are loaded.") }
        return opened
    }
    /// The permanent ids of this process's insertions, for stores that keep temporary identifiers in their records.
    var renamed: [String: NSManagedObjectID] = [:]
    /// The version of each record that was read, with a digest of its values.
    private var versions: [NSManagedObjectID: (digest: Int, version: UInt64)] = [:]
    let readings = CallReadings()

    /// Carries the store through the options.
    final class Box {
        let store: any DataStore
        init(_ store: any DataStore) { self.store = store }
    }

    private static let registration: Void = {
        NSPersistentStoreCoordinator.registerStoreClass(DataStoreBridge.self, forStoreType: storeType)
    }()

    static func open(
        _ store: any DataStore, named configurationName: String?, in coordinator: NSPersistentStoreCoordinator
    ) throws -> DataStoreBridge {
        _ = registration
        let opened = try coordinator.addPersistentStore(
            ofType: storeType, configurationName: configurationName, at: nil, options: [optionKey: Box(store)])
        guard let bridge = opened as? DataStoreBridge else {
            preconditionFailure("The store type '\(storeType)' belongs to SwiftData: register your class for another.")
        }
        return bridge
    }

    override func loadMetadata() throws {
        guard let box = options?[Self.optionKey] as? Box else { throw CocoaError(.persistentStoreOpen) }
        opened = box.store
        metadata = [NSStoreTypeKey: Self.storeType, NSStoreUUIDKey: box.store.identifier]
    }

    // MARK: Requests

    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        guard let context else { throw CocoaError(.persistentStoreUnsupportedRequestType) }
        return try withClasses {
            switch request {
            case let request as NSFetchRequest<any NSFetchRequestResult>: try fetch(request, context)
            case let request as NSSaveChangesRequest: try save(request, context)
            case let request as NSBatchDeleteRequest: try delete(request)
            default: throw CocoaError(.persistentStoreUnsupportedRequestType)
            }
        }
    }

    /// Lets snapshots that the store decodes during the call find the classes of its schema.
    private func withClasses<Result>(_ body: () throws -> Result) rethrows -> Result {
        try SnapshotClasses.$schema.withValue(store.schema, operation: body)
    }

    override func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        let reading = try withClasses { try self.reading(objectID, context) }
        guard let id = self.objectID(reading.snapshot.persistentIdentifier) else {
            throw DataStoreFault.error("gave a snapshot of no class of its schema", self, reading.snapshot)
        }
        let node = try RecordNode(reading, id.entity, self)
        return NSIncrementalStoreNode(objectID: id, withValues: node.values, version: version(of: id, node.digest))
    }

    override func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        guard let context else { throw CocoaError(.persistentStoreUnsupportedRequestType) }
        let reading = try withClasses { try self.reading(objectID, context) }
        let ids = RecordNode.ids(try reading.values()[relationship.name], self)
        return relationship.isToMany ? ids : ids.first ?? NSNull()
    }

    // MARK: Identifiers

    /// The record of an identifier; nil for an identifier that no save has made permanent, and for an entity of another
    /// model.
    ///
    /// The name of the store does not count: relationships stay in one store, whose file may have been renamed.
    func objectID(_ identifier: PersistentIdentifier) -> NSManagedObjectID? {
        let record = identifier.id.parts
        if record.isTemporary { return renamed[record.key] }
        guard let entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName[record.entity] else {
            return nil
        }
        return newObjectID(for: entity, referenceObject: record.key)
    }

    /// A record's version grows when its values differ from those that were read last.
    private func version(of id: NSManagedObjectID, _ digest: Int) -> UInt64 {
        let known = versions[id]
        if let known, known.digest == digest { return known.version }
        let version = (known?.version ?? 0) + 1
        versions[id] = (digest, version)
        return version
    }

    /// The records that were read or written here.
    var known: Dictionary<NSManagedObjectID, (digest: Int, version: UInt64)>.Keys { versions.keys }

    func forget(_ id: NSManagedObjectID) { versions[id]?.digest = 0 }
}

extension PersistentIdentifier {
    /// The record as it is named now, also after the identifier of a new record was made permanent.
    init(lasting object: NSManagedObjectID) { self.init(record: .init(object)) }
}

/// Errors for mistakes of custom stores.
enum DataStoreFault {
    static func error(_ what: String, _ bridge: DataStoreBridge, _ snapshot: any DataStoreSnapshot) -> ModelError {
        let identifier = snapshot.persistentIdentifier
        return ModelError(
            .loadIssueModelContainer, entity: identifier.entityName, identifier: identifier,
            "the store \(type(of: bridge.store)) \(what)")
    }
}
