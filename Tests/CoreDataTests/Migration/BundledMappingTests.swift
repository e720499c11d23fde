// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests automatic migration with a mapping model of a bundle, and the store at each moment of it.

import CoreDataModelFiles
import CoreDataTestSupport
import Foundation
import Synchronization
import Testing

@testable import CoreData

/// Copies of a store's folder, made while its migration runs. By the path of the folder.
private let moments = Mutex<[String: Moments]>([:])

private struct Moments {
    var copies: [URL] = []
    /// The number of the call that throws; nil for none.
    var failing: Int?
    var calls = 0
}

/// Copies the folder of the source at each call.
final class MomentPolicy: NSEntityMigrationPolicy {
    private func reach(_ manager: NSMigrationManager) throws {
        let url = manager.sourceContext.persistentStoreCoordinator?.persistentStores.first?.url
        let folder = url?.deletingLastPathComponent() ?? FileManager.default.temporaryDirectory
        let isFailing = moments.withLock { all in
            all[folder.path, default: Moments()].calls += 1
            return all[folder.path]?.failing == all[folder.path]?.calls
        }
        if isFailing { throw CocoaError(.userCancelled) }
        let copy = FileManager.default.temporaryDirectory.appending(path: "Moment-\(UUID().uuidString)")
        try FileManager.default.copyItem(at: folder, to: copy)
        moments.withLock { $0[folder.path, default: Moments()].copies.append(copy) }
    }

    override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws { try reach(manager) }

    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try reach(manager)
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    }

    override func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        try reach(manager)
    }

    override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws { try reach(manager) }
}

@Suite("Automatic migration with mapping models of bundles") struct BundledMappingTests {
    static let files: [StoreKind] = [.sqlite, .xml, .binary]

    /// Each store has a distinct property, so that no other test finds its mapping model.
    private struct Shop {
        let old: NSManagedObjectModel
        let new: NSManagedObjectModel
        let store: MigratingStore
        /// A resource bundle next to the program, as SwiftPM makes it.
        let resources: URL

        init(_ kind: StoreKind) throws {
            let own = "own\(UUID().uuidString.filter(\.isLetter))"
            func model(_ build: (NSEntityDescription) -> Void) -> NSManagedObjectModel {
                version { model in
                    model.entity("Item") {
                        $0.attribute("name", .stringAttributeType)
                        $0.attribute(own, .stringAttributeType)
                        build($0)
                    }
                }
            }
            old = model { _ in }
            new = model { $0.attribute("label", .stringAttributeType) }
            store = try MigratingStore(old, in: kind) { context in
                for name in ["cup", "pot", "pan"] { context.make("Item", ["name": name]) }
            }
            resources = Bundle.main.bundleURL.appending(path: "Shop-\(UUID().uuidString).resources")
            try FileManager.default.createDirectory(at: resources, withIntermediateDirectories: true)
        }

        /// A mapping model that gives each label a value.
        func mapping(policy: String? = nil) throws -> NSMappingModel {
            let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
            for entity in mapping.entityMappings {
                entity.entityMigrationPolicyClassName = policy
                entity.attributeMappings?.first { $0.name == "label" }?.valueExpression = NSExpression(
                    forConstantValue: "given")
            }
            return mapping
        }

        func write(_ mapping: NSMappingModel) throws {
            try mapping.document().data().write(to: resources.appending(path: "Shop.cdm"))
        }

        func options(isInferring: Bool = false) -> [AnyHashable: Any] {
            var options: [AnyHashable: Any] = [
                NSMigratePersistentStoresAutomaticallyOption: true, MigrationOption.versions: [old],
            ]
            options[NSInferMappingModelAutomaticallyOption] = isInferring ? true : nil
            return options
        }

        func migration(_ mapping: NSMappingModel) -> ObjectMigration {
            ObjectMigration(
                store: StoreLocation(url: store.url, type: store.kind.type, options: nil), configuration: nil,
                source: old, destination: new,
                mapping: mapping)
        }

        func remove() { try? FileManager.default.removeItem(at: resources) }
    }

    /// Proves: G7
    @Test("the mapping model of a bundle is used, with and without inferring", arguments: files, [false, true])
    func found(kind: StoreKind, isInferring: Bool) throws {
        let shop = try Shop(kind)
        defer { shop.remove() }
        try shop.write(try shop.mapping())
        let context = try shop.store.open(shop.new, options: shop.options(isInferring: isInferring))
        #expect(try context.values("Item", "label") == ["given", "given", "given"])
        #expect(try context.all("Item").count == 3)
        let report = try #require(context.persistentStoreCoordinator?.persistentStores.first?.migrationReport)
        #expect(report.steps.map(\.way) == [.objects])
        #expect(report.rowsBefore == ["Item": 3] && report.rowsAfter == ["Item": 3])
        try shop.store.close(context)
    }

    /// Proves: G7
    @Test("a mapping model with another hash is passed over", arguments: files) func unfit(kind: StoreKind) throws {
        let shop = try Shop(kind)
        defer { shop.remove() }
        let mapping = try shop.mapping()
        mapping.entityMappings.first?.destinationEntityVersionHash = Data(repeating: 1, count: 32)
        try shop.write(mapping)
        let error = try shop.store.failure(shop.new, options: shop.options())
        #expect(error.code == NSMigrationMissingMappingModelError)
        #expect(error.userInfo["reason"] as? String == "Can't find mapping model for migration")
        let context = try shop.store.open(shop.new, options: shop.options(isInferring: true))
        #expect(try context.values("Item", "label") == [nil, nil, nil])
        try shop.store.close(context)
    }

    /// Proves: G65, G67
    @Test("the files of every moment of a migration by objects are the old store", arguments: files)
    func killed(kind: StoreKind) throws {
        let shop = try Shop(kind)
        defer { shop.remove() }
        try shop.migration(try shop.mapping(policy: "MomentPolicy")).run()
        let path = shop.store.folder.path
        let copies = moments.withLock { $0[path]?.copies } ?? []
        #expect(copies.count == 6)
        for copy in copies {
            let moment = MigratingStore(at: copy.appending(path: shop.store.url.lastPathComponent), kind)
            let context = try moment.open(shop.old, options: nil)
            #expect(
                try context.all("Item").compactMap { $0.value(forKey: "name") as? String }.sorted()
                    == ["cup", "pan", "pot"])
            try moment.close(context)
            #expect(try moment.bytes().keys.sorted() == ["store.sqlite"])
        }
        let context = try shop.store.open(shop.new, options: nil)
        #expect(try context.values("Item", "label") == ["given", "given", "given"])
        try shop.store.close(context)
    }

    /// Proves: G65, G71
    @Test("a migration by objects that fails at any moment leaves the old store", arguments: files)
    func failed(kind: StoreKind) throws {
        let shop = try Shop(kind)
        defer { shop.remove() }
        let path = shop.store.folder.path
        let before = try shop.store.bytes()
        for call in 1...6 {
            moments.withLock { $0[path] = Moments(failing: call) }
            let migration = shop.migration(try shop.mapping(policy: "MomentPolicy"))
            var failure: NSError?
            do { try migration.run() } catch { failure = error as NSError }
            let copies = moments.withLock { $0[path]?.copies } ?? []
            for copy in copies { try FileManager.default.removeItem(at: copy) }
            #expect(failure?.code == NSMigrationError && copies.count == call - 1)
            #expect(try shop.store.bytes().keys == before.keys)
        }
        let context = try shop.store.open(shop.old, options: nil)
        #expect(try context.all("Item").count == 3)
        try shop.store.close(context)
    }
}
