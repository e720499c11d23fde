// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One part of the route of a store to another version: a single migration, by statements or by objects.

import Foundation

/// Migration-M10: a failure or a kill leaves the version before or the version after a step.
protocol MigrationStep {
    var versions: StepVersions { get }
    var way: MigrationPlan.Way { get }

    /// Reads the store for a plan, if this is the first step.
    func survey() throws -> MigrationSurvey
    /// The script for a store that the step before makes; nil for a step without one.
    func script() throws -> MigrationScript?
    /// - Returns: nil if another opener has migrated the store.
    func run(_ original: KeptOriginal?, _ progress: Progress?) throws -> MigrationReport?
}

extension MigrationStep {
    /// One step for each pair of versions. The last one has the statements.
    func steps(_ statements: [String]) -> [MigrationPlan.Step] {
        let checksums = versions.checksums
        return zip(checksums, checksums.dropFirst()).enumerated().map { number, pair in
            MigrationPlan.Step(
                sourceChecksum: pair.0, destinationChecksum: pair.1, way: way,
                statements: number + 2 == checksums.count ? statements : [])
        }
    }

    /// Writes the step into the metadata of the store.
    func record(_ metadata: inout [String: Any], rows: Int64) {
        MigrationHistory.append(
            to: &metadata, from: versions.checksums.first ?? "", to: versions.checksums.last ?? "", way, rows: rows)
    }
}
