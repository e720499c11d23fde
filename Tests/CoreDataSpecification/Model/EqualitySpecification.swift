// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States when models and descriptions are equal.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Decided by `isEqual(_:)` and `hash` of models and descriptions.
@Suite("Equality of models and descriptions", .tags(.assumed)) struct EqualitySpecification {
    private func model(
        nickname: NSAttributeType = .stringAttributeType, default value: Any? = nil,
        _ rule: NSDeleteRule = .cascadeDeleteRule
    ) -> NSManagedObjectModel {
        let parent = NSEntityDescription("Parent")
        parent.attribute("nickname", nickname, default: value)
        let child = NSEntityDescription("Child")
        parent.relate("children", .many, rule, to: child, inverse: "parent", .one)
        parent.indexes = [
            NSFetchIndexDescription(
                name: "byNickname",
                elements: [
                    NSFetchIndexElementDescription(property: parent.properties[0], collationType: .binary)
                ])
        ]
        return NSManagedObjectModel(parent, child)
    }

    @Test("models made alike are equal, and so are their copies and those that a coordinator uses") func models() throws
    {
        let model = model()
        #expect(model == self.model())
        #expect(model.hash == self.model().hash)
        #expect(model == (model.copy() as? NSManagedObjectModel))
        let used = self.model()
        _ = NSPersistentStoreCoordinator(managedObjectModel: used)
        #expect(model == used)
        #expect(Set([model, used]).count == 1)
    }

    @Test("models that differ in a type, a default value, a rule or an identifier are not") func differences() {
        #expect(model() != model(nickname: .integer64AttributeType))
        #expect(model() != model(default: "none"))
        #expect(model() != model(.denyDeleteRule))
        let named = model()
        named.versionIdentifiers = ["2"]
        #expect(model() != named)
        #expect(model() != NSManagedObjectModel())
    }

    @Test("mapping models inferred from the same versions are equal, and so are the mappings in them")
    func mappings() throws {
        let newer = model()
        newer.entitiesByName["Child"]?.attribute("age", .integer64AttributeType)
        func inferred() throws -> NSMappingModel {
            try NSMappingModel.inferredMappingModel(forSourceModel: model(), destinationModel: newer)
        }
        let (one, other) = (try inferred(), try inferred())
        #expect(one == other && one.hash == other.hash && Set([one, other]).count == 1)
        let pairs = zip(one.entityMappings, other.entityMappings)
        #expect(pairs.allSatisfy { $0 == $1 && $0.hash == $1.hash })
        let mapping = try #require(other.entityMappings.first { !($0.attributeMappings ?? []).isEmpty })
        let attribute = try #require(mapping.attributeMappings?.first)
        let same = try #require(
            one.entityMappingsByName[mapping.name]?.attributeMappings?.first { $0.name == attribute.name })
        #expect(attribute == same && attribute.hash == same.hash && attribute !== same)
        attribute.valueExpression = NSExpression(forConstantValue: "changed")
        #expect(attribute != same && mapping != one.entityMappingsByName[mapping.name] && one != other)
        #expect(one != NSMappingModel() && NSMappingModel() == NSMappingModel())
    }

    @Test("a mapping differs in name, type, entity, hash, source, policy and user info") func mappingDifferences() {
        func mapping(_ change: (NSEntityMapping) -> Void = { _ in }) -> NSEntityMapping {
            let mapping = NSEntityMapping()
            mapping.name = "a"
            mapping.sourceEntityName = "Parent"
            mapping.userInfo = ["key": ["value"]]
            change(mapping)
            return mapping
        }
        #expect(mapping() == mapping { $0.attributeMappings = [] })
        let changes: [(NSEntityMapping) -> Void] = [
            { $0.name = "b" }, { $0.mappingType = .copyEntityMappingType }, { $0.sourceEntityName = nil },
            { $0.destinationEntityName = "Child" }, { $0.sourceEntityVersionHash = Data([1]) },
            { $0.destinationEntityVersionHash = Data([1]) }, { $0.entityMigrationPolicyClassName = "P" },
            { $0.sourceExpression = NSExpression(forConstantValue: 1) }, { $0.userInfo = ["key": ["other"]] },
            { $0.userInfo = nil }, { $0.attributeMappings = [NSPropertyMapping()] },
            { $0.relationshipMappings = [NSPropertyMapping()] },
        ]
        for change in changes { #expect(mapping() != mapping(change)) }
    }

    @Test("elements of indexes are equal by content") func indexElements() throws {
        let (one, other) = (model(), model())
        let parents = try (#require(one.entitiesByName["Parent"]), #require(other.entitiesByName["Parent"]))
        let elements = parents.0.indexes.flatMap(\.elements) + parents.1.indexes.flatMap(\.elements)
        try #require(elements.count == 2)
        #expect(elements[0] == elements[1])
        #expect(elements[0].hash == elements[1].hash)
        #expect(elements[0] == (elements[0].copy() as? NSFetchIndexElementDescription))
        let spatial = try #require(elements[1].copy() as? NSFetchIndexElementDescription)
        spatial.collationType = .rTree
        #expect(elements[0] != spatial)
        elements[1].isAscending = false
        #expect(elements[0] != elements[1])
        let property = try #require(one.entitiesByName["Child"]?.propertiesByName["parent"])
        #expect(elements[0] != NSFetchIndexElementDescription(property: property, collationType: .binary))
    }

    @Test("entities and properties are equal by content") func descriptions() throws {
        let (one, other) = (model(), model(.nullifyDeleteRule))
        let parents = try (#require(one.entitiesByName["Parent"]), #require(other.entitiesByName["Parent"]))
        #expect(parents.0 != parents.1)
        #expect(parents.0.attributesByName["nickname"] == parents.1.attributesByName["nickname"])
        #expect(parents.0.attributesByName["nickname"]?.hash == parents.1.attributesByName["nickname"]?.hash)
        #expect(parents.0.relationshipsByName["children"] != parents.1.relationshipsByName["children"])
        #expect(parents.0.indexes == parents.1.indexes)
        #expect(one.entitiesByName["Child"] == other.entitiesByName["Child"])
        #expect(one.entitiesByName["Child"] != parents.0)
        #expect(parents.0.properties.contains(parents.1.properties[0]))
    }

    @Test("default values count that no model file can hold") func defaultValues() {
        let (one, other) = (UUID(), UUID())
        let first = model(nickname: .UUIDAttributeType, default: one)
        #expect(first != model(nickname: .UUIDAttributeType, default: other))
        #expect(first == model(nickname: .UUIDAttributeType, default: one))
    }

    @Test("descriptions of stores are equal by content") func stores() {
        let description = NSPersistentStoreDescription(url: URL(filePath: "/tmp/a.sqlite"))
        let same = NSPersistentStoreDescription(url: URL(filePath: "/tmp/a.sqlite"))
        #expect(description == same && description.hash == same.hash)
        #expect(description == (description.copy() as? NSPersistentStoreDescription))
        same.isReadOnly = true
        #expect(description != same)
        #expect(description != NSPersistentStoreDescription())
    }
}
