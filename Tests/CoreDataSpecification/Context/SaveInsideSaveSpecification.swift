// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the effect of `save()` while the same context saves.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Proves: C22, C27
@Suite("A save inside a save") struct SaveInsideSaveSpecification {
    @Test(
        "an observer of a did-save notification may save again", arguments: StoreKind.all,
        [NSNotification.Name.NSManagedObjectContextDidSave, .NSManagedObjectContextDidSaveObjectIDs])
    func didSaveObserver(store: StoreKind, name: NSNotification.Name) throws {
        let shop = try Bookshop(in: store)
        let observer = SavingObserver(name, shop.book("Dune"))
        try shop.context.save()
        #expect(observer.count == 2)
        #expect(observer.failure == nil)
        #expect(!shop.context.hasChanges)
        #expect(try shop.stack.stored(Book.request(), \.pages) == [101])
    }

    @Test("an observer of the will-save notification cannot save, and the save goes on", arguments: StoreKind.all)
    func willSaveObserver(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let observer = SavingObserver(.NSManagedObjectContextWillSave, shop.book("Dune"))
        try shop.context.save()
        #expect(observer.count == 1)
        #expect(observer.failure?.domain == NSCocoaErrorDomain)
        #expect(observer.failure?.code == NSCoreDataError)
        #expect(!shop.context.hasChanges)
        #expect(try shop.stack.newContext().count(for: Book.request()) == 1)
    }

    @Test("didSave may save again", arguments: StoreKind.all)
    func didSave(store: StoreKind) throws {
        let diary = try Diary(in: store)
        let entry = diary.entry("one")
        var failure: NSError?
        entry.inDidSave = { entry in
            guard entry.stamp == nil else { return }
            entry.stamp = 1
            failure = entry.managedObjectContext?.saveFailure()
        }
        try diary.context.save()
        #expect(failure == nil)
        #expect(!diary.context.hasChanges)
        #expect(try diary.stack.stored(Entry.request(), \.stamp) == [1])
    }

    @Test("didSave that always saves again ends in an error, and nothing is lost", arguments: StoreKind.builtIn)
    func endlessDidSave(store: StoreKind) throws {
        let diary = try Diary(in: store)
        let entry = diary.entry("one")
        var failures: [NSError] = []
        entry.inDidSave = { entry in
            entry.stamp = (entry.stamp ?? 0) + 1
            if let failure = entry.managedObjectContext?.saveFailure() { failures.append(failure) }
        }
        try diary.context.save()
        #expect(failures.count == 1)
        #expect(failures.first?.localizedDescription.contains("didSave") == true)
        #expect(diary.context.hasChanges)
        let stamp = try #require(entry.stamp)
        #expect(try diary.stack.stored(Entry.request(), \.stamp) == [stamp - 1])
        entry.inDidSave = nil
        try diary.context.save()
        #expect(try diary.stack.stored(Entry.request(), \.stamp) == [stamp])
    }

    @Test("willSave cannot save, and the save goes on", arguments: StoreKind.all)
    func willSave(store: StoreKind) throws {
        let diary = try Diary(in: store)
        let entry = diary.entry("one")
        var failure: NSError?
        entry.inWillSave = { failure = $0.managedObjectContext?.saveFailure() }
        try diary.context.save()
        #expect(failure?.code == NSCoreDataError)
        #expect(failure?.localizedDescription.contains("willSave") == true)
        #expect(try diary.stack.newContext().count(for: Entry.request()) == 1)
    }
}

/// Changes a book, and saves, the first time that its context posts a notification.
private final class SavingObserver: @unchecked Sendable {  // used on one thread
    private(set) var count = 0
    private(set) var failure: NSError?
    private let book: Book
    private var token: (any NSObjectProtocol)?

    init(_ name: Notification.Name, _ book: Book) {
        self.book = book
        token = NotificationCenter.default.addObserver(
            forName: name, object: book.managedObjectContext, queue: nil
        ) { [weak self] _ in self?.notice() }
    }

    deinit {
        if let token { NotificationCenter.default.removeObserver(token) }
    }

    private func notice() {
        count += 1
        guard count == 1 else { return }
        book.pages = 101
        failure = book.managedObjectContext?.saveFailure()
    }
}
