// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store on a server: a migration by objects fills another store there, which takes its place.

import Foundation

/// A new store that is filled next to an old one, and then replaces it.
package struct StoreReplacement {
    /// The URL and options with which a store is opened.
    package struct Side {
        package let place: URL
        package let options: [AnyHashable: Any]?

        package init(place: URL, options: [AnyHashable: Any]?) { (self.place, self.options) = (place, options) }
    }

    /// The URL of the old store with everything that opening requires, including a password.
    package let place: URL
    package let options: [AnyHashable: Any]?
    /// The version of the store, with only its entities.
    package let source: NSManagedObjectModel
    /// The version of the new store, likewise.
    package let destination: NSManagedObjectModel
    /// The version hashes of the store before the migration.
    package let expected: [String: Data]
    /// Reads the old store, which is locked against writers, and fills new stores, numbered from 0.
    ///
    /// - Returns: the number of the new store that replaces the old one.
    package let fill: (_ old: Side, _ new: @escaping (Int) throws -> Side) throws -> Int
    /// Copies the entries of the old metadata that the new store keeps.
    package let amend: (_ old: [String: Any], _ new: inout [String: Any]) -> Void
    /// Whether a copy of the old store is kept. Migration-M15.
    package var keepsOriginal = false
    /// Called when the new stores are complete: the keys of the objects to move to a separate store, by the name of
    /// their entity. Migration-M60.
    package var leftOut: () -> [String: Set<Int64>] = { [:] }

    /// The locations of the stores with former rows.
    package struct Outcome {
        package var original: URL?
        package var quarantine: URL?

        package init() {}
    }
}

/// A store on a server, without a file to replace.
package protocol MigratingInPlace: MigratingByStatements {
    /// Replaces a store, in one transaction, by a new one that is filled next to it.
    ///
    /// - Returns: nil if another opener has migrated the store.
    /// - Throws: 134090 for a store in use, the error of `fill`, or another Cocoa error. The store is then unchanged.
    static func replace(_ replacement: StoreReplacement) throws -> StoreReplacement.Outcome?
}
