// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Migrates a store of another version while it is added: finds the source model and a route, and runs it leg by leg.

import Foundation

/// Documentation/Internals/SchemaMigration.md has the states and invariants.
struct SchemaMigration {
    /// The URL to show in errors.
    let url: URL
    /// The URL for opening the store, which may include a password.
    let place: URL
    let type: String
    /// The configuration with the entities of the store; nil for all entities.
    let configuration: String?
    let model: NSManagedObjectModel
    let target: MigrationTarget
    var options: [AnyHashable: Any]?

    init(
        url: URL, type: String, configuration: String?, model: NSManagedObjectModel, target: MigrationTarget,
        options: [AnyHashable: Any]?
    ) {
        self.url = Self.shown(url, type)
        (place, self.type, self.configuration) = (url, type, configuration)
        (self.model, self.target, self.options) = (model, target, options)
    }

    /// The class of a store that migrates itself; nil for other stores.
    static func inPlace(_ type: String) -> (any MigratingInPlace.Type)? {
        (try? StoreRegistry.storeClass(type)) as? any MigratingInPlace.Type
    }

    /// The URL to show in errors, without a password.
    static func shown(_ url: URL, _ type: String) -> URL { inPlace(type)?.shown(url) ?? url }

    private var progress: Progress? { options?[MigrationOption.progress] as? Progress }

    /// - Returns: nil if another opener has migrated the store meanwhile.
    /// - Throws: 134120 for a cancelled one, 134130 without a source model, 134140 without a mapping, 134110 for a
    ///   migration that failed, 134090 for a store in use, 640 for a disk with too little room. The store is then as
    ///   before the leg that failed (SchemaMigration-M14).
    func run(metadata: [String: Any]) throws -> MigrationReport? {
        let clock = ContinuousClock()
        let begin = clock.now
        var report: MigrationReport?
        var metadata = metadata
        while NSManagedObjectModel.versionHashes(inStoreMetadata: metadata) != target.hashes {
            let legs: [MigrationStep]
            do {
                legs = try prepared(metadata: metadata)
            } catch {
                // Another opener may have migrated the store after its metadata were read and before its model was.
                let hashes = NSManagedObjectModel.versionHashes(inStoreMetadata: metadata)
                guard let present = try newer(than: hashes) else { throw error }
                metadata = present
                continue
            }
            var isComplete = true
            for leg in legs {
                let part = progress?.part(of: legs.count)
                let original = report == nil ? KeptOriginal(of: url, type, checksum: leg.checksums[0], options) : nil
                guard let done = try run(leg, original, part) else {
                    isComplete = false
                    break
                }
                report = report.map { $0.followed(by: done, leg.pairing) } ?? done
                if legs.count > 1 { part?.finish() }
            }
            if isComplete { break }
            // Another opener has migrated first, perhaps only up to a point between two legs.
            metadata = try Self.metadata(of: place, type: type, options: options)
        }
        if report != nil { progress?.finish() }
        return report?.lasting(clock.now - begin)
    }

    /// The metadata in the file. Another opener may hold the lock during its whole migration.
    ///
    /// - Throws: 134090 after the timeout in the options.
    static func metadata(of url: URL, type: String, options: [AnyHashable: Any]?) throws -> [String: Any] {
        if let storeClass = inPlace(type) { return try storeClass.metadata(at: url, options: options) }
        guard type == NSSQLiteStoreType else {
            return try StoreRegistry.storeClass(type).metadataForPersistentStore(with: url)
        }
        let file = SQLiteStoreFile(url: url, leavesNoTrace: StoreFlag.isSet(storeLeavesNoTraceOption, in: options))
        return try file.metadata(timeout: SQLiteStoreOptions(options).timeout)
    }

    /// - Returns: nil if another opener has migrated the store, even by another route.
    func run(
        _ leg: MigrationStep, _ original: KeptOriginal?, _ progress: Progress?
    ) throws -> MigrationReport? {
        do {
            return try leg.run(original, progress)
        } catch {
            guard progress?.isCancelled != true, try newer(than: leg.hashes) != nil else { throw error }
            return nil
        }
    }

