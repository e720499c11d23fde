// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Migrates stores between the versions of published models, and stores that Apple's framework wrote.

import CoreDataModelFiles
import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("Migrating between versions of published models") struct VersionMigrationTests {
    /// Two successive versions of a bundle.
    struct Pair: CustomTestStringConvertible, Sendable {
        let bundle: URL
        let source: String
        let destination: String

        var testDescription: String { "\(source) to \(destination)" }

        func model(_ name: String) throws -> NSManagedObjectModel {
            try NSManagedObjectModel.load(contentsOf: bundle, version: name)
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

    /// What is wrong with a migrated file; empty for nothing.
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
        // Indexes are not hashed, so a version that differs in them alone needs no migration.
        return before == model.entityVersionHashesByName ? defects.filter { !$0.hasPrefix("the index ") } : defects
    }

    private func hashes(_ url: URL) throws -> [String: Data]? {
        NSManagedObjectModel.versionHashes(
            inStoreMetadata: try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: url))
    }

    /// Proves: G17, G27, G34
    @Test("an empty store has the tables of the next version afterwards", .needsStoreFixtures, arguments: pairs)
    func empty(pair: Pair) throws {
        let result = try inFolder { url in
            try close(try add(url, try pair.model(pair.source)))
            return try migrate(url, try pair.model(pair.destination))
        }
        #expect(result == [] || result == ["not inferable"], "\(pair.bundle.lastPathComponent)")
    }

    /// Proves: G2, G27, G34
    @Test("rows of every entity arrive, with their links", .needsStoreFixtures, arguments: pairs)
    func populated(pair: Pair) throws {
        let (before, after, result) = try inFolder { url -> ([String: Int], [String: Int], [String]) in
            let source = try pair.model(pair.source)
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
}
