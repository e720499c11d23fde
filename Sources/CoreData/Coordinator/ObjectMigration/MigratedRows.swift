// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The rows of both stores of a migration by objects, and the migration that counts them.

import Foundation

/// The rows of each entity that is not abstract, without those of its subentities.
struct MigratedRows {
    /// By the names of the source, unless a function says otherwise.
    var before: [String: Int] = [:]
    /// By the names of the destination.
    var after: [String: Int] = [:]
    /// nil if every row came along.
    var quarantined: QuarantinedRows?
    /// The location of their store.
    var quarantine: URL?
}

/// A migration manager, as far as the coordinator looks into it: managers stand above coordinators.
protocol RowCounting: AnyObject {
    /// Whether a migration counts the rows of both stores at its end.
    var countsRows: Bool { get set }
    /// Shows the objects, and ends a migration when it is cancelled.
    var progress: Progress? { get set }
    /// Takes the objects that cannot come along; nil for a migration that fails on them.
    var quarantine: ObjectQuarantine? { get set }
    /// Source objects that get an entry in `partners` at the end of a migration.
    var followed: Set<MigratedKey> { get set }
    /// The first object that the last migration made of each followed one.
    var partners: [MigratedKey: MigratedKey] { get }
    /// Writes the objects of the quarantine into a store of the source model that has a file, and not SQLite's.
    ///
    /// - Parameter url: a name that nobody has.
    func writeQuarantine(of store: URL, type: String, to url: URL) throws
    /// Of the last migration; empty if it did not count.
    var rows: MigratedRows { get }
    /// Reads a store for a plan, and changes nothing.
    ///
    /// - Parameter mapping: a mapping model of the program; nil for an inferred one.
    func survey(
        _ url: URL, type: String, options: [AnyHashable: Any]?, through versions: ForecastVersions,
        mapping: NSMappingModel?
    ) throws -> MigrationSurvey
}

/// The versions between that of a store and the last one of a migration that is foretold.
struct ForecastVersions {
    /// Those of earlier migrations, up to the one with which this one begins; empty for the first migration.
    var before: [NSManagedObjectModel] = []
    /// Those within the migration.
    var between: [NSManagedObjectModel] = []
}
