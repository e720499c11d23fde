// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States how `execute` runs fetches: at once, or later and away from the context's queue.

import CoreData
import CoreDataTestSupport
import Foundation
import Synchronization
import Testing

/// Proves: F61
@Suite("Asynchronous fetches") struct AsynchronousFetchSpecification {
    /// Three books in the store, and a context with a private queue.
    private static func shop(in store: StoreKind) throws -> (Bookshop, NSManagedObjectContext) {
        let shop = try Bookshop(in: store)
        for (title, pages) in [("Dune", 412), ("Emma", 474), ("Kim", 368)] { shop.book(title, pages: pages) }
        try shop.context.save()
        let context = shop.stack.newContext(.privateQueueConcurrencyType)
        context.userInfo["shop"] = shop  // which takes the store away when it goes
        return (shop, context)
    }

    private static func request<T>(_ format: String? = nil, _ type: T.Type = Book.self) -> NSFetchRequest<T> {
        let request = NSFetchRequest<T>(entityName: "Book")
        request.predicate = format.map { NSPredicate(format: $0) }
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        return request
    }

    /// Executes a request on the context's queue, does more work in the same block, and waits for the results. A
    /// completion block that is called twice traps.
    private static func results<T, Value: Sendable>(
        _ context: NSManagedObjectContext, _ request: @escaping @Sendable () -> NSFetchRequest<T>,
        expecting count: Int = 0,
        meanwhile: @escaping @Sendable (NSAsynchronousFetchResult<T>) throws -> Void = { _ in },
        read: @escaping @Sendable (NSAsynchronousFetchResult<T>) -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            context.perform {
                let asynchronous = NSAsynchronousFetchRequest(fetchRequest: request()) {
                    continuation.resume(returning: read($0))
                }
                asynchronous.estimatedResultCount = count
                do {
                    let result = try context.execute(asynchronous)
                    if let result = result as? NSAsynchronousFetchResult<T> { try meanwhile(result) }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }

    @Sendable private static func titles(_ result: NSAsynchronousFetchResult<Book>) -> [String]? {
        result.finalResult?.map { $0.title ?? "" }
    }

    @Sendable private static func errorCode<T>(_ result: NSAsynchronousFetchResult<T>) -> Int? {
        result.finalResult == nil ? (result.operationError as NSError?)?.code : nil
    }

    // MARK: At once

    /// Decided by `execute(_:)` with an `NSFetchRequest`: the class and the `progress` of its result.
    @Test("a fetch request is executed at once", .tags(.assumed), arguments: StoreKind.all)
    func atOnce(store: StoreKind) throws {
        let (shop, _) = try Self.shop(in: store)
        let request = Self.request("pages > 400")
        let result = try #require(try shop.context.execute(request) as? NSAsynchronousFetchResult<Book>)
        #expect(Self.titles(result) == ["Dune", "Emma"])
        #expect(result.operationError == nil)
        #expect(result.progress == nil)
        #expect(result.managedObjectContext === shop.context)
        #expect(result.fetchRequest.fetchRequest === request)
    }

    /// Decided by `execute(_:)` with an own subclass of `NSPersistentStoreRequest`, and with an `NSSaveChangesRequest`.
    @Test("a request that nobody knows is refused by its class's name", .tags(.assumed))
    func unknown() throws {
        final class Survey: NSPersistentStoreRequest {}
        let shop = try Bookshop(in: .inMemory)
        let book = shop.book("Dune")
        let save = NSSaveChangesRequest(inserted: [book], updated: nil, deleted: nil, locked: nil)
        #expect(save.requestType == .saveRequestType)
        #expect(save.insertedObjects == [book])
        #expect((save.copy() as? NSSaveChangesRequest)?.insertedObjects == [book])
        for (request, name) in [(Survey(), "Survey"), (save, "NSSaveChangesRequest")] {
            let error = refusal(of: request, shop.context)
            #expect(error?.code == CocoaError.persistentStoreUnsupportedRequestType.rawValue)
            #expect(error?.localizedDescription.contains(name) == true)
        }
        #expect(shop.context.hasChanges)
    }

    @Test("a context without a queue refuses, and so does a name that the model lacks")
    func refused() throws {
        let (shop, context) = try Self.shop(in: .inMemory)
        #expect(
            refusal(of: NSAsynchronousFetchRequest(fetchRequest: Self.request()), shop.context)?.code == NSCoreDataError
        )
        let code = context.performAndWait {
            refusal(of: NSAsynchronousFetchRequest(fetchRequest: Self.request("tilte == 'x'")), context)?.code
        }
        #expect(code == NSCoreDataError)
    }

    private func refusal(of request: NSPersistentStoreRequest, _ context: NSManagedObjectContext) -> NSError? {
        do {
            try context.execute(request)
            return nil
        } catch {
            return error as NSError
        }
    }

    // MARK: Later

    @Test("results arrive after the block that asked", arguments: StoreKind.all)
    func later(store: StoreKind) async throws {
        let (_, context) = try Self.shop(in: store)
        let asked = Mutex(false)
        let (titles, cameLater) = try await Self.results(
            context, { Self.request("pages < 450") },
            meanwhile: { result in
                _ = try context.count(for: Book.request())
                asked.withLock { $0 = result.finalResult == nil }
            },
            read: { (Self.titles($0), asked.withLock { $0 }) })
        #expect(titles == ["Dune", "Kim"])
        #expect(cameLater)
    }

    @Test("the completion block runs on the context's queue")
    func queue() async {
        await #expect(processExitsWith: .success) {
            setenv("com.apple.CoreData.ConcurrencyDebug", "1", 1)
            let (_, context) = try AsynchronousFetchSpecification.shop(in: .inMemory)
            let titles = try await AsynchronousFetchSpecification.results(
                context, { AsynchronousFetchSpecification.request() }, read: AsynchronousFetchSpecification.titles)
            exit(titles?.count == 3 ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    @Test("on the main queue as well")
    @MainActor func mainQueue() async throws {
        let (shop, _) = try Self.shop(in: .inMemory)
        let context = shop.stack.newContext(.mainQueueConcurrencyType)
        let titles = try await Self.results(context, { Self.request() }, read: Self.titles)
        #expect(titles == ["Dune", "Emma", "Kim"])
    }

    /// Decided by `finalResult` of asynchronous fetches of ids, counts and dictionaries, with an offset.
    /// Proves: C8
    @Test("every form of results", .tags(.assumed), arguments: StoreKind.all)
    func forms(store: StoreKind) async throws {
        let (shop, context) = try Self.shop(in: store)
        let ids = try await Self.results(
            context,
            { () -> NSFetchRequest<NSManagedObjectID> in
                let request = Self.request("pages > 400", NSManagedObjectID.self)
                request.resultType = .managedObjectIDResultType
                return request
            }, read: { $0.finalResult ?? [] })
        #expect(ids == (try shop.context.fetch(Self.request("pages > 400"))).map(\.objectID))
        let count = try await Self.results(
            context,
            { () -> NSFetchRequest<NSNumber> in
                let request = Self.request(nil, NSNumber.self)
                request.resultType = .countResultType
                request.fetchOffset = 1
                return request
            }, read: { $0.finalResult?.map(\.intValue) })
        #expect(count == [2])
        let pages = try await Self.results(
            context,
            { () -> NSFetchRequest<NSDictionary> in
                let request = Self.request("title != 'Emma'", NSDictionary.self)
                request.resultType = .dictionaryResultType
                request.propertiesToFetch = ["pages"]
                return request
            }, read: { $0.finalResult?.map { $0["pages"] as? Int } })
        #expect(pages == [412, 368])
        let batched = try await Self.results(
            context,
            { () -> NSFetchRequest<Book> in
                let request = Self.request()
                request.fetchBatchSize = 2
                request.fetchLimit = 2
                return request
            }, read: Self.titles)
        #expect(batched == ["Dune", "Emma"])
    }

    /// Decided by `finalResult` of an asynchronous fetch with a limit, after changes between `execute(_:)` and the
    /// completion block.
    /// Proves: C3, C4, C5
    @Test("unsaved changes count as they are when the results arrive", .tags(.assumed), arguments: StoreKind.all)
    func overlay(store: StoreKind) async throws {
        let (_, context) = try Self.shop(in: store)
        let titles = try await Self.results(
            context,
            { () -> NSFetchRequest<Book> in
                let request = Self.request("pages > 400")
                request.fetchLimit = 2
                return request
            },
            meanwhile: { _ in
                let new = Book(context: context)
                new.title = "Brave New World"
                new.pages = 1000
                for book in try context.fetch(Book.request()) {
                    if book.title == "Dune" { book.pages = 1 }
                    if book.title == "Emma" { book.title = "Clueless" }
                }
            }, read: Self.titles)
        #expect(titles == ["Brave New World", "Clueless"])
        let counts = try await Self.results(
            context,
            { () -> NSFetchRequest<NSNumber> in
                let request = Self.request("pages > 400", NSNumber.self)
                request.resultType = .countResultType
                return request
            }, meanwhile: { _ in context.rollback() }, read: { $0.finalResult?.map(\.intValue) })
        #expect(counts == [2])
    }

    /// Decided by `finalResult` of an asynchronous fetch after a `save()` between `execute(_:)` and the completion
    /// block.
    @Test("a save before the results arrive counts too", .tags(.assumed), arguments: StoreKind.all)
    func saved(store: StoreKind) async throws {
        let (_, context) = try Self.shop(in: store)
        let titles = try await Self.results(
            context, { Self.request("pages > 400") },
            meanwhile: { _ in
                for book in try context.fetch(Self.request()) {
                    if book.title == "Dune" { context.delete(book) } else { book.pages = 500 }
                }
                try context.save()
            }, read: Self.titles)
        #expect(titles == ["Emma", "Kim"])
    }

    /// Decided by an `NSAsynchronousFetchRequest` with a block predicate, and one in a child context.
    @Test(
        "code in a predicate, and parents, are asked on the context's queue", .tags(.assumed), arguments: StoreKind.all)
    func onlyTheContext(store: StoreKind) async throws {
        let (_, context) = try Self.shop(in: store)
        let long = try await Self.results(
            context,
            { () -> NSFetchRequest<Book> in
                let request = Self.request()
                request.predicate = NSPredicate { book, _ in (book as? Book)?.title?.count == 4 }
                return request
            }, read: Self.titles)
        #expect(long == ["Dune", "Emma"])
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        await context.perform { Book(context: context).title = "Hero" }
        let titles = try await Self.results(child, { Self.request() }, read: Self.titles)
        #expect(titles == ["Dune", "Emma", "Hero", "Kim"])
    }

    /// Decided by `finalResult` of an asynchronous fetch in a pinned context, after a save of another context.
    /// Proves: F75
    @Test("a pinned context gets the results of its moment", .tags(.assumed), arguments: StoreKind.pinnable)
    func pinned(store: StoreKind) async throws {
        let (shop, context) = try Self.shop(in: store)
        try await context.perform {
            try context.setQueryGenerationFrom(.current)
            _ = try context.count(for: Book.request())
        }
        shop.book("Ada")
        try shop.context.save()
        let titles = try await Self.results(context, { Self.request() }, read: Self.titles)
        #expect(titles == ["Dune", "Emma", "Kim"])
        let moved = try await Self.results(
            context, { Self.request() }, meanwhile: { _ in try context.setQueryGenerationFrom(.current) },
            read: Self.titles)
        #expect(moved == ["Ada", "Dune", "Emma", "Kim"])
    }

    /// Decided by `operationError` of an asynchronous fetch that fails, and whether `execute(_:)` throws.
    @Test("a failure comes as the result's error", .tags(.assumed), arguments: StoreKind.all)
    func failure(store: StoreKind) async throws {
        let (_, context) = try Self.shop(in: store)
        let code = try await Self.results(context, { Self.request(nil, Author.self) }, read: Self.errorCode)
        #expect(code == NSCoreDataError)
    }

    // MARK: Cancelling

    /// Decided by `operationError` after `NSPersistentStoreAsynchronousResult.cancel()`: 3072 or nil.
    @Test("a cancelled fetch ends with an error", .tags(.assumed), arguments: StoreKind.all)
    func cancelled(store: StoreKind) async throws {
        let (_, context) = try Self.shop(in: store)
        let code = try await Self.results(
            context, { Self.request() }, meanwhile: { $0.cancel() }, read: Self.errorCode)
        #expect(code == NSUserCancelledError)
    }

    /// Decided by `cancel()` in the completion block: `finalResult` and `operationError` afterwards.
    @Test("cancelling after the results have arrived changes nothing", .tags(.assumed))
    func tooLate() async throws {
        let (_, context) = try Self.shop(in: .inMemory)
        let titles = try await Self.results(
            context, { Self.request() },
            read: { result in
                result.cancel()
                return result.operationError == nil ? Self.titles(result) : nil
            })
        #expect(titles == ["Dune", "Emma", "Kim"])
    }

    /// Decided by `NSAsynchronousFetchResult.progress` and its units, with and without a current `Progress`.
    @Test("progress is reported where a progress is current", .tags(.assumed), arguments: StoreKind.all)
    func progress(store: StoreKind) async throws {
        let (_, context) = try Self.shop(in: store)
        let overall = Progress(totalUnitCount: 10)
        let (reported, before, after) = try await Self.results(
            context,
            { () -> NSFetchRequest<Book> in
                overall.becomeCurrent(withPendingUnitCount: 10)
                return Self.request()
            }, expecting: 30,
            meanwhile: { result in
                overall.resignCurrent()
                result.progress?.kind = ProgressKind(rawValue: "\(result.progress?.totalUnitCount ?? 0)")
            },
            read: { ($0.progress != nil, $0.progress?.kind?.rawValue, $0.progress?.completedUnitCount) })
        #expect(reported)
        #expect(before == "30")
        #expect(after == 3)
        #expect(overall.completedUnitCount == 10)
        let none = try await Self.results(context, { Self.request() }, read: { $0.progress == nil })
        #expect(none)
    }

    /// Decided by `Progress.cancel()` of the parent of an asynchronous fetch: `operationError`.
    @Test("cancelling the progress cancels the fetch", .tags(.assumed), arguments: StoreKind.all)
    func cancelledProgress(store: StoreKind) async throws {
        let (_, context) = try Self.shop(in: store)
        let overall = Progress(totalUnitCount: 1)
        let code = try await Self.results(
            context,
            { () -> NSFetchRequest<Book> in
                overall.becomeCurrent(withPendingUnitCount: 1)
                return Self.request()
            },
            meanwhile: { _ in
                overall.resignCurrent()
                overall.cancel()
            }, read: Self.errorCode)
        #expect(code == NSUserCancelledError)
    }

    /// Decided by `progress` and `cancel()` of an asynchronous fetch in a child context.
    @Test("a child reports progress, and can be cancelled, too", .tags(.assumed), arguments: StoreKind.all)
    func child(store: StoreKind) async throws {
        let (_, context) = try Self.shop(in: store)
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        await context.perform { Book(context: context).title = "Hero" }
        let overall = Progress(totalUnitCount: 10)
        let completed = try await Self.results(
            child,
            { () -> NSFetchRequest<Book> in
                overall.becomeCurrent(withPendingUnitCount: 10)
                return Self.request()
            }, expecting: 30, meanwhile: { _ in overall.resignCurrent() }, read: { $0.progress?.completedUnitCount })
        #expect(completed == 4)
        #expect(overall.completedUnitCount == 10)
        let code = try await Self.results(
            child, { Self.request() }, meanwhile: { $0.cancel() }, read: Self.errorCode)
        #expect(code == NSUserCancelledError)
    }
}
