// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The result of a migration.

public import Foundation

/// The work of one migration.
///
///     let store = try coordinator.addPersistentStore(type: .sqlite, at: url, options: options)
///     if let report = store.migrationReport { print(report.steps.count, report.duration) }
public struct MigrationReport: Sendable {
    /// A row that could not be brought over (`MigrationOption.quarantine`).
    public struct QuarantinedRow: Sendable {
        /// The name of its entity in the old version.
        public let entity: String
        /// 1570 for a missing value or link, 134111 for a value that has to be unique, 134110 for a number that does
        /// not fit, or the code of the error that validation or a policy gave.
        public let code: Int
        /// A sentence without its final point.
        public let reason: String
        private let store: String
        private let place: String

        /// The id of the object, in the old store and in the one of the quarantine.
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
        ///   - place: the last part of the URI.
        init(entity: String, code: Int, reason: String, store: String, place: String) {
            (self.entity, self.code, self.reason, self.store, self.place) = (entity, code, reason, store, place)
        }
    }

    /// The pairs of versions, with the statements that ran; none of a step by objects.
    public let steps: [MigrationPlan.Step]
    /// The rows of each entity before the migration, by the entity's new name. Statements do not count tables
    /// without written rows.
    public let rowsBefore: [String: Int]
    /// The rows of each entity afterwards.
    public let rowsAfter: [String: Int]
    /// The store from before the migration; nil unless `MigrationOption.keepsOriginal` asked for it.
    public let originalURL: URL?
    /// The rows that stayed behind, by entity and key; empty unless `MigrationOption.quarantine` asked for it.
    public let quarantined: [QuarantinedRow]
    /// The stores with the quarantined rows. A way through several versions may have one for each of its parts.
    public let quarantineURLs: [URL]
    /// The store with the quarantined rows, the first one if there are several; nil if every row came along.
    public var quarantineURL: URL? { quarantineURLs.first }
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
            originalURL: originalURL ?? next.originalURL, quarantined: quarantined + next.quarantined,
            quarantineURLs: quarantineURLs + next.quarantineURLs, isVerified: isVerified && next.isVerified,
            duration: duration + next.duration)
    }

    /// - Parameter quarantine: nil if every row came along.
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
