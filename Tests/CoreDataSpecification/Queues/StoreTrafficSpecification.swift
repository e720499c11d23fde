// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that stores of every kind can be read, written, added and removed from several threads at once.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Proves: P3, C22, C23
@Suite("Stores that several threads use") struct StoreTrafficSpecification {
    private static let rounds = 12

    @Test("are searched by look-ups while others save", arguments: StoreKind.all)
    func lookUps(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        shop.book("steady", pages: 7, by: shop.author("Somebody"))
        for pages in 0..<Self.rounds { shop.book("other", pages: pages) }
        try shop.context.save()
        let traffic = Traffic(shop.stack.coordinator)
        onThreads(5) { number in
            for round in 0..<Self.rounds {
                traffic.note {
                    if number < 3 { try traffic.lookUp(round) } else { try traffic.write("\(number)-\(round)") }
                }
            }
        }
        #expect(traffic.failures == [])
        #expect(try shop.context.count(for: Book.request()) == 1 + Self.rounds + 2 * Self.rounds)
    }

    @Test("come and go while the others of their coordinator serve", arguments: StoreKind.all)
    func comingAndGoing(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        shop.book("steady", pages: 7, by: shop.author("Somebody"))
        try shop.context.save()
        let traffic = Traffic(shop.stack.coordinator)
        let store = shop.stack.store
        let url = kind.isPersistent ? shop.stack.folder.appending(path: "Guest.sqlite") : nil
        onThreads(4) { number in
            if number == 0 {
                for _ in 0..<Self.rounds { traffic.note { try traffic.visit(kind, url) } }
                return traffic.end()
            }
            for _ in 0..<20 * Self.rounds where !traffic.isOver {
                traffic.note {
                    if number == 1 { return try traffic.write("written", most: 3 * Self.rounds) }
                    // The error of a fetch from a store that is being removed says so.
                    try traffic.passing(NSPersistentStoreOperationError) { try traffic.lookUp(7) }
                }
            }
        }
        #expect(traffic.failures == [])
        #expect(shop.stack.coordinator.persistentStores == [store])
        #expect(try shop.context.count(for: Book.request()) == 1 + traffic.written)
    }

    @Test("keep derived attributes that others' saves change", arguments: StoreKind.all)
    func derived(kind: StoreKind) throws {
        let stack = try Stack(kind, League.model)
        let team = NSEntityDescription.insertNewObject(forEntityName: "Team", into: stack.context)
        team.setValue("Rovers", forKey: "name")
        try stack.context.save()
        let traffic = Traffic(stack.coordinator)
        let id = team.objectID
        onThreads(4) { number in
            for round in 0..<Self.rounds / 2 {
                traffic.note {
                    if number == 3 { return try traffic.readSizes() }
                    try traffic.hire(id, leaves: round % 3 == 0)
                }
            }
        }
        let fresh = stack.newContext()
        let players = try fresh.count(for: NSFetchRequest<NSManagedObject>(entityName: "Player"))
        let kept = try fresh.existingObject(with: id)
        #expect(traffic.failures == [])
        #expect(players == 3 * (Self.rounds / 2 - Self.rounds / 6))
        #expect(kept.value(forKey: "size") as? Int == players)
        #expect(kept.value(forKey: "wages") as? Double == Double(players) * 2)
    }

    @Test("of all kinds take saves of several contexts together") func saves() throws {
        let stores = try ManyStores(StoreMixture(kinds: StoreKind.all, special: 0))
        let traffic = Traffic(stores.coordinator)
        onThreads(4) { number in
            for round in 0..<Self.rounds / 2 {
                traffic.note {
                    try traffic.write("\(number)-\(round)")
                    try traffic.writeAcross("\(number)-\(round)")
                }
            }
        }
        #expect(traffic.failures == [])
        let count = stores.stores.count
        #expect(try stores.context.count(for: Book.request()) == count + 2 * count * 4 * (Self.rounds / 2))
    }
}

