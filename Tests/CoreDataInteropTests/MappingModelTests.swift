// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Mapping models of other projects: compiled, read, found by their hashes, and used.

import CoreDataGeneration
import CoreDataModelFiles
import FixtureFiles
import Foundation
import Testing

@testable import CoreData

/// The mapping models of the bundles among the fixtures, each compiled into a folder of its own.
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

    /// All versions in the bundles near the mapping model.
    func versions() -> [NSManagedObjectModel] {
        MappingCompiler.models(near: source).flatMap { NSManagedObjectModel.versions(contentsOf: $0) }
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
        let models = mapping.versions()
        let (read, pairs) = try inFolder { folder in
            let url = folder.appendingPathComponent("Mapping.cdm")
            try data.write(to: url)
            let bundle = try #require(Bundle(url: folder))
            let pairs = models.flatMap { old in models.map { (old, $0) } }.filter { old, new in
                NSMappingModel(from: [bundle], forSourceModel: old, destinationModel: new) != nil
            }
            return (try #require(NSMappingModel(contentsOf: url)), pairs)
        }
        #expect(read.document() == (try MappingDocument(mappingFile: data)))
        #expect(!pairs.isEmpty)
    }

    /// Proves: G36, G40
    @Test("a store of the source version migrates by the mapping model", arguments: CompiledMapping.all)
    func migrates(mapping: CompiledMapping) throws {
        let data = try mapping.data()
        let models = mapping.versions()
        try inFolder { folder in
            let url = folder.appendingPathComponent("Mapping.cdm")
            try data.write(to: url)
            let bundle = try #require(Bundle(url: folder))
            let pair = models.flatMap { old in models.map { (old, $0) } }.first { old, new in
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
            for mapping in model.entityMappings {
                let request = NSFetchRequest<NSManagedObject>(entityName: mapping.destinationEntityName ?? "")
                request.includesSubentities = false
                let several = model.entityMappings.filter { $0.destinationEntityName == mapping.destinationEntityName }
                let expected = several.reduce(0) { $0 + (counts[$1.sourceEntityName ?? ""] ?? 0) }
                if mapping.destinationEntityName != nil { #expect(try context.count(for: request) == expected) }
            }
            try coordinator.remove(store)
        }
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
