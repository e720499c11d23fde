// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Models by their identifier.

public import CoreData
import Foundation

extension ModelContext {
    /// The model of a record, without reading the store. If the record does not exist, the model reads as a deleted
    /// one.
    ///
    /// Traps for an identifier of an entity that the container lacks.
    public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
        synchronize()
        guard let id = objectID(persistentModelID), let row = below.object(with: id) as? ModelRow else {
            preconditionFailure(
                "\(persistentModelID) is of no store and entity of the container: take identifiers from its contexts.")
        }
        return row.model
    }

    /// The registered model of a record; nil for an unregistered one, and for one of another class.
    public func registeredModel<T>(for persistentModelID: PersistentIdentifier) -> T? where T: PersistentModel {
        synchronize()
        guard let id = objectID(persistentModelID), let row = below.registeredObject(for: id) as? ModelRow else {
            return nil
        }
        return row.model(as: T.self)
    }

    /// The model of an existing record.
    ///
    /// - Throws: `SwiftDataError.unknownSchema` for an identifier of another container; the error of the engine for a
    ///   missing record.
    public func existingModel<T>(for id: PersistentIdentifier) throws -> T where T: PersistentModel {
        synchronize()
        guard let objectID = objectID(id) else {
            throw ModelError(
                .unknownSchema, entity: id.entityName, identifier: id, "the identifier is of no store of the container")
        }
        guard let row = try below.existingObject(with: objectID) as? ModelRow, let model = row.model(as: T.self) else {
            throw ModelError(
                .unknownSchema, entity: id.entityName, identifier: id, "the record is of no class \(T.self)")
        }
        return model
    }

    /// The model of a managed object; nil for an object of another context.
    public func model(for object: NSManagedObject) -> (any PersistentModel)? {
        guard object.managedObjectContext === below else { return nil }
        return (object as? ModelRow)?.model
    }

    /// nil for an identifier of another container.
    func objectID(_ identifier: PersistentIdentifier) -> NSManagedObjectID? {
        if let id = identifier.managedObjectID { return id }
        if let unsaved = identifier.unsavedRecord {
            return below.insertedObjects.first { PersistentIdentifier.ID.Record($0.objectID) == unsaved }?.objectID
        }
        if let own = container.ownStores.first(where: { $0.store.identifier == identifier.storeIdentifier }) {
            return own.objectID(identifier)
        }
        return below.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: identifier.id.parts.uri)
    }
}
