// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the limits of a SQLite store: readers, times to wait, waiting calls, and cancelled tasks. Limits-L1 to C4.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Synchronization
import Testing

@testable import CoreData

@Suite("Limits of a SQLite store", .serialized) struct StoreLimitTests {
    private let folder: URL
    private let log = OperationLog()

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func container(_ options: [String: NSNumber] = [:]) throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Bookshop", managedObjectModel: BookshopModel.make())
        let description = NSPersistentStoreDescription(url: folder.appending(path: "Store.sqlite"))
        for (key, value) in options { description.setOption(value, forKey: key) }
        container.persistentStoreDescriptions = [description]
        container.persistentStoreCoordinator.storeObservers = [log]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        return container
    }

    private func pool(_ container: NSPersistentContainer) throws -> ConnectionPool {
        let store = container.persistentStoreCoordinator.persistentStores.first as? SQLiteStore
        return try #require(store).opened().pool
    }

    private func condition(_ container: NSPersistentContainer) throws -> StoreCondition {
        try #require(container.persistentStoreCoordinator.persistentStores.first?.condition)
    }

    /// Counts books on another thread while the only reader is taken, and gives the error.
    private func countWhileTaken(_ container: NSPersistentContainer) throws -> (any Error)? {
        var failure: (any Error)?
        try pool(container).read(in: nil, since: 0) { _ in
            let context = container.newBackgroundContext()
            context.performAndWait {
                do { _ = try context.count(for: Book.request()) } catch { failure = error }
            }
        }
        return failure
    }

    /// Saves a book while another thread writes, and gives the error.
    private func saveWhileWritten(_ container: NSPersistentContainer, _ context: NSManagedObjectContext) throws
        -> (any Error)?
    {
        let (isBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let hasEnded = DispatchSemaphore(value: 0)
        let pool = try pool(container)
        Thread.detachNewThread {
            try? pool.write { _ in
                isBegun.signal()
                mayEnd.wait()
            }
            hasEnded.signal()
        }
        isBegun.wait()
        var failure: (any Error)?
        context.performAndWait {
            Book(context: context).title = "Dune"
            do { try context.save() } catch { failure = error }
        }
        mayEnd.signal()
        hasEnded.wait()
        return failure
    }

    @Test("a call that gets no reader in time throws 134090, and its report has the time of waiting")
    func timeout() throws {
        let container = try container([NSStoreConnectionLimitOption: 1, NSStoreConnectionTimeoutOption: 0.2])
        _ = log.take()
        let error = try countWhileTaken(container)
        #expect((error as? CocoaError)?.code.rawValue == 134090)
        #expect("\(try #require(error))".contains("NSStoreConnectionLimitOption"))
        let report = try #require(log.take().of(.count).first?.report)
        #expect(report.connectionWait > .zero && report.errorCode == 134090)
        let context = container.newBackgroundContext()
        #expect(try context.performAndWait { try context.count(for: Book.request()) } == 0)
        #expect(try condition(container).connectionsInUse <= 1)
    }

    @Test("a read and a save wait as the option says; without it, a read as the store's timeout, a save without limit")
    func timesToWait() throws {
        var options: [AnyHashable: Any] = [NSPersistentStoreTimeoutOption: 2]
        let usual = PoolLimits(try SQLiteStoreOptions(options))
        #expect(usual.readerTimeout == .seconds(2) && usual.writerTimeout == nil)
        options[NSStoreConnectionTimeoutOption] = 0.25
        let own = PoolLimits(try SQLiteStoreOptions(options))
        #expect(own.readerTimeout == .milliseconds(250) && own.writerTimeout == .milliseconds(250))
    }

    @Test("a call beyond the number of waiting calls is refused at once") func backPressure() throws {
        let container = try container([
            NSStoreConnectionLimitOption: 1, NSStoreConnectionTimeoutOption: 30, NSStoreWaitingLimitOption: 0,
        ])
        let error = try countWhileTaken(container)
        #expect((error as? CocoaError)?.code.rawValue == 134090)
        #expect("\(try #require(error))".contains("NSStoreWaitingLimitOption"))
    }

    @Test("a save waits for the writer, at most for the time that is set, and keeps its changes") func writer() throws {
        let container = try container([NSStoreConnectionTimeoutOption: 0.2])
        let context = container.newBackgroundContext()
        let failure = try saveWhileWritten(container, context)
        #expect((failure as? CocoaError)?.code.rawValue == 134090)
        let saved = try context.performAndWait {
            try context.save()
            return try context.count(for: Book.request())
        }
        #expect(saved == 1)
        #expect(log.take().of(.save).first?.report?.lockWait ?? .zero > .zero)
    }

    @Test("a save beyond the number of waiting calls is refused without waiting, and keeps its changes")
    func writerBackPressure() throws {
        let container = try container([NSStoreConnectionTimeoutOption: 0.2, NSStoreWaitingLimitOption: 0])
        let context = container.newBackgroundContext()
        let error = try saveWhileWritten(container, context)
        #expect((error as? CocoaError)?.code.rawValue == 134090)
        #expect("\(try #require(error))".contains("NSStoreWaitingLimitOption"))
        let saved = try context.performAndWait {
            try context.save()
            return try context.count(for: Book.request())
        }
        #expect(saved == 1)
    }

    @Test("many threads share few readers without an error") func sharing() async throws {
        let container = try container([NSStoreConnectionLimitOption: 2, NSStoreConnectionTimeoutOption: 60])
        let counts = await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let context = container.newBackgroundContext()
                    return try? await context.perform {
                        for _ in 0..<50 { _ = try context.count(for: Book.request()) }
                        return try context.count(for: Book.request())
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == Array(repeating: 0, count: 8))
        let condition = try condition(container)
        #expect(condition.connectionLimit == 2 && condition.connectionsInUse == 0 && condition.callsWaiting == 0)
    }

    @Test("the condition has the age of the oldest generation, and the length of the log") func oldest() async throws {
        let container = try container()
        let context = container.newBackgroundContext()
        try context.performAndWait {
            Book(context: context).title = "Dune"
            try context.save()
            try context.setQueryGenerationFrom(.current)
            _ = try context.count(for: Book.request())
        }
        try await Task.sleep(for: .milliseconds(50))
        let pinned = try condition(container)
        #expect(pinned.connectionsInUse == 1 && pinned.oldestReaderAge != nil)
        #expect(pinned.logLength ?? 0 > 0)
        try context.performAndWait { try context.setQueryGenerationFrom(nil) }
        #expect(try condition(container).oldestReaderAge == nil)
    }

    // MARK: Cancelled tasks

    /// Runs a block whose statement takes minutes, and cancels its task.
    private func cancelled(
        _ context: NSManagedObjectContext, _ work: @escaping @Sendable () throws -> Void
    ) async throws -> (any Error)? {
        let task = Task { try await context.perform(work) }
        try await Task.sleep(for: .milliseconds(200))
        task.cancel()
        do {
            try await task.value
            return nil
        } catch {
            return error
        }
    }

    /// Takes a reader on another thread, until the result is signalled.
    private static func takeReader(_ pool: ConnectionPool) -> DispatchSemaphore {
        let (isTaken, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            try? pool.read(in: nil, since: 0) { _ in
                isTaken.signal()
                mayEnd.wait()
            }
        }
        isTaken.wait()
        return mayEnd
    }

    private static let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000000) SELECT count(*) FROM n"

    @Test("a cancelled task stops its statement with 3072, and the connection serves the next call")
    func reading() async throws {
        let container = try container()
        let context = container.newBackgroundContext()
        context.stopsStatementsOfCancelledTasks = true
        let pool = try pool(container)
        let error = try await cancelled(context) {
            try pool.read(in: nil, since: 0) { _ = try $0.rows(Self.endless) }
        }
        #expect((error as? CocoaError)?.code == .userCancelled)
        #expect(try await context.perform { try context.count(for: Book.request()) } == 0)
    }

    @Test("cancelling an asynchronous fetch stops its statement, and its completion block uses the context")
    func asynchronous() async throws {
        let container = try container()
        let context = container.newBackgroundContext()
        let pool = try pool(container)
        // A view that never ends in place of the table.
        try pool.write {
            try $0.execute("ALTER TABLE ZBOOK RENAME TO ZOLD")
            try $0.execute("CREATE VIEW ZBOOK AS SELECT ZOLD.* FROM ZOLD, (\(Self.endless))")
        }
        let (code, isSaved) = await withCheckedContinuation { continuation in
            context.perform {
                let later = NSAsynchronousFetchRequest(fetchRequest: Book.request()) { result in
                    let code = (result.operationError as? CocoaError)?.code.rawValue
                    let count = try? context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Author"))
                    continuation.resume(returning: (code, count == 0))
                }
                guard let result = try? context.execute(later) as? NSAsynchronousFetchResult<Book> else { return }
                nonisolated(unsafe) let running = result  // `cancel()` may be called on any thread
                DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) { running.cancel() }
            }
        }
        #expect(code == CocoaError.userCancelled.rawValue && isSaved)
        let report = try #require(log.take().of(.fetch).first?.report)
        #expect(report.errorCode == CocoaError.userCancelled.rawValue)
    }

    @Test("a context that does not stop statements gives the result in spite of the cancelling") func off() async throws
    {
        let context = try container().newBackgroundContext()
        let task = Task {
            try await context.perform {
                Thread.sleep(forTimeInterval: 0.2)
                return try context.count(for: Book.request())
            }
        }
        task.cancel()
        #expect(try await task.value == 0)
    }

    @Test("a cancelled save writes nothing and keeps its changes, or is complete; the next save writes all")
    func saving() async throws {
        let container = try container()
        for delay in stride(from: 0, to: 30, by: 3) {
            let context = container.newBackgroundContext()
            context.stopsStatementsOfCancelledTasks = true
            let reader = container.newBackgroundContext()
            let before = try reader.performAndWait { try reader.count(for: Book.request()) }
            let task = Task {
                try await context.perform {
                    for index in 0..<400 { Book(context: context).title = "\(index)" }
                    try context.save()
                }
            }
            try await Task.sleep(for: .milliseconds(delay))
            task.cancel()
            let isSaved = (try? await task.value) != nil
            let after = try reader.performAndWait { try reader.count(for: Book.request()) }
            #expect(after - before == (isSaved ? 400 : 0))
            let left = await context.perform { context.insertedObjects.count }
            #expect(left == (isSaved ? 0 : 400))
            try await context.perform { try context.save() }
            let end = try reader.performAndWait { try reader.count(for: Book.request()) }
            #expect(end - before == 400)
        }
    }

    @Test("a cancelled task waits no longer for a reader") func waiting() async throws {
        let container = try container([NSStoreConnectionLimitOption: 1, NSStoreConnectionTimeoutOption: 30])
        let context = container.newBackgroundContext()
        context.stopsStatementsOfCancelledTasks = true
        let pool = try pool(container)
        let mayEnd = Self.takeReader(pool)
        let error = try await cancelled(context) { _ = try context.count(for: Book.request()) }
        mayEnd.signal()
        #expect((error as? CocoaError)?.code == .userCancelled)
    }

    @Test("a statement does not begin after its task was cancelled: the call throws 3072") func lateStatement() {
        let signal = StopSignal()
        signal.stop()
        var isRun = false
        let error = #expect(throws: CocoaError.self) { try signal.stopping(by: {}) { isRun = true } }
        #expect(error?.code == .userCancelled && !isRun)
    }
}
