// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the calls to observers that were registered by the name of a key path.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

private final class Listener: KeyValueObserver {
    var calls: [String] = []
    var changes: [[NSKeyValueChangeKey: Any]] = []

    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        calls.append("\(keyPath ?? "") \((object as? Book)?.title ?? "") \(context.map { Int(bitPattern: $0) } ?? 0)")
        changes.append(change ?? [:])
    }
}

@Suite("Observers by name") struct NamedObserverSpecification {
    @Test("an observer gets path, object, change and context", arguments: StoreKind.all)
    func telling(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        let listener = Listener()
        book.addObserver(
            listener, forKeyPath: "title", options: [.old, .new], context: UnsafeMutableRawPointer(bitPattern: 7))
        book.title = "Emma"
        book.title = nil
        #expect(listener.calls == ["title Emma 7", "title  7"])
        #expect(listener.changes.map { $0[.kindKey] as? UInt } == [1, 1])
        #expect(listener.changes.map { $0[.oldKey] as? String } == ["Dune", "Emma"])
        #expect(listener.changes[0][.newKey] as? String == "Emma")
        #expect(listener.changes[1][.newKey] is NSNull)
    }

    @Test("names may be chained, and end in an operator", arguments: StoreKind.all)
    func keyPaths(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (frank, jane) = (shop.author("Frank"), shop.author("Jane"))
        let book = shop.book("Dune", by: frank)
        let listener = Listener()
        book.addObserver(listener, forKeyPath: "author.name", options: .new, context: nil)
        book.addObserver(listener, forKeyPath: "author.books.@count", options: .new, context: nil)
        frank.name = "Herbert"
        #expect(listener.changes.map { $0[.newKey] as? String } == ["Herbert"])
        shop.book("Emma", by: frank)
        #expect(listener.changes.last?[.newKey] as? Int == 2)
        let count = listener.calls.count
        book.author = jane
        #expect(listener.calls.count == count + 2)
        frank.name = "Nobody"
        #expect(listener.calls.count == count + 2)
    }

    @Test("changes are announced before they happen if asked for, members as such", arguments: StoreKind.all)
    func kinds(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        let book = shop.book("Dune")
        let listener = Listener()
        frank.addObserver(listener, forKeyPath: "books", options: [.prior, .new, .initial], context: nil)
        book.author = frank
        #expect(listener.changes.map { $0[.kindKey] as? UInt } == [1, 2, 2])
        #expect(listener.changes.map { $0[.notificationIsPriorKey] as? Bool } == [nil, true, nil])
        #expect(listener.changes.map { ($0[.newKey] as? NSSet)?.count } == [0, nil, 1])
    }

    @Test("a property of the class's own is observed when the class announces its changes", arguments: StoreKind.all)
    func ownProperty(store: StoreKind) throws {
        let stack = try Stack(store, NamedModel.make(Reader.self))
        let reader = Reader(context: stack.context)
        let listener = Listener()
        reader.addObserver(listener, forKeyPath: "page", options: [.old, .new], context: nil)
        reader.page = 3
        #expect(listener.changes.map { $0[.newKey] as? Int } == [3])
        #expect(listener.changes.map { $0[.oldKey] as? Int } == [1])
    }

    @Test("an observation ends when it is removed, or when its observer goes", arguments: StoreKind.all)
    func ending(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        let listener = Listener()
        let one = UnsafeMutableRawPointer(bitPattern: 1)
        book.addObserver(listener, forKeyPath: "title", context: one)
        book.addObserver(listener, forKeyPath: "title", context: nil)
        book.removeObserver(listener, forKeyPath: "title", context: one)
        book.title = "Emma"
        #expect(listener.calls == ["title Emma 0"])
        book.removeObserver(listener, forKeyPath: "title")
        weak var other: Listener?
        func addAnother() {
            let listener = Listener()
            other = listener
            book.addObserver(listener, forKeyPath: "title", context: nil)
        }
        addAnother()
        #expect(other == nil)
        book.title = "Ulysses"
        #expect(listener.calls.count == 1)
    }

    @Test("removing an object that does not observe traps")
    func removingTwice() async {
        await #expect(processExitsWith: .failure) {
            let shop = try Bookshop(in: .inMemory)
            let book = shop.book("Dune")
            let listener = Listener()
            book.addObserver(listener, forKeyPath: "title", context: nil)
            book.removeObserver(listener, forKeyPath: "title")
            book.removeObserver(listener, forKeyPath: "title")
        }
    }
}

private final class Reader: NSManagedObject {
    var page = 1 {
        willSet { willChangeValue(forKey: "page") }
        didSet { didChangeValue(forKey: "page") }
    }

    override func value(forUndefinedKey key: String) -> Any? {
        key == "page" ? page : super.value(forUndefinedKey: key)
    }
}
