// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Migrates a store in a database through the stages: each is one transaction that replaces the store.

import Foundation

extension StagedMigration {
    /// Among several openers (threads or processes) one runs a stage. The others wait, and then find its version.
    func run(in storeClass: any MigratingInPlace.Type) throws {
        while let (start, metadata) = try start() {
            let route = try route(from: start)
            guard let step = route.steps.first else { return }
            let versions = try StageVersions(route, of: self, start: start) {
                try store.cachedModel()
            }
            let version = versions.start
            let hashes = NSManagedObjectModel.versionHashes(inStoreMetadata: metadata) ?? [:]
            switch step {
            case .lightweight(let checksum):
                // If another opener has migrated first, the next iteration finds its version.
                _ = try migration(from: version, to: versions.model(checksum)).run(in: storeClass, expecting: hashes)
            case .custom(let stage):
                let current = try stage.currentModel.resolve()
                if current.versionChecksum == version.versionChecksum {
                    try run(stage, storeClass, hashes)
                } else {
                    _ = try migration(from: version, to: current).run(in: storeClass, expecting: hashes)
                }
            }
        }
    }

    /// nil if there is no store, or if it has the coordinator's version.
    private func start() throws -> (String, [String: Any])? {
        do {
            let metadata = try store.metadata()
            return Self.checksum(metadata).flatMap { $0 == model.versionChecksum ? nil : ($0, metadata) }
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            return nil
        }
    }

    private func migration(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) -> ObjectMigration {
        migration(of: store, from: source, to: destination, progress)
    }

    /// The handlers work on copies within the database. The second copy replaces the store.
    private func run(
        _ stage: NSCustomMigrationStage, _ storeClass: any MigratingInPlace.Type, _ hashes: [String: Data]
    ) throws {
        let (current, next) = (try stage.currentModel.resolve(), try stage.nextModel.resolve())
        let replacement = StoreReplacement(
            place: store.url, options: store.options, source: current, destination: next, expected: hashes,
            fill: { old, new in
                let (copy, result) = (try new(0), try new(1))
                let metadata = try store.metadata()
                _ = try migration(from: current, to: current).fill(copy, from: old, metadata)
                try call(stage.willMigrateHandler, stage, location(copy), current)
                _ = try migration(from: current, to: next).fill(result, from: copy, metadata)
                try call(stage.didMigrateHandler, stage, location(result), next)
                return 1
            },
            amend: { ObjectMigration.keep($0, in: &$1) })
        _ = try storeClass.replace(replacement)
    }

    private func location(_ side: StoreReplacement.Side) -> StoreLocation {
        StoreLocation(url: side.place, type: store.type, options: side.options)
    }
}
