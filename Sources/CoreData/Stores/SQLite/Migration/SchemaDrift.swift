// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds and repairs differences between a store and a new one of its version, which version hashes do not show.

import Foundation

/// Compares indexes, triggers, leftover tables and columns, and rows of `Z_PRIMARYKEY`. A typical case is a fetch index
/// that was added without a new version of the model.
///
/// Opening a store does not look for drift, and a migration leaves none (Migration-M26). Called by the command
/// line.
package struct SchemaDrift {
    /// Sentences without a final point. Empty for a store of another version or type.
    package let differences: [String]
    /// The statements that repair the store.
    package let statements: [String]
    private let migration: SQLiteMigration?
    private let url: URL

    /// Reads the schema of a store, but no rows.
    ///
    /// - Parameters:
    ///   - type: a store type, such as `NSSQLiteStoreType`.
    ///   - model: the model, which this freezes.
    ///   - options: the options for opening the store.
    /// - Throws: 134080 for an unknown configuration, 134110 for a file that lacks columns with values, 259 and similar
    ///   codes for a file that is not a store.
    package init(
        ofStoreAt url: URL, type: String, configuration: String? = nil, model: NSManagedObjectModel,
        options: [AnyHashable: Any]? = nil
    ) throws {
        self.url = url
        let migration = try Self.migration(url, type, configuration, model, options)
        do {
            guard let migration, let drift = try SQLiteMigration.translating(url, migration.drift) else {
                (differences, statements, self.migration) = ([], [], nil)
                return
            }
            differences = drift.differences
            statements = drift.statements
            self.migration = migration
        } catch {
            throw MigrationFailure(url: url).translated(error)
        }
    }

    /// nil for a store without tables.
    private static func migration(
        _ url: URL, _ type: String, _ configuration: String?, _ model: NSManagedObjectModel,
        _ options: [AnyHashable: Any]?
    ) throws -> SQLiteMigration? {
        guard type == NSSQLiteStoreType else { return nil }
        let layout = try model.compiledLayout()
        guard let entities = model.entitiesOfStore(configuration: configuration) else {
            throw CoreDataError.cannotOpenStore(
                url: url, reason: "The model has no configuration '\(configuration ?? "")'.")
        }
        guard let source = model.copy() as? NSManagedObjectModel else { return nil }
        try source.check()
        source.freeze()
        var migration = SQLiteMigration(
            url: url, options: try SQLiteStoreOptions(options), source: source,
            sourceLayout: ModelLayout(entities: source.entities),
            target: MigrationTarget(layout: layout, entities: entities))
        migration.isMending = true
        migration.leavesNoTrace = StoreFlag.isSet(storeLeavesNoTraceOption, in: options)
        return migration
    }

    /// Repairs the store in one transaction. Its version and the history of its migrations are kept.
    ///
    /// - Throws: 134090 for a store in use, 640 for a disk with too little space, 134110 for all other errors. The
    ///   store is then unchanged.
    package func mend() throws {
        do {
            _ = try SQLiteMigration.translating(url) { try migration?.run { _, _ in } }
        } catch {
            throw MigrationFailure(url: url).translated(error)
        }
    }
}