    /// The metadata in the file if its version has changed; nil otherwise.
    private func newer(than hashes: [String: Data]?) throws -> [String: Any]? {
        let present = try Self.metadata(of: place, type: type, options: options)
        return NSManagedObjectModel.versionHashes(inStoreMetadata: present) == hashes ? nil : present
    }

    // MARK: The route

    /// The parts of the migration in order, prepared without reading rows.
    func prepared(metadata: [String: Any]) throws -> [MigrationStep] {
        if StoreFlag.isSet(NSReadOnlyPersistentStoreOption, in: options) {
            throw CoreDataError.migrationFailed(url, cause: CoreDataError.readOnlyStore(url))
        }
        let hashes = NSManagedObjectModel.versionHashes(inStoreMetadata: metadata) ?? [:]
        guard let source = try SourceModels(hashes: hashes, type: type, url: place, options: options).find() else {
            throw CoreDataError.missingSourceModel(url, metadata: metadata)
        }
        try check(source)
        let route = try route(
            from: SchemaVersion(model: source, entities: source.entities.filter { hashes[$0.name ?? ""] != nil }))
        var legs: [MigrationStep] = []
        for leg in route.legs {
            let isLast = legs.count + 1 == route.legs.count
            legs.append(
                try MigrationStep(
                    leg, of: self, from: legs.last?.target.hashes ?? hashes,
                    to: isLast ? (model, target) : try intermediate(leg)))
        }
        return legs
    }

    /// - Throws: 134140 if there is no route.
    private func route(from source: SchemaVersion) throws -> MigrationRoute {
        let destination = SchemaVersion(model: model, entities: target.entities)
        let between = VersionList(options, configuration: configuration).between(source, destination)
        let infers = StoreFlag.isSet(NSInferMappingModelAutomaticallyOption, in: options)
        let bundled = BundledMappings(files: options?[storeMappingFilesOption] as? [URL] ?? [])
        let graph = VersionGraph(
            [source] + between + [destination], infers: infers,
            allowsLoss: StoreFlag.isSet(MigrationOption.allowsLoss, in: options)
        ) { from, to in
            bundled.mapping(from: from.model, to: to.model).flatMap { Self.limited($0, from, to) }
        }
        let usesStatements = type == NSSQLiteStoreType || Self.inPlace(type) != nil
        let refusal: LossyWay?
        do {
            if let route = try MigrationRoute(graph, usesStatements: usesStatements) { return route }
            refusal = nil
        } catch {
            refusal = error
        }
        let obstacle = infers ? ModelDifference(pairing: graph.pairing(0, between.count + 1)).obstacles.first : nil
        throw CoreDataError.missingMapping(
            url, source: source.model, destination: model, isInferring: infers, tried: between.map(\.name),
            refusal: refusal.map { ($0.lost, $0.versions) },
            underlying: obstacle.map { CoreDataError.notInferable($0.entity, $0.property, reason: $0.reason) })
    }

    /// A mapping model limited to the entities of the store; nil if no mapping remains.
    private static func limited(
        _ mapping: NSMappingModel, _ source: SchemaVersion, _ destination: SchemaVersion
    ) -> NSMappingModel? {
        let (old, new) = (source.hashes, destination.hashes)
        mapping.entityMappings = mapping.entityMappings.filter { mapping in
            (mapping.sourceEntityName.map { old[$0] != nil } ?? true)
                && (mapping.destinationEntityName.map { new[$0] != nil } ?? true)
        }
        return mapping.entityMappings.isEmpty ? nil : mapping
    }

    /// The version at the end of a leg that is not the last one. The caller's model is copied.
    private func intermediate(_ leg: MigrationRoute.Leg) throws -> (NSManagedObjectModel, MigrationTarget) {
        guard let model = leg.versions.last?.model.copy() as? NSManagedObjectModel else { return (model, target) }
        try check(model)
        let entities = model.entities(forConfigurationName: configuration) ?? model.entities
        return (model, MigrationTarget(layout: try model.compiledLayout(), entities: entities))
    }

    private func check(_ source: NSManagedObjectModel) throws {
        do {
            try source.check()
        } catch {
            throw CoreDataError.migrationFailed(url, cause: error as NSError)
        }
    }
}
