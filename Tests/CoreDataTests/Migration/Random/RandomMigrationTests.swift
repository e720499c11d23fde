// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Migrates stores of random models directly and through versions, and searches values that are lost without a warning.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// A failure names its seed: `OCD_MIGRATION_SEED=17 OCD_RANDOM_MIGRATIONS=1` repeats it. `Scripts/test-long` sets a
/// number that takes longer.
@Suite("Random migrations") struct RandomMigrationTests {
    private static let seeds: Range<UInt64> = {
        let environment = ProcessInfo.processInfo.environment
        let first = environment["OCD_MIGRATION_SEED"].flatMap { UInt64($0) } ?? 1
        return first..<(first + (environment["OCD_RANDOM_MIGRATIONS"].flatMap { UInt64($0) } ?? 25))
    }()

    private struct Scene {
        let versions: [RandomVersion]
        let store: MigratingStore
        let before: RandomContents

        init(_ edits: RandomEdits, _ model: NSManagedObjectModel, _ kind: StoreKind = .sqlite) throws {
            versions = edits.versions
            let first = edits.versions[0]
            var generator = edits.generator
            store = try MigratingStore(model, in: kind) { RandomContents.fill($0, first, &generator) }
            before = try Self.contents(store, model, first, nil)
        }

        /// The objects after an opening with a version.
        static func contents(
            _ store: MigratingStore, _ model: NSManagedObjectModel, _ version: RandomVersion,
            _ options: [AnyHashable: Any]?
        ) throws -> RandomContents {
            let context = try store.open(model, options: options)
            let contents = try RandomContents(context, version)
            try store.close(context)
            return contents
        }

        func migrated(_ model: NSManagedObjectModel, _ options: [AnyHashable: Any]) throws -> RandomContents {
            try Self.contents(
                store, model, versions[versions.count - 1], MigratingStore.migrating.merging(options) { $1 })
        }

        func plan(_ model: NSManagedObjectModel) throws -> MigrationPlan {
            try MigrationPlan(
                forStoreAt: store.url, type: NSPersistentStore.StoreType(rawValue: store.kind.type), to: model,
                options: MigratingStore.migrating)
        }
    }

    private static func isInferable(_ old: NSManagedObjectModel, _ new: NSManagedObjectModel) -> Bool {
        (try? NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)) != nil
    }

    // MARK: A direct step

    /// Proves: G16, G17, G35, G63
    @Test("a direct step keeps what it can, by statements as by objects, and a plan says the rest") func direct() throws
    {
        var migrated = 0
        for seed in Self.seeds {
            let edits = RandomEdits(seed: seed, count: 2, edits: 5)
            let old = edits.versions[0].model()
            let new = edits.versions[1].model(after: edits.versions[0])
            if old.entityVersionHashesByName == new.entityVersionHashesByName { continue }
            let scene = try Scene(edits, old)
            guard Self.isInferable(old, new) else {
                #expect(try scene.store.failure(new).code == NSMigrationMissingMappingModelError, "seed \(seed)")
                continue
            }
            migrated += 1
            let plan = try scene.plan(new)
            let after = try scene.migrated(new, [:])
            let pairing = RandomPairing(old: old, new: new)
            #expect(pairing.differences(scene.before, after, isExact: true) == [], "seed \(seed)")
            #expect(try scene.store.differences(from: new) == [], "seed \(seed)")
            #expect(Self.unannounced(plan, pairing, scene.before, after) == [], "seed \(seed)")
            let other = try Self.byObjects(edits, old, new)
            #expect(other.without(pairing.choices) == after.without(pairing.choices), "seed \(seed)")
        }
        #expect(migrated > 0 || Self.seeds.count == 1)
    }

    private static func byObjects(
        _ edits: RandomEdits, _ old: NSManagedObjectModel, _ new: NSManagedObjectModel
    ) throws -> RandomContents {
        let scene = try Scene(edits, old)
        try ObjectMigration(
            store: StoreLocation(url: scene.store.url, type: NSSQLiteStoreType, options: nil), configuration: nil,
            source: old,
            destination: new, mapping: nil
        ).run()
        return try Scene.contents(scene.store, new, edits.versions[1], nil)
    }

    /// The losses that a plan omits, and those that it lists wrongly.
    private static func unannounced(
        _ plan: MigrationPlan, _ pairing: RandomPairing, _ before: RandomContents, _ after: RandomContents
    ) -> [String] {
        let (values, links) = pairing.losses(before, after)
        let relationships = Set((pairing.old.entities + pairing.new.entities).flatMap(\.relationshipsByName.keys))
        let (aboutLinks, others) = (
            plan.warnings.filter { relationships.contains($0.property ?? "") },
            plan.warnings.filter { !relationships.contains($0.property ?? "") }
        )
        let said = Set(others.map { "\($0.entity).\($0.property ?? "") \($0.rows)" })
        let named = Set(aboutLinks.compactMap(\.property))
        return values.subtracting(said).map { "unsaid: \($0)" } + said.subtracting(values).map { "wrongly said: \($0)" }
            + links.filter { named.isDisjoint(with: $0) }.map { "unsaid: \($0.sorted())" }
    }

    // MARK: Through versions

    /// Proves: G16, G71, G73, G94
    @Test("no way through versions loses what a direct step keeps", arguments: [StoreKind.sqlite, .xml])
    func chains(kind: StoreKind) throws {
        for seed in Self.seeds {
            let edits = RandomEdits(seed: seed &+ 1_000_000, count: 4, edits: 3)
            let isStepwise = seed % 2 == 0
            let models = edits.versions.enumerated().map { number, version in
                version.model(after: number == 0 ? nil : edits.versions[isStepwise ? number - 1 : 0])
            }
            let (old, new) = (models[0], models[3])
            if old.entityVersionHashesByName == new.entityVersionHashesByName { continue }
            let scene = try Scene(edits, old, kind)
            let isInferable = Self.isInferable(old, new)
            let pairing = RandomPairing(old: old, new: new)
            do {
                let after = try scene.migrated(new, [MigrationOption.versions: models])
                #expect(pairing.differences(scene.before, after, isExact: false) == [], "seed \(seed)")
            } catch let error as NSError where error.code == NSMigrationMissingMappingModelError {
                #expect(!isInferable, "seed \(seed): \(error.localizedDescription)")
                let same = try Scene.contents(scene.store, old, edits.versions[0], nil)
                #expect(same == scene.before, "seed \(seed)")
            }
        }
    }
}
