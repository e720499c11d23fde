// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The plan of a store's migration as plain values.

import CoreData

/// The migration of a store to a version of a model.
public struct BrowsedMigration: Sendable {
    /// Whether a store needs a migration, and can be migrated.
    public enum Verdict: String, Sendable {
        /// The store has the version.
        case fits
        /// A migration is needed and possible.
        case needed
        /// A migration is needed and not possible.
        case impossible
    }

    /// One step from a version to the next.
    public struct Step: Sendable {
        /// For example "objects".
        public let way: String
        /// The SQL statements of the step; empty for a step without any.
        public let statements: [String]
    }

    /// The rows of a table that a migration writes.
    public struct Cost: Sendable {
        /// The name of the table, or of the entity.
        public let table: String
        /// The number of rows.
        public let rows: Int
        /// The approximate number of written bytes.
        public let bytes: Int
    }

    /// Whether a migration is needed and possible.
    public let verdict: Verdict
    /// The version that the store has; nil if it is not among the versions of the model.
    public let storedVersion: String?
    /// The name of the version to migrate to.
    public let wantedVersion: String
    /// Sentences: the entities that differ, or the obstacles, and differences of the tables from a new store's.
    public let reasons: [String]
    /// The steps in their order; empty where none is needed or possible.
    public let steps: [Step]
    /// The work by table.
    public let costs: [Cost]
    /// Sentences about values that would be lost.
    public let warnings: [String]
    /// The free bytes that the disk needs; 0 where no migration is needed.
    public let bytesNeeded: Int
}

extension BrowsedStore {
    /// The migration to a version of the model that the store was opened with.
    ///
    /// - Parameter version: nil for the current version.
    /// - Returns: nil for a store that was opened without a model file.
    /// - Throws: `BrowsingError` if the migration cannot be determined, for example for an unknown version. Changes
    ///   nothing.
    public func migration(to version: String? = nil) throws(BrowsingError) -> BrowsedMigration? {
        guard let modelURL else { return nil }
        do {
            let check = try MigrationCheck(MigrationTask(url, model: modelURL, version: version, inference: inference))
            return BrowsedMigration(
                verdict: BrowsedMigration.Verdict(rawValue: check.verdict.rawValue) ?? .impossible,
                storedVersion: check.task.storedName, wantedVersion: check.task.wantedName,
                reasons: check.reasons + check.drift,
                steps: (check.plan?.steps ?? []).map { .init(way: $0.way.rawValue, statements: $0.statements) },
                costs: (check.plan?.costs ?? []).map {
                    .init(table: $0.table, rows: Int($0.rows), bytes: Int($0.bytes))
                },
                warnings: (check.plan?.warnings ?? []).map(\.text), bytesNeeded: Int(check.plan?.bytesNeeded ?? 0))
        } catch {
            throw BrowsingError(error)
        }
    }
}
