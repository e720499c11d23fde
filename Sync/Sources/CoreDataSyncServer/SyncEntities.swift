// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The entities of a server's store that sync adds to the app's model.
public import CoreData
import CoreDataSyncModel
import Foundation

/// The names of the entities of sync.
enum SyncEntityName {
    static let state = SyncModel.reservedPrefix + "State"
    static let record = SyncModel.reservedPrefix + "Record"
    static let replica = SyncModel.reservedPrefix + "Replica"
    static let scope = SyncModel.reservedPrefix + "Scope"
    static let presence = SyncModel.reservedPrefix + "Presence"
    static let upload = SyncModel.reservedPrefix + "Upload"
    static let uploadPart = SyncModel.reservedPrefix + "UploadPart"
}

extension NSManagedObjectModel {
    /// A server's model: the entities of an app's model and those of sync.
    ///
    /// Open the server's store with this model. Its version hashes of the app's entities are the app's, so devices and
    /// the server's own code use the same classes.
    ///
    /// ```swift
    /// let model = try NSManagedObjectModel.syncServer(of: appModel)
    /// let container = NSPersistentContainer(name: "Server", managedObjectModel: model)
    /// ```
    /// - Throws: `CocoaError` 134060 if the app's model has an entity whose name begins with `CoreDataSync`.
    public static func syncServer(of model: NSManagedObjectModel) throws -> NSManagedObjectModel {
        let isTaken = model.entities.contains { $0.name?.hasPrefix(SyncModel.reservedPrefix) ?? false }
        guard !isTaken, let merged = NSManagedObjectModel(byMerging: [model, SyncEntities.model()]) else {
            throw CocoaError(
                .coreData,
                userInfo: [NSLocalizedDescriptionKey: "Entities of the model have names that sync reserves."])
        }
        return merged
    }
}

private enum SyncEntities {
    static func model() -> NSManagedObjectModel {
        let state = entity(
            SyncEntityName.state,
            [
                attribute("key", .stringAttributeType), attribute("revision", .integer64AttributeType),
                attribute("clock", .integer64AttributeType), attribute("epoch", .stringAttributeType),
                attribute("folded", .binaryDataAttributeType, isOptional: true),
                attribute("foldedNumber", .integer64AttributeType),
                attribute("schema", .binaryDataAttributeType, isOptional: true),
                attribute("floor", .integer64AttributeType),
                attribute("settled", .integer64AttributeType, isOptional: true),
            ], unique: "key")
        let record = entity(
            SyncEntityName.record,
            [
                attribute("name", .stringAttributeType), attribute("entityName", .stringAttributeType),
                attribute("object", .stringAttributeType, isOptional: true),
                attribute("revision", .integer64AttributeType), attribute("state", .integer16AttributeType),
                attribute("deletion", .stringAttributeType, isOptional: true),
                attribute("into", .stringAttributeType, isOptional: true),
                attribute("origin", .stringAttributeType, isOptional: true),
                attribute("metadata", .binaryDataAttributeType),
                attribute("unknown", .binaryDataAttributeType, isOptional: true),
                attribute("form", .binaryDataAttributeType, isOptional: true),
                attribute("formRevision", .integer64AttributeType, isOptional: true),
            ], unique: "name")
        record.indexes = [["object"], ["revision", "name"]].map { keys in
            NSFetchIndexDescription(
                name: "by" + keys[0].capitalized,
                elements: keys.compactMap { record.attributesByName[$0] }
                    .map { NSFetchIndexElementDescription(property: $0, collationType: .binary) })
        }
        let replica = entity(
            SyncEntityName.replica,
            [
                attribute("replica", .stringAttributeType), attribute("user", .stringAttributeType),
                attribute("number", .integer64AttributeType),
                attribute("batch", .stringAttributeType, isOptional: true),
                attribute("answer", .binaryDataAttributeType, isOptional: true),
                attribute("part", .binaryDataAttributeType, isOptional: true),
                attribute("seen", .dateAttributeType), attribute("scope", .stringAttributeType, isOptional: true),
                attribute("applied", .integer64AttributeType, isOptional: true),
            ], unique: "replica")
        let scope = entity(
            SyncEntityName.scope,
            [
                attribute("key", .stringAttributeType), attribute("id", .stringAttributeType),
                attribute("revision", .integer64AttributeType), attribute("floor", .integer64AttributeType),
                attribute("used", .dateAttributeType),
            ], unique: "key")
        let model = NSManagedObjectModel()
        model.entities = [state, record, replica, scope, presence(record)] + uploads()
        return model
    }

    /// Large values that users have sent, and their parts.
    private static func uploads() -> [NSEntityDescription] {
        let upload = entity(
            SyncEntityName.upload,
            [
                attribute("id", .stringAttributeType), attribute("user", .stringAttributeType),
                attribute("size", .integer64AttributeType), attribute("received", .integer64AttributeType),
                attribute("digest", .binaryDataAttributeType, isOptional: true),
                attribute("used", .dateAttributeType), attribute("isTaken", .booleanAttributeType),
                attribute("isDead", .booleanAttributeType),
            ], unique: "id")
        let part = entity(
            SyncEntityName.uploadPart,
            [
                attribute("upload", .stringAttributeType), attribute("number", .integer64AttributeType),
                attribute("bytes", .binaryDataAttributeType),
            ], unique: "upload", "number")
        return [upload, part]
    }

    /// Whether a record is in a scope, or was; its record keeps no list of it.
    private static func presence(_ record: NSEntityDescription) -> NSEntityDescription {
        let presence = NSEntityDescription()
        presence.name = SyncEntityName.presence
        presence.properties = [
            attribute("scope", .stringAttributeType), attribute("name", .stringAttributeType),
            attribute("revision", .integer64AttributeType), attribute("isIn", .booleanAttributeType),
        ]
        presence.uniquenessConstraints = [["scope", "name"]]
        let (toRecord, toPresences) = (NSRelationshipDescription(), NSRelationshipDescription())
        (toRecord.name, toRecord.destinationEntity, toRecord.maxCount) = ("record", record, 1)
        (toPresences.name, toPresences.destinationEntity, toPresences.maxCount) = ("presences", presence, 0)
        (toRecord.deleteRule, toPresences.deleteRule) = (.nullifyDeleteRule, .cascadeDeleteRule)
        (toRecord.inverseRelationship, toPresences.inverseRelationship) = (toPresences, toRecord)
        presence.properties.append(toRecord)
        record.properties.append(toPresences)
        presence.indexes = [
            NSFetchIndexDescription(
                name: "byRevision",
                elements: ["scope", "revision"].compactMap { presence.attributesByName[$0] }.map {
                    NSFetchIndexElementDescription(property: $0, collationType: .binary)
                })
        ]
        return presence
    }

    private static func entity(
        _ name: String, _ properties: [NSAttributeDescription], unique: String...
    ) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = properties
        entity.uniquenessConstraints = [unique]
        return entity
    }

    private static func attribute(
        _ name: String, _ type: NSAttributeType, isOptional: Bool = false
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = isOptional
        return attribute
    }
}
