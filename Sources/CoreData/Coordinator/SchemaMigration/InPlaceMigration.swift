// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The requirements of a store in a database of its own that migrates itself by statements.

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
    /// The URL for errors.
    static func shown(_ place: URL) -> URL
}
