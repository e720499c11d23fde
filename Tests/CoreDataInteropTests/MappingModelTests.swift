// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Mapping models of other projects: compiled, read, found by their hashes, and used.

import CoreDataGeneration
import CoreDataModelFiles
import FixtureFiles
import Foundation
import Testing

@testable import CoreData

/// The mapping models of the bundles among the fixtures, each compiled into a separate folder.
struct CompiledMapping: CustomStringConvertible {
    /// Below `versions/`. Copies apart from their model are left out.
    let path: String
    var description: String { path }

    static let all: [CompiledMapping] = {
        let root = FixtureFolder.url.appendingPathComponent("versions")
        let found = (FileManager.default.enumerator(atPath: root.path)?.allObjects as? [String]) ?? []
        return found.filter { $0.hasSuffix(".xcmappingmodel") }.sorted().map(CompiledMapping.init)
            .filter { !MappingCompiler.models(near: $0.source).isEmpty }
    }()

    private var source: URL { FixtureFolder.url.appendingPathComponent("versions/\(path)") }

    func data() throws -> Data { try MappingCompiler(models: MappingCompiler.models(near: source)).compile(source) }

    /// Without those that need a policy of their project, which converts values or fills mandatory attributes.
    static let withoutOwnPolicy = all.filter { !$0.path.contains("Chapter9v3") && !$0.path.contains("Chapter9v4") }

    /// Pairs of versions, in the bundles near the mapping model, with entities that may be those of the mapping model.
    func candidates(_ data: Data) throws -> [(NSManagedObjectModel, NSManagedObjectModel)] {
        let mappings = try MappingDocument(mappingFile: data).entityMappings
        let versions = MappingCompiler.models(near: source).flatMap { NSManagedObjectModel.versions(contentsOf: $0) }
        let hashes = versions.map(\.entityVersionHashesByName)
        let sources = versions.indices.filter { version in
            mappings.allSatisfy { $0.sourceEntityName.map { hashes[version][$0] != nil } ?? true }
                && mappings.contains { mapping in mapping.sourceEntityHash.map(hashes[version].values.contains) ?? false
                }
        }
        let destinations = versions.indices.filter { version in
            mappings.allSatisfy { mapping in
                mapping.destinationEntityName.map { hashes[version][$0] == mapping.destinationEntityHash } ?? true
            }
        }
        return sources.flatMap { old in destinations.map { (versions[old], versions[$0]) } }
    }
}

@Suite("Mapping models of other projects", .disabled(if: StoreFixture.areMissing, FixtureFolder.reason))
struct MappingModelTests {
    private func inFolder<T>(_ body: (URL) throws -> T) throws -> T {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Mapping-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }

    /// Proves: G18
    @Test("the file of Apple's compiler is read whole")
    func compiledByApple() throws {
        let url = FixtureFolder.url.appendingPathComponent("mom/alemar11_CoreDataPlus__Fixtures_V2toV3.cdm")
        let model = try #require(NSMappingModel(contentsOf: url))
        #expect(model.entityMappings.count == 5 && model.entityMappingsByName.count == 5)
        #expect(model.document() == (try MappingDocument(mappingFile: Data(contentsOf: url))))
        #expect(NSMappingModel(contentsOf: url.appendingPathComponent("none")) == nil)
        #expect(NSMappingModel(contentsOf: FixtureFolder.url.appendingPathComponent("README.md")) == nil)
        #expect(NSMappingModel(contentsOf: nil) == nil)
    }

    /// Proves: G18
    @Test(
        "a compiled mapping model is read whole, and found by the hashes of two versions",
        arguments: CompiledMapping.all)
    func found(mapping: CompiledMapping) throws {
        let data = try mapping.data()
        let candidates = try mapping.candidates(data)
        let (read, pairs) = try inFolder { folder in
            let url = folder.appendingPathComponent("Mapping.cdm")
            try data.write(to: url)
            let bundle = try #require(Bundle(url: folder))
            let pairs = candidates.filter { old, new in
                NSMappingModel(from: [bundle], forSourceModel: old, destinationModel: new) != nil
            }
            return (try #require(NSMappingModel(contentsOf: url)), pairs)
        }
        #expect(read.document() == (try MappingDocument(mappingFile: data)))
        #expect(!pairs.isEmpty)
    }

    /// Proves: G36, G40
    @Test("a store of the source version migrates by the mapping model", arguments: CompiledMapping.withoutOwnPolicy)
    func migrates(mapping: CompiledMapping) throws {
        let data = try mapping.data()
        let candidates = try mapping.candidates(data)
        let wrong = try inFolder { folder in
            let url = folder.appendingPathComponent("Mapping.cdm")
            try data.write(to: url)
            let bundle = try #require(Bundle(url: folder))
            let pair = candidates.first { old, new in
                NSMappingModel(from: [bundle], forSourceModel: old, destinationModel: new) != nil
            }
            let (old, new) = try #require(pair)
            let model = try #require(NSMappingModel(contentsOf: url))
            // The policies are classes of those projects.
            for mapping in model.entityMappings { mapping.entityMigrationPolicyClassName = nil }
            let source = folder.appendingPathComponent("Old.sqlite")
            let counts = try fill(source, old)
            let place = folder.appendingPathComponent("New.sqlite")
            PlainBytesTransformer.standIn(for: new)
            try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
                from: source, type: .sqlite, mapping: model, to: place, type: .sqlite)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: new)
            let store = try coordinator.addPersistentStore(type: .sqlite, at: place)
            let context = NSManagedObjectContext(concurrencyType: .confinedType)
            context.persistentStoreCoordinator = coordinator
            var wrong: [String] = []
            for mapping in model.entityMappings {
                guard let name = mapping.destinationEntityName else { continue }
                let request = NSFetchRequest<NSManagedObject>(entityName: name)
                request.includesSubentities = false
                let several = model.entityMappings.filter { $0.destinationEntityName == name }
                let expected = several.reduce(0) { $0 + (counts[$1.sourceEntityName ?? ""] ?? 0) }
                let found = try context.count(for: request)
                if found != expected { wrong.append("\(name): \(found), not \(expected)") }
            }
            try coordinator.remove(store)
            return wrong
        }
        #expect(wrong.isEmpty)
    }

    /// Three objects of each entity.
    private func fill(_ url: URL, _ model: NSManagedObjectModel) throws -> [String: Int] {
        PlainBytesTransformer.standIn(for: model)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        let context = NSManagedObjectContext(concurrencyType: .confinedType)
        context.persistentStoreCoordinator = coordinator
        var population = Population(context)
        for entity in model.entities where !entity.isAbstract {
            for _ in 0..<3 { _ = population.insert(entity) }
        }
        try context.save()
        var counts: [String: Int] = [:]
        for object in population.all { counts[object.entity.name ?? "", default: 0] += 1 }
        try coordinator.remove(store)
        return counts
    }
}
