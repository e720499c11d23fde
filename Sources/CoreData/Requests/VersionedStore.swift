// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The question to a store, before it is opened, whether it has the version of a model.

import Foundation

/// A store that compares its version with a model before it is opened. Adding such a store may migrate it.
package protocol VersionedStore: RecordStore {
    /// Reads the metadata, and changes no file. Called at most once, before `open(model:entities:)`. Migration-M1.
    ///
    /// - Returns: the metadata of a store of another version; nil for one of this version, and where opening makes a
    ///   new store.
    /// - Throws: as `open(model:entities:)`.
    func metadataOfOtherVersion(than model: ModelLayout, entities: [NSEntityDescription]) throws -> [String: Any]?
}
