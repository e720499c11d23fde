// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States how entities, properties and models refer to one another.

import CoreData
import Foundation
import Testing

extension Tag {
    /// Apple's documentation supports the expectation; the framework was not observed.
    @Tag static var assumed: Self
}

@Suite("Descriptions") struct DescriptionSpecification {
    @Test("a new property is optional, stored, and has no rules")
    func propertyDefaults() {
        let property = NSAttributeDescription()
        #expect(property.isOptional)
        #expect(!property.isTransient)
        #expect(property.validationPredicates.isEmpty)
        #expect(property.attributeType == .undefinedAttributeType)
        #expect(property.defaultValue == nil)
    }

    @Test("a new relationship is to-many and nullifies; at most one destination makes it to-one")
    func relationshipDefaults() {
        let relationship = NSRelationshipDescription()
        #expect(relationship.isToMany)
        #expect(relationship.deleteRule == .nullifyDeleteRule)
        relationship.maxCount = 1
        #expect(!relationship.isToMany)
    }

    @Test("properties by name include inherited ones")
    func inheritedProperties() {
        let sample = SampleEntities()
        #expect(Set(sample.employee.propertiesByName.keys) == ["name", "age", "salary", "employer"])
        #expect(Set(sample.employee.attributesByName.keys) == ["name", "age", "salary"])
        #expect(Set(sample.employee.relationshipsByName.keys) == ["employer"])
        #expect(Set(sample.person.propertiesByName.keys) == ["name", "age"])
    }

    @Test("adding to the properties of a subentity leaves the inherited ones where they are")
    func appendToSubentity() {
        let sample = SampleEntities()
        sample.employee.properties.append(SampleEntities.attribute("title", .stringAttributeType))
        #expect(sample.person.properties.map(\.name).sorted() == ["age", "name"])
        #expect(sample.person.propertiesByName["name"]?.entity === sample.person)
        #expect(sample.employee.propertiesByName["title"]?.entity === sample.employee)
    }

    @Test("a property knows its entity, an entity its model and its superentity")
    func backlinks() {
        let sample = SampleEntities()
        #expect(sample.staff.entity === sample.company)
        #expect(sample.company.managedObjectModel === sample.model)
        #expect(sample.employee.superentity === sample.person)
        #expect(sample.person.subentitiesByName["Employee"] === sample.employee)
        sample.person.subentities = []
        #expect(sample.employee.superentity == nil)
    }

    @Test("an entity is a kind of itself and of its ancestors")
    func kinds() {
        let sample = SampleEntities()
        #expect(sample.employee.isKindOf(entity: sample.person))
        #expect(sample.employee.isKindOf(entity: sample.employee))
        #expect(!sample.person.isKindOf(entity: sample.employee))
    }

    /// Decided by `NSEntityDescription.relationships(forDestination:)`.
    @Test("relationships are found by their destination", .tags(.assumed))
    func relationshipsByDestination() {
        let sample = SampleEntities()
        #expect(sample.company.relationships(forDestination: sample.employee).map(\.name) == ["staff"])
        #expect(sample.employee.relationships(forDestination: sample.company).map(\.name) == ["employer"])
        #expect(sample.company.relationships(forDestination: sample.company).isEmpty)
    }

    @Test("the renaming identifier is the name until it is set")
    func renamingIdentifiers() {
        let sample = SampleEntities()
        #expect(sample.person.renamingIdentifier == "Person")
        #expect(sample.staff.renamingIdentifier == "staff")
        sample.staff.renamingIdentifier = "crew"
        #expect(sample.staff.renamingIdentifier == "crew")
    }

    @Test("an entity without a class has objects of the base class")
    func className() {
        #expect(NSEntityDescription().managedObjectClassName == "NSManagedObject")
    }

    /// Proves: F141
    @Test("a subentity has its superentity's uniqueness constraints, then its own")
    func constraints() {
        let sample = SampleEntities()
        sample.person.uniquenessConstraints = [["name"]]
        sample.employee.uniquenessConstraints = [["salary", "age"]]
        #expect(sample.employee.uniquenessConstraints as? [[String]] == [["name"], ["salary", "age"]])
        #expect(sample.person.uniquenessConstraints as? [[String]] == [["name"]])
    }

    @Test("the value class follows the type")
    func valueClasses() {
        #expect(SampleEntities.attribute("a", .integer64AttributeType).attributeValueClassName == "NSNumber")
        #expect(SampleEntities.attribute("a", .UUIDAttributeType).attributeValueClassName == "NSUUID")
        #expect(SampleEntities.attribute("a", .stringAttributeType).attributeValueClassName == "NSString")
    }

    @Test("both spellings of an attribute's type are one value")
    func attributeTypeSpellings() {
        let attribute = NSAttributeDescription()
        attribute.type = .uuid
        #expect(attribute.attributeType == .UUIDAttributeType)
        attribute.attributeType = .dateAttributeType
        #expect(attribute.type == .date)
    }

    @Test("an index knows its entity, its elements know the index")
    func indexes() {
        let sample = SampleEntities()
        let element = NSFetchIndexElementDescription(property: sample.person.properties[0], collationType: .binary)
        let index = NSFetchIndexDescription(name: "byName", elements: [element])
        sample.person.indexes = [index]
        #expect(index.entity === sample.person)
        #expect(element.indexDescription === index)
        #expect(element.propertyName == "name")
        #expect(element.isAscending)
    }
}

@Suite("Models") struct ModelSpecification {
    @Test("entities are found by name")
    func entitiesByName() {
        let sample = SampleEntities()
        #expect(Set(sample.model.entitiesByName.keys) == ["Person", "Employee", "Company"])
    }

