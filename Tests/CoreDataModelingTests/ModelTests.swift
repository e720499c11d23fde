// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.

import CoreDataModeling
import Testing

@Suite("A model of classes") struct ModelTests {
    private func attribute(_ name: String, of entity: String = "Book") throws -> NSAttributeDescription {
        try #require(try Library.model.get().entitiesByName[entity]?.attributesByName[name])
    }

    private func relationship(_ name: String, of entity: String = "Book") throws -> NSRelationshipDescription {
        try #require(try Library.model.get().entitiesByName[entity]?.relationshipsByName[name])
    }

    @Test("has the version hashes of the equal document") func hashes() throws {
        let folder = try Folder()
        let url = folder.url.appending(path: "Library.xcdatamodel")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try LibraryDocument.text.write(to: url.appending(path: "contents"), atomically: true, encoding: .utf8)
        let document = try #require(NSManagedObjectModel(contentsOf: url))
        let model = try Library.model.get()
        #expect(model.entityVersionHashesByName.count == 7)
        for (name, hash) in document.entityVersionHashesByName {
            #expect(model.entityVersionHashesByName[name] == hash, "\(name)")
        }
        #expect(model.versionChecksum == document.versionChecksum)
    }

    @Test("takes types, optionality and defaults from Swift") func attributes() throws {
        let price = try attribute("price")
        #expect(price.attributeType == .decimalAttributeType && !price.isOptional)
        #expect(price.defaultValue as? NSDecimalNumber == NSDecimalNumber(string: "9.95"))
        #expect(try attribute("size").isOptional && attribute("size").defaultValue == nil)
        #expect(try attribute("number").attributeType == .integer64AttributeType)
        #expect(try attribute("condition").defaultValue as? Int == 2)
        #expect(try attribute("copies").isOptional && !attribute("source").isOptional)
        #expect(try attribute("cover").allowsExternalBinaryDataStorage && attribute("isOpen").isTransient)
        #expect(try attribute("id").renamingIdentifier == "key")
        #expect(try attribute("default", of: "Writer").defaultValue as? Bool == false)
        #expect(try attribute("name", of: "Tag").validationPredicates.count == 1)
    }

    @Test("has relationships in every shape") func relationships() throws {
        let chapters = try relationship("chapters")
        #expect(chapters.isToMany && chapters.isOrdered && chapters.deleteRule == .cascadeDeleteRule)
        #expect(chapters.inverseRelationship === (try relationship("book", of: "Chapter")))
        let branches = try relationship("branches")
        #expect(!branches.isOptional && branches.maxCount == 3 && !branches.isOrdered)
        let author = try relationship("author")
        #expect(!author.isToMany && author.destinationEntity?.name == "Writer" && author.isOptional)
        #expect(try relationship("parent", of: "Tag").inverseRelationship == nil)
    }

    @Test("has the declarations of the class") func entities() throws {
        let book = try #require(try Library.model.get().entitiesByName["Book"])
        #expect(book.superentity?.name == "Publication" && book.superentity?.isAbstract == true)
        #expect(book.renamingIdentifier == "Volume" && book.userInfo?["note"] as? String == "bound")
        #expect(book.indexes.map(\.name) == ["dear"] && book.indexes.first?.elements.first?.isAscending == false)
        #expect(book.superentity?.indexes.map(\.name) == ["byPages", "byTitleAndPublished"])
        #expect(book.propertiesByName["readings"] == nil && book.propertiesByName["label"] == nil)
    }

    @Test("has configurations of classes") func configurations() throws {
        let model = try NSManagedObjectModel(
            classes: Library.classes, configurations: ["People": [Author.self]], versionIdentifiers: ["v1"])
        #expect(model.entities(forConfigurationName: "People")?.map(\.name) == ["Writer"])
        #expect(model.versionIdentifiers == ["v1"])
    }
}
