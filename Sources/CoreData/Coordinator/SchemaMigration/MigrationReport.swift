// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The result of a migration.

/// The work of one migration.
///
///     let store = try coordinator.addPersistentStore(type: .sqlite, at: url, options: options)
///     if let report = store.migrationReport { print(report.steps.count, report.duration) }
public struct MigrationReport: Sendable {
    /// The pairs of versions, with the statements that ran.
    public let steps: [MigrationPlan.Step]
    /// The rows of each entity before the migration, by the entity's new name. Tables without written rows are not
    /// counted.
    public let rowsBefore: [String: Int]
    /// The rows of each entity afterwards.
    public let rowsAfter: [String: Int]
    /// Whether rows, structure and written pages were compared with the plan before the change was committed.
    public let isVerified: Bool
    /// From the first look at the store to the end of the commit, time spent waiting for other openers included.
    public let duration: Duration
}
