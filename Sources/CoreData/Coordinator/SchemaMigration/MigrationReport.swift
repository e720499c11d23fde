// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The result of a migration.

public import Foundation

/// The work of one migration.
///
///     let store = try coordinator.addPersistentStore(type: .sqlite, at: url, options: options)
///     if let report = store.migrationReport { print(report.steps.count, report.duration) }
public struct MigrationReport: Sendable {
    /// The pairs of versions, with the statements that ran; none of a step by objects.
    public let steps: [MigrationPlan.Step]
    /// The rows of each entity before the migration, by the entity's new name. Statements do not count tables
    /// without written rows.
    public let rowsBefore: [String: Int]
    /// The rows of each entity afterwards.
    public let rowsAfter: [String: Int]
    /// The store from before the migration; nil unless `MigrationOption.keepsOriginal` asked for it.
    public let originalURL: URL?
    /// Whether the rows of each entity were counted and compared before the change was committed; by statements also
    /// structure and written pages. False with a mapping model of the program, which decides about rows by itself.
    public let isVerified: Bool
    /// From the first look at the store to the end of the commit, time spent waiting for other openers included.
    public let duration: Duration
}

extension MigrationReport {
    /// The work of both. The names of the rows are those after the second one.
    ///
    /// - Parameter pairing: that of the second one.
    func followed(by next: MigrationReport, _ pairing: ModelPairing) -> MigrationReport {
        var (before, after) = (next.rowsBefore, next.rowsAfter)
        for pair in pairing.entities {
            guard let old = pair.source?.name, let new = pair.destination?.name, let rows = rowsBefore[old] else {
                continue
            }
            before[new] = rows
            if after[new] == nil { after[new] = rowsAfter[old] }
        }
        return MigrationReport(
            steps: steps + next.steps, rowsBefore: before, rowsAfter: after,
            originalURL: originalURL ?? next.originalURL, isVerified: isVerified && next.isVerified,
            duration: duration + next.duration)
    }

    func lasting(_ duration: Duration) -> MigrationReport {
        MigrationReport(
            steps: steps, rowsBefore: rowsBefore, rowsAfter: rowsAfter, originalURL: originalURL,
            isVerified: isVerified, duration: duration)
    }
}
