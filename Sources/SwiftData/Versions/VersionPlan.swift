// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Takes a store through the stages of a plan, on a copy next to the file. SwiftData-G2 and G3.

import CoreData
import Foundation

struct VersionPlan {
    private let plan: (any SchemaMigrationPlan.Type)?
    private let target: SchemaModel
    private let configuration: ModelConfiguration

    init(_ plan: (any SchemaMigrationPlan.Type)?, _ target: SchemaModel, _ configuration: ModelConfiguration) {
        self.plan = plan
        self.target = target
        self.configuration = configuration
    }

    /// Does nothing for a store of the target's version, and for one that needs no plan, which opening migrates.
    func migrate() throws {
        guard !(try missingSteps().isEmpty) else { return }
        if !configuration.allowsSave {
            throw ModelError(.loadIssueModelContainer, "the store is older, and read-only stores are not migrated")
        }
        let migrationLock = try MigrationLock(of: configuration.url, timeout: .seconds(60))
        try withExtendedLifetime(migrationLock) {
            let steps = try missingSteps()
            if !steps.isEmpty { try run(steps) }
        }
    }

    /// The stages that the store still needs; empty if it needs no plan.
    private func missingSteps() throws -> [MigrationStage] {
        guard let metadata = try NSPersistentStoreCoordinator.metadataOfSQLiteStore(at: configuration.url) else {
            return []
        }
        if fits(target.model, metadata) { return [] }
        try checkDirection(metadata)
        guard let plan else { return [] }
        let versions = try plan.schemas.map { try SchemaModel.of(Schema(versionedSchema: $0)) }
        // New instances use the classes of the target.
        _ = try SchemaModel.of(target.schema)
        guard let start = versions.firstIndex(where: { fits($0.model, metadata) }) else {
            try checkInference(versions, metadata)
            return []
        }
        return try steps(plan, from: start)
    }

    private func fits(_ model: NSManagedObjectModel, _ metadata: [String: Any]) -> Bool {
        model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
    }

    private func identifiers(_ metadata: [String: Any]) -> [Schema.Version] {
        (metadata[NSStoreModelVersionIdentifiersKey] as? [Any] ?? []).compactMap { value in
            let parts = "\(value)".split(separator: ".").compactMap { Int($0) }
            return parts.count == 3 ? Schema.Version(parts[0], parts[1], parts[2]) : nil
        }
    }

    private func checkDirection(_ metadata: [String: Any]) throws {
        guard let stored = identifiers(metadata).max(), stored > target.schema.version else { return }
        throw ModelError(
            .backwardMigration,
            "the store at \(configuration.url.path) has version \(stored), the schema \(target.schema.version)")
    }

    /// A store of a version that the plan lacks is migrated if that needs no code.
    private func checkInference(_ versions: [SchemaModel], _ metadata: [String: Any]) throws {
        do {
            let source = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: configuration.url)
            _ = try NSMappingModel.inferredMappingModel(
                forSourceModel: source, destinationModel: target.model)
        } catch {
            throw unknown(versions, metadata, "\((error as NSError).localizedDescription)")
        }
    }

    private func unknown(
        _ versions: [SchemaModel], _ metadata: [String: Any], _ reason: String
    ) -> ModelError {
        let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        let nearest = versions.map { version in
            let own = version.model.entityVersionHashesByName
            return (version, Set(own.keys).union(hashes.keys).filter { own[$0] != hashes[$0] }.sorted())
        }.min { $0.1.count < $1.1.count }
        let hint = nearest.map {
            "; the nearest is \($0.0.schema.version), which differs in \($0.1.joined(separator: ", "))"
        }
        return ModelError(
            .unknownSchema,
            "the store at \(configuration.url.path) is of no version of the plan\(hint ?? ""), and cannot be "
                + "migrated without one: \(reason)")
    }

    private func steps(_ plan: any SchemaMigrationPlan.Type, from start: Int) throws -> [MigrationStage] {
        var steps: [MigrationStage] = []
        var current = plan.schemas[start]
        while let stage = plan.stages.first(where: { $0.from == current }) {
            steps.append(stage)
            current = stage.to
            guard steps.count <= plan.stages.count else {
                throw ModelError(.loadIssueModelContainer, "the stages of \(plan) lead in a circle")
            }
        }
        return steps
    }

    // MARK: Stages

    /// Runs all stages on a copy, so that a stage that fails leaves the file as it was.
    private func run(_ steps: [MigrationStage]) throws {
        let manager = FileManager.default
        let url = configuration.url
        let parent = url.deletingLastPathComponent()
        let prefix = ".\(url.lastPathComponent).migration-"
        // Left by killed programs: the lock excludes every other migration.
        for name in try manager.contentsOfDirectory(atPath: parent.path) where name.hasPrefix(prefix) {
            try? manager.removeItem(at: parent.appending(path: name))
        }
        let folder = parent.appending(path: prefix + UUID().uuidString, directoryHint: .isDirectory)
        try manager.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? manager.removeItem(at: folder) }
        let place = folder.appending(path: url.lastPathComponent)
        let copy = try WorkingCopy(of: url, at: place, type: NSSQLiteStoreType, options: nil)
        for step in steps { try run(step, at: place) }
        try copy.putInPlace()
    }

    private func run(_ step: MigrationStage, at url: URL) throws {
        guard case .custom(let from, let to, let willMigrate, let didMigrate) = step else {
            _ = try container(step.to, url)
            return
        }
        if let willMigrate { try work(willMigrate, in: from, url) }
        if let didMigrate {
            try work(didMigrate, in: to, url)
        } else {
            _ = try container(to, url)
        }
    }

    private func work(
        _ body: (ModelContext) throws -> Void, in version: any VersionedSchema.Type, _ url: URL
    ) throws {
        let container = try container(version, url)
        let context = ModelContext(container)
        try body(context)
        if context.hasChanges { try context.save() }
    }

    private func container(_ version: any VersionedSchema.Type, _ url: URL) throws -> ModelContainer {
        try ModelContainer(
            for: Schema(versionedSchema: version), configurations: [ModelConfiguration("migration", url: url)])
    }
}
