// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks loading from disk and finding the models of a bundle.

import CoreDataModelFiles
import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

@Suite("Finding models") final class ModelSearchTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("models-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func write(_ entities: [String], to path: String) throws {
        let attribute = "<attribute name=\"name\" attributeType=\"String\"/>"
        let bodies = entities.map { "<entity name=\"\($0)\">\(attribute)</entity>" }.joined()
        let text = "<?xml version=\"1.0\"?><model type=\"com.apple.IDECoreDataModeler.DataModel\">\(bodies)</model>"
        let package = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(at: package, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: package.appendingPathComponent("contents"))
    }

    private func setCurrent(_ version: String, of bundle: String) throws {
        let plist = try PropertyListSerialization.data(
            fromPropertyList: ["_XCCurrentVersionName": "\(version).xcdatamodel"], format: .xml, options: 0)
        try plist.write(to: folder.appendingPathComponent("\(bundle).xcdatamodeld/.xccurrentversion"))
    }

    @Test("the current version of a bundle is loaded, another one by name")
    func versions() throws {
        try write(["Old"], to: "Shop.xcdatamodeld/One.xcdatamodel")
        try write(["New"], to: "Shop.xcdatamodeld/Two.xcdatamodel")
        try setCurrent("Two", of: "Shop")
        let url = folder.appendingPathComponent("Shop.xcdatamodeld")
        #expect(NSManagedObjectModel(contentsOf: url)?.entities.map(\.name) == ["New"])
        #expect(try NSManagedObjectModel.load(contentsOf: url, version: "One").entities.map(\.name) == ["Old"])
        let checksums = try NSManagedObjectModel.checksumsForVersionedModel(at: url)
        #expect(Set(checksums.keys) == ["One", "Two"])
        #expect(checksums["Two"] == NSManagedObjectModel(contentsOf: url)?.versionChecksum)
    }

    @Test("a missing model gives nil, or an error with the place")
    func missing() throws {
        let url = folder.appendingPathComponent("None.momd")
        #expect(NSManagedObjectModel(contentsOf: url) == nil)
        var caught: NSError?
        do { _ = try NSManagedObjectModel.load(contentsOf: url) } catch { caught = error as NSError }
        #expect(caught?.code == CocoaError.fileReadNoSuchFile.rawValue)
        #expect(caught?.localizedDescription.contains("None.momd") == true)
    }

    @Test("all models of a bundle are merged")
    func merged() throws {
        try write(["Book"], to: "Books.xcdatamodel")
        try write(["Author"], to: "Authors.xcdatamodel")
        let bundle = try #require(Bundle(url: folder))
        let model = try #require(NSManagedObjectModel.mergedModel(from: [bundle]))
        #expect(Set(model.entitiesByName.keys) == ["Book", "Author"])
    }

    @Test("of all versions in a bundle, the one that wrote a store is found")
    func forStore() throws {
        try write(["Old"], to: "Shop.xcdatamodeld/One.xcdatamodel")
        try write(["New"], to: "Shop.xcdatamodeld/Two.xcdatamodel")
        try setCurrent("Two", of: "Shop")
        let old = try NSManagedObjectModel.load(
            contentsOf: folder.appendingPathComponent("Shop.xcdatamodeld"), version: "One")
        let bundle = try #require(Bundle(url: folder))
        let metadata: [String: Any] = ["NSStoreModelVersionHashes": old.entityVersionHashesByName]
        let found = NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: metadata)
        #expect(found?.entities.map(\.name) == ["Old"])
    }

    /// A compiled bundle of some versions, each of one entity. The current one is the first.
    private func compile(_ versions: [(name: String, entity: String, listed: String)]) throws -> Bundle {
        let momd = folder.appendingPathComponent("Shop.momd")
        try FileManager.default.createDirectory(at: momd, withIntermediateDirectories: true)
        var info = VersionInfo(currentVersionName: versions.first?.name)
        for version in versions {
            var document = model(version.entity).document()
            document.versionIdentifiers = [version.name]
            try KeyedModelWriter.data(for: document).write(to: momd.appendingPathComponent("\(version.name).mom"))
            info.entityHashes[version.name] = model(version.listed).entityVersionHashesByName
        }
        try info.data().write(to: momd.appendingPathComponent("VersionInfo.plist"))
        return try #require(Bundle(url: folder))
    }

    private func model(_ entity: String) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = [NSEntityDescription(entity)]
        return model
    }

    /// The first version has the wanted entity too, but its bundle does not list it: a search that reads the version
    /// finds it.
    @Test("of a compiled bundle only the version with the wanted hashes is read") func listedHashes() throws {
        let bundle = try compile([
            (name: "Decoy", entity: "Book", listed: "Other"), (name: "Meant", entity: "Book", listed: "Book"),
        ])
        let wanted = model("Book")
        let metadata: [String: Any] = ["NSStoreModelVersionHashes": wanted.entityVersionHashesByName]
        let found = NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: metadata)
        #expect(found?.versionIdentifiers == ["Meant"])
        let checksum = wanted.versionChecksum
        #expect(ModelSearch.versions(in: [bundle], checksums: [checksum])[checksum]?.versionIdentifiers == ["Meant"])
        let references = [
            NSManagedObjectModelReference(
                fileURL: folder.appendingPathComponent("Shop.momd"), versionChecksum: checksum),
            NSManagedObjectModelReference(
                entityVersionHashes: wanted.entityVersionHashesByName, in: bundle, versionChecksum: checksum),
        ]
        #expect(references.map(\.resolvedModel.versionIdentifiers) == [["Meant"], ["Meant"]])
    }

    @Test("a version with listed hashes of another framework is found") func foreignHashes() throws {
        let bundle = try compile([
            (name: "Current", entity: "Other", listed: "Other"), (name: "Meant", entity: "Book", listed: "Foreign"),
        ])
        let wanted = model("Book")
        let metadata: [String: Any] = ["NSStoreModelVersionHashes": wanted.entityVersionHashesByName]
        let found = NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: metadata)
        #expect(found?.versionIdentifiers == ["Meant"])
        let checksum = wanted.versionChecksum
        #expect(ModelSearch.versions(in: [bundle], checksums: [checksum])[checksum]?.versionIdentifiers == ["Meant"])
    }

    /// Decided by `NSManagedObjectModel.mergedModel(from:)` with a bundle without models, and with two that share an
    /// entity.
    @Test("a bundle without models gives none; entities that two models share count once", .tags(.assumed))
    func none() throws {
        let bundle = try #require(Bundle(url: folder))
        #expect(NSManagedObjectModel.mergedModel(from: [bundle]) == nil)
        try write(["Book"], to: "Books.xcdatamodel")
        try write(["Book", "Author"], to: "Authors.xcdatamodel")
        #expect(NSManagedObjectModel.mergedModel(from: [bundle])?.entities.count == 2)
    }

    @Test("models with different entities of one name are not merged") func differentEntities() throws {
        let other = model("Book")
        other.entities[0].attribute("title", .stringAttributeType)
        #expect(NSManagedObjectModel(byMerging: [model("Book"), other]) == nil)
        #expect(NSManagedObjectModel(byMerging: [model("Book"), model("Book")])?.entities.count == 1)
    }

    @Test("models are merged for a store only if they have all of its entities") func incomplete() throws {
        let (book, author) = (model("Book"), model("Author"))
        let hashes = book.entityVersionHashesByName.merging(author.entityVersionHashesByName) { first, _ in first }
        let metadata: [String: Any] = ["NSStoreModelVersionHashes": hashes]
        #expect(NSManagedObjectModel(byMerging: [book], forStoreMetadata: metadata) == nil)
        let whole = NSManagedObjectModel(byMerging: [book, author, model("Shop")], forStoreMetadata: metadata)
        #expect(whole.map { Set($0.entitiesByName.keys) } == ["Book", "Author"])
    }

    @Test("a reference finds the version with its checksum, by file, name or hashes")
    func references() throws {
        try write(["Old"], to: "Shop.xcdatamodeld/One.xcdatamodel")
        try write(["New"], to: "Shop.xcdatamodeld/Two.xcdatamodel")
        try setCurrent("Two", of: "Shop")
        let url = folder.appendingPathComponent("Shop.xcdatamodeld")
        let old = try NSManagedObjectModel.load(contentsOf: url, version: "One")
        let (bundle, sum) = (try #require(Bundle(url: folder)), old.versionChecksum)
        let references = [
            NSManagedObjectModelReference(model: old, versionChecksum: sum),
            NSManagedObjectModelReference(fileURL: url, versionChecksum: sum),
            NSManagedObjectModelReference(name: "Shop", in: bundle, versionChecksum: sum),
            NSManagedObjectModelReference(name: "One", in: bundle, versionChecksum: sum),
            NSManagedObjectModelReference(
                entityVersionHashes: old.entityVersionHashesByName, in: bundle, versionChecksum: sum),
        ]
        for reference in references {
            #expect(reference.resolvedModel.entities.map(\.name) == ["Old"])
        }
        let wrong = NSManagedObjectModelReference(fileURL: url, versionChecksum: "none")
        var caught: NSError?
        do { _ = try wrong.resolve() } catch { caught = error as NSError }
        #expect(caught?.code == NSManagedObjectModelReferenceNotFoundError)
    }

    @Test("without bundles given, those of the program are searched")
    func program() {
        // The test program has no models; the search must still end, and find no broken ones.
        #expect(ModelSearch.models(in: nil) != nil)
    }

    @Test("a container names the nearest model, and says that case counts")
    func missingModel() {
        let found = ["Shop.momd", "Diary.mom"].map { URL(fileURLWithPath: "/app/\($0)") }
        let inCase = NSPersistentContainer.missingModel("shop", among: found)
        #expect(inCase.contains("Did you mean 'Shop'? Case counts in file names on Linux"))
        let slip = NSPersistentContainer.missingModel("Dairy", among: found)
        #expect(slip.contains("Did you mean 'Diary'? The models are: Shop.momd, Diary.mom."))
    }
}
