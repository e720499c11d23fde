// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Counts the rows of both stores of a migration by objects, and those that a plan forecasts.

import Foundation

extension NSMigrationManager: RowCounting {
    var countsRows: Bool {
        get { state.countsRows }
        set { state.countsRows = newValue }
    }

    var progress: Progress? {
        get { state.shown }
        set { state.shown = newValue }
    }

    var quarantine: ObjectQuarantine? {
        get { state.quarantine }
        set { state.quarantine = newValue }
    }

    var rows: MigratedRows { state.rows }

    var followed: Set<MigratedKey> {
        get { state.followed }
        set { state.followed = newValue }
    }

    var partners: [MigratedKey: MigratedKey] { state.partners }

    func writeQuarantine(of store: URL, type: String, to url: URL) throws {
        guard let quarantine = state.quarantine else { return }
        try StoreFiles.copy(store, to: url)
        let place = StoreLocation(url: url, type: type, options: nil)
        let copy = try MigrationEndpoint(sourceModel, place, readOnly: false, nullifies: true)
        do {
            copy.setValidates(false)
            for entity in copy.model.entities where entity.superentity == nil {
                let request = NSFetchRequest<NSManagedObject>()
                request.entity = entity
                for object in try copy.context.fetch(request) where !quarantine.leavesOut(object) {
                    copy.context.delete(object)
                }
            }
            try copy.context.save()
        } catch {
            try? copy.close()
            throw error
        }
        try copy.close()
        StoreFiles.sync(url)
    }

    func survey(
        _ url: URL, type: String, options: [AnyHashable: Any]?, through versions: ForecastVersions,
        mapping: NSMappingModel?
    ) throws -> MigrationSurvey {
        let place = StoreLocation(url: url, type: type, options: options)
        let source = try MigrationEndpoint(sourceModel, place, readOnly: true)
        let size = Int64(StoreFiles.size(url.resolvingSymlinksInPath()))
        let result = Result {
            try MigrationForecast(
                source, before: versions.before, versions.between + [destinationModel], mapping: mapping, size: size
            ).survey()
        }
        try source.close()
        return try result.get()
    }
}

extension MigrationState {
    /// Reports the share of the work: each source object counts twice, when it is converted and when it is linked.
    func report(_ share: Double) {
        progress.set(max(progress.value, Float(share)))
        guard let shown else { return }
        let done = Int64(share * Double(shown.totalUnitCount))
        if done > shown.completedUnitCount { shown.completedUnitCount = done }
    }
}

extension MigratedRows {
    /// - Throws: the error of a store.
    init(_ source: MigrationEndpoint, _ destination: MigrationEndpoint) throws {
        self.init(before: try Self.counts(source), after: try Self.counts(destination))
    }

    static func counts(_ end: MigrationEndpoint) throws -> [String: Int] {
        var result: [String: Int] = [:]
        for entity in end.model.entities where !entity.isAbstract {
            let request = NSFetchRequest<NSManagedObject>()
            request.entity = entity
            request.includesSubentities = false
            result[entity.name ?? ""] = try end.context.count(for: request)
        }
        return result
    }
}
