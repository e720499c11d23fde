// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Models are found in bundles of every form, and the current version is known.

import Foundation
import ModelFilesTestSupport
import Testing

@testable import CoreDataModelFiles

@Suite("Finding models") struct ModelBundleTests {
    @Test("the current version of a source bundle is the one that .xccurrentversion names")
    func sourceBundle() throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.url
        defer { temporary.remove() }
        let bundle = folder.appendingPathComponent("Shop.xcdatamodeld")
        for name in ["Shop", "Shop 1.2"] { try write(model(name), bundle, "\(name).xcdatamodel/contents") }
        let current = """
            <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>
            <key>_XCCurrentVersionName</key><string>Shop 1.2.xcdatamodel</string></dict></plist>
            """
        try write(Data(current.utf8), bundle, ".xccurrentversion")
        let found = try ModelBundle(contentsOf: bundle)
        #expect(found.versions.map(\.name) == ["Shop", "Shop 1.2"])
        #expect(found.currentVersion?.name == "Shop 1.2")
        #expect(try ModelBundle.load(contentsOf: bundle).entities.map(\.name) == ["Shop 1.2"])
        #expect(try ModelBundle.load(contentsOf: bundle, version: "Shop").entities.map(\.name) == ["Shop"])
        #expect(failure(bundle, version: "Shop 2")?.kind == .noVersion)
        #expect(failure(bundle, version: "Shop 2")?.explanation.contains("'Shop 1.2'") == true)
    }

    @Test("every .xccurrentversion of the fixtures names a version", .needsFixtures)
    func currentVersionFiles() throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        for name in Fixtures.files("models", suffix: ".xccurrentversion") {
            let data = try Fixtures.data("models/\(name)")
            guard case .string(let current)? = try PlainPropertyList.dictionary(from: data)["_XCCurrentVersionName"]
            else {
                Issue.record("\(name) names no version")
                continue
            }
            let bundle = temporary.url.appendingPathComponent(name + ".xcdatamodeld")
            try write(data, bundle, ".xccurrentversion")
            try write(model("Current"), bundle, "\(current)/contents")
            try write(model("Other"), bundle, "Other.xcdatamodel/contents")
            #expect(try ModelBundle.load(contentsOf: bundle).entities.map(\.name) == ["Current"])
        }
    }

    /// Decided by `momc` of Xcode on a bundle without `.xccurrentversion`: the version that
    /// `NSManagedObjectModel(contentsOf:)` then loads.
    @Test("without a word about it, the only version is current, else the one named like the bundle", .tags(.assumed))
    func currentByRule() throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.url
        defer { temporary.remove() }
        let bundle = folder.appendingPathComponent("Shop.xcdatamodeld")
        try write(model("V1"), bundle, "V1.xcdatamodel/contents")
        #expect(try ModelBundle(contentsOf: bundle).currentVersion?.name == "V1")
        try write(model("V2"), bundle, "V2.xcdatamodel/contents")
        #expect(failure(bundle)?.kind == .noVersion)
        try write(model("Shop"), bundle, "Shop.xcdatamodel/contents")
        #expect(try ModelBundle(contentsOf: bundle).currentVersion?.name == "Shop")
    }

    @Test("a compiled bundle lists its versions with hashes and checksums", .needsFixtures)
    func compiledBundle() throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.url
        defer { temporary.remove() }
        let bundle = folder.appendingPathComponent("SampleModel3.momd")
        let prefix = "mom/alemar11_CoreDataPlus__SampleModel3.momd_"
        for file in ["SampleModel3.mom", "SampleModel3_v2.mom", "SampleModel3_v3.mom", "VersionInfo.plist"] {
            try write(try Fixtures.data(prefix + file), bundle, file)
        }
        let found = try ModelBundle(contentsOf: bundle)
        #expect(found.versions.map(\.name) == ["SampleModel3", "SampleModel3_v2", "SampleModel3_v3"])
        #expect(found.currentVersion?.name == "SampleModel3")
        #expect(found.versions.map(\.checksum)[1] == "rzn6eNBLyn8k3AoC3kH3yymPT0vSUPaVcgi0v2SuHS8=")
        #expect(found.versions[2].entityHashes.keys.sorted() == ["Pet", "User"])
        #expect(try ModelBundle.load(contentsOf: bundle, version: "SampleModel3_v2").entities.count == 2)
    }

    @Test("a written VersionInfo equals the original", .needsFixtures)
    func versionInfo() throws {
        for name in Fixtures.files("mom", suffix: ".plist") {
            let info = try VersionInfo(data: try Fixtures.data("mom/\(name)"))
            #expect(!info.entityHashes.isEmpty)
            #expect(try VersionInfo(data: info.data()) == info)
            #expect(info.entityHashes.values.allSatisfy { $0.values.allSatisfy { $0.count == 32 } })
        }
    }

    @Test("a single file is read by its content, under any name", .needsFixtures)
    func looseFiles() throws {
        for folder in ["models", "mom"] {
            for suffix in [".contents.xml", ".bplist", ".mom"] {
                for name in Fixtures.files(folder, suffix: suffix) {
                    let url = Fixtures.root.appendingPathComponent("\(folder)/\(name)")
                    let document = try ModelBundle.load(contentsOf: url)
                    #expect(document == (try ModelDocument(modelFile: Fixtures.data("\(folder)/\(name)"))))
                }
            }
        }
    }

    /// The test cannot be run against Apple's framework, which reads optimized models.
    /// Decided by no call on a Mac, since Apple's framework reads optimized models.
    @Test("an optimized model is read by the .mom beside it, and is named where that is missing", .tags(.assumed))
    func optimizedModels() throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let bundle = temporary.url.appendingPathComponent("Shop.momd")
        let optimized = Data("momv2$[]77y234078nf3490324nfauh7kf77y7pjfauy72-918".utf8) + Data(count: 600)
        let info = """
            <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>
            <key>NSManagedObjectModel_CurrentVersionName</key><string>Shop 2</string></dict></plist>
            """
        try write(Data(info.utf8), bundle, "VersionInfo.plist")
        try write(optimized, bundle, "Shop 2.omo")
        #expect(failure(bundle)?.description.contains("add Shop 2.mom") == true)
        // The older version must not be read as the current one.
        try write(model("Old"), bundle, "Shop.mom")
        #expect(failure(bundle)?.kind == .unsupportedForm)
        #expect(failure(bundle, version: "Shop 2")?.description.contains("Shop 2.omo") == true)
        #expect(try ModelBundle.load(contentsOf: bundle, version: "Shop").entities.map(\.name) == ["Old"])
        let bare = bundle.appendingPathComponent("Shop 2.omo")
        #expect(failure(bare)?.kind == .unsupportedForm && failure(bare)?.url == bare)
        try write(model("New"), bundle, "Shop 2.mom")
        #expect(try ModelBundle.load(contentsOf: bundle).entities.map(\.name) == ["New"])
        #expect(try ModelBundle.load(contentsOf: bare).entities.map(\.name) == ["New"])
        // Under another name it is recognized by its start.
        try write(optimized, bundle, "Copy")
        #expect(failure(bundle.appendingPathComponent("Copy"))?.description.contains("optimized model") == true)
    }

    @Test("every optimized model of the fixtures is recognized", .needsFixtures)
    func optimizedFixtures() throws {
        let names = Fixtures.files("mom", suffix: ".omo")
        #expect(!names.isEmpty)
        for name in names {
            let data = try Fixtures.data("mom/\(name)")
            let error = #expect(throws: ModelFileError.self) { try ModelDocument(modelFile: data) }
            #expect(error?.explanation.contains(".omo") == true, "\(name)")
        }
    }

    @Test("a file that is no model is refused with its location")
    func refusals() throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.url
        defer { temporary.remove() }
        #expect(failure(folder.appendingPathComponent("Nothing.momd"))?.kind == .notFound)
        try write(Data("Hello".utf8), folder, "Plain/readme.txt")
        #expect(failure(folder.appendingPathComponent("Plain"))?.kind == .isDirectory)
        #expect(failure(folder.appendingPathComponent("Plain/readme.txt"))?.kind == .unsupportedForm)
        try write(Data(), folder, "Empty.momd/unrelated.txt")
        #expect(failure(folder.appendingPathComponent("Empty.momd"))?.kind == .noVersion)
        try write(Data("<model>".utf8), folder, "Broken.xcdatamodel/contents")
        let broken = failure(folder.appendingPathComponent("Broken.xcdatamodel"))
        #expect(broken?.url?.lastPathComponent == "contents")
        #expect(broken?.description.contains("line 1") == true)
        try write(Data("bplist00 and no more".utf8), folder, "Cut.mom")
        #expect(failure(folder.appendingPathComponent("Cut.mom"))?.kind == .malformedPropertyList)
        let folderInPlaceOfFile = folder.appendingPathComponent("Odd.xcdatamodel")
        try write(Data(), folder, "Odd.xcdatamodel/contents/file")
        #expect(failure(folderInPlaceOfFile)?.kind == .isDirectory)
    }

    private func model(_ entity: String) -> Data {
        Data("<model><entity name=\"\(entity)\"/></model>".utf8)
    }

    private func write(_ data: Data, _ folder: URL, _ path: String) throws {
        let url = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url)
    }

    private func failure(_ url: URL, version: String? = nil) -> ModelFileError? {
        do {
            _ = try ModelBundle.load(contentsOf: url, version: version)
            return nil
        } catch {
            return error as? ModelFileError
        }
    }
}
