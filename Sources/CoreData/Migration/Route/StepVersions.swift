// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The versions of a step: those before and after it, and those between.

import Foundation

struct StepVersions {
    /// A copy of the first version.
    let source: NSManagedObjectModel
    let target: MigrationTarget
    /// Of the first version with the last.
    let pairing: ModelPairing
    let models: [NSManagedObjectModel]
    /// nil for an inferred mapping model.
    let mapping: NSMappingModel?
    let checksums: [String]
    /// The hashes that the store has before the step.
    let hashes: [String: Data]

    /// - Parameters:
    ///   - hashes: those of the store before.
    ///   - model: the version after the step, of which the target has the entities of the store.
    /// - Returns: nil for a first version that cannot be copied.
    init?(
        _ leg: MigrationRoute.Leg, from hashes: [String: Data], to model: NSManagedObjectModel,
        _ target: MigrationTarget
    ) {
        guard let source = leg.versions[0].model.copy() as? NSManagedObjectModel else { return nil }
        (self.source, self.hashes, self.target) = (source, hashes, target)
        (pairing, mapping) = (leg.pairing, leg.mapping)
        models = leg.versions.dropLast().map(\.model) + [model]
        checksums =
            [VersionDigestValue.checksum(hashes)]
            + leg.versions.dropFirst().dropLast().map { VersionDigestValue.checksum($0.hashes) } + [target.checksum]
    }
}
