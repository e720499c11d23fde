// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks that descriptions contain everything in a model file.

import CoreDataModelFiles
import FixtureFiles
import Foundation
import Testing

@testable import CoreData

@Suite("A model made from a document") struct ModelDocumentTests {
    @Test(
        "gives back the same document for every compiled model of Apple's tools",
        .enabled(if: ModelFixtures.areHere, FixtureFolder.reason))
    func compiled() throws {
        for name in ModelFixtures.names(in: "mom", ending: ".mom") {
            let document = try KeyedModelReader.read(try ModelFixtures.data("mom", name))
            let model = NSManagedObjectModel(document: document)
            #expect(differences(model.document(), document) == [], "\(name)")
        }
    }

    @Test(
        "keeps its version hashes through a document and through a copy",
        .enabled(if: ModelFixtures.areHere, FixtureFolder.reason))
    func hashes() throws {
        for name in ModelFixtures.names(in: "models", ending: ".contents.xml") {
            let model = try ModelFixtures.source(name)
            let hashes = model.entityVersionHashesByName
            #expect(NSManagedObjectModel(document: model.document()).entityVersionHashesByName == hashes, "\(name)")
            let copy = try #require(model.copy() as? NSManagedObjectModel)
            #expect(copy.entityVersionHashesByName == hashes, "\(name)")
            #expect(copy.document() == model.document(), "\(name)")
        }
    }

    @Test(
        "values of every class survive",
        arguments: [
            PropertyListValue.string("x"), .integer(-7), .real(1.5), .decimal(Decimal(string: "1.25")!), .boolean(true),
            .date(Date(timeIntervalSinceReferenceDate: 5)), .data(Data([1, 2])), .uuid(UUID()),
            .url(URL(string: "https://example.org/a")!), .null, .array([.integer(1), .string("a")]),
            .dictionary(["a": .boolean(false), "b": .array([])]),
        ])
    func values(value: PropertyListValue) {
        #expect(PropertyListValue(value.foundationValue ?? NSNull()) == value)
    }

    /// The names of entities with different documents, and other differences.
    private func differences(_ one: ModelDocument, _ other: ModelDocument) -> [String] {
        var result: [String] = []
        if one.versionIdentifiers != other.versionIdentifiers.sorted() { result.append("version identifiers") }
        if one.fetchRequests != other.fetchRequests.sorted(by: { $0.name < $1.name }) { result.append("requests") }
        if one.configurations.map(\.name) != other.configurations.map(\.name) { result.append("configurations") }
        if one.entities.map(\.name) != other.entities.map(\.name) { result.append("entities") }
        for (first, second) in zip(one.entities, other.entities) where first != second {
            for (a, b) in zip(first.attributes, second.attributes) where a != b {
                result.append("\(first.name): \(a) is not \(b)")
            }
            for (a, b) in zip(first.relationships, second.relationships) where a != b {
                result.append("\(first.name): \(a) is not \(b)")
            }
            if result.isEmpty { result.append("\(first) is not \(second)") }
        }
        return result
    }
}
