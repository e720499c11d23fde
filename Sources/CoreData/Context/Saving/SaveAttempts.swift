// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides whether a save with conflicts is repeated.

import Foundation

/// A conflict with a row that another writer has committed since the last attempt is progress: of many contexts that
/// change one record, one commits in each round. Conflicts that recur without a new commit mean that the merge policy
/// does not resolve them.
struct SaveAttempts {
    private struct ConflictIdentity: Hashable {
        let root: Int
        let key: Int64
        let constraint: [String]
        let rowKey: Int64
        /// nil for a deleted row.
        let version: Int64?
    }

    private static let maximumRepetitions = 10
    /// The limit for a policy that creates new conflicts in each round.
    private static let most = 1_000

    private var seen: Set<ConflictIdentity> = []
    private var repetitions = 0
    private var count = 0

    /// - Throws: 134030 if the policy does not resolve the conflicts.
    mutating func note(_ batches: [StoreChanges]) throws {
        let before = seen.count
        for conflict in batches.lazy.flatMap(\.outcome.conflicts) { seen.insert(Self.identity(conflict)) }
        repetitions = seen.count > before ? 0 : repetitions + 1
        count += 1
        guard repetitions < Self.maximumRepetitions, count < Self.most else {
            throw CoreDataError.storeSave(
                "Conflicts came back \(count) times although the merge policy resolved them.")
        }
        // Lets the other contexts commit, so that the next attempt has fewer conflicts.
        if count > 3 { Thread.sleep(forTimeInterval: .random(in: 0...0.002) * Double(min(count, 10))) }
    }

    private static func identity(_ conflict: SaveOutcome.Conflict) -> ConflictIdentity {
        let constraint = if case .uniqueness(let names) = conflict.kind { names } else { [String]() }
        return ConflictIdentity(
            root: conflict.layout.rootIndex, key: conflict.key, constraint: constraint, rowKey: conflict.rowKey,
            version: conflict.row.map { Int64($0.version) })
    }
}
