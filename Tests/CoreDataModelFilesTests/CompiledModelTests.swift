// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compiled models say what their sources say.

import Foundation
import Testing

@testable import CoreDataModelFiles

@Suite("Reading compiled models") struct CompiledModelTests {
    @Test("every compiled model of the fixtures is read", .needsFixtures)
    func fixtures() throws {
        let names = Fixtures.files("mom", suffix: ".mom")
        #expect(names.count == 16)
        for name in names {
            _ = try KeyedModelReader.read(try Fixtures.data("mom/\(name)"))
        }
    }

    @Test("every model cache of the fixtures is read", .needsFixtures)
    func caches() throws {
        let caches = try ModelCaches.all()
        #expect(caches.count == 19)
        for (_, content) in caches {
            let document = try KeyedModelReader.read(try RawDeflate.inflate(content))
            #expect(!document.entities.isEmpty)
        }
    }

    static let sources = [
        ("alemar11_CoreDataPlus__SampleModel.momd_SampleModel", "alemar11_CoreDataPlus__SampleModel--SampleModel"),
        ("alemar11_CoreDataPlus__SampleModel.momd_SampleModel2", "alemar11_CoreDataPlus__SampleModel--SampleModel2"),
        ("alemar11_CoreDataPlus__SampleModel3.momd_SampleModel3", "alemar11_CoreDataPlus__SampleModel3--SampleModel3"),
        (
            "alemar11_CoreDataPlus__SampleModel3.momd_SampleModel3_v2",
            "alemar11_CoreDataPlus__SampleModel3--SampleModel3_v2"
        ),
        (
            "richardpiazza_XCServerCoreData__XCServerCoreData.momd_XCServerCoreData",
            "richardpiazza_XCServerCoreData__XCServerCoreData--XCServerCoreData"
        ),
        (
            "richardpiazza_XCServerCoreData__XCServerCoreData.momd_XCServerCoreData1.2.0",
            "richardpiazza_XCServerCoreData__XCServerCoreData--XCServerCoreData1.2.0"
        ),
        (
            "richardpiazza_XCServerCoreData__XCServerCoreData.momd_XCServerCoreData2.0.0",
            "richardpiazza_XCServerCoreData__XCServerCoreData--XCServerCoreData2.0.0"
        ),
    ]

    @Test("a compiled model and its source give the same document", .needsFixtures, arguments: Self.sources)
    func pairs(compiled: String, source: String) throws {
        let compiled = try KeyedModelReader.read(try Fixtures.data("mom/\(compiled).mom"))
        var source = try ModelXMLReader.read(try Fixtures.data("models/\(source).contents.xml"))
        forgetClassAddedLater(&source)
        expectSame(compiled, CompiledForm.of(source))
    }

    static let cacheSources = [
        ("objcio_core-data__Moody_2.moody", "objcio_core-data__Moody--Moody_2"),
        ("objcio_core-data__Moody_4.moody", "objcio_core-data__Moody--Moody_4"),
        ("alemar11_CoreDataPlus__SampleModel_V1.sqlite", "alemar11_CoreDataPlus__SampleModel--SampleModel"),
        ("alemar11_CoreDataPlus__SampleModel3_V1.sqlite", "alemar11_CoreDataPlus__SampleModel3--SampleModel3"),
        (
            "duckduckgo_BrowserServicesKit__Bookmarks_V1.sqlite",
            "duckduckgo_BrowserServicesKit__BookmarksModel--BookmarksModel"
        ),
        (
            "richardpiazza_XCServerCoreData__XCServerCoreData_1.2.0_empty.sqlite",
            "richardpiazza_XCServerCoreData__XCServerCoreData--XCServerCoreData1.2.0"
        ),
    ]

    @Test(
        "a store's model cache and the model's source give the same document", .needsFixtures,
        arguments: Self.cacheSources)
    func cachePairs(store: String, source: String) throws {
        var source = try ModelXMLReader.read(try Fixtures.data("models/\(source).contents.xml"))
        forgetClassAddedLater(&source)
        var cached = try ModelCaches.document(store)
        // The cache has the classes of the running program, where ".Bot" has become "XCServerCoreData.Bot".
        let classNames = Dictionary(uniqueKeysWithValues: source.entities.map { ($0.name, $0.className) })
        for position in cached.entities.indices {
            cached.entities[position].className = classNames[cached.entities[position].name] ?? nil
        }
        expectSame(cached, CompiledForm.of(source))
    }

    /// `Car.color` has a custom class in the source, which is newer than the compiled model and the store beside it.
    private func forgetClassAddedLater(_ source: inout ModelDocument) {
        guard let car = source.entities.firstIndex(where: { $0.name == "Car" }),
            let color = source.entities[car].attributes.firstIndex(where: { $0.traits.name == "color" })
        else { return }
        source.entities[car].attributes[color].valueClassName = nil
    }

    /// Compares piece by piece, so that a difference is shown where it is.
    private func expectSame(_ one: ModelDocument, _ other: ModelDocument) {
        #expect(one.versionIdentifiers == other.versionIdentifiers)
        #expect(one.entities.map(\.name) == other.entities.map(\.name))
        for (first, second) in zip(one.entities, other.entities) {
            let (attributes, others) = (first.attributes, second.attributes)
            #expect(attributes.map(\.traits.name) == others.map(\.traits.name), "\(first.name)")
            for (left, right) in zip(attributes, others) where left != right { Issue.record("\(left)\n\(right)") }
            for (left, right) in zip(first.relationships, second.relationships) where left != right {
                Issue.record("\(left)\n\(right)")
            }
            #expect(first.indexes == second.indexes, "\(first.name)")
            #expect((first == second) as Bool, "\(first.name)")
        }
        #expect(one.fetchRequests == other.fetchRequests)
        #expect(one.configurations == other.configurations)
        #expect((one == other) as Bool)
    }
}

/// What is left of a document when it is compiled.
enum CompiledForm {
    static func of(_ source: ModelDocument) -> ModelDocument {
        var document = source
        // Only code generators read these, and compiled models do not hold them.
        document.sourceLanguage = nil
        // Composite types have their elements in place, their own declarations are gone.
        document.composites = []
        for position in document.entities.indices {
            document.entities[position].codeGeneration = nil
            document.entities[position].isSyncable = true
            document.entities[position].attributes = document.entities[position].attributes.map(attribute)
        }
        return document
    }

    private static func attribute(_ source: ModelDocument.Attribute) -> ModelDocument.Attribute {
        var attribute = source
        // Whether code sees a number or an object; for code generators.
        attribute.usesScalarValueType = false
        attribute.compositeName = nil
        // The predicates made from these stay.
        attribute.minimum = nil
        attribute.maximum = nil
        attribute.regularExpression = nil
        attribute.elements = attribute.elements.map(Self.attribute)
        return attribute
    }
}
