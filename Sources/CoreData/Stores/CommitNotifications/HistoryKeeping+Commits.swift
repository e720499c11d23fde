// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Announces the commits of a store, and applies its retention now and then.

extension HistoryKeeping {
    /// Called after each transaction, before the next one of the store begins.
    ///
    /// - Parameters:
    ///   - number: the transaction's number in the history; nil if nothing was recorded.
    ///   - commit: from `CommitNotifier.begin(_:)` before the transaction.
    package func didCommit(_ number: Int64?, _ commit: CommitNotifier.Commit?) {
        if let number {
            if commit?.isFollowed == true { ownTransactions.insert(number) }
            if number % 1_000 == 0, (try? historyRetention()) != nil { purgeHistoryLater() }
        }
        commit?.announce(number, by: self)
    }
}
