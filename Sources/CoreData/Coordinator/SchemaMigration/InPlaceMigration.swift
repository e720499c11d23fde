// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The requirements of a store in a database of a server: it migrates itself by statements, or is replaced by objects.

import Foundation

/// One migration by statements, from a version to another, of a store that is no file.
package struct InPlaceMigration {
    package struct Outcome {
        package var statements: [String] = []
        /// The rows of each entity in written tables.
        package var rows: [String: (before: Int64, after: Int64)] = [:]

        package init() {}
    }

    /// The store with all that opening it takes, a password included.
    package let place: URL
    package let options: [AnyHashable: Any]?
    /// Frozen. Its layout is not shared, so that no class finds its entities in it.
    let source: NSManagedObjectModel
    package let sourceLayout: ModelLayout
    package let target: MigrationTarget
    let pairing: ModelPairing
    /// The hashes that the store has before.
    package let expected: [String: Data]
    /// Writes the migration into the metadata.
    package var amend: (_ metadata: inout [String: Any], _ rows: Int64) -> Void = { _, _ in }

    /// The parts of the script.
    ///
    /// - Throws: `ScriptFailure` for a part that no statement can do.
    package func script(_ dialect: any Dialect) throws -> TableScript {
        let old = Schema(model: sourceLayout, entities: Set(expected.keys), dialect: dialect)
        let transition = SchemaTransition(
            source: old, destination: Schema(model: target.layout, entities: target.names, dialect: dialect),
            pairing: pairing)
        let present = Dictionary(
            old.tables.map { table in
                (table.name, table.columns.map { DatabaseOutline.Column(name: $0.name, type: $0.type) })
            }
                + old.joinTables.map { join in
                    let names = [join.ownerColumn, join.memberColumn, join.memberOrder, join.ownerOrder]
                    return (
                        join.name,
                        names.compactMap { $0 }.map { DatabaseOutline.Column(name: $0, type: dialect.keyType) }
                    )
                }, uniquingKeysWith: { first, _ in first })
        return try TableScript(transition, present: present, indexCount: nil)
    }
}

/// A store that is filled beside an old one, and takes its place.
package struct StoreReplacement {
    /// A store as it is opened.
    package struct Side {
        package let place: URL
        package let options: [AnyHashable: Any]?

        package init(place: URL, options: [AnyHashable: Any]?) { (self.place, self.options) = (place, options) }
    }

    /// The old store with all that opening it takes, a password included.
    package let place: URL
    package let options: [AnyHashable: Any]?
    /// The entities of the versions before and afterwards.
    package let entities: [NSEntityDescription]
    /// The hashes that the store has before.
    package let expected: [String: Data]
    /// Reads the old store, to which nobody writes meanwhile, and fills new ones: each number from 0 on is one.
    ///
    /// - Returns: the number of the one that takes the old store's place.
    package let fill: (_ old: Side, _ new: (Int) throws -> Side) throws -> Int
    /// Gives the new store the metadata that stay.
    package let amend: (_ old: [String: Any], _ new: inout [String: Any]) -> Void
}

/// A store that changes its own tables and rows to another version of its model, all in one transaction.
package protocol MigratingInPlace: RecordStore {
    /// The metadata of the store.
    static func metadata(at place: URL, options: [AnyHashable: Any]?) throws -> [String: Any]
    /// The copy of its model that the store keeps; nil for none.
    static func cachedModel(at place: URL, options: [AnyHashable: Any]?) throws -> NSManagedObjectModel?
    /// The statements of a migration, for its plan. The store may be in use, and is not changed.
    static func statements(of migration: InPlaceMigration) throws -> [String]
    /// - Returns: nil if another opener has migrated the store meanwhile.
    /// - Throws: `ScriptFailure`, `FailedCheck` or a Cocoa error. The store is then as before.
    static func migrate(_ migration: InPlaceMigration) throws -> InPlaceMigration.Outcome?
    /// Replaces a store in one transaction by one that is filled beside it.
    ///
    /// - Returns: false if another opener has migrated the store meanwhile.
    /// - Throws: 134090 for a store in use, the error of `fill`, or another Cocoa error. The store is then as before.
    static func replace(_ replacement: StoreReplacement) throws -> Bool
    /// The URL for errors.
    static func shown(_ place: URL) -> URL
}
