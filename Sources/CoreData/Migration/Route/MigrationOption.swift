// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The names of the store options and the metadata key of schema migration that Apple's framework does not have.

import Foundation

/// Store options for a migration to another version of the model. All are additions to Apple's API.
///
///     try coordinator.addPersistentStore(
///         ofType: NSSQLiteStoreType, configurationName: nil, at: url,
///         options: [
///             NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
///             MigrationOption.versions: [library1, library2],
///         ])
public enum MigrationOption {
    /// An array of `NSManagedObjectModel`s, oldest first, to search for the version of the store and for versions
    /// between it and the destination. Searched before the copy of the model in the store, and before the bundles. The
    /// migration passes through an intermediate version only if no mapping can be inferred directly, or if a direct
    /// step would lose a value, and only if it lies between the store's version and the destination. A route that loses
    /// values which a direct step would keep is refused with 134140, unless `allowsLoss` is set.
    public static let versions = "OpenCoreDataMigrationVersions"
    /// A Boolean: a route through several versions may lose entities and properties that a direct step would keep, for
    /// example one that is missing in an intermediate version. `MigrationPlan.warnings` counts their rows. A direct
    /// step needs no permission: it removes all that the new version lacks.
    public static let allowsLoss = "OpenCoreDataMigrationAllowsLoss"
    /// A Boolean: every table with rows is rebuilt, so that its columns have the order of a new store. Takes about as
    /// long as copying all rows and making all indexes.
    public static let rebuilds = "OpenCoreDataMigrationRebuilds"
    /// A Boolean: a copy of the store before the migration is kept next to it, with its large data, as
    /// `<name>.before-<characters of its checksum>.<extension>`. `MigrationReport.originalURL` has its URL. Existing
    /// files are never overwritten. The copy needs the space of one more store, and the time to make it. On a server
    /// it is a schema of the database, `<schema>.before-<characters of its checksum>`.
    public static let keepsOriginal = "OpenCoreDataMigrationKeepsOriginal"
    /// A Boolean: rows that cannot be migrated do not end the migration. They are moved to a store of the old version,
    /// `<name>.quarantine-<characters of its checksum>.<extension>`, with their attributes, large data and the keys of
    /// their links; all other rows are migrated. Such rows lack a mandatory value, repeat a value that must be unique
    /// (the row with the lowest key is migrated), have a number out of range, fail validation, or a policy throws for
    /// them. References to them become nil; a row with a mandatory reference to one of them is moved as well.
    /// `MigrationReport.quarantined` lists them. On a server their store is a schema of the database. Has no effect on
    /// stages with `NSStagedMigrationManager`.
    public static let quarantine = "OpenCoreDataMigrationQuarantine"
    /// A Foundation `Progress` that shows the migration at least ten times a second: rows written of the rows to write,
    /// indexes included, so a row counts once for each statement that passes over it. Its fraction is 1 at the end.
    /// Cancelling it, on any thread, ends the migration with 134120; the store is then the old one. If the store needs
    /// no migration, the progress is not changed.
    public static let progress = "OpenCoreDataMigrationProgress"
}

/// Metadata key: the migrations of a store, oldest first, at most the last hundred. Each is a dictionary with `from`
/// and `to` (version checksums), `date`, `way` (a raw value of `MigrationPlan.Way`) and `rows` (the rows of written
/// tables).
public let MigrationHistoryKey = "OpenCoreDataMigrationHistory"

/// Store option of the command line: the URLs of mapping models, which take precedence over those of the bundles.
package let storeMappingFilesOption = "OpenCoreDataMappingFiles"

/// Store option of the command line: the model of a store that keeps none, in the form that its tables imply. Its
/// version hashes are not compared with those of the store.
package let storeSourceModelOption = "OpenCoreDataSourceModel"
