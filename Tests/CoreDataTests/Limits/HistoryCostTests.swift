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
        // The first time statements are prepared.
        _ = try read(stack)
        let before = ocd_allocations()
        let read = try read(stack)
        let count = ocd_allocations() - before
        #expect(read.map(\.transactionNumber) == Array(1...Int64(Self.slice)))
        #expect(read.allSatisfy { $0.changes?.count == 1 })
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
