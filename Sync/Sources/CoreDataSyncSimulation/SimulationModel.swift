// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The model of the simulation: each kind of rule and of relationship once.
import CoreData
import Foundation

/// Folders deny their deletion while they have notes. Notes have tags (many-to-many, at most four), ordered steps
/// (cascade), a cover (one-to-one) and a counter. Labels and numbers are unique. Two halves of a pair are only changed
/// together. Secrets do not leave the server.
enum SimulationModel {
    static let hidden = "Secret"

    static func make() -> NSManagedObjectModel {
        let title = attribute("title", .stringAttributeType)
        title.setValidationPredicates([NSPredicate(format: "length >= 1")], withValidationWarnings: ["title"])
        let size = attribute("size", .integer32AttributeType, isOptional: true)
        size.setValidationPredicates([NSPredicate(format: "SELF <= 100")], withValidationWarnings: ["size"])
        let views = attribute("views", .integer64AttributeType, isOptional: true)
        views.userInfo = ["sync": "counter"]
        views.defaultValue = 0
        let folder = entity("Folder", [attribute("title", .stringAttributeType)])
        let note = entity(
            "Note",
            [
                title, size, views, attribute("weight", .doubleAttributeType, isOptional: true),
                attribute("day", .dateAttributeType, isOptional: true),
            ])
        let tag = entity(
            "Tag",
            [attribute("label", .stringAttributeType), attribute("color", .stringAttributeType, isOptional: true)])
        tag.uniquenessConstraints = [["label"]]
        let step = entity("Step", [attribute("text", .stringAttributeType, isOptional: true)])
        let cover = entity(
            "Cover", [attribute("id", .UUIDAttributeType), attribute("color", .stringAttributeType, isOptional: true)])
        cover.uniquenessConstraints = [["id"]]
        let half = entity(
            "Half", [attribute("pair", .stringAttributeType), attribute("value", .integer64AttributeType)])
        let secret = entity(hidden, [attribute("text", .stringAttributeType, isOptional: true)])
        relate(
            relationship("notes", note, .denyDeleteRule, isToMany: true), folder,
            relationship("folder", folder, .nullifyDeleteRule), note)
        let tags = relationship("tags", tag, .nullifyDeleteRule, isToMany: true)
        tags.maxCount = 4
        relate(tags, note, relationship("notes", note, .nullifyDeleteRule, isToMany: true), tag)
        let steps = relationship("steps", step, .cascadeDeleteRule, isToMany: true)
        steps.isOrdered = true
        let owner = relationship("note", note, .nullifyDeleteRule)
        owner.isOptional = false
        relate(steps, note, owner, step)
        relate(
            relationship("cover", cover, .nullifyDeleteRule), note, relationship("note", note, .nullifyDeleteRule),
            cover)
        let model = NSManagedObjectModel()
        model.entities = [folder, note, tag, step, cover, half, secret]
        return model
    }

    private static func entity(_ name: String, _ attributes: [NSAttributeDescription]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = attributes
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
