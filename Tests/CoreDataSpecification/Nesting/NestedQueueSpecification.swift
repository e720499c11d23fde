// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that parents serve children on other queues, and which contexts may be parents.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Proves: P1, P3, P5, P6
@Suite("Queues of nested contexts") struct NestedQueueSpecification {
    private static func pages(_ id: NSManagedObjectID, in context: NSManagedObjectContext) -> Int? {
        (context.object(with: id) as? Book)?.pages
    }

    @Test(
        "children on queues of their own read from and save into one parent at the same time", arguments: StoreKind.all)
    func manyChildren(store: StoreKind) async throws {
        let family = try Family(in: store, .privateQueueConcurrencyType)
        let root = family.root
        let ids = try await root.perform {
            let books = (0..<20).map { number in
                let book = Book(context: root)
                book.title = "Book \(number)"
                return book
            }
            try root.save()
            return books.map(\.objectID)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in ids {
                let child = family.sibling(.privateQueueConcurrencyType)
                group.addTask {
                    for round in 1...10 {
                        try await child.perform {
                            let book = child.object(with: id) as? Book
                            book?.pages = round
                            let author = Author(context: child)
                            author.name = "\(book?.title ?? "") \(round)"
                            book?.author = author
                            _ = try child.fetch(Book.request()).map(\.title)
                            try child.save()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let pages = try await root.perform {
            try root.save()
            return ids.map { Self.pages($0, in: root) }
        }
        #expect(pages == Array(repeating: 10, count: 20))
        let outsider = family.outsider(.privateQueueConcurrencyType)
        let (authors, books) = try await outsider.perform {
            let titles = try outsider.fetch(Book.request()).map { "\($0.title ?? "") 10" == $0.author?.name }
            return (try outsider.count(for: NSFetchRequest<Author>(entityName: "Author")), titles)
        }
        #expect(authors == 200)
        #expect(books == Array(repeating: true, count: 20))
    }

    @Test("a parent's block may wait for its child, which asks the parent", arguments: StoreKind.all)
    func inside(store: StoreKind) throws {
        let family = try Family(in: store, .privateQueueConcurrencyType)
        let (root, child, grandchild) = (family.root, family.child, family.grandchild)
        let titles: [String?] = try root.performAndWait {
            let book = Book(context: root)
            book.title = "Dune"
            return try grandchild.performAndWait {
                let copy = try grandchild.existingObject(with: book.objectID) as? Book
                copy?.title = "Dune II"
                try grandchild.save()
                return try child.performAndWait {
                    try child.save()
                    return root.performAndWait { [copy?.title, book.title] }
                }
            }
        }
        #expect(titles == ["Dune II", "Dune II"])
    }

    @Test("the main queue above a private one, and the other way round")
    @MainActor func mixed() async throws {
        let shop = try Bookshop(in: .sqlite)
        let saver = shop.stack.newContext(.privateQueueConcurrencyType)
        let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        main.parent = saver
        let worker = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        worker.parent = main
        try await worker.perform {
            for number in 0..<100 {
                let book = Book(context: worker)
                book.title = "\(number)"
            }
            try worker.save()
        }
        #expect(main.insertedObjects.count == 100)
        #expect(try main.count(for: Book.request()) == 100)
        try main.save()
        try await saver.perform { try saver.save() }
        let outsider = shop.stack.newContext(.mainQueueConcurrencyType)
        #expect(try outsider.count(for: Book.request()) == 100)
        #expect(try main.fetch(Book.request()).filter { $0.objectID.isTemporaryID }.isEmpty)
    }

    @Test("the main queue may wait for a child that asks its parent on the main queue")
    @MainActor func waitingMain() throws {
        let shop = try Bookshop(in: .inMemory)
        let main = shop.stack.newContext(.mainQueueConcurrencyType)
        let worker = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        worker.parent = main
        shop.book("Dune", in: main)
        let titles = try worker.performAndWait {
            let book = Book(context: worker)
            book.title = "Emma"
            try worker.save()
            return try worker.fetch(Book.request()).map(\.title)
        }
        #expect(Set(titles) == ["Dune", "Emma"])
        #expect(main.insertedObjects.count == 2)
    }

    @Test("an observer on a parent's queue may call the child that waits for it")
    func callingBack() throws {
        let family = try Family(in: .inMemory, .privateQueueConcurrencyType)
        let (root, child) = (family.root, family.child)
        let seen = Seen()
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: root, queue: nil
        ) { _ in child.performAndWait { seen.inserted = child.insertedObjects.count } }
        defer { NotificationCenter.default.removeObserver(token) }
        try child.performAndWait {
            Book(context: child).title = "Dune"
            try child.save()
        }
        #expect(seen.inserted == 1)
    }

    private final class Seen: @unchecked Sendable {  // used by one thread after another
        var inserted: Int?
    }

    @Test("a child's save is announced on the parent, where observers may change more")
    func notifications() async throws {
        let family = try Family(in: .inMemory, .privateQueueConcurrencyType)
        let (root, child) = (family.root, family.child)
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, of: root)
        let saved = NotificationLog(.NSManagedObjectContextDidSave, of: root)
        try await child.perform {
            let book = Book(context: child)
            book.title = "Emma"
            try child.save()
        }
        #expect(log.count == 1)
        #expect(log.objects(NSInsertedObjectsKey).count == 1)
        #expect(saved.count == 0)
    }

    @Test("a parent lives as long as its children, not the other way round")
    func lifetime() throws {
        let shop = try Bookshop(in: .inMemory)
        weak var weakRoot: NSManagedObjectContext?
        weak var weakChild: NSManagedObjectContext?
        var kept: NSManagedObjectContext?
        do {
            let root = shop.stack.newContext(.privateQueueConcurrencyType)
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = root
            let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            other.parent = root
            (weakRoot, weakChild, kept) = (root, other, child)
        }
        #expect(weakChild == nil)
        #expect(weakRoot != nil)
        #expect(kept?.parent === weakRoot)
        #expect(kept?.persistentStoreCoordinator === shop.stack.coordinator)
        kept = nil
        #expect(weakRoot == nil)
    }

    /// Proves: P5, C26
    @Test("the main thread waits for children while they merge a save of their parent on the main queue")
    func mergingChildren() async {
        await #expect(processExitsWith: .success) {
            endAfter(seconds: 60)
            try await MainActor.run {
                let family = try Family(in: .inMemory)
                let root = family.root
                let first = Book(context: root)
                first.title = "first"
                try root.save()
                let id = first.objectID
                var children: [NSManagedObjectContext] = []
                for round in 1...200 {
                    let child = family.sibling(.privateQueueConcurrencyType)
                    child.automaticallyMergesChangesFromParent = true
                    children.append(child)
                    child.performAndWait { _ = NestedQueueSpecification.pages(id, in: child) }
                    first.pages = round
                    try root.save()
                    for child in children.suffix(4) {
                        child.performAndWait {
                            child.refreshAllObjects()
                            precondition(NestedQueueSpecification.pages(id, in: child) == round)
                        }
                    }
                }
            }
        }
    }

    /// Proves: P5
    @Test("the main thread waits for a child that asks its parent on the main queue")
    func askingChild() async {
        await #expect(processExitsWith: .success) {
            endAfter(seconds: 60)
            try await MainActor.run {
                let family = try Family(in: .inMemory)
                let child = family.sibling(.privateQueueConcurrencyType)
                for round in 1...200 {
                    child.perform {
                        let book = Book(context: child)
                        book.title = "\(round)"
                        _ = child.saveFailure()
                    }
                    let count = try child.performAndWait { try child.count(for: Book.request()) }
                    precondition(count == round)
                }
                let saved = try family.root.count(for: Book.request())
                precondition(saved == 200)
            }
        }
    }

    @Test("a context of the confinement type cannot have a parent or be one")
    func confinement() async {
        await #expect(processExitsWith: .failure) {
            let child = NSManagedObjectContext(concurrencyType: .confined)
            child.parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        }
        await #expect(processExitsWith: .failure) {
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = NSManagedObjectContext(concurrencyType: .confined)
        }
    }

    @Test("a parent is set once, and never in a circle")
    func misuse() async {
        await #expect(processExitsWith: .failure) {
            let one = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            let two = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            two.parent = one
            one.parent = two
        }
        await #expect(processExitsWith: .failure) {
            let shop = try Bookshop(in: .inMemory)
            let context = shop.stack.newContext(.privateQueueConcurrencyType)
            context.parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        }
        await #expect(processExitsWith: .failure) {
            let shop = try Bookshop(in: .inMemory)
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = shop.stack.newContext(.privateQueueConcurrencyType)
            child.parent = nil
        }
    }
}

/// Ends the process with a failure, unless it ends earlier: for tests that would hang with a faulty framework.
private func endAfter(seconds: TimeInterval) {
    let thread = Thread {
        Thread.sleep(forTimeInterval: seconds)
        fatalError("The work took longer than \(seconds) seconds.")
    }
    thread.start()
}
