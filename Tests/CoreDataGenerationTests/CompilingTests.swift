// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that compiling and decompiling a model results in the same model.

import CoreDataModelFiles
import Foundation
import ModelFilesTestSupport
import Testing

@testable import CoreDataGeneration

@Suite("Compiling models") struct CompilingTests {
    private static let sources = Fixtures.files("models", suffix: ".contents.xml")

    /// A bundle with each of the fixtures as a version.
    private func bundle(_ versions: [String: String], current: String?, in folder: TemporaryFolder) throws -> URL {
        let bundle = folder.url.appendingPathComponent("Model.xcdatamodeld")
        for (name, fixture) in versions {
            let version = bundle.appendingPathComponent("\(name).xcdatamodel")
            try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
            try Fixtures.data("models/\(fixture)").write(to: version.appendingPathComponent("contents"))
        }
        if let current {
            let plist = try PropertyListSerialization.data(
                fromPropertyList: ["_XCCurrentVersionName": "\(current).xcdatamodel"], format: .xml, options: 0)
            try plist.write(to: bundle.appendingPathComponent(".xccurrentversion"))
        }
        return bundle
    }

    @Test("every fixture reads back equal and hash equal, compiled and decompiled", .needsFixtures, arguments: sources)
    func roundTrip(fixture: String) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let model = folder.url.appendingPathComponent("Model.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        try Fixtures.data("models/\(fixture)").write(to: model.appendingPathComponent("contents"))
        let source = try ModelBundle.load(contentsOf: model)

        let compiled = folder.url.appendingPathComponent("Model.momd")
        let result = try ModelCompiler().compile(model)
        try AtomicWrite.folder(result.files, to: compiled)
        let bundle = try ModelBundle(contentsOf: compiled)
        let document = try bundle.document()
        expectSame(document, CompiledForm.of(source))
        #expect(document.entityHashes() == source.entityHashes())
        #expect(bundle.currentVersion?.entityHashes == source.entityHashes())
        #expect(bundle.currentVersion?.checksum == VersionDigest.checksum(source.entityHashes()))

        let (files, isVersioned, _) = try ModelDecompiler.sources(compiled.appendingPathComponent("Model.mom"))
        #expect(!isVersioned)
        let again = try ModelDocument(modelFile: try #require(files["contents"]))
        #expect(again.entityHashes() == source.entityHashes())
        #expect(again.entities.map(\.relationships) == source.entities.map(\.relationships))
        #expect(again.entities.map(\.uniquenessConstraints) == source.entities.map(\.uniquenessConstraints))
        #expect(
            again.entities.map { $0.attributes.map(\.traits) } == source.entities.map { $0.attributes.map(\.traits) })
        #expect(
            again.entities.map { $0.attributes.map(\.defaultValue) }
                == source.entities.map { $0.attributes.map(\.defaultValue) })
    }

    @Test("the models of Apple's compiler have the hashes that it wrote", .needsFixtures)
    func applesHashes() throws {
        let names = Fixtures.files("mom", suffix: "VersionInfo.plist")
        var compared = 0
        for name in names {
            let info = try VersionInfo(data: try Fixtures.data("mom/\(name)"))
            for (version, hashes) in info.entityHashes {
                let file = name.replacing("VersionInfo.plist", with: "\(version).mom")
                guard let data = try? Fixtures.data("mom/\(file)") else { continue }
                let document = try ModelDocument(modelFile: data)
                let derived = document.entities.filter { $0.attributes.contains { $0.derivationExpression != nil } }
                    .map(\.name)
                for (entity, hash) in document.entityHashes() where !derived.contains(entity) {
                    // Subentities of an entity with derived attributes have another hash, too.
                    if document.entities.contains(where: {
                        $0.name == entity && $0.superentityName.map(derived.contains) == true
                    }) {
                        continue
                    }
                    #expect(hash == hashes[entity], "\(file) \(entity)")
                    compared += 1
                }
            }
        }
        #expect(compared > 20)
    }

    @Test(
        "a bundle keeps its versions, and which is current", .needsFixtures,
        arguments: ["SampleModel2", "R&D", "a <\u{338} b"])
    func versions(current: String) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let fixtures = [
            "SampleModel": "alemar11_CoreDataPlus__SampleModel--SampleModel.contents.xml",
            current: "alemar11_CoreDataPlus__SampleModel--SampleModel2.contents.xml",
        ]
        let model = try bundle(fixtures, current: current, in: folder)
        let files = try ModelCompiler().compile(model).files
        #expect(Set(files.keys) == ["SampleModel.mom", "\(current).mom", "VersionInfo.plist"])
        let compiled = folder.url.appendingPathComponent("Model.momd")
        try AtomicWrite.folder(files, to: compiled)
        #expect(try ModelBundle(contentsOf: compiled).currentVersion?.name == current)
        let sources = try ModelDecompiler.sources(compiled)
        #expect(sources.isVersioned && sources.files.count == 3)
        let again = folder.url.appendingPathComponent("Again.xcdatamodeld")
        try AtomicWrite.folder(sources.files, to: again)
        #expect(try ModelBundle(contentsOf: again).currentVersion?.name == current)
    }

    @Test("mistakes in an old version are warnings, those in the current version are errors, all at once")
    func oddVersions() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let bundle = folder.url.appendingPathComponent("Model.xcdatamodeld")
        let texts = [
            "Broken": "<attribute name=\"x\"/><relationship name=\"b\" destinationEntity=\"B\"/>",
            "Odd": "<attribute name=\"x\"/>", "Sound": "<attribute name=\"x\" attributeType=\"String\"/>",
        ]
        for (name, text) in texts {
            let version = bundle.appendingPathComponent("\(name).xcdatamodel")
            try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
            try Data("<model><entity name=\"A\">\(text)</entity></model>".utf8).write(
                to: version.appendingPathComponent("contents"))
        }
        func select(_ name: String) throws {
            let plist = try PropertyListSerialization.data(
                fromPropertyList: ["_XCCurrentVersionName": "\(name).xcdatamodel"], format: .xml, options: 0)
            try plist.write(to: bundle.appendingPathComponent(".xccurrentversion"))
        }
        try select("Sound")
        let (files, warnings) = try ModelCompiler().compile(bundle)
        #expect(Set(files.keys).isSuperset(of: ["Odd.mom", "Sound.mom", "VersionInfo.plist"]))
        #expect(warnings.count >= 3)
        #expect(warnings.allSatisfy { $0.severity == .warning && !$0.file.contains("Sound.xcdatamodel") })
        try select("Broken")
        let failure = #expect(throws: GenerationFailure.self) { try ModelCompiler().compile(bundle) }
        #expect(failure?.diagnostics.count { $0.severity == .error } == 2)
    }

    @Test("a leading dot means the module") func modules() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let model = folder.url.appendingPathComponent("M.xcdatamodel")
        let text =
            "<model><entity name=\"A\" representedClassName=\".A\"/><entity name=\"B\" representedClassName=\"B\"/></model>"
        try AtomicWrite.folder(["contents": Data(text.utf8)], to: model)
        let (file, warnings) = try ModelCompiler(module: "Shop").compileCurrent(model)
        #expect(warnings.isEmpty)
        #expect(try ModelDocument(modelFile: file).entities.map(\.className) == ["Shop.A", "B"])
    }

    @Test("a folder is replaced whole, and not touched if nothing changed") func wholeWrite() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let target = folder.url.appendingPathComponent("out")
        try AtomicWrite.folder(["a": Data([1]), "b/c": Data([2])], to: target)
        let before = try FileManager.default.attributesOfItem(atPath: target.path)[.systemFileNumber] as? NSNumber
        try AtomicWrite.folder(["a": Data([1]), "b/c": Data([2])], to: target)
        let after = try FileManager.default.attributesOfItem(atPath: target.path)[.systemFileNumber] as? NSNumber
        #expect(before != nil && before == after)
        try AtomicWrite.folder(["a": Data([3])], to: target)
        #expect(FileManager.default.subpaths(atPath: target.path) == ["a"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["out"])
    }

    @Test("a file that is not wanted any more goes from a folder in which no other one changed") func goneFile() throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let target = folder.url.appendingPathComponent("out")
        try AtomicWrite.folder(["a": Data([1]), "b/c": Data([2])], to: target)
        try AtomicWrite.folder(["a": Data([1])], to: target)
        #expect(FileManager.default.subpaths(atPath: target.path) == ["a"])
    }

    @Test("a file with the same bytes is not written again") func sameFile() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.url.appendingPathComponent("a")
        func number() throws -> NSNumber? {
            try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? NSNumber
        }
        #expect(try AtomicWrite.file(Data([1]), to: file))
        let before = try number()
        #expect(try !AtomicWrite.file(Data([1]), to: file))
        #expect(try before != nil && number() == before)
        #expect(try AtomicWrite.file(Data([2]), to: file))
        #expect(try Data(contentsOf: file) == Data([2]))
    }
}
