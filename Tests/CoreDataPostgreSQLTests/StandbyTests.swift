// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads on standbys: never older than the state that the store has seen, even if the standby stops.

import CoreDataTestSupport
import Foundation
import PostgreSQLDriver
import Synchronization
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

@Suite("A PostgreSQL store that reads a standby", .needsServer, .serialized) struct StandbyTests {
    private static let pair = try? ServerPair()

    private func pair() throws -> ServerPair { try #require(Self.pair) }

    private func store(_ pair: ServerPair, options: [AnyHashable: Any] = [:]) throws -> PairedStore {
        try PairedStore(pair.url(pair.primary), readingAt: [pair.url(pair.standby)], options: options)
    }

    /// Proves: PostgreSQL-R1, PostgreSQL-R2
    @Test("saved values are read, also while the standby does not go on") func ownSaves() throws {
        let pair = try pair()
        let store = try store(pair)
        let object = try store.save("one")
        #expect(try pair.catchUp())
        #expect(eventually { (try? store.readsStandby()) == true })
        try pair.ask(pair.standby, "SELECT pg_wal_replay_pause()")
        defer { _ = try? pair.ask(pair.standby, "SELECT pg_wal_replay_resume()") }
        let before = try pair.rows(pair.standby)
        for round in 0..<3 {
            object.setValue("one \(round)", forKey: "name")
            try store.save("two \(round)")
            #expect(try store.names().filter { $0.hasSuffix(" \(round)") } == ["one \(round)", "two \(round)"])
            #expect(try !store.readsStandby())
        }
        #expect(try pair.rows(pair.standby) == before)
        try pair.ask(pair.standby, "SELECT pg_wal_replay_resume()")
        #expect(eventually { (try? store.readsStandby()) == true })
        #expect(try store.names().contains("two 2"))
    }

    /// Proves: PostgreSQL-R1
    @Test("a commit of others that was merged is read, also while the standby does not go on") func others() throws {
        let pair = try pair()
        let options = [
            NSPersistentStoreRemoteChangeNotificationPostOptionKey: true, NSPersistentHistoryTrackingKey: true,
        ]
        let store = try store(pair, options: options)
        let other = try PairedStore(pair.url(pair.primary), options: options)
        let object = try other.save("theirs")
        #expect(try pair.catchUp())
        #expect(eventually { (try? store.names().contains("theirs")) == true && (try? store.readsStandby()) == true })
        try pair.ask(pair.standby, "SELECT pg_wal_replay_pause()")
        defer { _ = try? pair.ask(pair.standby, "SELECT pg_wal_replay_resume()") }
        let log = NotificationLog(.NSPersistentStoreRemoteChange, of: store.coordinator)
        object.setValue("theirs, changed", forKey: "name")
        try other.context.save()
        #expect(eventually { log.count >= 1 })
        #expect(try store.names().contains("theirs, changed"))
        #expect(try !store.readsStandby())
    }

    /// Proves: PostgreSQL-R5
    @Test("a standby that stops is left after the time that it may lag") func standsStill() throws {
        let pair = try pair()
        let store = try store(pair, options: [NSPostgreSQLReadDelayOption: 0.2])
        let other = try PairedStore(pair.url(pair.primary))
        #expect(try pair.catchUp())
        #expect(eventually { (try? store.readsStandby()) == true })
        try pair.ask(pair.standby, "SELECT pg_wal_replay_pause()")
        defer { _ = try? pair.ask(pair.standby, "SELECT pg_wal_replay_resume()") }
        try other.save("late")
        #expect(eventually { (try? store.names().contains("late")) == true })
    }

    /// Proves: PostgreSQL-R1
    @Test("a generation is of the primary, and later reads are no older") func generations() throws {
        let pair = try pair()
        let store = try store(pair)
        let other = try PairedStore(pair.url(pair.primary))
        #expect(try pair.catchUp())
        #expect(eventually { (try? store.readsStandby()) == true })
        try pair.ask(pair.standby, "SELECT pg_wal_replay_pause()")
        defer { _ = try? pair.ask(pair.standby, "SELECT pg_wal_replay_resume()") }
        try other.save("pinned")
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = store.coordinator
        try context.setQueryGenerationFrom(.current)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Named")
        request.predicate = NSPredicate(format: "name == 'pinned'")
        #expect(try context.count(for: request) == 1)
        try context.setQueryGenerationFrom(nil)
        #expect(try context.count(for: request) == 1)
    }

    /// Proves: PostgreSQL-R4
    @Test(
        "a read that the standby ends for its replay is done on the primary",
        arguments: ["40001", "40P01", "25P03", "57014"])
    func conflicts(code: String) throws {
        let pair = try pair()
        let store = try store(pair)
        #expect(try pair.catchUp())
        #expect(eventually { (try? store.readsStandby()) == true })
        var reads: [Bool] = []
        let result = try store.opened.read { connection -> Int in
            reads.append(connection.server?.isStandby == true)
            if reads == [true] { throw PostgreSQLError(.server, code: code, "conflict with recovery") }
            return reads.count
        }
        #expect(result == 2)
        #expect(reads == [true, false])
    }

    /// Proves: PostgreSQL-R3, PostgreSQL-R4
    @Test("a standby that goes is left out, and is read again when it is back") func gone() throws {
        let pair = try pair()
        let store = try store(pair)
        try store.save("before")
        #expect(try pair.catchUp())
        #expect(eventually { (try? store.readsStandby()) == true })
        try pair.end(pair.standby)
        #expect(try store.names().contains("before"))
        #expect(try !store.readsStandby())
        // A store that is opened in between reads the primary.
        let second = try self.store(pair)
        #expect(try second.names().contains("before"))
        try pair.start(pair.standby)
        try store.save("after")
        #expect(eventually { (try? store.readsStandby()) == true })
        #expect(try store.names().contains("after"))
    }

    /// The answer belongs to a moment before the commit without an answer, so it must not make the floor known again.
    ///
    /// Proves: PostgreSQL-R6, PostgreSQL-R8
    @Test("a position that the primary was asked for before a commit without an answer does not count afterwards")
    func lateAnswer() throws {
        let pair = try pair()
        let store = try store(pair)
        let position = try #require(try store.opened.standbys).position
        try store.opened.readPrimary { _ in }
        #expect(position.floor(within: .seconds(60)) != .unknown)
        // Another thread's commit loses its answer while the question is on its way.
        try store.opened.sessions.observe { if $0.contains("wal_insert_lsn") { position.forget() } }
        try store.opened.readPrimary { _ in }
        try store.opened.sessions.observe(nil)
        #expect(position.floor(within: .seconds(60)) == .unknown)
        try store.opened.readPrimary { _ in }
        #expect(position.floor(within: .seconds(60)) != .unknown)
    }

    /// Proves: PostgreSQL-R9
    @Test("the position of a standby does not count after it was left out") func earlierStart() throws {
        let pair = try pair()
        let store = try store(pair)
        #expect(try pair.catchUp())
        let system = try #require(try store.opened.sessions.with(repeats: true) { $0.server?.system })
        let standby = Standby(try StoreSettings(pair.url(pair.standby), nil), system: system)
        defer { standby.sessions.close() }
        let asked = Mutex(0)
        // Another thread leaves the standby out while it answers this question.
        standby.sessions.observe { text in
            guard text.contains("pg_last_wal_replay_lsn") else { return }
            let isFirst = asked.withLock { count -> Bool in
                count += 1
                return count == 1
            }
            if isFirst {
                standby.leaveOut()
                standby.sessions.closeAll()
            }
        }
        try standby.read(from: 1) { _ in }
        // The next connection may reach a new start, which may have replayed less.
        try standby.read(from: 1) { _ in }
        #expect(asked.withLock { $0 } == 2)
        try standby.read(from: 1) { _ in }
        #expect(asked.withLock { $0 } == 2)
    }

    /// The store cannot distinguish its rows from those of a new start, which may have replayed less.
    ///
    /// Proves: PostgreSQL-R3
    @Test("a read whose standby was left, and perhaps chosen again, is repeated on the primary") func longRead() throws
    {
        let pair = try pair()
        let store = try store(pair)
        #expect(try pair.catchUp())
        #expect(eventually { (try? store.readsStandby()) == true })
        let standbys = try #require(try store.opened.standbys)
        var reads: [Bool] = []
        var isChosenAgain = false
        let result = try store.opened.read { connection -> Int in
            reads.append(connection.server?.isStandby == true)
            if reads == [true] {
                let left: Void? = try standbys.read { _ in throw Standby.Behind() }
                isChosenAgain = left == nil && eventually { (try? store.readsStandby()) == true }
            }
            return reads.count
        }
        #expect(isChosenAgain)
        #expect(result == 2)
        #expect(reads == [true, false])
    }

    /// Proves: PostgreSQL-R7
    @Test("a server of another cluster is refused when the store is opened, without its password") func foreign() throws
    {
        let pair = try pair()
        let server = try #require(StoreKind.serverURL)
        let other = try #require(URL(string: server + "&password=sesame"))
        let error = #expect(throws: CocoaError.self) {
            _ = try PairedStore(pair.url(pair.primary), readingAt: [other])
        }
        let shown = "\(try #require(error) as NSError) \((error as NSError?)?.userInfo ?? [:])"
        #expect(shown.contains("another cluster"))
        #expect(!shown.contains("sesame"))
    }
}
