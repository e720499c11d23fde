// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that faults of a model are reported with file, line, entity and property.

import CoreDataModelFiles
import Foundation
import ModelFilesTestSupport
import Testing

@testable import CoreDataGeneration

@Suite("Inspecting models") struct InspectionTests {
    private func inspect(_ body: String) throws -> [String] {
        let data = Data("<model>\n\(body)\n</model>".utf8)
        return ModelInspection.diagnostics(
            try ModelDocument(modelFile: data), file: "M", lines: try ModelDocument.read(modelFile: data).lines
        ).map(\.description)
    }

    @Test("a good model gives nothing") func good() throws {
        let found = try inspect(
            """
            <entity name="A"><relationship name="bs" toMany="YES" destinationEntity="B" inverseName="a" inverseEntity="B"/></entity>
            <entity name="B"><relationship name="a" maxCount="1" destinationEntity="A" inverseName="bs" inverseEntity="A"/></entity>
            """)
        #expect(found.isEmpty)
    }

    @Test(
        "each fault has its line",
        arguments: [
            ("<entity name=\"A\"/>\n<entity name=\"A\"/>", "M:3: error: 'A': There are two entities of this name."),
            (
                "<entity name=\"A\">\n<attribute name=\"hash\" attributeType=\"String\"/></entity>",
                "M:3: error: 'A.hash': Its name: this name is taken by every managed object."
            ),
            (
                "<entity name=\"A\">\n<attribute name=\"x y\" attributeType=\"String\"/></entity>",
                "M:3: error: 'A.x y': Its name: a name consists of letters, digits and underscores and begins with no digit."
            ),
            (
                "<entity name=\"A\">\n\n<attribute name=\"x\"/></entity>",
                "M:4: error: 'A.x': An attribute that is stored needs a type."
            ),
            (
                "<entity name=\"A\"><relationship name=\"b\" destinationEntity=\"B\"/></entity>",
                "M:2: error: 'A.b': Its destination 'B' is no entity."
            ),
            (
                "<entity name=\"A\"><relationship name=\"a\" maxCount=\"1\" destinationEntity=\"A\"/></entity>",
                "M:2: warning: 'A.a': It should have an inverse; without one nothing keeps both ends in step."
            ),
            (
                "<entity name=\"A\"><relationship name=\"a\" maxCount=\"1\" destinationEntity=\"A\" inverseName=\"c\"/></entity>",
                "M:2: error: 'A.a': Its inverse 'c' is no relationship of 'A'."
            ),
            (
                "<entity name=\"A\"><relationship name=\"b\" maxCount=\"1\" destinationEntity=\"B\" inverseName=\"a\"/>\n"
                    + "<relationship name=\"c\" maxCount=\"1\" destinationEntity=\"B\" inverseName=\"a\"/></entity>\n"
                    + "<entity name=\"B\"><relationship name=\"a\" maxCount=\"1\" destinationEntity=\"A\" inverseName=\"b\"/></entity>",
                "M:3: warning: 'A.c': Its inverse 'B.a' has another inverse, 'A.b'; nothing keeps its two ends in step."
            ),
            ("<entity name=\"A\" parentEntity=\"A\"/>", "M:2: error: 'A': It inherits from itself."),
            ("<entity name=\"A\" parentEntity=\"B\"/>", "M:2: error: 'A': Its superentity 'B' is not in the model."),
            (
                "<entity name=\"A\"><attribute name=\"x\" attributeType=\"String\"/></entity>\n"
                    + "<entity name=\"B\" parentEntity=\"A\"><attribute name=\"x\" attributeType=\"String\"/></entity>",
                "M:3: error: 'B.x': 'A', which the entity inherits from, has a property of this name."
            ),
        ])
    func faults(body: String, message: String) throws {
        #expect(try inspect(body) == [message])
    }

    @Test("a model that does not parse, or has a type of tomorrow, is an error with its line")
    func unreadable() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let model = folder.url.appendingPathComponent("M.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        let contents = model.appendingPathComponent("contents")
        try Data("<model>\n<entity name=\"A\">\n</model>".utf8).write(to: contents)
        let broken = try failure { try ModelCompiler().compile(model) }
        #expect(broken?.diagnostics.first?.description.hasPrefix("\(contents.path):3: error: ") == true)
        try Data("<model>\n<entity name=\"A\">\n<attribute name=\"x\" attributeType=\"Colour\"/></entity></model>".utf8)
            .write(to: contents)
        let unknown = try failure { try ModelCompiler().compile(model) }
        #expect(unknown?.diagnostics.count == 1)
        #expect(
            unknown?.description.contains("contents:3: error: 'A.x': The attribute 'x' has the unknown type 'Colour'")
                == true)
        try Data(
            """
            <model><entity name="A">
            <attribute name="x" attributeType="Colour"/>
            <relationship name="y" deletionRule="Explode"/></entity></model>
            """.utf8
        ).write(to: contents)
        let both = try failure { try ModelCompiler().compile(model) }
        #expect(
            both?.description == """
                \(contents.path):2: error: 'A.x': The attribute 'x' has the unknown type 'Colour'.
                \(contents.path):3: error: 'A.y': The relationship 'y' has the unknown delete rule 'Explode'.
                """)
    }

    private func failure(_ body: () throws -> Any) throws -> GenerationFailure? {
        do {
            _ = try body()
            return nil
        } catch let failure as GenerationFailure {
            return failure
        }
    }
}
