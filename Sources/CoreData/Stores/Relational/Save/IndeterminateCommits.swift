// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The indeterminate commits of an open store, until its next transaction (IndeterminateCommits-D3).

/// A store guards it with a lock.
///
/// A mark names a transaction, so that the store can look for it in the database (StoreInterface-V4).
package struct IndeterminateCommits<Mark: Equatable>: @unchecked Sendable {  // copies that nobody changes
    package enum Work {
        case save(IndeterminateCommit)
        /// A request over rows is a save with the request beside it.
        case batch(ExecutedBatch)

        /// - Parameters:
        ///   - changes: the changes that were written.
        ///   - asked: the changes as the context has them.
        ///   - earlier: an attempt of the same save that is durable.
        package init(
            _ changes: ChangeSet, _ outcome: SaveOutcome, asked: ChangeSet, after earlier: IndeterminateCommit?
        ) {
            guard let executed = changes.batch else {
                self = .save(IndeterminateCommit(changes, outcome.permanentKeys, asked: asked, after: earlier))
                return
            }
            var result = executed.outcome
            result.transactionNumber = outcome.transactionNumber
            self = .batch(ExecutedBatch(executed, result))
        }
    }

    private struct Entry {
        let mark: Mark
        let work: Work
        /// Whether the commit is known to be durable.
        var isDurable = false
        /// Whether the store has committed another transaction since.
        var isOlder = false
    }

    /// A store keeps only the newest: a context that was reset never repeats its save.
    private static var maximumCount: Int { 4 }

    /// The newest first.
    private var entries: [Entry] = []

    package init() {}

    package var isEmpty: Bool { entries.isEmpty }

    package mutating func add(_ mark: Mark, _ work: Work) {
        entries.insert(Entry(mark: mark, work: work), at: 0)
        entries = Array(entries.prefix(Self.maximumCount))
    }

    /// The commits that may or may not be durable.
    package var unsettled: [Mark] { entries.filter { !$0.isDurable }.map(\.mark) }

    /// Forgets a commit that was rolled back.
    package mutating func settle(_ mark: Mark, isDurable: Bool) {
        guard let position = entries.firstIndex(where: { $0.mark == mark }) else { return }
        if isDurable { entries[position].isDurable = true } else { entries.remove(at: position) }
    }

    /// Called after each transaction.
    package mutating func didCommit() { for position in entries.indices { entries[position].isOlder = true } }

    /// The rest of a save that one of the commits has begun: any later save may be one of them, tried again.
    ///
    /// - Parameter read: reads rows by key below a root entity.
    package func continuation(
        _ changes: ChangeSet, _ model: ModelLayout, _ read: ([Int64], EntityLayout) throws -> [FetchedRow]
    ) throws -> IndeterminateCommit.Continuation? {
        for entry in entries where entry.isDurable {
            guard case .save(let commit) = entry.work else { continue }
            if let found = try commit.continuation(changes, model, read) { return found }
        }
        return nil
    }

    /// The result of the same request if it is durable (IndeterminateCommits-D5).
    package func outcome(of batch: StoreBatch) -> BatchOutcome? { place(of: batch)?.outcome }

    /// The request was answered with the result of its first attempt.
    package mutating func forget(_ batch: StoreBatch) {
        if let place = place(of: batch) { entries.remove(at: place.position) }
    }

    private func place(of batch: StoreBatch) -> (position: Int, outcome: BatchOutcome)? {
        for (position, entry) in entries.enumerated() where entry.isDurable {
            guard case .batch(let earlier) = entry.work, earlier.wantsIDs == batch.wantsIDs,
                batch.origin.isSame(as: earlier.origin, isNext: !entry.isOlder)
            else { continue }
            return (position, earlier.outcome)
        }
        return nil
    }
}
