// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the copy of its model that a store keeps in Z_MODELCACHE.

import CoreDataModelFiles
import Foundation
import SQLiteDriver

package enum CachedModel {
    /// nil if there is no readable copy; it is only a cache.
    static func read(_ connection: Connection) throws -> NSManagedObjectModel? {
        guard try connection.tableExists(SchemaNaming.modelTable),
            let content = try connection.value("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")?.blobValue
        else { return nil }
        return model(content)
    }

    /// The model in a copy; nil if it is unreadable.
    package static func model(_ content: Data) -> NSManagedObjectModel? {
        guard let data = try? RawDeflate.inflate(content), let document = try? KeyedModelReader.read(data) else {
            return nil
        }
        return NSManagedObjectModel(document: document)
    }

    /// Whether the cached model describes these entities in the same way. For entities without comparable version
    /// hashes.
    static func describes(_ entities: [NSEntityDescription], named names: [String], _ connection: Connection) throws
        -> Bool
    {
        // Without a copy the comparison of the tables decides, which is done in any case.
        guard let cached = try read(connection) else { return true }
        let known = cached.entitiesByName
        return names.allSatisfy { name in
            known[name]?.versionHash == entities.first { $0.name == name }?.versionHash
        }
    }

    /// The content of the copy of a model.
    package static func content(of model: NSManagedObjectModel) throws -> Data {
        try KeyedModelWriter.modelCache(for: model.document())
    }
}
