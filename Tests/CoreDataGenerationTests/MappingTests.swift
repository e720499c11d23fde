// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Mapping models: a published one that Apple's tools compiled, and published sources.

import CoreDataModelFiles
import Foundation
import ModelFilesTestSupport
import Testing

@testable import CoreDataGeneration

@Suite("Mapping models") struct MappingTests {
    private static let sources = Fixtures.files("atomic", suffix: ".xml").filter { $0.contains("xcmappingmodel") }

    private func source(_ name: String) throws -> MappingSource {
        try MappingSource(xml: Fixtures.data("atomic/\(name)"))
    }

    /// Compiled with the models that the file itself carries.
    private func compiled(_ name: String) throws -> MappingDocument {
        let source = try source(name)
        let from = try ModelDocument(modelFile: try #require(source.sourceModelData))
        let to = try ModelDocument(modelFile: try #require(source.destinationModelData))
        return try MappingCompiler(models: []).document(source, from: from, to: to, file: name)
    }

    @Test("our compiler's mapping model equals the one of Apple's compiler", .needsFixtures) func applesOwn() throws {
        let apple = try MappingDocument(mappingFile: Fixtures.data("mom/alemar11_CoreDataPlus__Fixtures_V2toV3.cdm"))
        #expect(apple.entityMappings.map(\.name).count == 5)
        let name = try #require(Self.sources.first { $0.contains("alemar11") })
        let ours = try compiled(name)
        #expect(ours.entityMappings.map(\.name) == apple.entityMappings.map(\.name))
        for (one, other) in zip(ours.entityMappings, apple.entityMappings) {
            #expect(one.kind == other.kind && one.policyClassName == other.policyClassName)
            #expect(one.sourceEntityName == other.sourceEntityName)
            #expect(one.destinationEntityName == other.destinationEntityName)
            #expect(one.sourceExpression == other.sourceExpression)
            #expect(one.attributes == other.attributes)
            #expect(one.relationships == other.relationships)
            #expect(one.sourceEntityHash == other.sourceEntityHash, "\(one.name)")
            #expect(one.destinationEntityHash == other.destinationEntityHash, "\(one.name)")
        }
    }

    @Test(
        "a written mapping model reads back equal, and has the same bytes each time", .needsFixtures, arguments: sources
    )
    func roundTrip(name: String) throws {
        let document = try compiled(name)
        #expect(!document.entityMappings.isEmpty)
        let data = try document.data()
        #expect(try MappingDocument(mappingFile: data) == document)
        #expect(try document.data() == data)
        for mapping in document.entityMappings {
            #expect((mapping.sourceEntityHash?.count ?? 32) == 32)
            #expect((mapping.sourceEntityName == nil) == (mapping.sourceEntityHash == nil))
            #expect((mapping.destinationEntityName == nil) == (mapping.destinationEntityHash == nil))
        }
    }

    @Test("Apple's file is written again as it says", .needsFixtures) func rewritten() throws {
        let apple = try MappingDocument(mappingFile: Fixtures.data("mom/alemar11_CoreDataPlus__Fixtures_V2toV3.cdm"))
        #expect(try MappingDocument(mappingFile: try apple.data()) == apple)
    }

    @Test("expressions that the editor keeps as parts are put together", .needsFixtures) func parts() throws {
        let moody = try #require(Self.sources.first { $0.contains("Moody_2") })
        let mapping = try #require(try compiled(moody).entityMappings.first { $0.destinationEntityName == "Country" })
        let values = Dictionary(uniqueKeysWithValues: mapping.relationships.map { ($0.name, $0.valueExpression ?? "") })
        #expect(
            values.values.contains { $0.hasPrefix("FUNCTION($manager, \"destinationInstancesForEntityMappingNamed") })
        let clouds = try #require(Self.sources.first { $0.contains("UnCloud") && $0.contains("v2") })
        let filtered = try compiled(clouds).entityMappings.compactMap(\.sourceExpression)
        #expect(filtered.contains { $0.contains("\"image != nil\"") })
    }

    // MARK: With models

    private let versions = [
        "1": "<entity name=\"Book\"><attribute name=\"title\" attributeType=\"String\"/></entity>",
        "2": "<entity name=\"Book\"><attribute name=\"title\" attributeType=\"String\"/><attribute name=\"pages\" "
            + "attributeType=\"Integer 32\"/></entity>",
    ]

    private func folder(_ mapping: String, from: String = "M 1", to: String = "M 2") throws -> TemporaryFolder {
        var files = [
            "Old.xcmappingmodel/xcmapping.xml": """
            <?xml version="1.0"?>
            <database>
            <databaseInfo><version>134481920</version><UUID>498313E6-D672-4887-A947-08765F4F1012</UUID>
            <nextObjectID>104</nextObjectID><metadata></metadata></databaseInfo>
            <object type="XDDEVMAPPINGMODEL" id="z102">
            <attribute name="sourcemodelpath" type="string">/Users/a/b/M.xcdatamodeld/\(from).xcdatamodel</attribute>
            <attribute name="destinationmodelpath" type="string">M.xcdatamodeld/\(to).xcdatamodel</attribute>
            <relationship name="entitymappings" type="0/0" destination="XDDEVENTITYMAPPING" idrefs="z103"></relationship>
            </object>
            \(mapping)
            </database>
            """
        ]
        for (name, text) in versions {
            files["M.xcdatamodeld/M \(name).xcdatamodel/contents"] = "<model>\(text)</model>"
        }
        let folder = try TemporaryFolder()
        try AtomicWrite.folder(files.mapValues { Data($0.utf8) }, to: folder.url.appendingPathComponent("t"))
        return folder
    }

    private func compile(_ folder: TemporaryFolder) throws -> MappingDocument {
        let root = folder.url.appendingPathComponent("t")
        let mapping = root.appendingPathComponent("Old.xcmappingmodel")
        let compiler = MappingCompiler(models: MappingCompiler.models(near: mapping)) { "App." + $0 }
        return try MappingDocument(mappingFile: try compiler.compile(mapping))
    }

    private func entity(_ fields: String, _ property: String = "title") -> String {
        """
        <object type="XDDEVENTITYMAPPING" id="z103">
        \(fields)
        <relationship name="attributemappings" type="0/0" destination="XDDEVATTRIBUTEMAPPING" idrefs="z104"></relationship>
        </object>
        <object type="XDDEVATTRIBUTEMAPPING" id="z104">
        <attribute name="name" type="string">\(property)</attribute>
        </object>
        """
    }

    private let both =
        "<attribute name=\"sourcename\" type=\"string\">Book</attribute><attribute name=\"destinationname\" type=\"string\">Book</attribute>"

    @Test("hashes are those of the two versions, and policies have their module") func models() throws {
        let policy = "<attribute name=\"migrationpolicyclassname\" type=\"string\">Policy</attribute>"
        let folder = try folder(entity(both + policy))
        defer { folder.remove() }
        let mapping = try #require(try compile(folder).entityMappings.first)
        let bundle = try ModelBundle(contentsOf: folder.url.appendingPathComponent("t/M.xcdatamodeld"))
        #expect(mapping.sourceEntityHash == (try bundle.document(version: "M 1").entityHashes()["Book"]))
        #expect(mapping.destinationEntityHash == (try bundle.document(version: "M 2").entityHashes()["Book"]))
        #expect(mapping.sourceEntityHash != mapping.destinationEntityHash)
        #expect(mapping.policyClassName == "App.Policy" && mapping.kind == .custom && mapping.name == "BookToBook")
        #expect(mapping.attributes.map(\.valueExpression) == ["$source.title"])
    }

    @Test(
        "a mapping that does not fit the models is reported with file and line",
        arguments: [
            ("M 9", "title", "", 5, "has no version 'M 9.xcdatamodel'; it has 'M 1', 'M 2'."),
            ("M 2", "gone", "", 14, "'BookToBook.gone': 'Book' has no attribute of this name."),
            (
                "M 2", "title",
                "<attribute name=\"sourcefilterpredicatestring\" type=\"string\">title ==</attribute>", 10,
                "Its filter is no predicate"
            ),
            (
                "M 2", "title", "<attribute name=\"name\" type=\"string\">X</attribute>", 0, ""
            ),
        ])
    func misfits(version: String, property: String, field: String, line: Int, sentence: String) throws {
        let folder = try folder(entity(both + field, property), to: version)
        defer { folder.remove() }
        var found: [Diagnostic] = []
        do { _ = try compile(folder) } catch let failure as GenerationFailure { found = failure.diagnostics }
        #expect(found.map(\.line) == (line == 0 ? [] : [line]))
        #expect(found.first?.file.hasSuffix("Old.xcmappingmodel/xcmapping.xml") ?? (line == 0))
        #expect(found.first?.message.contains(sentence) ?? (line == 0), "\(found)")
    }

    @Test("without its models nothing is made") func missing() throws {
        let folder = try folder(entity(both))
        defer { folder.remove() }
        let mapping = folder.url.appendingPathComponent("t/Old.xcmappingmodel")
        let error = #expect(throws: GenerationFailure.self) { try MappingCompiler(models: []).compile(mapping) }
        #expect(error?.description.contains("xcmapping.xml:5: error: The source model 'M.xcdatamodeld'") == true)
    }

    @Test("a target's mapping models become files next to its models") func target() throws {
        let folder = try folder(entity(both))
        defer { folder.remove() }
        let root = folder.url.appendingPathComponent("t")
        var input = TargetGeneration.Input(
            module: "App", models: [root.appendingPathComponent("M.xcdatamodeld")], sources: [])
        try Data("<plist><dict><key>_XCCurrentVersionName</key><string>M 2.xcdatamodel</string></dict></plist>".utf8)
            .write(to: root.appendingPathComponent("M.xcdatamodeld/.xccurrentversion"))
        input.mappings = [root.appendingPathComponent("Old.xcmappingmodel")]
        let made = try TargetGeneration(input).mappings
        #expect(made.keys.sorted() == ["Old.cdm"])
        #expect(try MappingDocument(mappingFile: try #require(made["Old.cdm"])).entityMappings.count == 1)
    }
}
