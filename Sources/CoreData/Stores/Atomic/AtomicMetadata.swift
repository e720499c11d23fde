// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The metadata of atomic stores, and the check that a model fits them.

import CoreDataModelFiles
import Foundation

enum AtomicMetadata {
    private static let frameworkVersion = 1414
    private static let hashesVersion = 3
    private static let hashesVersionKey = "NSStoreModelVersionHashesVersion"
    private static let digestKey = "NSStoreModelVersionHashesDigest"

    /// The metadata of a new store with these entities.
    static func make(_ entities: [NSEntityDescription], type: String, identifier: String) -> [String: Any] {
        let hashes = hashes(entities)
        let identifiers = entities.first?.managedObjectModel.versionIdentifiers.compactMap { $0.base as? String }
        return [
            NSStoreTypeKey: type, NSStoreUUIDKey: identifier, NSStoreModelVersionHashesKey: hashes,
            hashesVersionKey: hashesVersion, digestKey: VersionDigest.digest(hashes),
            NSStoreModelVersionIdentifiersKey: (identifiers ?? []).sorted(),
            NSPersistenceFrameworkVersionKey: frameworkVersion,
        ]
    }

    /// Adds the store's own keys to metadata that lack them.
    static func completed(_ values: [String: Any], _ entities: [NSEntityDescription], type: String, identifier: String)
        -> [String: Any]
    {
        var result = values
        let own = make(entities, type: type, identifier: identifier)
        if values[NSStoreModelVersionHashesKey] == nil {
            for (key, value) in own where result[key] == nil { result[key] = value }
        }
        result[NSStoreTypeKey] = type
        result[NSStoreUUIDKey] = identifier
        return result
    }

    /// - Throws: 134100 when the version hashes are those of another model, 134080 when they are of a newer kind. The
    ///   oldest stores have no hashes; their rows are checked instead.
    static func check(_ metadata: [String: Any], _ entities: [NSEntityDescription], _ url: URL?) throws {
        if let version = newerKind(metadata) {
            throw CoreDataError.cannotOpenStore(
                url: url,
                reason: "It was written by a newer framework, with version hashes of kind \(version); "
                    + "those up to \(hashesVersion) are known.")
        }
        guard isOfOtherVersion(metadata, entities) else { return }
        let stored = NSManagedObjectModel.versionHashes(inStoreMetadata: metadata) ?? [:]
        throw CoreDataError.incompatibleModel(
            storeHashes: stored, modelHashes: hashes(entities), url: url, metadata: metadata)
    }

    /// The kind of version hashes that a newer framework wrote; nil for a known kind.
    private static func newerKind(_ metadata: [String: Any]) -> Int? {
        let kind = metadata[hashesVersionKey].flatMap(AttributeValues.number)?.intValue
        return kind.flatMap { $0 > hashesVersion ? $0 : nil }
    }

    /// False for a store of a newer framework, which `check` refuses.
    static func isOfOtherVersion(_ metadata: [String: Any], _ entities: [NSEntityDescription]) -> Bool {
        guard newerKind(metadata) == nil, let stored = NSManagedObjectModel.versionHashes(inStoreMetadata: metadata)
        else { return false }
        return stored != hashes(entities)
    }

    private static func hashes(_ entities: [NSEntityDescription]) -> [String: Data] {
        Dictionary(entities.map { ($0.name ?? "", $0.versionHash) }, uniquingKeysWith: { first, _ in first })
    }
}
