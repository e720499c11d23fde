// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that a written compiled model equals its document.

import Foundation
import ModelFilesTestSupport
import Testing

@testable import CoreDataModelFiles

@Suite("Writing compiled models") struct KeyedModelWriterTests {
    @Test("every model source comes back from its compiled form", .needsFixtures)
    func sources() throws {
        for name in Fixtures.files("models", suffix: ".xml") {
            let source = try ModelXMLReader.read(try Fixtures.data("models/\(name)"))
            try expectRoundTrip(CompiledForm.of(source), name)
        }
    }

    @Test("every compiled model and model cache comes back", .needsFixtures)
    func compiled() throws {
        for name in Fixtures.files("mom", suffix: ".mom") {
            try expectRoundTrip(try KeyedModelReader.read(try Fixtures.data("mom/\(name)")), name)
        }
        for (name, content) in try ModelCaches.all() {
            try expectRoundTrip(try KeyedModelReader.read(modelCache: content), name)
        }
    }

    @Test("values of every class come back as defaults and user info")
    func values() throws {
        let uuid = try #require(UUID(uuidString: "CBE5D1E7-FBD6-43B3-A714-000000000001"))
        let url = try #require(URL(string: "https://swift.org/a?b"))
        let values: [PropertyListValue] = [
            .string(""), .string("$null"), .string("Größe 😀"), .integer(.min), .integer(.max), .integer(-1),
            .real(-0.5),
            .real(1e300), .decimal(try #require(Decimal(string: "-12345678901234567890.00001"))),
            .decimal(.greatestFiniteMagnitude), .decimal(.leastNonzeroMagnitude), .decimal(0), .boolean(true),
            .date(Date(timeIntervalSinceReferenceDate: -1.25)), .data(Data([0, 1, 255])), .data(Data(count: 300)),
            .uuid(uuid), .url(url), .null,
        ]
        var document = ModelDocument()
        var entity = ModelDocument.Entity(name: "E")
        entity.userInfo = ["all": .array(values), "more": .dictionary(["a": .array([]), "b": .dictionary([:])])]
        for (position, value) in values.enumerated() where value != .null {
            // Undefined: no type changes the class of its default.
            var attribute = ModelDocument.Attribute(name: "a\(100 + position)", type: 0)
            attribute.defaultValue = value
            attribute.traits.userInfo = ["value": value]
            entity.attributes.append(attribute)
        }
        document.entities = [entity]
        try expectRoundTrip(document, "values")
    }

    @Test("everything a document can say comes back")
    func everything() throws {
        var document = ModelDocument()
        document.versionIdentifiers = ["1.2", "beta"]
        var parent = ModelDocument.Entity(name: "Parent")
        parent.isAbstract = true
        var place = ModelDocument.Attribute(name: "place", type: 2100)
        place.valueClassName = "NSDictionary"
        place.elements = [.init(name: "y", type: 500), .init(name: "x", type: 500)]
        var count = ModelDocument.Attribute(name: "count", type: 300)
        count.derivationExpression = "children.@count"
        count.traits.isReadOnly = true
        var image = ModelDocument.Attribute(name: "image", type: 1000)
        image.allowsExternalBinaryDataStorage = true
        image.preservesValueInHistoryOnDeletion = true
        image.allowsCloudEncryption = true
        image.traits.isIndexedBySpotlight = true
        image.traits.renamingIdentifier = "picture"
        image.traits.versionHashModifier = "2"
        image.traits.validations = [
            .init(format: "SELF != nil", warning: .string("There must be an image.")), .init(format: "length < 9"),
        ]
        parent.attributes = [count, image, place]
        var children = ModelDocument.Relationship(name: "children", destinationEntityName: "Child")
        children.isToMany = true
        children.isOrdered = true
        children.maxCount = 10
        children.minCount = 2
        children.deleteRule = 2
        children.inverseName = "parent"
        children.inverseEntityName = "Child"
        parent.relationships = [children]
        var index = ModelDocument.FetchIndex(name: "byCount")
        index.elements = [.init(property: "count", isAscending: false), .init(property: "entity", collation: 1)]
        index.partialPredicateFormat = "count > 3"
        parent.indexes = [index]
        parent.uniquenessConstraints = [["count", "image"], ["place"]]
        parent.renamingIdentifier = "Ancestor"
        parent.versionHashModifier = "x"
        var child = ModelDocument.Entity(name: "Child")
        child.className = "Family.Child"
        child.superentityName = "Parent"
        var inverse = ModelDocument.Relationship(name: "parent", destinationEntityName: "Parent")
        inverse.maxCount = 1
        inverse.inverseName = "children"
        inverse.inverseEntityName = "Parent"
        child.relationships = [inverse]
        var request = ModelDocument.FetchRequest(name: "", entityName: "Parent")
        request.predicateFormat = "count == $FETCH_SOURCE.count"
        request.sortDescriptors = [.init(key: "count", isAscending: false, selectorName: "localizedCompare:")]
        child.fetchedProperties = [.init(name: "alike", request: request)]
        document.entities = [child, parent]
        request.name = "All"
        request.fetchLimit = 5
        request.fetchBatchSize = 6
        request.resultType = 2
        request.includesSubentities = false
        request.returnsDistinctResults = true
        document.fetchRequests = [request]
        document.configurations = [.init(name: "Cloud", entityNames: ["Child"])]
        try expectRoundTrip(document, "everything")
    }

    @Test("values that cannot be archived are refused with names")
    func refusals() throws {
        var document = ModelDocument()
        var entity = ModelDocument.Entity(name: "A")
        entity.superentityName = "Missing"
        document.entities = [entity]
        #expect(failure(document)?.explanation.contains("'Missing'") == true)
        entity.superentityName = nil
        document.entities = [entity, entity]
        #expect(failure(document)?.explanation.contains("'A'") == true)
        var attribute = ModelDocument.Attribute(name: "a", type: 700)
        attribute.traits.validations = [.init(format: "SELF ==== 3")]
        entity.attributes = [attribute]
        document.entities = [entity]
        #expect(failure(document)?.kind == .unsupportedForm)
    }

    private func failure(_ document: ModelDocument) -> ModelFileError? {
        do {
            _ = try KeyedModelWriter.data(for: document)
            return nil
        } catch {
            return error as? ModelFileError
        }
    }

    private func expectRoundTrip(_ document: ModelDocument, _ name: String) throws {
        for layout in [KeyedModelWriter.Layout.compiledModel, .modelCache] {
            let written = try KeyedModelWriter.data(for: document, layout: layout)
            let read = try KeyedModelReader.read(written)
            if read != document { Issue.record("\(name) differs as \(layout)") }
            expectSame(read, document)
            #expect(try KeyedModelWriter.data(for: read, layout: layout) == written)
        }
        #expect(try KeyedModelReader.read(modelCache: try KeyedModelWriter.modelCache(for: document)) == document)
    }
}
