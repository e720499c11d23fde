// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Commits that no coordinator of this process made.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

/// Proves: H27, H28
@Suite("Commits of other programs") struct ForeignCommitTests {
    private func wait(_ condition: () -> Bool) -> Bool {
        let end = Date(timeIntervalSinceNow: 60)
        while Date() < end, !condition() { usleep(1_000) }
        return condition()
    }

    @Test("plain SQL is noticed, with the last recorded token", arguments: [true, false])
    func plainSQL(records: Bool) throws {
        let stack = try Stack(
            .sqlite, BookshopModel.make(),
            options: [
                NSPersistentHistoryTrackingKey: records, NSPersistentStoreRemoteChangeNotificationPostOptionKey: true,
            ])
        let book = Book(context: stack.context)
        book.title = "Dune"
        let log = NotificationLog(.NSPersistentStoreRemoteChange, of: stack.coordinator)
        try stack.context.save()
        #expect(wait { log.count == 1 })
        let token = stack.coordinator.currentPersistentHistoryToken(fromStores: nil)
        let connection = try Connection(url: stack.url, options: .init(access: .readWrite))
        try connection.run("UPDATE ZBOOK SET ZTITLE = 'Emma'")
        #expect(wait { log.count == 2 })
        #expect(log.notifications.last?.userInfo?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken == token)
        // The row cache no longer contains rows that another program has replaced.
        let context = stack.newContext()
        #expect((context.object(with: book.objectID) as? Book)?.title == "Emma")
        try connection.close()
    }

    @Test("a write of another program during a save of this process is reported after the save")
    func duringSave() throws {
        let stack = try Stack(
            .sqlite, BookshopModel.make(),
            options: [NSPersistentStoreRemoteChangeNotificationPostOptionKey: true])
        let book = Book(context: stack.context)
        book.title = "Dune"
        let log = NotificationLog(.NSPersistentStoreRemoteChange, of: stack.coordinator)
        try stack.context.save()
        #expect(wait { log.count == 1 })
        // The looks that the save has caused are over after that time.
        usleep(400_000)
        let place = stack.url.resolvingSymlinksInPath().path
        var save = CommitNotifier.shared.begin(place, by: stack.store)
        let connection = try Connection(url: stack.url, options: .init(access: .readWrite))
        try connection.run("UPDATE ZBOOK SET ZTITLE = 'Emma'")
        usleep(100_000)
        #expect(save != nil && log.count == 1)
        save = nil
        #expect(wait { log.count == 2 })
        let context = stack.newContext()
        #expect((context.object(with: book.objectID) as? Book)?.title == "Emma")
        try connection.close()
    }

    @Test("a store without writers is not examined")
    func idle() throws {
        let stack = try Stack(
            .sqlite, BookshopModel.make(),
            options: [NSPersistentStoreRemoteChangeNotificationPostOptionKey: true])
        Book(context: stack.context).title = "Dune"
        let log = NotificationLog(.NSPersistentStoreRemoteChange, of: stack.coordinator)
        try stack.context.save()
        #expect(wait { log.count == 1 })
        usleep(500_000)
        let counter = try StatementCounter(stack.store)
        usleep(500_000)
        #expect(counter.statements.isEmpty)
        #expect(log.count == 1)
    }

    @Test("a followed file is let go with its stores")
    func end() throws {
        let feeds = CommitNotifier.shared
        let stack = try Stack(
            .sqlite, BookshopModel.make(),
            options: [NSPersistentStoreRemoteChangeNotificationPostOptionKey: true])
        let place = stack.url.resolvingSymlinksInPath().path
        let store = stack.store
        #expect(feeds.begin(place, by: store)?.isFollowed == true)
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
        #expect(feeds.begin(place, by: store) == nil)
    }
}
