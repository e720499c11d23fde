// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the copy of its model that a file keeps in Z_MODELCACHE.

import Foundation
import SQLiteDriver

extension CachedModel {
    /// nil if there is no readable copy; it is only a cache.
    static func read(_ connection: Connection) throws -> NSManagedObjectModel? {
        guard try connection.tableExists(SchemaNaming.modelTable),
            let content = try connection.value("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")?.blobValue
        else { return nil }
        return model(content)
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
}
