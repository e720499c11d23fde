// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads a store for a plan: script, counts of affected rows, costs.

import Foundation

/// The inputs of a plan, kept for its run.
struct PlannedMigration: @unchecked Sendable {  // models are frozen, and options are not changed
    private let schema: SchemaMigration
    private var url: URL { schema.store.url }

    struct Contents {
        let steps: [MigrationPlan.Step]
        let countedSteps: Int
        let warnings: [MigrationPlan.Warning]
        let costs: [MigrationPlan.TableCost]
        let bytesNeeded: Int64
    }

    init(
        _ url: URL, _ type: String, _ configuration: String?, _ model: NSManagedObjectModel,
        _ options: [AnyHashable: Any]?
    ) throws {
        let layout = try model.compiledLayout()
        guard let entities = model.entitiesOfStore(configuration: configuration) else {
            throw CoreDataError.cannotOpenStore(
                url: url, reason: "The model has no configuration '\(configuration ?? "")'.")
        }
        var options = options ?? [:]
        options[NSInferMappingModelAutomaticallyOption] = true
        schema = SchemaMigration(
            store: StoreLocation(url: url, type: type, options: options), configuration: configuration, model: model,
            target: MigrationTarget(layout: layout, entities: entities))
    }

    /// nil if the store already has the version. If another opener migrates the store during the read, the result is
    /// for its new version: not an error, and not a plan that mixes both.
    ///
    /// - Parameter known: the metadata that were read last; nil to read them.
    func contents(knowing known: [String: Any]? = nil) throws -> Contents? {
        var metadata = try known ?? schema.store.metadata()
        while true {
            let found = Result { try contents(of: metadata) }
            let present = try schema.store.metadata()
            let versions = [metadata, present].map(NSManagedObjectModel.versionHashes(inStoreMetadata:))
            if versions[0] == versions[1] { return try found.get() }
            metadata = present
        }
    }

    private func contents(of metadata: [String: Any]) throws -> Contents? {
        guard NSManagedObjectModel.versionHashes(inStoreMetadata: metadata) != schema.target.hashes else { return nil }
        let parts = try schema.prepared(metadata: metadata)
        guard let first = parts.first else { return nil }
        var survey = try first.survey()
        var steps = first.steps(survey.statements)
        var countedSteps = steps.count
        for (number, part) in parts.enumerated().dropFirst() {
            let script = try part.script()
            steps += part.steps(script?.statements.map(\.text) ?? [])
            // The rows that a mapping model creates are known only after its migration.
            if parts[..<number].contains(where: { $0.versions.mapping != nil }) { continue }
            survey.add(try forecast(parts[...number], script))
            countedSteps = steps.count
        }
        return Contents(
            steps: steps, countedSteps: countedSteps, warnings: survey.findings.compactMap(Self.warning),
            costs: survey.costs.map {
                MigrationPlan.TableCost(
                    table: $0.table, rows: Int($0.rows), bytes: $0.bytes, isRebuilt: $0.isRebuilt)
            },
            bytesNeeded: survey.bytesNeeded + original)
    }

    /// The losses, refusals and writes of the last of some steps. Its rows are those of the store, under the names that
    /// inferred mappings give them on the way. Migration-M9.
    private func forecast(
        _ parts: ArraySlice<any MigrationStep>, _ script: MigrationScript?
    ) throws -> MigrationSurvey {
        let versions = parts.map(\.versions)
        guard let first = versions.first?.models.first?.copy() as? NSManagedObjectModel, let last = versions.last,
            let destination = last.models.last
        else {
            return MigrationSurvey(statements: [], findings: [], costs: [], bytesNeeded: 0)
        }
        let migration = ObjectMigration(
            store: schema.store,
            configuration: destination.entities(forConfigurationName: schema.configuration) == nil
                ? nil : schema.configuration,
            source: first, destination: destination, mapping: last.mapping)
        var survey = try migration.survey(
            through: ForecastVersions(
                before: versions.dropLast().flatMap { $0.models.dropFirst() },
                between: Array(last.models.dropFirst().dropLast())))
        if let script { survey.costs = script.costs(survey.costs) }
        return survey
    }

    /// The bytes of the copy that is kept next to the store.
    private var original: Int64 {
        guard StoreFlag.isSet(MigrationOption.keepsOriginal, in: schema.store.options) else { return 0 }
        return Int64(StoreFiles.size(url.resolvingSymlinksInPath()))
    }

    func run(expecting steps: [MigrationPlan.Step], _ progress: Progress?) throws -> MigrationReport {
        var schema = schema
        if let progress { schema.store.options?[MigrationOption.progress] = progress }
        let metadata = try schema.store.metadata()
        let stored = NSManagedObjectModel.versionHashes(inStoreMetadata: metadata) ?? [:]
        guard let contents = try contents(), contents.steps == steps, let report = try schema.run(metadata: metadata)
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
