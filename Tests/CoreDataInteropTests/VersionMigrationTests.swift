// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Migrates stores between the versions of published models, and stores that Apple's framework wrote.

import CoreDataModelFiles
import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("Migrating between versions of published models") struct VersionMigrationTests {
    /// Two successive versions of a bundle, or two files with versions of one model.
    struct Pair: CustomTestStringConvertible, Sendable {
        let bundle: URL
        let source: String
        let destination: String

        var testDescription: String { "\(source) to \(destination)" }

        func model(_ name: String) throws -> NSManagedObjectModel {
            guard bundle.pathExtension != "xcdatamodeld" else {
                return try NSManagedObjectModel.load(contentsOf: bundle, version: name)
            }
            return try #require(NSManagedObjectModel(contentsOf: bundle.appendingPathComponent(name)))
        }
    }

    static let bundles: [URL] = {
        let root = StoreFixture.root.appendingPathComponent("versions")
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: root.path)) ?? []
        return paths.filter { $0.hasSuffix(".xcdatamodeld") }.sorted().map(root.appendingPathComponent)
    }()

    static let pairs: [Pair] = bundles.flatMap { bundle -> [Pair] in
        let names = ((try? ModelBundle(contentsOf: bundle))?.versions.map(\.name) ?? []).sorted {
            $0.compare($1, options: .numeric) == .orderedAscending
        }
        return zip(names, names.dropFirst()).map { Pair(bundle: bundle, source: $0, destination: $1) }
    }

    /// Versions in single files among the models: `<repository>__<model>--<version>.contents.xml`.
    static let loosePairs: [Pair] = {
        let files = StoreFixture.modelURLs.filter { $0.lastPathComponent.contains("--") && $0.pathExtension == "xml" }
        let models = Dictionary(grouping: files) { $0.lastPathComponent.components(separatedBy: "--")[0] }
        return models.sorted { $0.key < $1.key }.flatMap { _, files -> [Pair] in
            let names = files.map(\.lastPathComponent).sorted { one, other in
                one.replacing(".contents", with: "").compare(other.replacing(".contents", with: ""), options: .numeric)
                    == .orderedAscending
            }
            return zip(names, names.dropFirst()).map {
                Pair(bundle: files[0].deletingLastPathComponent(), source: $0, destination: $1)
            }
        }
    }()

    /// All pairs take minutes in debug builds: every sixth one, unless `OCD_ALL_VERSIONS` is set.
    static let somePairs: [Pair] = {
        let all = pairs + loosePairs
        if ProcessInfo.processInfo.environment["OCD_ALL_VERSIONS"] != nil { return all }
        return all.enumerated().filter { $0.offset % 6 == 0 }.map(\.element)
    }()

    private static var options: [AnyHashable: Any] {
        [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
        ]
    }

    private func add(_ url: URL, _ model: NSManagedObjectModel) throws -> NSPersistentStoreCoordinator {
        PlainBytesTransformer.standIn(for: model)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: Self.options)
        return coordinator
    }

    private func close(_ coordinator: NSPersistentStoreCoordinator) throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    private func inFolder<T>(_ body: (URL) throws -> T) throws -> T {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder.appendingPathComponent("store.sqlite"))
    }

    /// The defects of a migrated file; empty for a sound one.
    private func defects(_ url: URL, _ model: NSManagedObjectModel) throws -> [String] {
        let connection = try Connection(url: url, options: .init(access: .readOnly))
        defer { try? connection.close() }
        let names = Set(model.entities.compactMap(\.name))
        let schema = Schema(model: ModelLayout(entities: model.entities), entities: names)
        return try SchemaComparison(schema, try DatabaseOutline(connection)).differences + connection.integrityCheck()
    }

    /// Opens a store with another version.
    ///
    /// - Returns: the defects afterwards, or the reason why no mapping can be inferred.
    private func migrate(_ url: URL, _ model: NSManagedObjectModel) throws -> [String] {
        let before = try hashes(url)
        do {
            try close(try add(url, model))
        } catch let error as NSError where error.code == NSMigrationMissingMappingModelError {
            return ["not inferable"]
        } catch let error as NSError where error.code == NSMigrationError {
            let cause = try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError)
            return [
                "\(cause.userInfo["entity"] ?? "").\(cause.userInfo["attribute"] ?? ""): \(cause.userInfo["reason"] ?? "")"
            ]
        }
        let defects = try defects(url, model)
        // Indexes are not hashed, so a version that differs only in them needs no migration.
        return before == model.entityVersionHashesByName ? defects.filter { !$0.hasPrefix("the index ") } : defects
    }

    private func hashes(_ url: URL) throws -> [String: Data]? {
        NSManagedObjectModel.versionHashes(
            inStoreMetadata: try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: url))
    }

    /// Proves: G17, G27, G34
    @Test(
        "an empty store has the tables of the next version afterwards", .needsStoreFixtures, arguments: somePairs)
    func empty(pair: Pair) throws {
        let result = try inFolder { url in
            try close(try add(url, try pair.model(pair.source)))
            return try migrate(url, try pair.model(pair.destination))
        }
        #expect(result == [] || result == ["not inferable"], "\(pair.bundle.lastPathComponent)")
    }

    /// Proves: G2, G27, G34
    @Test("rows of every entity arrive, with their links", .needsStoreFixtures, arguments: pairs + loosePairs)
    func populated(pair: Pair) throws {
        let (before, after, result) = try inFolder { url -> ([String: Int], [String: Int], [String]) in
            try fill(url, try pair.model(pair.source))
            let before = try counts(url)
            let result = try migrate(url, try pair.model(pair.destination))
            return (before, try counts(url), result)
        }
        let isRefused = ["missing attribute values on mandatory", "is abstract in the destination model"].contains {
            reason in
            result.first?.contains(reason) == true
        }
        #expect(result == [] || result == ["not inferable"] || isRefused, "\(pair.bundle.lastPathComponent)")
        for (entity, count) in before { #expect(after[entity] == nil || after[entity] == count, "\(entity)") }
    }

    /// A closed store with three rows and their links in every entity.
    private func fill(_ url: URL, _ source: NSManagedObjectModel) throws {
        let coordinator = try add(url, source)
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        var population = Population(context)
        for entity in source.entities.sorted(by: { ($0.name ?? "") < ($1.name ?? "") }) where !entity.isAbstract {
            for _ in 0..<3 { _ = population.insert(entity) }
        }
        try context.save()
        context.reset()
        try close(coordinator)
    }

    /// Proves: G2, G34, G48
    @Test("by objects the same rows arrive", .needsStoreFixtures, arguments: somePairs)
    func byObjects(pair: Pair) throws {
        let (faults, result) = try inFolder { url -> ([String], [String]) in
            let (source, destination) = (try pair.model(pair.source), try pair.model(pair.destination))
            try fill(url, source)
            PlainBytesTransformer.standIn(for: destination)
            let before = try counts(url)
            guard
                let mapping = try? NSMappingModel.inferredMappingModel(
                    forSourceModel: source, destinationModel: destination)
            else { return ([], ["not inferable"]) }
            let target = url.deletingLastPathComponent().appendingPathComponent("new.sqlite")
            do {
                try NSMigrationManager(sourceModel: source, destinationModel: destination)
                    .migrateStore(from: url, type: .sqlite, mapping: mapping, to: target, type: .sqlite)
            } catch let error as NSError where error.code == NSMigrationError {
                return ([], [error.userInfo["reason"] as? String ?? ""])
            }
            let after = try counts(target)
            let names = ModelPairing(source: source, destination: destination).entities
            let faults = names.compactMap { pair -> String? in
                guard let old = pair.source?.name, let new = pair.destination?.name else { return nil }
                let (one, other) = (before[old, default: 0], after[new, default: 0])
                return one == other ? nil : "\(new): \(other), not \(one)"
            }
            return (faults, try defects(target, destination))
        }
        let isRefused = ["missing attribute values on mandatory", "is abstract", "is required"].contains { reason in
            result.first?.contains(reason) == true
        }
        #expect(faults == [])
        #expect(result == [] || result == ["not inferable"] || isRefused, "\(pair.bundle.lastPathComponent)")
    }

    /// Rows by entity.
    private func counts(_ url: URL) throws -> [String: Int] {
        let connection = try Connection(url: url, options: .init(access: .readOnly))
        defer { try? connection.close() }
        let outline = try DatabaseOutline(connection)
        let names = Dictionary(outline.keys.map { ($0.number, $0.name) }, uniquingKeysWith: { first, _ in first })
        var result: [String: Int] = [:]
        for (table, columns) in outline.columns
        where table.hasPrefix("Z") && table != SchemaNaming.keyTable && columns.contains(where: { $0.name == "Z_ENT" })
        {
            for row in try connection.rows("SELECT Z_ENT, COUNT(*) FROM \(table) GROUP BY Z_ENT") {
                guard let number = row[0].integerValue, let name = names[number] else { continue }
                result[name, default: 0] += Int(row[1].integerValue ?? 0)
            }
        }
        return result
    }

    /// Stores of Apple's, and the version of the same model to migrate to.
    static let appleStores: [(store: String, model: String)] = [
        (
            "duckduckgo_BrowserServicesKit__Bookmarks_V1.sqlite",
            "duckduckgo_BrowserServicesKit__BookmarksModel--BookmarksModel_4"
        ),
        (
            "duckduckgo_BrowserServicesKit__Bookmarks_V2.sqlite",
            "duckduckgo_BrowserServicesKit__BookmarksModel--BookmarksModel_4"
        ),
        (
            "duckduckgo_BrowserServicesKit__Bookmarks_V3.sqlite",
            "duckduckgo_BrowserServicesKit__BookmarksModel--BookmarksModel_6"
        ),
        (
            "duckduckgo_BrowserServicesKit__Bookmarks_V4.sqlite",
            "duckduckgo_BrowserServicesKit__BookmarksModel--BookmarksModel_6"
        ),
    ]

    /// Proves: G2, G5, G34
    @Test("stores of Apple's framework go forward to newer versions", .needsStoreFixtures, arguments: appleStores)
    func appleStore(store: String, model: String) throws {
        let fixture = try StoreFixture(store)
        let url = try #require(StoreFixture.modelURLs.first { $0.lastPathComponent.hasPrefix(model + ".") })
        let destination = try #require(NSManagedObjectModel(contentsOf: url))
        let before = try counts(fixture.url)
        #expect(try migrate(fixture.url, destination) == [])
        let after = try counts(fixture.url)
        for (entity, count) in before { #expect(after[entity] == count, "\(entity)") }
    }

    /// Stores of Apple's, and the beginning of the name of their model: in a bundle with all versions, or in files.
    static let formerStores: [(store: String, model: String)] = [
        ("apptentive_apptentive-ios__ATDataModelv1.sqlite", "ATDataModel"),
        ("apptentive_apptentive-ios__ATDataModelv2.sqlite", "ATDataModel"),
        ("apptentive_apptentive-ios__ATDataModelv3.sqlite", "ATDataModel"),
        ("apptentive_apptentive-ios__ATDataModelv5.sqlite", "ATDataModel"),
        ("apptentive_apptentive-ios__ATDataModel.sqlite", "ATDataModel"),
        ("apptentive_apptentive-ios__ATDataModel~4.sqlite", "ATDataModel"),
        ("objcio_core-data__Moody.moody", "Moody"), ("objcio_core-data__Moody_2.moody", "Moody"),
        ("objcio_core-data__Moody_4.moody", "Moody"),
        ("duckduckgo_BrowserServicesKit__Bookmarks_V1.sqlite", "duckduckgo_BrowserServicesKit__BookmarksModel--"),
        ("duckduckgo_BrowserServicesKit__Bookmarks_V2.sqlite", "duckduckgo_BrowserServicesKit__BookmarksModel--"),
        ("duckduckgo_BrowserServicesKit__Bookmarks_V3.sqlite", "duckduckgo_BrowserServicesKit__BookmarksModel--"),
        ("duckduckgo_BrowserServicesKit__Bookmarks_V4.sqlite", "duckduckgo_BrowserServicesKit__BookmarksModel--"),
        ("alemar11_CoreDataPlus__SampleModel_V1.sqlite", "alemar11_CoreDataPlus__SampleModel--"),
        ("alemar11_CoreDataPlus__SampleModel3_V1.sqlite", "alemar11_CoreDataPlus__SampleModel3--"),
    ]

    /// Proves: G71, G81
    @Test("a store of Apple's without a column of its version is refused, and stays as it is", .needsStoreFixtures)
    func incomplete() throws {
        let fixture = try StoreFixture(StoreFixture.incomplete)
        let versions = try versions("ATDataModel")
        let before = try Data(contentsOf: fixture.url)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try #require(versions.last))
        let error = #expect(throws: NSError.self) {
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: fixture.url,
                options: Self.options.merging([MigrationOption.versions: versions]) { $1 })
        }
        #expect(error?.code == NSMigrationError)
        #expect((error?.userInfo["reason"] as? String)?.contains("ZATRECORD.ZCUSTOMDATA") == true)
        #expect(try Data(contentsOf: fixture.url) == before)
    }

    /// All versions of a model, oldest first.
    private func versions(_ name: String) throws -> [NSManagedObjectModel] {
        if let bundle = Self.bundles.first(where: { $0.lastPathComponent == "\(name).xcdatamodeld" }) {
            let names = try ModelBundle(contentsOf: bundle).versions.map(\.name).sorted {
                $0.compare($1, options: .numeric) == .orderedAscending
            }
            return try names.map { try NSManagedObjectModel.load(contentsOf: bundle, version: $0) }
        }
        let pairs = Self.loosePairs.filter { $0.source.hasPrefix(name) }
        let first = try #require(pairs.first)
        return try [first.model(first.source)] + pairs.map { try $0.model($0.destination) }
    }

    /// Proves: G2, G34, G73
    @Test("stores of Apple's framework come to the newest version", .needsStoreFixtures, arguments: formerStores)
    func newest(store: String, model: String) throws {
        let fixture = try StoreFixture(store)
        let versions = try versions(model)
        let newest = try #require(versions.last)
        let before = try counts(fixture.url)
        PlainBytesTransformer.standIn(for: newest)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: newest)
        let options = Self.options.merging([MigrationOption.versions: versions]) { $1 }
        let opened = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: fixture.url, options: options)
        try coordinator.remove(opened)
        #expect(try defects(fixture.url, newest).filter { !$0.hasPrefix("the index ") } == [])
        let after = try counts(fixture.url)
        let kept = before.filter { after[$0.key] != nil }
        #expect(kept.allSatisfy { after[$0.key] == $0.value } && !after.isEmpty)
    }
}
