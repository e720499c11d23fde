// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the calls to observers of a property of an object by key path.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Observing values") struct ValueObservingSpecification {
    /// Proves: M1, M3
    @Test("setters and key-value coding call observers, with the values before and after", arguments: StoreKind.all)
    func oldAndNew(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        let log = ValueLog<String>()
        let token = book.observe(\.title, options: [.old, .new]) { book, change in
            log.add(
                "\(change.oldValue??.description ?? "-") \(change.newValue??.description ?? "-") \(book.title ?? "-")")
        }
        book.title = "Emma"
        book.setValue("Ulysses", forKey: "title")
        book.title = nil
        #expect(log.values == ["Dune Emma Emma", "Emma Ulysses Ulysses", "Ulysses - -"])
        token.invalidate()
    }

    /// Proves: M3
    @Test("values have the type of the property", arguments: StoreKind.all)
    func types(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        let (pages, authors) = (ValueLog<Int>(), ValueLog<Author?>())
        let tokens = [
            book.observe(\.pages, options: .new) { _, change in change.newValue.map(pages.add) },
            book.observe(\.author, options: [.new, .old]) { _, change in
                change.oldValue.map(authors.add)
                change.newValue.map(authors.add)
            },
        ]
        let frank = shop.author("Frank")
        book.pages = 2
        book.author = frank
        #expect(pages.values == [2])
        #expect(authors.values == [nil, frank])
        withExtendedLifetime((shop, tokens)) {}
    }

    @Test("without options observers get only the fact of a change", arguments: StoreKind.all)
    func noOptions(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        let log = ValueLog<Bool>()
        let token = book.observe(\.title) { _, change in
            log.add(change.kind == .setting && change.newValue == nil && change.oldValue == nil && !change.isPrior)
        }
        book.title = "Emma"
        book.title = "Emma"
        #expect(log.values == [true, true])
        withExtendedLifetime((shop, token)) {}
    }

    @Test("the first call comes at registration if asked for", arguments: StoreKind.all)
    func initial(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        let log = ValueLog<String?>()
        let token = book.observe(\.title, options: [.initial, .new]) { _, change in log.add(change.newValue ?? "none") }
        #expect(log.values == ["Dune"])
        book.title = "Emma"
        #expect(log.values == ["Dune", "Emma"])
        withExtendedLifetime((shop, token)) {}
    }

    @Test("a call before the change comes if asked for", arguments: StoreKind.all)
    func prior(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        let log = ValueLog<String>()
        let token = book.observe(\.title, options: [.prior, .old, .new]) { book, change in
            log.add("\(change.isPrior) \(book.title ?? "") \(change.newValue == nil)")
        }
        book.title = "Emma"
        #expect(log.values == ["true Dune true", "false Emma false"])
        withExtendedLifetime((shop, token)) {}
    }

    /// Proves: M1
    @Test(
        "a primitive value is set without telling anybody, unless the accessor announces it", arguments: StoreKind.all)
    func primitive(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        let log = ValueLog<String?>()
        let token = book.observe(\.title, options: [.old, .new]) { _, change in
            log.add(change.oldValue ?? "none")
            log.add(change.newValue ?? "none")
        }
        book.setPrimitiveValue("Emma", forKey: "title")
        #expect(log.values.isEmpty)
        book.willChangeValue(forKey: "title")
        book.setPrimitiveValue("Ulysses", forKey: "title")
        book.didChangeValue(forKey: "title")
        #expect(log.values == ["Emma", "Ulysses"])
        withExtendedLifetime((shop, token)) {}
    }

    @Test("an observer is not called for other properties and other objects", arguments: StoreKind.all)
    func others(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (dune, emma) = (shop.book("Dune"), shop.book("Emma"))
        let log = ValueLog<String?>()
        let token = dune.observe(\.title) { book, _ in log.add(book.title) }
        emma.title = "Ulysses"
        dune.pages = 7
        #expect(log.values.isEmpty)
        withExtendedLifetime((shop, token)) {}
    }

    @Test("a chain of to-one relationships is observed at every joint", arguments: StoreKind.all)
    func chain(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        let (frank, jane) = (shop.author("Frank"), shop.author("Jane"))
        let log = ValueLog<String?>()
        let token = book.observe(\.author?.name, options: .new) { _, change in log.add(change.newValue ?? "none") }
        book.author = frank
        frank.name = "Herbert"
        book.author = jane
        frank.name = "Nobody"
        jane.name = "Austen"
        book.author = nil
        #expect(log.values == ["Frank", "Herbert", "Jane", "Austen", nil])
        withExtendedLifetime((shop, token)) {}
    }

    @Test("a computed property is observed through its parts", arguments: StoreKind.all)
    func computed(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 412, by: shop.author("Frank"))
        let log = ValueLog<String>()
        let token = book.observe(\.label, options: [.old, .new]) { _, change in
            log.add("\(change.oldValue ?? "") > \(change.newValue ?? "")")
        }
        book.pages = 1
        book.author?.name = "Jane"
        book.setValue(2.5, forKey: "rating")
        #expect(log.values == ["Dune, Frank: 412 > Dune, Frank: 1", "Dune, Frank: 1 > Dune, Jane: 1"])
        withExtendedLifetime((shop, token)) {}
    }

    /// Proves: M17
    @Test("undo and redo call observers, once everything is back", arguments: StoreKind.all)
    func undo(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (frank, jane) = (shop.author("Frank"), shop.author("Jane"))
        let book = shop.book("Dune", by: frank)
        try shop.context.save()
        shop.context.undoManager = UndoManager()
        let log = ValueLog<String>()
        let tokens = [
            book.observe(\.title, options: [.old, .new]) { book, change in
                log.add(
                    "\(change.oldValue.flatMap(\.self) ?? "") \(change.newValue.flatMap(\.self) ?? "") \(frank.books.count)"
                )
            },
            frank.observe(\.books) { author, _ in log.add("books \(author.books.count)") },
        ]
        book.title = "Emma"
        book.author = jane
        #expect(log.news() == ["Dune Emma 1", "books 0"])
        shop.context.undo()
        #expect(Set(log.news()) == ["Emma Dune 1", "books 1"])
        shop.context.redo()
        #expect(Set(log.news()) == ["Dune Emma 0", "books 0"])
        withExtendedLifetime((shop, tokens)) {}
    }

    /// Proves: C21
    @Test("a rollback calls observers of the values that it takes back, and no others", arguments: StoreKind.all)
    func rollback(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        let book = shop.book("Dune", pages: 1, by: frank)
        try shop.context.save()
        let log = ValueLog<String>()
        let tokens = [
            book.observe(\.title, options: .new) { _, change in
                log.add("title \(change.newValue.flatMap(\.self) ?? "")")
            },
            book.observe(\.pages, options: .new) { _, change in log.add("pages \(change.newValue ?? 0)") },
            book.observe(\.author) { book, _ in log.add("author \(book.author?.name ?? "nobody")") },
            frank.observe(\.books) { author, _ in log.add("books \(author.books.count)") },
        ]
        book.title = "Emma"
        book.author = nil
        #expect(Set(log.news()) == ["title Emma", "author nobody", "books 0"])
        shop.context.rollback()
        #expect(Set(log.news()) == ["title Dune", "author Frank", "books 1"])
        withExtendedLifetime((shop, tokens)) {}
    }

    /// Proves: C18
    @Test("a refresh with merge calls observers of the values that came from the store", arguments: StoreKind.all)
    func refreshWithMerge(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        try shop.context.save()
        let log = ValueLog<String>()
        let tokens = [
            book.observe(\.title, options: [.old, .new]) { _, change in
                log.add("\(change.oldValue.flatMap(\.self) ?? "") \(change.newValue.flatMap(\.self) ?? "")")
            },
            book.observe(\.pages) { _, _ in log.add("pages") },
        ]
        try changeElsewhere(shop, book.objectID)
        shop.context.refresh(book, mergeChanges: true)
        #expect(log.values == ["Dune Emma"])
        withExtendedLifetime((shop, tokens)) {}
    }

    /// Proves: C18
    @Test("an object that becomes a fault calls the observers of all its values", arguments: StoreKind.all)
    func refreshWithoutMerge(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        try shop.context.save()
        let log = ValueLog<String>()
        let token = book.observe(\.title) { _, _ in log.add("title") }
        try changeElsewhere(shop, book.objectID)
        shop.context.refresh(book, mergeChanges: false)
        #expect(log.news() == ["title"])
        #expect(book.isFault)
        let second = book.observe(\.pages, options: .new) { _, change in log.add("pages \(change.newValue ?? 0)") }
        shop.context.refresh(book, mergeChanges: false)
        #expect(Set(log.news()) == ["title", "pages 1"])
        book.title = "Ulysses"
        #expect(log.news() == ["title"])
        withExtendedLifetime((shop, token, second)) {}
    }

    /// Proves: C26
    @Test("a save of another context calls observers when it is merged", arguments: StoreKind.all)
    func merge(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        try shop.context.save()
        let log = ValueLog<String?>()
        let token = book.observe(\.title, options: .new) { _, change in log.add(change.newValue ?? "none") }
        let saved = try changeElsewhere(shop, book.objectID)
        #expect(log.values.isEmpty)
        shop.context.mergeChanges(fromContextDidSave: saved)
        #expect(log.values == ["Emma"])
        withExtendedLifetime((shop, token)) {}
    }

    /// Proves: C14, P1
    @Test("a save of a child context calls observers of the parent's objects", arguments: StoreKind.all)
    func childSave(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let parent = shop.stack.newContext(.privateQueueConcurrencyType)
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        let log = ValueLog<String>()
        let (frank, book) = (shop.author("Frank"), shop.book("Dune"))
        try shop.context.save()
        let ids = (frank.objectID, book.objectID)
        let tokens = parent.performAndWait { () -> [Any?] in
            let author = parent.object(with: ids.0) as? Author
            let book = parent.object(with: ids.1) as? Book
            return [
                author, author?.observe(\.books) { author, _ in log.add("books \(author.books.count)") },
                book,
                book?.observe(\.title, options: .new) { book, change in
                    log.add("\(change.newValue.flatMap(\.self) ?? "") by \(book.author?.name ?? "")")
                },
                parent.observe(\.hasChanges, options: .new) { _, change in
                    log.add("changes \(change.newValue ?? false)")
                },
            ]
        }
        try child.performAndWait {
            child.object(with: ids.1).setValue("Emma", forKey: "title")
            child.object(with: ids.1).setValue(child.object(with: ids.0), forKey: "author")
            try child.save()
        }
        #expect(log.values.first == "changes true")
        #expect(Set(log.news()) == ["changes true", "books 1", "Emma by Frank"])
        try parent.performAndWait { try parent.save() }
        #expect(log.values == ["changes false"])
        withExtendedLifetime((shop, tokens)) {}
    }

    /// Proves: C23
    @Test("a value that a merge policy takes from the store calls observers", arguments: StoreKind.all)
    func mergePolicy(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        try shop.context.save()
        let log = ValueLog<String>()
        let token = book.observe(\.title, options: .new) { _, change in log.add(change.newValue.flatMap(\.self) ?? "") }
        try changeElsewhere(shop, book.objectID)
        book.pages = 2
        shop.context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        try shop.context.save()
        #expect(log.news() == ["Emma"])
        try changeElsewhere(shop, book.objectID, title: "Ulysses")
        book.title = "Orlando"
        #expect(log.news() == ["Orlando"])
        shop.context.mergePolicy = NSMergePolicy.rollback
        try shop.context.save()
        #expect(log.news() == ["Ulysses"])
        withExtendedLifetime((shop, token)) {}
    }

    /// - Returns: the notification of the other context.
    @discardableResult
    private func changeElsewhere(_ shop: Bookshop, _ id: NSManagedObjectID, title: String = "Emma") throws
        -> Notification
    {
        let other = shop.stack.newContext()
        let log = NotificationLog(.NSManagedObjectContextDidSave, of: other)
        other.object(with: id).setValue(title, forKey: "title")
        try other.save()
        return try #require(log.notifications.last)
    }
}

extension Book {
    /// Made of two properties of the book and one of its author.
    fileprivate var label: String { "\(title ?? ""), \(author?.name ?? ""): \(pages)" }
}
