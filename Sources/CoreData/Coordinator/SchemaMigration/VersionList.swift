// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The versions in the options that lie between a store and its destination.

import Foundation

/// The list of `MigrationOption.versions`, in its order.
struct VersionList {
    private let versions: [SchemaVersion]

    /// - Parameter configuration: the one of the store; a version without it counts whole.
    init(_ options: [AnyHashable: Any]?, configuration: String?) {
        let given = options?[MigrationOption.versions] as? [NSManagedObjectModel] ?? []
        versions = given.map { model in
            SchemaVersion(
                model: model, entities: model.entities(forConfigurationName: configuration) ?? model.entities)
        }
    }

    /// The versions after that of the store and before the wanted one. A store of a later version than the wanted one
    /// passes them backwards; a version that is not in the list lies before its first or behind its last one.
    func between(_ source: SchemaVersion, _ destination: SchemaVersion) -> [SchemaVersion] {
        let all = versions.map(\.hashes)
        let start = all.firstIndex(of: source.hashes) ?? -1
        let end = all.firstIndex(of: destination.hashes) ?? all.count
        let between =
            start < end ? Array(versions[(start + 1)..<end]) : versions[(end + 1)..<max(start, end + 1)].reversed()
        var seen = [source.hashes, destination.hashes]
        return between.filter { version in
            let hashes = version.hashes
            guard !seen.contains(hashes) else { return false }
            seen.append(hashes)
            return true
        }
    }
}
