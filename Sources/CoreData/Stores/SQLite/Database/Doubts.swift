// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The commits of an open store with an unknown end, until its next transaction (DoubtfulCommits-D3).

import SQLiteDriver

/// Guarded by the pool's write lock.
struct Doubts {
    enum Work {
        case save(DoubtfulCommit)
        case batch(StoreBatch, BatchResult)
    }

    private struct Doubt {
        let number: Int64
        let work: Work
        /// Known to be in the database.
        var stands = false
        /// Whether the store has committed another transaction since.
        var isOlder = false
    }

    /// The newest first.
    private var doubts: [Doubt] = []

    var isEmpty: Bool { doubts.isEmpty }

    mutating func add(_ number: Int64, _ work: Work) {
        doubts.insert(Doubt(number: number, work: work), at: 0)
        doubts = Array(doubts.prefix(DoubtfulCommit.maximumCount))
    }

    /// Forgets those that were rolled back (DoubtfulCommits-D3).
    mutating func settle(_ commits: CommitNumbers, on connection: Connection) throws {
        doubts = try doubts.compactMap { doubt in
            var doubt = doubt
            if !doubt.stands { doubt.stands = try commits.stands(doubt.number, on: connection) }
            return doubt.stands ? doubt : nil
        }
    }

    mutating func didCommit() { for position in doubts.indices { doubts[position].isOlder = true } }

    /// The saves that stand.
    var saves: [DoubtfulCommit] {
        doubts.compactMap { if $0.stands, case .save(let commit) = $0.work { commit } else { nil } }
    }

    /// The result of the same request, which stands (DoubtfulCommits-D5).
    func result(of batch: StoreBatch) -> BatchResult? { place(of: batch)?.result }

    mutating func forget(_ batch: StoreBatch) {
        if let place = place(of: batch) { doubts.remove(at: place.index) }
    }

    private func place(of batch: StoreBatch) -> (index: Int, result: BatchResult)? {
        for (index, doubt) in doubts.enumerated() where doubt.stands {
            guard case .batch(let earlier, let result) = doubt.work, earlier.wantsIDs == batch.wantsIDs,
                batch.origin.isSame(as: earlier.origin, isNext: !doubt.isOlder)
            else { continue }
            return (index, result)
        }
        return nil
    }
}
