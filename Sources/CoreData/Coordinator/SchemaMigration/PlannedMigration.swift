// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads a store for a plan: script, counts of concerned rows, costs.

import Foundation

/// The inputs of a plan, kept for its run.
struct PlannedMigration: @unchecked Sendable {  // models are frozen, and options are not changed
    private let schema: SchemaMigration
    private let url: URL

    struct Contents {
        let step: MigrationPlan.Step
        let warnings: [MigrationPlan.Warning]
        let costs: [MigrationPlan.TableCost]
        let bytesNeeded: Int64
    }

    init(
        _ url: URL, _ type: String, _ configuration: String?, _ model: NSManagedObjectModel,
        _ options: [AnyHashable: Any]?
    ) throws {
        let layout = try model.compiledLayout()
        guard let entities = model.entities(forConfigurationName: configuration) else {
            throw CoreDataError.cannotOpenStore(
                url: url, reason: "The model has no configuration '\(configuration ?? "")'.")
        }
        var options = options ?? [:]
        options[NSInferMappingModelAutomaticallyOption] = true
        schema = SchemaMigration(
            url: url, type: type, configuration: configuration, model: model,
            target: MigrationTarget(layout: layout, entities: entities),
            options: options)
        self.url = url
    }

    private func metadata() throws -> [String: Any] {
        if schema.type == NSSQLiteStoreType, StoreFlag.isSet(storeLeavesNoTraceOption, in: schema.options) {
            return try SQLiteStoreFile(url: url, leavesNoTrace: true).metadata()
        }
        return try StoreRegistry.storeClass(schema.type).metadataForPersistentStore(with: url)
    }

    /// nil if the store has the version already.
    func contents() throws -> Contents? {
        let metadata = try metadata()
        guard NSManagedObjectModel.versionHashes(inStoreMetadata: metadata) != schema.target.hashes else { return nil }
        guard case .statements(let migration) = try schema.prepared(metadata: metadata) else {
            throw CoreDataError.migration(
                .migration, "A plan of a migration by objects is not supported. Opening the store migrates it.",
                url: url)
        }
        do {
            let survey = try migration.survey()
            return Contents(
                step: MigrationPlan.Step(
                    sourceChecksum: VersionDigestValue.checksum(metadata), destinationChecksum: schema.target.checksum,
                    way: .statements, statements: survey.statements),
                warnings: survey.findings.compactMap(Self.warning),
                costs: survey.costs.map {
                    MigrationPlan.TableCost(
                        table: $0.table, rows: Int($0.rows), bytes: $0.bytes, isRebuilt: $0.isRebuilt)
                },
                bytesNeeded: survey.bytesNeeded)
        } catch {
            throw MigrationFailure(url: url).translated(error)
        }
    }

    func run(expecting steps: [MigrationPlan.Step]) throws -> MigrationReport {
        let metadata = try metadata()
        let stored = NSManagedObjectModel.versionHashes(inStoreMetadata: metadata) ?? [:]
        guard let step = steps.first, let contents = try contents(),
            contents.step.sourceChecksum == step.sourceChecksum, contents.step.statements == step.statements,
            let report = try schema.run(metadata: metadata)
        else {
            throw CoreDataError.incompatibleModel(
                storeHashes: stored, modelHashes: schema.target.hashes, url: url, metadata: metadata)
        }
        return report
    }

    private static func warning(_ finding: ScriptFinding) -> MigrationPlan.Warning? {
        guard let kind = MigrationPlan.Warning.Kind(rawValue: finding.kind) else { return nil }
        return MigrationPlan.Warning(
            kind: kind, entity: finding.entity, property: finding.property, rows: Int(finding.rows), text: finding.text)
    }
}
