// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Answers the question for the version of a SQLite store before it is opened.

import Foundation
import SQLiteDriver

extension SQLiteStore: VersionedStore {
    func metadataOfOtherVersion(than model: ModelLayout, entities: [NSEntityDescription]) throws -> [String: Any]? {
        let url = try place()
        do {
            if isInMemory { return nil }
            try StoreFiles.requirePlain(url)
            try loadMetadata()
            let settings = try SQLiteStoreOptions(options)
            let metadata = metadataValues.current
            let version = StoredVersion(metadata, entities)
            // Opening names the reason for a newer framework's store.
            if settings.ignoresVersion || version.newerKind != nil { return nil }
            let isOther = try version.isOther { names in
                try SQLiteStoreFile(url: url, leavesNoTrace: settings.leavesNoTrace)
                    .inspect(timeout: settings.timeout) { try CachedModel.describes(entities, named: names, $0) }
            }
            return isOther ? metadata : nil
        } catch {
            throw SQLiteStoreErrors.opening(error, url: url)
        }
    }
}
