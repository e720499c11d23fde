// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States what the reports of operations count: conflicts by policy, retries, rows of pages and queries. Telemetry-O6.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Synchronization
import Testing

@testable import CoreData

@Suite("Reports of operations") struct ReportTests {
    private static let databases = StoreKind.all.filter { $0 == .sqlite || $0.isOnServer }

    private let log = OperationLog()

    /// The report of a save that meets a conflict, and its error.
    private func conflictedSave(_ kind: StoreKind, _ policy: NSMergePolicy) throws -> (
        report: StoreOperationReport, error: (any Error)?
    ) {
        let shop = try Bookshop(in: kind, observers: [log])
        let book = shop.book("Dune")
        try shop.context.save()
        let other = shop.stack.newContext()
        try #require(try other.fetch(Book.request()).first).title = "Emma"
        try other.save()
        shop.context.mergePolicy = policy
        book.title = "Ulysses"
        _ = log.take()
        var failure: (any Error)?
        do { try shop.context.save() } catch { failure = error }
        return (try #require(log.take().of(.save).first?.report), failure)
    }

    /// Proves: Telemetry-O6
    @Test(
        "a conflict is counted by its policy, and the save is repeated once, except under the error policy",
        arguments: databases)
    func conflicts(kind: StoreKind) throws {
        let policies: [(policy: NSMergePolicy, name: String, rows: Int)] = [
            (.mergeByPropertyStoreTrump, "mergeByPropertyStoreTrump", 0),
            (.mergeByPropertyObjectTrump, "mergeByPropertyObjectTrump", 1), (.overwrite, "overwrite", 1),
            (.rollback, "rollback", 0), (CustomPolicy(merge: .overwriteMergePolicyType), "custom", 1),
        ]
        for (policy, name, rows) in policies {
            let (report, error) = try conflictedSave(kind, policy)
            #expect(error == nil && report.error == nil, "\(name)")
            #expect(report.conflictPolicy == name && report.conflicts == 1 && report.retries == 1, "\(name)")
            #expect(report.rows == rows, "\(name)")
        }
        let (report, error) = try conflictedSave(kind, .error)
        #expect((error as? CocoaError)?.code.rawValue == 133020 && report.errorCode == 133020)
        #expect(report.conflictPolicy == "error" && report.conflicts == 1 && report.retries == 0 && report.rows == 0)
    }

    /// Proves: Telemetry-O7
    @Test("pages, lists by pages, searches and results controllers report their rows", arguments: databases)
    func pages(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind, observers: [log])
        for number in 1...7 { shop.book("Dune \(number)") }
        try shop.context.save()
        let request = Book.request()
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let context = shop.stack.newContext()
        func rows(_ body: () throws -> Void) throws -> [Int] {
            _ = log.take()
            try body()
            let fetches = log.take().of(.fetch)
            return fetches.filter { $0.operation.entityName == "Book" && $0.operation.parentID == nil }
                .compactMap(\.report?.rows)
        }
        var cursor: FetchCursor?
        let pages = try rows {
            repeat { cursor = try context.page(request, after: cursor, size: 3).next } while cursor != nil
        }
        #expect(pages == [3, 3, 1])
        #expect(try rows { _ = try request.explainPage(size: 3, in: context) } == [0])
        request.fetchBatchSize = 2
        context.reset()
        #expect(try rows { _ = try context.fetchPaged(request) } == [7])
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        #expect(try rows { try controller.performFetch() } == [7])
    }

    /// Proves: Telemetry-O7
    @Test("each page of a list by pages is a read of faults with its rows", arguments: databases)
    func listPages(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind, observers: [log])
        for number in 1...7 { shop.book("Dune \(number)") }
        try shop.context.save()
        try shop.stack.reopen()
        let request = Book.request()
        request.fetchBatchSize = 3
        let list = try shop.context.fetchPaged(request)
        _ = log.take()
        for book in list { _ = book.title }
        #expect(log.take().of(.faults).compactMap(\.report?.rows) == [3, 3, 1])
    }

    /// Proves: Telemetry-O7
    @Test("a query in SQL reports its rows") func query() throws {
        let shop = try Bookshop(in: .sqlite, observers: [log])
        for title in ["Dune", "Emma", "Ulysses"] { shop.book(title) }
        try shop.context.save()
        _ = log.take()
        let titles = try shop.context.rows("SELECT title FROM Book WHERE title < \("F")", as: String.self)
        #expect(titles.count == 2)
        #expect(log.take().of(.fetch).compactMap(\.report?.rows) == [2])
    }

    /// Proves: Telemetry-O7
    @Test("a search reports its results", arguments: databases) func search(kind: StoreKind) throws {
        let stack = try Stack(kind, PapersModel.make(), observers: [log])
        for title in ["open source", "open letter", "closed"] {
            stack.insert("Paper").setValue(title, forKey: "title")
        }
        try stack.context.save()
        _ = log.take()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Paper")
        let results = try stack.context.search(SearchQuery("open"), in: request)
        #expect(results.count == 2)
        let fetches = log.take().of(.fetch).filter { $0.operation.parentID == nil }
        #expect(fetches.compactMap(\.report?.rows) == [2])
    }

    /// Proves: Telemetry-O6
    @Test(
        "the time that SQLite waits for the lock of another opener is part of the save's report",
        arguments: [false, true])
    func lockOfOthers(isOver: Bool) throws {
        let release = LockRelease()
        let stack = try Stack(
            .sqlite, BookshopModel.make(), options: [NSPersistentStoreTimeoutOption: isOver ? 0.1 : 600],
            observers: [log, release])
        func save() throws -> StoreOperationReport {
            _ = log.take()
            Book(context: stack.context).title = "Dune"
            try? stack.context.save()
            return try #require(log.take().of(.save).first?.report)
        }
        #expect(try save().lockWait == .zero)
        let other = try Connection(url: stack.url)
        try other.begin(.immediate)
        if !isOver { release.whenSaveBegins { try? other.rollback() } }
        let report = try save()
        #expect(report.lockWait > .zero && report.lockWait <= report.duration)
        #expect((report.error == nil) == !isOver && report.connectionWait == .zero)
        if isOver { try other.rollback() }
        #expect(try save().lockWait == .zero)
    }
}

/// Lets go of a lock a moment after a save has begun to wait for it.
private final class LockRelease: StoreObserver {
    private let action = Mutex<(@Sendable () -> Void)?>(nil)

    func whenSaveBegins(_ body: @escaping @Sendable () -> Void) { action.withLock { $0 = body } }

    func begin(_ operation: StoreOperation) -> StoreOperation.End? {
        guard operation.statement?.hasPrefix("BEGIN") == true, let body = action.withLock({ $0.take() }) else {
            return nil
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.2, execute: body)
        return nil
    }
}

private final class CustomPolicy: NSMergePolicy, @unchecked Sendable {}
