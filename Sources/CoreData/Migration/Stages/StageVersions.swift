// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the models of all versions on the route through the stages, before the first stage changes the store.

import Foundation

/// The model of a version is the coordinator's, a stage's, one of `MigrationOption.versions`, or one of a bundle, in
/// this order. For the version of the store, its copy of the model is the last choice. A version without a model is
/// never skipped: the values that its mappings rename would be lost.
struct StageVersions {
    /// The version of the store.
    let start: NSManagedObjectModel
    private let models: [String: NSManagedObjectModel]
    private let url: URL

    /// - Parameters:
    ///   - start: the checksum of the store.
    ///   - cached: reads the copy of the model in the store; nil if it has none.
    /// - Throws: 134130 with the checksum of a version that is not found; 134504 for a stage without a known model.
    init(
        _ route: StageRoute, of migration: StagedMigration, start checksum: String,
        cached: () throws -> NSManagedObjectModel?
    ) throws {
        url = migration.store.shown
        var wanted: Set<String> = [checksum]
        var references: [NSManagedObjectModelReference] = []
        for step in route.steps {
            switch step {
            case .lightweight(let checksum): wanted.insert(checksum)
            case .custom(let stage): references += [stage.currentModel, stage.nextModel]
            }
        }
        for reference in references { _ = try reference.resolve() }
        var models: [String: NSManagedObjectModel] = [:]
        func take(_ found: [NSManagedObjectModel]) {
            for model in found where wanted.contains(model.versionChecksum) && models[model.versionChecksum] == nil {
                models[model.versionChecksum] = model
            }
        }
        take([migration.model])
        let named = migration.manager.stages.compactMap { $0 as? NSCustomMigrationStage }
            .flatMap { [$0.currentModel, $0.nextModel] }.filter { wanted.contains($0.versionChecksum) }
        take(named.compactMap { try? $0.resolve() })
        take(migration.store.options?[MigrationOption.versions] as? [NSManagedObjectModel] ?? [])
        let missing = wanted.subtracting(models.keys)
        if !missing.isEmpty { take(Array(ModelSearch.versions(in: nil, checksums: missing).values)) }
        self.models = models
        guard let start = try models[checksum] ?? cached() else {
            throw CoreDataError.migration(.migrationMissingSourceModel, Self.reason("source store", checksum), url: url)
        }
        self.start = start
        for checksum in wanted.subtracting([checksum]).sorted() { _ = try model(checksum) }
    }

    /// - Throws: 134130 for a version that is not found.
    func model(_ checksum: String) throws -> NSManagedObjectModel {
        guard let model = models[checksum] else {
            throw CoreDataError.migration(.migrationMissingSourceModel, Self.reason("a stage", checksum), url: url)
        }
        return model
    }

    private static func reason(_ owner: String, _ checksum: String) -> String {
        "Can't find model for \(owner): neither the coordinator, nor the stages, nor MigrationOption.versions, nor a "
            + "bundle has the version checksum \(checksum)"
    }
}
