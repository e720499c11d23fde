// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reading a slice of a history costs the same, however long the history is.

import CAllocationCounter
import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Proves: H17
@Suite("Cost of reading history") struct HistoryCostTests {
    private static let slice = 10

    @Test(
        "a slice allocates the same before few transactions and before many",
        .enabled(if: ocd_counts_allocations() && !PortableMode.isOn), arguments: [StoreKind.sqlite, .inMemory])
    func slice(kind: StoreKind) throws {
        let (few, many) = (try allocations(kind, transactions: 20), try allocations(kind, transactions: 400))
        #expect(many < few * 11 / 10)
    }

    private func allocations(_ kind: StoreKind, transactions: Int) throws -> Int64 {
        let stack = try Stack(kind, BookshopModel.make(), options: [NSPersistentHistoryTrackingKey: true])
        let book = Book(context: stack.context)
        book.title = "Dune"
        for number in 0..<transactions {
            book.pages = number + 1
            try stack.context.save()
        }
        // The first run prepares statements.
        _ = try read(stack)
        let before = ocd_allocations()
        let read = try read(stack)
        let count = ocd_allocations() - before
        #expect(read.map(\.transactionNumber) == Array(1...Int64(Self.slice)))
        #expect(read.allSatisfy { $0.changes?.count == 1 })
        return count
    }

    @Test(
        "the sequence allocates the same before few changes and before many",
        .enabled(if: ocd_counts_allocations() && !PortableMode.isOn), arguments: [StoreKind.sqlite, .inMemory])
    func sequence(kind: StoreKind) async throws {
        let few = try await allocationsOfSequence(kind, transactions: 3)
        let many = try await allocationsOfSequence(kind, transactions: 12)
        #expect(many < few * 11 / 10)
    }

    /// The allocations for the first element, where transactions have 500 changes each.
    private func allocationsOfSequence(_ kind: StoreKind, transactions: Int) async throws -> Int64 {
        let stack = try Stack(kind, BookshopModel.make(), options: [NSPersistentHistoryTrackingKey: true])
        let books = Array(repeating: ["title": "Dune"], count: 500)
        for _ in 0..<transactions {
            try stack.context.execute(NSBatchInsertRequest(entityName: "Book", objects: books))
        }
        let sequence = stack.coordinator.historyTransactions(after: nil)
        // The first run prepares statements.
        var first = sequence.makeAsyncIterator()
        #expect(try await first.next()?.changes?.count == 500)
        var iterator = sequence.makeAsyncIterator()
        let before = ocd_allocations()
        let transaction = try await iterator.next()
        let count = ocd_allocations() - before
        #expect(transaction?.transactionNumber == 1)
        return count
    }

    private func read(_ stack: Stack) throws -> [NSPersistentHistoryTransaction] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        request.fetchRequest = NSPersistentHistoryTransaction.fetchRequest
        request.fetchRequest?.fetchLimit = Self.slice
        let result = try stack.context.execute(request) as? NSPersistentHistoryResult
        return try #require(result?.result as? [NSPersistentHistoryTransaction])
    }
}