    @Test("a configuration holds the entities it was given; none means all")
    func configurations() {
        let sample = SampleEntities()
        sample.model.setEntities([sample.company], forConfigurationName: "Shared")
        #expect(sample.model.configurations.contains("Shared"))
        #expect(sample.model.entities(forConfigurationName: "Shared") == [sample.company])
        #expect(sample.model.entities(forConfigurationName: nil)?.count == 3)
        #expect(sample.model.entities(forConfigurationName: "Other") == nil)
    }

    @Test("a copy has new entities that refer to each other")
    func copies() throws {
        let sample = SampleEntities()
        sample.model.setEntities([sample.company], forConfigurationName: "Shared")
        let copy = try #require(sample.model.copy() as? NSManagedObjectModel)
        let company = try #require(copy.entitiesByName["Company"])
        let employee = try #require(copy.entitiesByName["Employee"])
        #expect(company !== sample.company)
        #expect(company.relationshipsByName["staff"]?.destinationEntity === employee)
        #expect(company.relationshipsByName["staff"]?.inverseRelationship === employee.relationshipsByName["employer"])
        #expect(employee.superentity === copy.entitiesByName["Person"])
        #expect(copy.entities(forConfigurationName: "Shared") == [company])
        company.name = "Firm"
        #expect(sample.company.name == "Company")
    }

    @Test("merging keeps every entity and the links between them")
    func merging() throws {
        let one = SampleEntities()
        let other = NSManagedObjectModel()
        let city = NSEntityDescription()
        city.name = "City"
        city.properties = [SampleEntities.attribute("name", .stringAttributeType)]
        other.entities = [city]
        let merged = try #require(NSManagedObjectModel(byMerging: [one.model, other]))
        #expect(Set(merged.entitiesByName.keys) == ["Person", "Employee", "Company", "City"])
        #expect(
            merged.entitiesByName["Company"]?.relationshipsByName["staff"]?.destinationEntity
                === merged.entitiesByName["Employee"])
        #expect(one.company.managedObjectModel === one.model)
    }

    /// Decided by `NSManagedObjectModel(byMerging:)` of two models with one equal entity.
    @Test("an entity that two models share counts once, and links from either lead to it", .tags(.assumed))
    func mergingSharedEntities() throws {
        let one = SampleEntities()
        let two = SampleEntities()
        let merged = try #require(NSManagedObjectModel(byMerging: [one.model, two.model]))
        #expect(merged.entities.count == 3)
        #expect(merged.entitiesByName["Person"]?.subentities.count == 1)
    }

    @Test("of several versions, merging for a store takes the one that wrote it")
    func mergingForStore() throws {
        let old = SampleEntities()
        let new = SampleEntities()
        new.company.properties.append(SampleEntities.attribute("founded", .dateAttributeType))
        let metadata: [String: Any] = ["NSStoreModelVersionHashes": old.model.entityVersionHashesByName]
        let found = try #require(NSManagedObjectModel(byMerging: [new.model, old.model], forStoreMetadata: metadata))
        #expect(found.entityVersionHashesByName == old.model.entityVersionHashesByName)
        #expect(NSManagedObjectModel(byMerging: [new.model], forStoreMetadata: metadata) == nil)
    }

    @Test("a store fits the configuration with its entities, in their versions")
    func compatibility() {
        let sample = SampleEntities()
        sample.model.setEntities([sample.company], forConfigurationName: "Shared")
        let all: [String: Any] = ["NSStoreModelVersionHashes": sample.model.entityVersionHashesByName]
        let shared: [String: Any] = ["NSStoreModelVersionHashes": ["Company": sample.company.versionHash]]
        let model = sample.model
        #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: all))
        #expect(!model.isConfiguration(withName: "Shared", compatibleWithStoreMetadata: all))
        #expect(model.isConfiguration(withName: "Shared", compatibleWithStoreMetadata: shared))
        #expect(!model.isConfiguration(withName: nil, compatibleWithStoreMetadata: shared))
    }
}

@Suite("Version hashes") struct VersionHashSpecification {
    /// Proves: F127, F128
    @Test("equal entities have equal hashes, also when built twice")
    func stable() {
        let (one, two) = (SampleEntities(), SampleEntities())
        #expect(one.model.entityVersionHashesByName == two.model.entityVersionHashesByName)
        #expect(one.company.versionHash.count == 32)
    }

    /// Proves: F128
    @Test("a change of type or modifier changes the hash")
    func changes() {
        let before = SampleEntities()
        let after = SampleEntities()
        after.person.attributesByName["age"]?.attributeType = .integer32AttributeType
        after.company.versionHashModifier = "2"
        #expect(before.person.versionHash != after.person.versionHash)
        #expect(before.company.versionHash != after.company.versionHash)
        #expect(before.employee.versionHash != after.employee.versionHash)
    }

    /// Proves: F128
    @Test("a change of a subentity changes only its hash")
    func subentity() {
        let (before, after) = (SampleEntities(), SampleEntities())
        after.employee.attributesByName["salary"]?.isOptional = false
        #expect(before.person.versionHash == after.person.versionHash)
        #expect(before.employee.versionHash != after.employee.versionHash)
        #expect(before.company.versionHash == after.company.versionHash)
    }

    @Test("class, default, delete rule, user info and renaming identifier do not count")
    func ignored() {
        let (before, after) = (SampleEntities(), SampleEntities())
        after.company.managedObjectClassName = "Firm"
        after.company.userInfo = ["a": 1]
        after.company.renamingIdentifier = "Firm"
        after.company.attributesByName["name"]?.defaultValue = "Unnamed"
        after.staff.deleteRule = .cascadeDeleteRule
        #expect(before.company.versionHash == after.company.versionHash)
    }
}
