// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares the version in the metadata of a SQLite store with that of a model.

import Foundation

/// Asked before a store is opened, and again when it is opened (Migration-M1, M3).
struct StoredVersion {
    private let metadata: [String: Any]
    private let entities: [NSEntityDescription]
    /// nil in the earliest stores; their tables are compared instead.
    private let hashes: [String: Data]?
    private let ours: [String: Data]

    init(_ metadata: [String: Any], _ entities: [NSEntityDescription]) {
        self.metadata = metadata
        self.entities = entities
        hashes = NSManagedObjectModel.versionHashes(inStoreMetadata: metadata)
        ours = Dictionary(entities.map { ($0.name ?? "", $0.versionHash) }, uniquingKeysWith: { first, _ in first })
    }

    /// The kind of version hashes that a newer framework wrote; nil for a known kind.
    var newerKind: Int? {
        let kind = metadata[StoreMetadata.hashesVersionKey].flatMap(AttributeValues.number)?.intValue
        return kind.flatMap { $0 > StoreMetadata.hashesVersion ? $0 : nil }
    }

    /// Whether the store has another version than the model.
    ///
    /// - Parameter describes: whether the copy of the model in the store describes some entities as the model does.
    ///   Called only for entities with derived attributes: their hashes differ between frameworks.
    func isOther(_ describes: (_ names: [String]) throws -> Bool) rethrows -> Bool {
        guard let hashes, hashes != ours else { return false }
        let differing = ours.filter { name, hash in hashes[name] != hash }.map(\.key)
        let isDecided =
            Set(hashes.keys) != Set(ours.keys)
            || differing.contains { name in entities.first { $0.name == name }?.hasDerivedAttributes != true }
        return try isDecided || !describes(differing)
    }

    func error(_ url: URL) -> NSError {
        CoreDataError.incompatibleModel(storeHashes: hashes ?? [:], modelHashes: ours, url: url, metadata: metadata)
    }
}
