// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The transactions of a history as an asynchronous sequence. An addition to Apple's API.

import Foundation

/// The transactions of a coordinator's stores: the existing ones, then each new one. Created by
/// `NSPersistentStoreCoordinator.historyTransactions(after:)`. An addition to Apple's API.
public struct PersistentHistoryTransactions: AsyncSequence, Sendable {
    /// A transaction with its changes.
    public typealias Element = NSPersistentHistoryTransaction

    let coordinator: NSPersistentStoreCoordinator
    let token: NSPersistentHistoryToken?

    /// Begins at the token of the sequence.
    public func makeAsyncIterator() -> Iterator { Iterator(coordinator, token) }

    /// Reads the history in slices of up to 100 transactions. A slice ends with the transaction that has its thousandth
    /// change.
    public struct Iterator: AsyncIteratorProtocol {
        private static let mostTransactions = 100
        private static let mostChanges = 1_000

        private let coordinator: NSPersistentStoreCoordinator
        private var numbers: [String: Int64]
        /// In reverse order, so that each transaction can be removed from the end and freed.
        private var buffer: [NSPersistentHistoryTransaction] = []
        private var news: AsyncStream<Void>.Iterator

        init(_ coordinator: NSPersistentStoreCoordinator, _ token: NSPersistentHistoryToken?) {
            self.coordinator = coordinator
            numbers = token?.numbers ?? [:]
            // Follow the commits before the first read, so that no transaction is missed between the two.
            news = coordinator.remoteChanges.news(of: coordinator).makeAsyncIterator()
        }

        /// - Returns: nil when the task is cancelled.
        /// - Throws: 134301 if transactions were deleted before they were read.
        public mutating func next() async throws -> NSPersistentHistoryTransaction? {
            while !Task.isCancelled {
                if let transaction = buffer.popLast() {
                    numbers[transaction.storeID] = transaction.transactionNumber
                    return transaction
                }
                buffer = try slice().reversed()
                if buffer.isEmpty, await news.next() == nil { return nil }
            }
            return nil
        }

        private func slice() throws -> [NSPersistentHistoryTransaction] {
            let token = numbers.isEmpty ? nil : NSPersistentHistoryToken(numbers)
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
            request.fetchRequest = NSPersistentHistoryTransaction.fetchRequest
            request.fetchRequest?.fetchLimit = Self.mostTransactions
            let execution = HistoryExecution(
                coordinator: coordinator, affected: nil, mostChanges: Self.mostChanges)
            let result = try execution.run(request)
            return result.result as? [NSPersistentHistoryTransaction] ?? []
        }
    }
}
