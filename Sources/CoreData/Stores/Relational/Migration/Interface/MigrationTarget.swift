// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The destination of a migration: the entities of a store under the new version of its model.

import CoreDataModelFiles
import Foundation

/// The destination of a migration: the entities of a store under the new version of its model.
package struct MigrationTarget {
    package let layout: ModelLayout
    package let entities: [NSEntityDescription]
    /// Entities do not retain their model. nil without entities.
    package let model: NSManagedObjectModel?

    init(layout: ModelLayout, entities: [NSEntityDescription]) {
        self.layout = layout
        self.entities = entities
        model = entities.first?.managedObjectModel
    }

    var names: Set<String> { Set(entities.compactMap(\.name)) }

    package var hashes: [String: Data] {
        Dictionary(entities.map { ($0.name ?? "", $0.versionHash) }, uniquingKeysWith: { first, _ in first })
    }

    /// The checksum of the version.
    var checksum: String { VersionDigest.checksum(hashes) }
}
