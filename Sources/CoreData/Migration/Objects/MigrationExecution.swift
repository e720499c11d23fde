// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A migration by objects from beginning to end: checks, opens both stores, works, and puts the result in place.

import Foundation

/// # States
///     checked ──open──▶ both ends open ──pass──▶ result complete ──close──▶ result in place
///        │                   │                        │
///        └─────── any failure, any cancellation ──────┴──▶ the result is removed, the destination is unchanged
/// Migration-M32 to M35.
struct MigrationExecution {
    private let manager: NSMigrationManager
    private let source: StoreLocation
    private let destination: StoreLocation

    init(_ manager: NSMigrationManager, source: StoreLocation, destination: StoreLocation) {
        self.manager = manager
        self.source = source
        self.destination = destination
    }

    func run(_ mappings: NSMappingModel?) throws {
        precondition(manager.state.session == nil, "The manager migrates a store already: use another manager.")
        manager.state.reset()
        manager.state.cancellation.begin()
        let result = Result { try migrate(mappings) }
        manager.state.currentMapping = nil
        manager.state.progress.set(0)
        let cancellation = manager.state.cancellation.end()
        do {
            try result.get()
        } catch {
            if let cancellation { throw cancellation }
            throw CoreDataError.failedMigration(error, from: source.shown, to: destination.shown)
        }
    }

    private func migrate(_ mappings: NSMappingModel?) throws {
        let model = try MappingCheck(source: manager.sourceModel, destination: manager.destinationModel).check(mappings)
        manager.state.mappingModel = model
        let old = try openSource()
        defer { try? old.close() }  // it was only read
        while try !pass(old, model) { try manager.state.emptyDestination() }
    }

    /// - Returns: false if objects have to be left out, so that another pass is needed (Migration-M60).
    private func pass(_ old: MigrationEndpoint, _ model: NSMappingModel) throws -> Bool {
        let result = try MigrationResult(destination, apartFrom: source.url)
        do {
            try work(old, result, model)
            if manager.state.quarantine?.endPass() == true {
                result.discard()
                old.context.reset()
                return false
            }
            try manager.state.cancellation.check()
            try result.putInPlace()
            return true
        } catch {
            result.discard()
            throw error
        }
    }

    private func work(_ old: MigrationEndpoint, _ result: MigrationResult, _ model: NSMappingModel) throws {
        let new = try result.open(manager.destinationModel, nullifies: manager.state.quarantine != nil)
        let session = MigrationSession(source: old, destination: new, manager, model)
        manager.state.session = session
        defer { manager.state.session = nil }
        do {
            if let shown = manager.state.shown {
                shown.totalUnitCount = Int64(max(try MigratedRows.counts(old).values.reduce(0, +), 1))
                shown.completedUnitCount = 0
            }
            try MigrationPass(manager, session, model).run()
            try new.makeIndexes(session.checkCancellation)
            manager.state.partners = session.partners(of: manager.state.followed)
            if manager.state.countsRows { manager.state.rows = try MigratedRows(old, new) }
            manager.state.progress.set(1)
        } catch {
            try? new.close()  // the first error is the relevant one
            throw error
        }
        try new.close()
    }

    private func openSource() throws -> MigrationEndpoint {
        do {
            let storeClass = try StoreRegistry.storeClass(source.type)
            if storeClass.addressing == .file, !StoreFiles.exists(source.url) {
                throw CoreDataError.cannotOpenStore(
                    url: source.url, .noSuchFile, reason: "The file, or the folder it should be in, is not there.")
            }
            guard storeClass.addressing != .none else {
                throw CoreDataError.cannotOpenStore(url: source.url, reason: "A store in memory has no file.")
            }
            return try MigrationEndpoint(manager.sourceModel, source, readOnly: true)
        } catch {
            throw CoreDataError.unusable(
                .migrationManagerSourceStore, source.shown, "It cannot be read with the source model.",
                underlying: error)
        }
    }
}
