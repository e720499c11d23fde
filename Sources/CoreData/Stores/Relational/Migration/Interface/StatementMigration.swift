// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One migration by statements: the versions, their pairing, and the data for the metadata.

import Foundation

/// One migration by statements, from a version to another, of a store in a database.
package struct StatementMigration {
    package struct Outcome {
        package var statements: [String] = []
        /// The rows of each entity in written tables.
        package var rows: [String: (before: Int64, after: Int64)] = [:]
        /// nil if every row was migrated.
        package var quarantined: QuarantinedRows?
        /// The location of their store.
        package var quarantine: URL?
        /// The location of the store's copy from before the migration, if the migration made it.
        package var original: URL?

        package init(statements: [String] = []) { self.statements = statements }
    }

    /// The URL of the store with everything that opening requires, including a password.
    package let place: URL
    package let options: [AnyHashable: Any]?
    /// Frozen. Its layout is not shared, so that no class is bound to its entities.
    package let source: NSManagedObjectModel
    package let sourceLayout: ModelLayout
    package let target: MigrationTarget
    let pairing: ModelPairing
    /// The version hashes of the store before the migration.
    package let expected: [String: Data]
    /// Whether a server keeps a copy of the store from before the migration. Of a file, `beforeLock` makes the copy.
    package var keepsOriginal = false
    /// Whether rows that cannot be migrated are moved to a separate store. Migration-M28.
    package var quarantines: Bool { StoreFlag.isSet(MigrationOption.quarantine, in: options) }
    /// Records the migration in the metadata.
    package var amend: (_ metadata: inout [String: Any], _ rows: Int64) -> Void = { _, _ in }
    /// Shows the written rows, and ends the migration if the program cancels it. Migration-M16.
    var progress: Progress?
    /// Called after the checks and before the lock is taken. The function that it returns is called under the lock; it
    /// returns whether the store is unchanged since then.
    var beforeLock: () throws -> () -> Bool = { { true } }

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
