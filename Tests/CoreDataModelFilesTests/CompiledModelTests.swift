// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that compiled models equal their sources.

import Foundation
import ModelFilesTestSupport
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

    /// `Car.color` has a custom class in the source, which is newer than the compiled model and the store next to it.
    private func forgetClassAddedLater(_ source: inout ModelDocument) {
        guard let car = source.entities.firstIndex(where: { $0.name == "Car" }),
            let color = source.entities[car].attributes.firstIndex(where: { $0.traits.name == "color" })
        else { return }
        source.entities[car].attributes[color].valueClassName = nil
    }
}
