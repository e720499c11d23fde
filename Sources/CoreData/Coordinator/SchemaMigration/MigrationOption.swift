// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The names of the store options and the metadata key of schema migration that Apple's framework does not have.

import Foundation

/// Store options for a migration to another version of the model. Each is ours, without a counterpart in Apple's
/// framework.
///
///     try coordinator.addPersistentStore(
///         ofType: NSSQLiteStoreType, configurationName: nil, at: url,
///         options: [
///             NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
///             MigrationOption.versions: [library1, library2],
///         ])
public enum MigrationOption {
    /// An array of `NSManagedObjectModel`s, oldest first, that may be the version of the store, or lie between it and
    /// the wanted one. Searched before the copy of its model in the store, and before the bundles. The migration leads
    /// through versions in between only where no mapping can be inferred directly, or where a value would be lost, and
    /// only through those between the store's version and the wanted one. A way that loses what a direct step would
    /// keep is refused with 134140, unless `allowsLoss` is set.
    public static let versions = "OpenCoreDataMigrationVersions"
    /// A Boolean: a way through several versions may lose entities and properties that a direct step would keep, for
    /// example one that is missing in a version in between. `MigrationPlan.warnings` counts their rows. A direct step
    /// needs no permission: what the new version does not have is removed.
    public static let allowsLoss = "OpenCoreDataMigrationAllowsLoss"
    /// A Boolean: every table with rows is made anew, so that its columns have the order of a new store. Takes about as
    /// long as copying all rows and making all indexes.
    public static let rebuilds = "OpenCoreDataMigrationRebuilds"
    /// A Boolean: the store from before the migration stays beside it, with its large data, as
    /// `<name>.before-<characters of its checksum>.<extension>`. `MigrationReport.originalURL` has the place. No file
    /// that is there is overwritten. It takes the room of one more store, and the time to copy it.
    public static let keepsOriginal = "OpenCoreDataMigrationKeepsOriginal"
    /// A Boolean: rows that cannot be brought over do not end the migration. They go into a store of the old version,
    /// `<name>.quarantine-<characters of its checksum>.<extension>`, with their attributes, large data and the keys of
    /// their links; all other rows arrive. Such rows lack a mandatory value, repeat a value that has to be unique (the
    /// lowest key stays), have a number that does not fit, break a rule of validation, or a policy throws for them.
    /// References to them become nil; where such a reference is mandatory, its row follows.
    /// `MigrationReport.quarantined` lists them. Without effect on stages with `NSStagedMigrationManager`.
    public static let quarantine = "OpenCoreDataMigrationQuarantine"
    /// A Foundation `Progress` that shows the migration, at least ten times a second: the rows written of the rows to
    /// write, indexes included, so a row counts once for each statement that passes over it. Its fraction is 1 at the
    /// end. Cancelling it, on any thread, ends the migration with 134120; the store is then the old one. An opening
    /// without a migration leaves it alone.
    public static let progress = "OpenCoreDataMigrationProgress"
}

/// Metadata key: the migrations of a store, oldest first, at most the last hundred. Each is a dictionary with `from`
/// and `to` (version checksums), `date`, `way` (a raw value of `MigrationPlan.Way`) and `rows` (the rows of written
/// tables).
public let MigrationHistoryKey = "OpenCoreDataMigrationHistory"

/// Store option of the command line: the URLs of mapping models, which come before those of the bundles.
package let storeMappingFilesOption = "OpenCoreDataMappingFiles"
