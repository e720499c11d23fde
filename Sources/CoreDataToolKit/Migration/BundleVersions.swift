// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the versions in the bundle of a model by their version hashes, and reads no others.

import CoreData
import CoreDataModelFiles
import Foundation

/// A compiled bundle lists the hashes of its versions in `VersionInfo.plist`; sources have to be read. The names of
/// versions say nothing about their order: "Folio 2.7" may be newer than "Partner 5".
struct BundleVersions {
    private let bundle: ModelBundle

    init(_ bundle: ModelBundle) { self.bundle = bundle }

    /// The version with all entities of a store; nil for none.
    func writer(of hashes: [String: Data]) -> (name: String, model: NSManagedObjectModel)? {
        hashes.isEmpty ? nil : first { known in hashes.allSatisfy { known[$0.key] == $0.value } }
    }

    /// The version that may have all entities of a store: hashes of derived attributes differ between frameworks.
    func possibleWriter(of hashes: [String: Data]) -> (name: String, model: NSManagedObjectModel)? {
        for version in bundle.versions {
            guard let model = model(version) else { continue }
            if model.canDescribe(hashes) { return (version.name, model) }
        }
        return nil
    }

    /// The source version of a mapping model and its destination version, in this order, as far as the bundle has them.
    func ends(of mapping: NSMappingModel) -> [NSManagedObjectModel] {
        let before = mapping.entityMappings.map { ($0.sourceEntityName, $0.sourceEntityVersionHash) }
        let after = mapping.entityMappings.map { ($0.destinationEntityName, $0.destinationEntityVersionHash) }
        return [before, after].compactMap { end in
            let entities = end.compactMap { name, hash in name.map { ($0, hash) } }
            return entities.isEmpty ? nil : first { known in entities.allSatisfy { known[$0.0] == $0.1 } }?.model
        }
    }

    private func first(where fits: ([String: Data]) -> Bool) -> (name: String, model: NSManagedObjectModel)? {
        for version in bundle.versions {
            if !version.entityHashes.isEmpty, !fits(version.entityHashes) { continue }
            if let model = model(version), fits(model.entityVersionHashesByName) { return (version.name, model) }
        }
        return nil
    }

    /// nil for a file that cannot be read.
    private func model(_ version: ModelBundle.Version) -> NSManagedObjectModel? {
        (try? bundle.document(version: version.name)).map(MigrationTask.plain)
    }
}
