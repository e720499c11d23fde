// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Whether there is a server for the suites that need one, and their shared parts.

import CoreDataTestSupport
import Foundation
import PostgreSQLDriver
import Synchronization
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

extension Trait where Self == ConditionTrait {
    /// Skips a suite, visibly, without a server.
    static var needsServer: Self {
        .enabled(if: StoreKind.serverURL != nil, "It needs a server: run it through Scripts/with-postgres.")
    }
}

extension Stack {
    /// The open state of the stack's only store.
    var server: OpenServer { get throws { try #require(store as? PostgreSQLStore).opened() } }

    /// Crossings of the store's only connection and the statements that went over it, without those that announce
    /// commits later, from another thread.
    func crossings<T>(_ body: () throws -> T) throws -> (count: Int, statements: [String], result: T) {
        let seen = Mutex<[String]>([])
        let sessions = try server.sessions
        sessions.observe { text in seen.withLock { $0.append(text) } }
        defer { sessions.observe(nil) }
        func isAnnouncement(_ text: String) -> Bool { text.contains("pg_notify") }
        func count() throws -> Int {
            try sessions.with(repeats: false) { connection in
                connection.roundTrips - seen.withLock { $0.count(where: isAnnouncement) }
            }
        }
        let before = try count()
        let result = try body()
        let after = try count()
        return (after - before, seen.withLock { $0.filter { !isAnnouncement($0) } }, result)
    }
}
