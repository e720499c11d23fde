// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The row counts of both stores of a migration by objects, and the interface of the migration manager.

import Foundation

/// The row counts of each entity that is not abstract, without those of its subentities.
struct MigratedRows {
    /// By the entity names of the source, unless a function says otherwise.
    var before: [String: Int] = [:]
    /// By the entity names of the destination.
    var after: [String: Int] = [:]
    /// nil if every row was migrated.
    var quarantined: QuarantinedRows?
    /// The location of their store.
    var quarantine: URL?
}

/// The interface of a migration manager for the coordinator, which is in a layer below.
protocol RowCounting: AnyObject {
    /// Whether a migration counts the rows of both stores at its end.
    var countsRows: Bool { get set }
    /// Shows the processed objects, and ends a migration if the program cancels it.
    var progress: Progress? { get set }
    /// Collects the objects that cannot be migrated; nil if such an object makes the migration fail.
    var quarantine: ObjectQuarantine? { get set }
    /// Source objects that get an entry in `partners` at the end of a migration.
    var followed: Set<MigratedKey> { get set }
    /// The first destination object of each followed source object.
    var partners: [MigratedKey: MigratedKey] { get }
    /// Writes the objects of the quarantine into a store of the source model. Only for stores that are files, except
    /// SQLite stores.
    ///
    /// - Parameter url: a name that is not in use.
    func writeQuarantine(of store: URL, type: String, to url: URL) throws
    /// The counts of the last migration; empty if it did not count.
    var rows: MigratedRows { get }
    /// Reads a store for a plan, and changes nothing.
    ///
    /// - Parameter mapping: a mapping model of the program; nil for an inferred one.
    func survey(
        _ url: URL, type: String, options: [AnyHashable: Any]?, through versions: ForecastVersions,
        mapping: NSMappingModel?
    ) throws -> MigrationSurvey
}

/// The versions between that of a store and the last one of a forecast migration.
struct ForecastVersions {
    /// The versions of earlier migrations, including the one with which this one begins; empty for the first migration.
    var before: [NSManagedObjectModel] = []
    /// The versions within the migration.
    var between: [NSManagedObjectModel] = []
}
