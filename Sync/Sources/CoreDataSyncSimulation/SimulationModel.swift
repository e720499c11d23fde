// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The model of the simulation: each kind of rule and of relationship once.
import CoreData
import CoreDataSyncProtocol
import Foundation

/// Folders deny their deletion while they have notes. Notes have tags (many-to-many, at most four), ordered steps
/// (cascade), a cover (one-to-one) and a counter. Labels and numbers are unique. Two halves of a pair are only changed
/// together. Secrets do not leave the server. Each inserted note has another mark.
enum SimulationModel {
    static let hidden = "Secret"
    /// Values from 48 bytes on are large, and travel in parts of 32 bytes.
    static let sizes = LargeDataSizes(least: 48, part: 32)

    /// - Parameter isOld: an earlier version, in which the weight was the mass and notes had nothing extra.
    static func make(isOld: Bool = false) -> NSManagedObjectModel {
        let weight = ModelParts.attribute(isOld ? "mass" : "weight", .doubleAttributeType, isOptional: true)
        if !isOld { weight.renamingIdentifier = "mass" }
        let extra = ModelParts.attribute("extra", .stringAttributeType, isOptional: true)

        let title = ModelParts.attribute("title", .stringAttributeType)
        title.setValidationPredicates([NSPredicate(format: "length >= 1")], withValidationWarnings: ["title"])
        let size = ModelParts.attribute("size", .integer32AttributeType, isOptional: true)
        size.setValidationPredicates([NSPredicate(format: "SELF <= 100")], withValidationWarnings: ["size"])
        let views = ModelParts.attribute("views", .integer64AttributeType, isOptional: true)
        views.userInfo = ["sync": "counter"]
        views.defaultValue = 0
        let folder = ModelParts.entity("Folder", [ModelParts.attribute("title", .stringAttributeType), owner()])
        let note = ModelParts.entity(
            "Note",
            [
                title, size, views, weight,
                ModelParts.attribute("day", .dateAttributeType, isOptional: true), owner(),
                ModelParts.attribute("mark", .stringAttributeType, isOptional: true),
                ModelParts.attribute("photo", .binaryDataAttributeType, isOptional: true),
            ])
        if !isOld { note.properties.append(extra) }
        let tag = ModelParts.entity(
            "Tag",
            [
                ModelParts.attribute("label", .stringAttributeType),
                ModelParts.attribute("color", .stringAttributeType, isOptional: true),
            ])
        tag.uniquenessConstraints = [["label"]]
        let step = ModelParts.entity("Step", [ModelParts.attribute("text", .stringAttributeType, isOptional: true)])
        let cover = ModelParts.entity(
            "Cover",
            [
                ModelParts.attribute("id", .UUIDAttributeType),
                ModelParts.attribute("color", .stringAttributeType, isOptional: true),
            ])
        cover.uniquenessConstraints = [["id"]]
        let half = ModelParts.entity(
            "Half",
            [
                ModelParts.attribute("pair", .stringAttributeType),
                ModelParts.attribute("value", .integer64AttributeType),
            ])
        let secret = ModelParts.entity(hidden, [ModelParts.attribute("text", .stringAttributeType, isOptional: true)])
        ModelParts.relate(
            ModelParts.relationship("notes", note, .denyDeleteRule, isToMany: true), folder,
            ModelParts.relationship("folder", folder, .nullifyDeleteRule), note)
        let tags = ModelParts.relationship("tags", tag, .nullifyDeleteRule, isToMany: true)
        tags.maxCount = 4
        ModelParts.relate(tags, note, ModelParts.relationship("notes", note, .nullifyDeleteRule, isToMany: true), tag)
        let steps = ModelParts.relationship("steps", step, .cascadeDeleteRule, isToMany: true)
        steps.isOrdered = true
        let owner = ModelParts.relationship("note", note, .nullifyDeleteRule)
        owner.isOptional = false
        ModelParts.relate(steps, note, owner, step)
        ModelParts.relate(
            ModelParts.relationship("cover", cover, .nullifyDeleteRule), note,
            ModelParts.relationship("note", note, .nullifyDeleteRule),
            cover)
        let model = NSManagedObjectModel()
        model.entities = [folder, note, tag, step, cover, half, secret]
        return model
    }

    /// The user that has the object in a shape, in runs with shapes.
    private static func owner() -> NSAttributeDescription {
        ModelParts.attribute("owner", .stringAttributeType, isOptional: true)
    }

    /// A container with one store that has a history: in memory, or in a file.
    static func container(
        _ name: String, _ model: NSManagedObjectModel, _ url: URL? = nil
    ) throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: name, managedObjectModel: model)
        let description = url.map(NSPersistentStoreDescription.init(url:)) ?? NSPersistentStoreDescription()
        if url == nil { description.type = NSInMemoryStoreType }
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }
}
