// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Migrates a store of another version while it is added: finds source model and route, and goes it step by step.

import Foundation

/// Documentation/Internals/Migration.md has the states and invariants.
struct SchemaMigration {
    var store: StoreLocation
    /// The configuration with the entities of the store; nil for all entities.
    let configuration: String?
    let model: NSManagedObjectModel
    let target: MigrationTarget

    private var url: URL { store.shown }
    private var options: [AnyHashable: Any]? { store.options }
    private var progress: Progress? { options?[MigrationOption.progress] as? Progress }

    /// - Returns: nil if another opener has migrated the store.
    /// - Throws: 134120 for a cancelled one, 134130 without a source model, 134140 without a mapping, 134110 for a
    ///   migration that failed, 134090 for a store in use, 640 for a disk with too little room. The store is then as
    ///   before the step that failed (Migration-M6).
    func run(metadata: [String: Any]) throws -> MigrationReport? {
        let clock = ContinuousClock()
        let begin = clock.now
        var report: MigrationReport?
        var metadata = metadata
        while NSManagedObjectModel.versionHashes(inStoreMetadata: metadata) != target.hashes {
            let steps: [any MigrationStep]
            do {
                steps = try prepared(metadata: metadata)
            } catch {
                // Another opener may have migrated the store after its metadata were read and before its model was.
                let hashes = NSManagedObjectModel.versionHashes(inStoreMetadata: metadata)
                guard let present = try newer(than: hashes) else { throw error }
                metadata = present
                continue
            }
            var isComplete = true
            for step in steps {
                let part = progress?.part(of: steps.count)
                let original = report == nil ? KeptOriginal(of: store, checksum: step.versions.checksums[0]) : nil
                guard let done = try run(step, original, part) else {
                    isComplete = false
                    break
                }
                report = report.map { $0.followed(by: done, step.versions.pairing) } ?? done
                if steps.count > 1 { part?.finish() }
            }
            if isComplete { break }
            // Another opener has come first, and may have stopped between two steps.
            metadata = try store.metadata()
        }
        if report != nil { progress?.finish() }
        return report?.lasting(clock.now - begin)
    }

    /// - Returns: nil if another opener has migrated the store, even by another route.
    func run(
        _ step: any MigrationStep, _ original: KeptOriginal?, _ progress: Progress?
    ) throws -> MigrationReport? {
        do {
            return try step.run(original, progress)
        } catch {
            guard progress?.isCancelled != true, try newer(than: step.versions.hashes) != nil else { throw error }
            return nil
        }
    }

    /// The metadata in the file if its version has changed; nil otherwise.
    private func newer(than hashes: [String: Data]?) throws -> [String: Any]? {
        let present = try store.metadata()
        return NSManagedObjectModel.versionHashes(inStoreMetadata: present) == hashes ? nil : present
    }

    // MARK: The route

    /// The parts of the migration in order, prepared without reading rows.
    func prepared(metadata: [String: Any]) throws -> [any MigrationStep] {
        if StoreFlag.isSet(NSReadOnlyPersistentStoreOption, in: options) {
            throw CoreDataError.migrationFailed(url, cause: CoreDataError.readOnlyStore(url))
        }
        let hashes = NSManagedObjectModel.versionHashes(inStoreMetadata: metadata) ?? [:]
        guard let source = try SourceModels(hashes: hashes, store: store).find() else {
            throw CoreDataError.missingSourceModel(url, metadata: metadata)
        }
        try check(source)
        let route = try route(
            from: SchemaVersion(model: source, entities: source.entities.filter { hashes[$0.name ?? ""] != nil }))
        var steps: [any MigrationStep] = []
        for leg in route.legs {
            let isLast = steps.count + 1 == route.legs.count
            let (model, target) = isLast ? (self.model, self.target) : try intermediate(leg)
            guard
                let versions = StepVersions(leg, from: steps.last?.versions.target.hashes ?? hashes, to: model, target)
            else { throw CoreDataError.missingSourceModel(url, metadata: metadata) }
            if leg.way == .statements, let database = store.database {
                steps.append(StatementsStep(versions, of: store, database))
            } else {
                steps.append(ObjectsStep(versions, objects(versions, to: model)))
            }
        }
        return steps
    }

    private func objects(_ versions: StepVersions, to model: NSManagedObjectModel) -> ObjectMigration {
        // An intermediate version may lack the configuration; it is migrated whole then.
        let isWhole = model !== self.model && model.entities(forConfigurationName: configuration) == nil
        return ObjectMigration(
            store: store, configuration: isWhole ? nil : configuration, source: versions.source, destination: model,
            mapping: versions.mapping, quarantines: StoreFlag.isSet(MigrationOption.quarantine, in: options))
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
        let refusal: LossyWay?
        do {
            if let route = try MigrationRoute(graph, usesStatements: store.database != nil) { return route }
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
