// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store in a file that carries over more than its objects when a migration by objects fills a new file.

import Foundation

/// Identifies an object across two stores: keys are unique within a root entity.
struct MigratedKey: Hashable {
    let root: String
    let key: Int64
}

/// Migration-M11.
protocol SucceedingStore: RecordStore {
    /// Reads a store whose objects are about to be migrated.
    ///
    /// - Parameter model: the version of the store, with only its entities.
    static func succession(of store: URL, _ model: NSManagedObjectModel) throws -> any StoreSuccession
    /// Writes rows of a closed store into a new file of the same version.
    ///
    /// - Parameter keys: by the name of their entity.
    static func writeQuarantine(
        _ keys: [String: Set<Int64>], of store: URL, _ model: NSManagedObjectModel, to url: URL) throws
}

/// All that a file has besides its objects, on its way to a new file.
protocol StoreSuccession {
    /// The objects whose new keys are needed.
    var keys: Set<MigratedKey> { get }
    /// Completes a file with all objects that no other connection has open.
    ///
    /// - Parameters:
    ///   - model: the new version, with only the entities of the store.
    ///   - partners: the new names of objects; those that are gone have none.
    func write(to side: URL, _ model: NSManagedObjectModel, _ partners: [MigratedKey: MigratedKey]) throws
}
