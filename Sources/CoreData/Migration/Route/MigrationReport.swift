// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The result of a migration.

public import Foundation

/// The steps and results of one migration.
///
///     let store = try coordinator.addPersistentStore(type: .sqlite, at: url, options: options)
///     if let report = store.migrationReport { print(report.steps.count, report.duration) }
public struct MigrationReport: Sendable {
    /// A row that could not be brought over (`MigrationOption.quarantine`).
    public struct QuarantinedRow: Sendable {
        /// The name of its entity in the old version.
        public let entity: String
        /// 1570 for a missing value or link, 134111 for a duplicate of a unique value, 134110 for a number out of
        /// range, or the code of the error from validation or a policy.
        public let code: Int
        /// A sentence without its final point.
        public let reason: String
        private let store: String
        private let place: String

        /// The id of the object, in the old store and in the quarantine store.
        public var objectURI: URL {
            var components = URLComponents()
            components.scheme = "x-coredata"
            components.host = store
            components.percentEncodedPath =
                "/\(entity.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? "")/\(place)"
            return components.url ?? URL(filePath: "/")  // unreachable: everything is encoded
        }

        /// - Parameters:
        ///   - store: the identifier of the store.
        ///   - place: the last path component of the URI.
        init(entity: String, code: Int, reason: String, store: String, place: String) {
            (self.entity, self.code, self.reason, self.store, self.place) = (entity, code, reason, store, place)
        }
    }

    /// The pairs of versions, with the statements that ran; a step by objects has none.
    public let steps: [MigrationPlan.Step]
    /// The rows of each entity before the migration, by the entity's new name. A migration by statements counts only
    /// tables with written rows.
    public let rowsBefore: [String: Int]
    /// The rows of each entity after the migration.
    public let rowsAfter: [String: Int]
    /// The copy of the store before the migration, on a server without a password; nil unless
    /// `MigrationOption.keepsOriginal` is set.
    public let originalURL: URL?
    /// The rows that could not be migrated, by entity and key; empty unless `MigrationOption.quarantine` is set.
    public let quarantined: [QuarantinedRow]
    /// The stores with the quarantined rows, on a server without a password. A migration in several parts may have one
    /// for each part.
    public let quarantineURLs: [URL]
    /// The first store with quarantined rows; nil if every row was migrated.
    public var quarantineURL: URL? { quarantineURLs.first }
    /// Whether the rows of each entity were counted and compared before the commit; for statements, the structure and
    /// the written pages as well. False with a mapping model of the program, which decides itself about rows.
    public let isVerified: Bool
    /// From the first look at the store to the end of the commit, time spent waiting for other openers included.
    public let duration: Duration
}

extension MigrationReport {
    /// The combined report of two migrations, with the entity names after the second one.
    ///
    /// - Parameter pairing: the pairing of the second migration.
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
            originalURL: originalURL ?? next.originalURL, quarantined: quarantined + next.quarantined,
            quarantineURLs: quarantineURLs + next.quarantineURLs, isVerified: isVerified && next.isVerified,
            duration: duration + next.duration)
    }

    /// - Parameter quarantine: nil if every row was migrated.
    static func rows(_ quarantine: QuarantinedRows?) -> [QuarantinedRow] {
        guard let quarantine else { return [] }
        return quarantine.rows.map { row in
            QuarantinedRow(
                entity: row.entity, code: row.code, reason: row.reason, store: quarantine.identifier, place: row.place)
        }
    }

    func lasting(_ duration: Duration) -> MigrationReport {
        MigrationReport(
            steps: steps, rowsBefore: rowsBefore, rowsAfter: rowsAfter, originalURL: originalURL,
            quarantined: quarantined, quarantineURLs: quarantineURLs, isVerified: isVerified, duration: duration)
    }
}
