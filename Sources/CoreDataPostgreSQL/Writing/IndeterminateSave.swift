// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The saves of an open store without an answer to COMMIT, until it is known whether they are durable.

import CoreData
import Foundation
import PostgreSQLDriver
import Synchronization

/// An indeterminate save, and its changes. A batch request is a save of its rows; if it is durable, it serves as the
/// next execution of the same request (IndeterminateCommits-D5).
struct IndeterminateSave: @unchecked Sendable {  // copies that no code changes
    /// A store keeps only the newest.
    static let maximumCount = 4

    let decision: TokenDecision
    let commit: IndeterminateCommit
    /// nil for a save of a context.
    let batch: ExecutedBatch?
    /// Whether the save is known to be durable.
    var stands = false
    /// Whether the store has committed another transaction since.
    var isOlder = false
}

extension OpenServer {
    func add(_ save: IndeterminateSave) {
        undecided.withLock { saves in
            saves.insert(save, at: 0)
            saves = Array(saves.prefix(IndeterminateSave.maximumCount))
        }
    }

    /// Finds out which saves are durable (PostgreSQL-S2), and forgets the others. Call it before each transaction.
    ///
    /// - Throws: 08007 if the server gives no answer.
    func settleUndecided() throws {
        for save in undecided.withLock({ $0 }) where !save.stands {
            let answer = save.decision.run()
            if case .unknown = answer {
                throw PostgreSQLError(
                    .connection, code: "08007", "Whether an earlier save is in the database is not known yet.")
            }
            undecided.withLock { saves in
                guard let place = saves.firstIndex(where: { $0.decision.token == save.decision.token }) else { return }
                if case .committed = answer { saves[place].stands = true } else { saves.remove(at: place) }
            }
        }
    }

    /// The durable saves of contexts, the newest first. Any later save may repeat one of them.
    var standingSaves: [IndeterminateCommit] {
        undecided.withLock { saves in saves.filter { $0.stands && $0.batch == nil }.map(\.commit) }
    }

    /// The result of the same batch request, if it is durable; it is then forgotten.
    func takeResult(of batch: StoreBatch) -> BatchOutcome? {
        undecided.withLock { saves in
            let place = saves.firstIndex { save in
                guard save.stands, let earlier = save.batch?.batch, earlier.wantsIDs == batch.wantsIDs else {
                    return false
                }
                return batch.origin.isSame(as: earlier.origin, isNext: !save.isOlder)
            }
            return place.flatMap { saves.remove(at: $0).batch?.outcome }
        }
    }

    /// Called after each transaction.
    func didCommit() {
        undecided.withLock { saves in for place in saves.indices { saves[place].isOlder = true } }
    }
}
