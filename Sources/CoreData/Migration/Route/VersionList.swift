// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The versions in the options that lie between a store and its destination.

import Foundation

/// The list of `MigrationOption.versions`, in its order.
struct VersionList {
    private let versions: [SchemaVersion]

    /// - Parameter configuration: the configuration of the store; a version without it is used with all its entities.
    init(_ options: [AnyHashable: Any]?, configuration: String?) {
        let given = options?[MigrationOption.versions] as? [NSManagedObjectModel] ?? []
        versions = given.map { model in
            SchemaVersion(
                model: model, entities: model.entities(forConfigurationName: configuration) ?? model.entities)
        }
    }

    /// The versions after that of the store and before the destination; none if the destination comes first, because a
    /// route only goes forward in time (Migration-M6). A version that is not in the list counts as earlier than
    /// its first or later than its last one.
    func between(_ source: SchemaVersion, _ destination: SchemaVersion) -> [SchemaVersion] {
        let all = versions.map(\.hashes)
        // Use the last of equal versions: those between two of them came before the second. A store may have only some
        // entities of its version.
        let known =
            all.lastIndex(of: source.hashes)
            ?? all.lastIndex { version in source.hashes.allSatisfy { version[$0.key] == $0.value } }
        let start = known.map { $0 + 1 } ?? 0
        let end = all[start...].firstIndex(of: destination.hashes)
        if end == nil, all.contains(destination.hashes) { return [] }
        let between = versions[start..<(end ?? all.count)]
        var seen = [source.hashes, destination.hashes]
        return between.filter { version in
            let hashes = version.hashes
            guard !seen.contains(hashes) else { return false }
            seen.append(hashes)
            return true
        }
    }
}
