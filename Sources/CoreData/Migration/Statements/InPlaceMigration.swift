// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The interface of a store in a server's database, which migrates itself by statements or is replaced by objects.

import Foundation

/// One migration by statements between two versions of a store that is not a file.
package struct InPlaceMigration {
    package struct Outcome {
        package var statements: [String] = []
        /// The rows of each entity in written tables.
        package var rows: [String: (before: Int64, after: Int64)] = [:]

        package init() {}
    }

    /// The URL of the store with everything that opening requires, including a password.
    package let place: URL
    package let options: [AnyHashable: Any]?
    /// Frozen. Its layout is not shared, so that no class is bound to its entities.
    let source: NSManagedObjectModel
    package let sourceLayout: ModelLayout
    package let target: MigrationTarget
    let pairing: ModelPairing
    /// The version hashes of the store before the migration.
    package let expected: [String: Data]
    /// Records the migration in the metadata.
    package var amend: (_ metadata: inout [String: Any], _ rows: Int64) -> Void = { _, _ in }

    /// The parts of the script.
    ///
    /// - Throws: `ScriptFailure` for a change that statements cannot express.
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
    /// The entities of the old and the new version.
    package let entities: [NSEntityDescription]
    /// The version hashes of the store before the migration.
    package let expected: [String: Data]
    /// Reads the old store, which is locked against writers, and fills new stores, numbered from 0.
    ///
    /// - Returns: the number of the new store that replaces the old one.
    package let fill: (_ old: Side, _ new: (Int) throws -> Side) throws -> Int
    /// Copies the entries of the old metadata that the new store keeps.
    package let amend: (_ old: [String: Any], _ new: inout [String: Any]) -> Void
}

/// A store that migrates its own tables and rows to another version of its model, in one transaction.
package protocol MigratingInPlace: RecordStore {
    /// The metadata of the store.
    static func metadata(at place: URL, options: [AnyHashable: Any]?) throws -> [String: Any]
    /// The copy of the model in the store; nil if it has none.
    static func cachedModel(at place: URL, options: [AnyHashable: Any]?) throws -> NSManagedObjectModel?
    /// The statements of a migration, for its plan. The store may be in use, and is not changed.
    static func statements(of migration: InPlaceMigration) throws -> [String]
    /// - Returns: nil if another opener has migrated the store.
    /// - Throws: `ScriptFailure`, `FailedCheck` or a Cocoa error. The store is then unchanged.
    static func migrate(_ migration: InPlaceMigration) throws -> InPlaceMigration.Outcome?
    /// Replaces a store, in one transaction, by a new one that is filled next to it.
    ///
    /// - Returns: false if another opener has migrated the store.
    /// - Throws: 134090 for a store in use, the error of `fill`, or another Cocoa error. The store is then unchanged.
    static func replace(_ replacement: StoreReplacement) throws -> Bool
    /// The URL to show in errors.
    static func shown(_ place: URL) -> URL
}