/// The work of the threads, each time in a new context.
private final class Traffic: @unchecked Sendable {  // variables are guarded by `lock`
    private let coordinator: NSPersistentStoreCoordinator
    /// The stores that stay.
    private let stores: [NSPersistentStore]
    private let lock = NSLock()
    private var list: [String] = []
    private var count = 0
    private var isEnded = false

    init(_ coordinator: NSPersistentStoreCoordinator) {
        self.coordinator = coordinator
        stores = coordinator.persistentStores
    }

    var failures: [String] { lock.withLock { list } }
    /// The number of added books that `write` has kept.
    var written: Int { lock.withLock { count } }
    var isOver: Bool { lock.withLock { isEnded } }
    func end() { lock.withLock { isEnded = true } }

    func note(_ body: () throws -> Void) {
        do { try body() } catch { lock.withLock { list.append("\(error)") } }
    }

    func passing(_ code: Int, _ body: () throws -> Void) throws {
        do { try body() } catch let error as NSError where error.code == code {}
    }

    private func inContext(_ body: (NSManagedObjectContext) throws -> Void) rethrows {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        try context.performAndWait { try body(context) }
    }

    private func fail(_ text: String) { lock.withLock { list.append(text) } }

    func lookUp(_ round: Int) throws {
        try inContext { context in
            let request = Book.request()
            request.predicate = NSPredicate(format: "title == %@", "steady")
            let found = try context.fetch(request)
            if found.count != 1 || found.first?.author?.name != "Somebody" { fail("found \(found.count) books") }
            let byPages = Book.request()
            byPages.predicate = NSPredicate(format: "pages == %d", round)
            for book in try context.fetch(byPages) { _ = book.pages }
            for book in try context.fetch(Book.request()) { _ = book.title }
        }
    }

    /// Adds two books to each store, and deletes one of them again.
    ///
    /// - Parameter most: the greatest number of kept books.
    func write(_ title: String, most: Int = .max) throws {
        guard written < most else { return }
        for store in stores {
            try inContext { context in
                let (kept, gone) = (Book(context: context), Book(context: context))
                for book in [kept, gone] {
                    book.title = title
                    context.assign(book, to: store)
                }
                try context.save()
                kept.pages = 1_000
                context.delete(gone)
                try context.save()
                lock.withLock { count += 1 }
            }
        }
    }

    /// One save of a book in each store.
    func writeAcross(_ title: String) throws {
        try inContext { context in
            for store in stores {
                let book = Book(context: context)
                book.title = title
                context.assign(book, to: store)
            }
            try context.save()
        }
    }

    /// Adds a store and a book in it, and removes both.
    func visit(_ kind: StoreKind, _ url: URL?) throws {
        let store = try coordinator.addPersistentStore(
            ofType: kind.type, configurationName: nil, at: url.map(kind.place))
        try inContext { context in
            let book = Book(context: context)
            book.title = "guest"
            context.assign(book, to: store)
            try context.save()
        }
        try coordinator.remove(store)
    }

    func hire(_ team: NSManagedObjectID, leaves: Bool) throws {
        try inContext { context in
            let player = NSEntityDescription.insertNewObject(forEntityName: "Player", into: context)
            player.setValue("Somebody", forKey: "name")
            player.setValue(2.0, forKey: "wage")
            player.setValue(try context.existingObject(with: team), forKey: "team")
            try insist(context)
            guard leaves else { return }
            context.delete(player)
            try insist(context)
        }
    }

    /// A save that is overtaken ten times gives up; all books have the team of the other saves.
    private func insist(_ context: NSManagedObjectContext) throws {
        do { try context.save() } catch let error as NSError where error.code == NSPersistentStoreSaveError {
            try context.save()
        }
    }

    func readSizes() throws {
        try inContext { context in
            for team in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Team")) {
                let (size, wages) = (team.value(forKey: "size") as? Int, team.value(forKey: "wages") as? Double)
                if wages != size.map({ Double($0) * 2 }) { fail("\(size ?? -1) players earn \(wages ?? -1)") }
            }
        }
    }
}
