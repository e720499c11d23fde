// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The indeterminate commits of an open store, until its next transaction (IndeterminateCommits-D3).

import SQLiteDriver

/// Guarded by the pool's write lock.
struct IndeterminateCommits {
    enum Work {
        case save(IndeterminateCommit)
        case batch(StoreBatch, BatchResult)
    }

    private struct Entry {
        let number: Int64
        let work: Work
        /// Whether the commit is known to be durable.
        var stands = false
        /// Whether the store has committed another transaction since.
        var isOlder = false
    }

    /// The newest first.
    private var indeterminate: [Entry] = []

    var isEmpty: Bool { indeterminate.isEmpty }

    mutating func add(_ number: Int64, _ work: Work) {
        indeterminate.insert(Entry(number: number, work: work), at: 0)
        indeterminate = Array(indeterminate.prefix(IndeterminateCommit.maximumCount))
    }

    /// Forgets commits that were rolled back (IndeterminateCommits-D3).
    mutating func settle(_ commits: CommitNumbers, on connection: Connection) throws {
        indeterminate = try indeterminate.compactMap { entry in
            var entry = entry
            if !entry.stands { entry.stands = try commits.stands(entry.number, on: connection) }
            return entry.stands ? entry : nil
        }
    }

    mutating func didCommit() { for position in indeterminate.indices { indeterminate[position].isOlder = true } }

    /// The saves that are durable.
    var saves: [IndeterminateCommit] {
        indeterminate.compactMap { if $0.stands, case .save(let commit) = $0.work { commit } else { nil } }
    }

    /// The result of the same request if it is durable (IndeterminateCommits-D5).
    func result(of batch: StoreBatch) -> BatchResult? { place(of: batch)?.result }

    mutating func forget(_ batch: StoreBatch) {
        if let place = place(of: batch) { indeterminate.remove(at: place.index) }
    }

    private func place(of batch: StoreBatch) -> (index: Int, result: BatchResult)? {
        for (index, entry) in indeterminate.enumerated() where entry.stands {
            guard case .batch(let earlier, let result) = entry.work, earlier.wantsIDs == batch.wantsIDs,
                batch.origin.isSame(as: earlier.origin, isNext: !entry.isOlder)
            else { continue }
            return (index, result)
        }
        return nil
    }
}
