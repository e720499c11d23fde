// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which mappings are inferred from two versions of a model, and which cannot be.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Inferring mapping models") struct InferenceSpecification {
    private func inferred(_ old: NSManagedObjectModel, _ new: NSManagedObjectModel) throws -> [String: NSEntityMapping]
    {
        try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new).entityMappingsByName
    }

    /// Proves: G12, G16
    @Test("each entity has one mapping, named after its fate, with names and hashes of both sides")
    func entities() throws {
        let (old, new) = (LibraryModels.first(), LibraryModels.second())
        let mappings = try inferred(old, new)
        #expect(
            mappings.keys.sorted() == [
                "IEM_Add_Shelf", "IEM_Transform_Author", "IEM_Transform_Tag", "IEM_Transform_Volume",
            ])
        let volume = try #require(mappings["IEM_Transform_Volume"])
        #expect(volume.mappingType == .transformEntityMappingType)
        #expect(volume.sourceEntityName == "Book" && volume.destinationEntityName == "Volume")
        #expect(volume.sourceEntityVersionHash == old.entityVersionHashesByName["Book"])
        #expect(volume.destinationEntityVersionHash == new.entityVersionHashesByName["Volume"])
        let shelf = try #require(mappings["IEM_Add_Shelf"])
        #expect(shelf.mappingType == .addEntityMappingType)
        #expect(shelf.sourceEntityName == nil && shelf.sourceEntityVersionHash == nil)
        let back = try inferred(new, old)
        #expect(back["IEM_Remove_Shelf"]?.mappingType == .removeEntityMappingType)
        #expect(back["IEM_Remove_Shelf"]?.destinationEntityName == nil)
        #expect(try inferred(old, LibraryModels.first())["IEM_Copy_Tag"]?.mappingType == .copyEntityMappingType)
    }

    /// Proves: G13, G16
    @Test("attributes read the old value by its old name, relationships ask for the new objects")
    func properties() throws {
        let mapping = try #require(
            try inferred(LibraryModels.first(), LibraryModels.second())["IEM_Transform_Volume"])
        let attributes = Dictionary(
            uniqueKeysWithValues: (mapping.attributeMappings ?? []).map { ($0.name, $0.valueExpression) })
        #expect(attributes.keys.compactMap { $0 }.sorted() == ["name", "pages", "rating"])
        #expect(
            attributes["name"] == NSExpression(format: #"FUNCTION($source, "valueForKey:", "title")"#))
        #expect(attributes["rating"] == .some(nil))
        let tags = try #require(mapping.relationshipMappings?.first { $0.name == "tags" }?.valueExpression)
        #expect(
            tags
                == NSExpression(
                    format: #"FUNCTION($manager, "destinationInstancesForSourceRelationshipNamed:sourceInstances:", "#
                        + #""tags", FUNCTION($source, "valueForKey:", "tags"))"#))
    }

    /// Proves: G14
    @Test("the user info of a transform mapping lists the properties that stay, come and go")
    func userInfo() throws {
        let info = try #require(
            try inferred(LibraryModels.first(), LibraryModels.second())["IEM_Transform_Volume"]?.userInfo)
        #expect(info["mappedProperties"] as? Set<String> == ["name", "pages", "author", "tags"])
        #expect(info["addedProperties"] as? Set<String> == ["rating"])
        #expect(info["removedProperties"] as? Set<String> == ["isbn"])
    }

    /// Proves: G15
    @Test("the models stay as they are, and the result may be changed")
    func models() throws {
        let (old, new) = (LibraryModels.first(), LibraryModels.second())
        let model = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
        #expect(old == LibraryModels.first() && new == LibraryModels.second())
        new.entitiesByName["Shelf"]?.attribute("width", .doubleAttributeType)
        model.entityMappings = model.entityMappings.filter { $0.name != "IEM_Add_Shelf" }
        #expect(model.entityMappings.count == 3 && model.entityMappingsByName["IEM_Add_Shelf"] == nil)
    }

    /// Proves: G17
    @Test("numbers change their type, other attributes do not")
    func types() throws {
        let types: [NSAttributeType] = [
            .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .decimalAttributeType,
            .doubleAttributeType, .floatAttributeType,
        ]
        for old in types {
            for new in types { #expect(try inferred(ReadingModel.make(old), ReadingModel.make(new)).count == 1) }
        }
        for new in [NSAttributeType.stringAttributeType, .booleanAttributeType, .dateAttributeType] {
            let error = try #require(
                thrown { _ = try inferred(ReadingModel.make(.integer32AttributeType), ReadingModel.make(new)) })
            #expect(error.domain == NSCocoaErrorDomain && error.code == NSInferredMappingModelError)
            #expect(error.userInfo["entity"] as? String == "Reading")
            #expect(error.userInfo["property"] as? String == "value")
            #expect(
                error.userInfo["reason"] as? String == "Source and destination attribute types are incompatible")
        }
    }

    /// Decided by `NSMappingModel.inferredMappingModel(forSourceModel:destinationModel:)` from Boolean and to Boolean.
    /// Proves: G17
    @Test("a Boolean becomes an integer; nothing becomes a Boolean", .tags(.assumed))
    func booleans() throws {
        let integers: [NSAttributeType] = [
            .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
        ]
        for type in integers {
            #expect(try inferred(ReadingModel.make(.booleanAttributeType), ReadingModel.make(type)).count == 1)
            #expect(throws: NSError.self) {
                try inferred(ReadingModel.make(type), ReadingModel.make(.booleanAttributeType))
            }
        }
        for type in [NSAttributeType.doubleAttributeType, .decimalAttributeType, .stringAttributeType] {
            #expect(throws: NSError.self) {
                try inferred(ReadingModel.make(.booleanAttributeType), ReadingModel.make(type))
            }
        }
    }

    /// An artwork with a set of images, or of documents.
    private func artwork(_ destination: String) -> NSManagedObjectModel {
        let (artwork, image, document) = (
            NSEntityDescription("Artwork"), NSEntityDescription("Image"), NSEntityDescription("Document")
        )
        let target = destination == "Image" ? image : document
        artwork.relate("parts", .many, to: target, inverse: "artwork", .one)
        return NSManagedObjectModel(artwork, image, document)
    }

    /// Decided by `NSMappingModel.inferredMappingModel(forSourceModel:destinationModel:)`: `relationshipMappings` and
    /// `userInfo`.
    /// Proves: G14, G17
    @Test("a relationship to an unrelated entity is a removed and an added one", .tags(.assumed))
    func otherDestination() throws {
        let mappings = try inferred(artwork("Image"), artwork("Document"))
        let mapping = try #require(mappings["IEM_Transform_Artwork"])
        #expect(mapping.relationshipMappings?.map(\.name) == ["parts"])
        #expect(mapping.relationshipMappings?.first?.valueExpression == nil)
        #expect(mapping.userInfo?["addedProperties"] as? Set<String> == ["parts"])
        #expect(mapping.userInfo?["removedProperties"] as? Set<String> == ["parts"])
    }

    private func tree(_ parent: String?, above children: [String]) -> NSManagedObjectModel {
        let entities = children.map { NSEntityDescription($0) }
        guard let parent else {
            let model = NSManagedObjectModel()
            model.entities = entities
            return model
        }
        let root = NSEntityDescription(parent)
        root.subentities = entities
        return NSManagedObjectModel(root)
    }

    /// Proves: G17
    @Test("one entity gets a new parent, unrelated entities do not get a common one")
    func hierarchies() throws {
        #expect(try inferred(tree(nil, above: ["Cat"]), tree("Animal", above: ["Cat"])).count == 2)
        #expect(try inferred(tree("Pet", above: ["Cat", "Dog"]), tree("Animal", above: ["Cat", "Dog"])).count == 4)
        #expect(try inferred(tree("Animal", above: ["Cat", "Dog"]), tree(nil, above: ["Cat", "Dog"])).count == 3)
        let error = try #require(
            thrown { _ = try inferred(tree(nil, above: ["Cat", "Dog"]), tree("Animal", above: ["Cat", "Dog"])) })
        #expect(error.code == NSInferredMappingModelError && error.userInfo["entity"] is String)
    }
}
