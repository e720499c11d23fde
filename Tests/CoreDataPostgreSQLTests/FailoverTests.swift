// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A primary that ends, and a standby that replaces it.

import CoreDataTestSupport
import Foundation
import PostgreSQLDriver
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

@Suite("A PostgreSQL store that loses its primary", .needsServer) struct FailoverTests {
    private static var options: [AnyHashable: Any] {
        [NSPersistentHistoryTrackingKey: true, NSPersistentStoreTimeoutOption: 1.0]
    }

    /// Proves: PostgreSQL-F1, PostgreSQL-F3
    @Test("with a synchronous standby nothing is lost that was acknowledged, and nothing is there twice")
    func synchronous() throws {
        let pair = try ServerPair()
        try pair.ask(pair.primary, "ALTER SYSTEM SET synchronous_standby_names = '*'")
        try pair.ask(pair.primary, "SELECT pg_reload_conf()")
        let store = try PairedStore(pair.url(pair.primary, pair.standby), options: Self.options)
        var acknowledged: [String] = []
        for number in 0..<40 {
            if number == 20 {
                let primary = pair.primary
                // The standby waits until it is promoted, so saves go on for a while without a primary.
                Thread.detachNewThread { try? pair.end(primary) }
            }
            let object = NSEntityDescription.insertNewObject(forEntityName: "Named", into: store.context)
            object.setValue("\(number + 100)", forKey: "name")
            for attempt in 0..<20 {
                do {
                    try store.context.save()
                    break
                } catch {
                    if attempt == 0 { try pair.promote() }
                    usleep(100_000)
                }
            }
            #expect(!store.context.hasChanges)
            acknowledged.append("\(number + 100)")
        }
        #expect(try store.names() == acknowledged)
        #expect(try pair.rows(pair.standby) == 40)
        let last = try #require(try store.lastNumber())
        #expect(last >= Int64(ServerHistoryTables.gap))
    }

    /// The primary ends the wait for its standby when the store ends the process with the token, and then has the rows.
    ///
    /// Proves: PostgreSQL-F1, PostgreSQL-T4
    @Test("a save is not acknowledged while its synchronous standby does not have it") func awaitedStandby() throws {
        let pair = try ServerPair()
        try pair.ask(pair.primary, "ALTER SYSTEM SET synchronous_standby_names = '*'")
        try pair.ask(pair.primary, "SELECT pg_reload_conf()")
        let options: [AnyHashable: Any] = [NSPersistentStoreTimeoutOption: 0.5, NSPostgreSQLAnswerTimeoutOption: 1.0]
        let store = try PairedStore(pair.url(pair.primary), options: options)
        try store.save("one")
        try pair.end(pair.standby)
        let object = NSEntityDescription.insertNewObject(forEntityName: "Named", into: store.context)
        object.setValue("two", forKey: "name")
        let error = #expect(throws: CocoaError.self) { try store.context.save() }
        let cause = (error as NSError?)?.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(cause?.userInfo[NSPostgreSQLStateErrorKey] as? String == "08007")
        #expect(object.hasChanges)
        // The standby is back, so the save is decided, and its rows are not written twice.
        try pair.start(pair.standby)
        #expect(eventually { (try? store.context.save()) != nil })
        try pair.end(pair.primary)
        try pair.promote()
        #expect(try pair.rows(pair.standby) == 2)
    }

    /// Proves: PostgreSQL-F2, PostgreSQL-F3
    @Test("saves that an asynchronous standby did not get are in no cache, and their numbers are not given again")
    func asynchronous() throws {
        let pair = try ServerPair()
        let store = try PairedStore(pair.url(pair.primary, pair.standby), options: Self.options)
        let kept = try store.save("kept")
        #expect(try pair.catchUp())
        try pair.end(pair.standby)
        kept.setValue("lost", forKey: "name")
        try store.context.save()
        let lost = try #require(try store.lastNumber())
        try pair.end(pair.primary)
        try pair.start(pair.standby)
        try pair.promote()
        #expect(try store.names() == ["kept"])
        let key = kept.objectID.key
        let layout = try #require(try store.opened.schema.model.layout(named: "Named"))
        #expect(try store.store.rows([key], root: layout, in: nil).map { $0.snapshot.version } == [1])
        try store.save("later")
        let changes = try store.store.readHistory { source -> Int in
            var count = 0
            try source.transactions(after: lost) { _ in
                count += 1
                return true
            }
            return count
        }
        #expect(changes == 1)
    }

    /// The other server does not know that the number was given.
    ///
    /// Proves: PostgreSQL-H4
    @Test("a token of a lost transaction is expired when the history is removed, or was not begun, on the other server")
    func lostTokens() throws {
        let pair = try ServerPair()
        let plain: [AnyHashable: Any] = [NSPersistentStoreTimeoutOption: 1.0]
        func open(_ options: [AnyHashable: Any]) throws -> PairedStore {
            try PairedStore(pair.url(pair.primary, pair.standby), options: options)
        }
        func other(_ options: [AnyHashable: Any]) throws -> PairedStore {
            try PairedStore(pair.otherURL(pair.primary, pair.standby), options: options)
        }
        try open(Self.options).save("kept")
        try other(plain).save("kept")
        #expect(try pair.catchUp())
        try pair.end(pair.standby)
        let store = try open(Self.options)
        try store.save("lost")
        let lost = try #require(try store.lastNumber())
        // This history begins, and its beginning is lost.
        let begun = try other(Self.options)
        try begun.save("lost")
        let first = try #require(try begun.lastNumber())
        try pair.end(pair.primary)
        try pair.start(pair.standby)
        try pair.promote()
        try open([NSPersistentHistoryTrackingKey: false, NSPersistentStoreTimeoutOption: 1.0]).save("unrecorded")
        try other(plain).save("unrecorded")
        let removed = try #require(try open(Self.options).bounds())
        #expect(removed.deleted > lost)
        let notBegun = try #require(try other(Self.options).bounds())
        #expect(notBegun.deleted > first)
    }

    /// Proves: PostgreSQL-F1
    @Test("after a host that does not answer the list of hosts begins with the next one") func turned() throws {
        let server = try #require(StoreKind.serverURL)
        let folder = try #require(server.components(separatedBy: "host=").last?.components(separatedBy: "&").first)
        let settings = try ConnectionSettings(
            try #require(URL(string: server.replacing(folder, with: "/first,\(folder),/third") + "&port=1,2,3")))
        #expect(settings.hostCount == 3)
        let turned = settings.settings(beginningWith: 4)
        #expect(turned.first { $0.name == "host" }?.value == "\(folder),/third,/first")
        #expect(turned.first { $0.name == "port" }?.value == "2,3,1")
    }
}
