// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads a store for a plan: script, counts of affected rows, costs.

import Foundation

/// The inputs of a plan, kept for its run.
struct PlannedMigration: @unchecked Sendable {  // models are frozen, and options are not changed
    private let schema: SchemaMigration
    private let url: URL

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
            url: url, type: type, configuration: configuration, model: model,
            target: MigrationTarget(layout: layout, entities: entities),
            options: options)
        self.url = url
    }

    private func metadata() throws -> [String: Any] {
        try SchemaMigration.metadata(of: url, type: schema.type, options: schema.options)
    }

    /// nil if the store already has the version. If another opener migrates the store during the read, the result is
    /// for its new version: not an error, and not a plan that mixes both.
    ///
    /// - Parameter known: the metadata that were read last; nil to read them.
    func contents(knowing known: [String: Any]? = nil) throws -> Contents? {
        var metadata = try known ?? metadata()
        while true {
            let found = Result { try contents(of: metadata) }
            let present = try self.metadata()
            let versions = [metadata, present].map(NSManagedObjectModel.versionHashes(inStoreMetadata:))
            if versions[0] == versions[1] { return try found.get() }
            metadata = present
        }
    }

    private func contents(of metadata: [String: Any]) throws -> Contents? {
        guard NSManagedObjectModel.versionHashes(inStoreMetadata: metadata) != schema.target.hashes else { return nil }
        let legs = try schema.prepared(metadata: metadata)
        guard let first = legs.first else { return nil }
        var survey = try survey(first)
        var steps = first.steps(survey.statements)
        // A store that migrates itself counts its rows during the migration.
        var countedSteps = if case .inPlace = first.way { 0 } else { steps.count }
        for (number, leg) in legs.enumerated().dropFirst() {
            let script = try script(leg)
            steps += leg.steps(script?.statements ?? [])
            // The rows that a mapping model creates are known only after its migration.
            switch leg.way {
            case .inPlace, .replacing: continue
            case .statements, .objects: break
            }
            if legs[..<number].contains(where: { $0.mapping != nil }) { continue }
            survey.add(try forecast(legs[...number], script))
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

    private func survey(_ leg: MigrationStep) throws -> MigrationSurvey {
        switch leg.way {
        case .statements(let migration):
            do {
                return try migration.survey()
            } catch {
                throw MigrationFailure(url: url).translated(error)
            }
        case .inPlace(let migration, let storeClass):
            do {
                let statements = try storeClass.statements(of: migration)
                return MigrationSurvey(statements: statements, findings: [], costs: [], bytesNeeded: 0)
            } catch {
                throw MigrationFailure(url: url).translated(error)
            }
        case .objects(let migration), .replacing(let migration, _): return try migration.survey()
        }
    }

    /// The script of a leg that starts with the file of the previous leg; nil for a leg by objects.
    private func script(_ leg: MigrationStep) throws -> SQLiteMigration.Prepared? {
        guard case .statements(let migration) = leg.way else { return nil }
        do {
            return try migration.preparedForNewStore()
        } catch {
            throw MigrationFailure(url: url).translated(error)
        }
    }

    /// The losses, refusals and writes of the last of several legs. Counts the rows of the store, under the names that
    /// inferred mappings give them on the route. SchemaMigration-M22.
    private func forecast(
        _ legs: ArraySlice<MigrationStep>, _ script: SQLiteMigration.Prepared?
    ) throws -> MigrationSurvey {
        guard let first = legs.first?.models.first?.copy() as? NSManagedObjectModel, let last = legs.last,
            let destination = last.models.last
        else {
            return MigrationSurvey(statements: [], findings: [], costs: [], bytesNeeded: 0)
        }
        let migration = ObjectMigration(
            url: url, type: schema.type,
            configuration: destination.entities(forConfigurationName: schema.configuration) == nil
                ? nil : schema.configuration,
            options: schema.options, source: first, destination: destination, mapping: last.mapping)
        var survey = try migration.survey(
            through: ForecastVersions(
                before: legs.dropLast().flatMap { $0.models.dropFirst() },
                between: Array(last.models.dropFirst().dropLast())))
        if let script { survey.costs = script.script.costs(survey.costs) }
        return survey
    }

    /// The bytes of the copy that is kept next to the store.
    private var original: Int64 {
        guard StoreFlag.isSet(MigrationOption.keepsOriginal, in: schema.options) else { return 0 }
        return Int64(StoreFiles.size(url.resolvingSymlinksInPath()))
    }

    func run(expecting steps: [MigrationPlan.Step], _ progress: Progress?) throws -> MigrationReport {
        var schema = schema
        if let progress { schema.options?[MigrationOption.progress] = progress }
        let metadata = try metadata()
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
