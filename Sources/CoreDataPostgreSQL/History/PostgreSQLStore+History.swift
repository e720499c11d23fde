// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The history of a store in PostgreSQL: reading, deleting, retention, named readers, and commits of other processes.

package import CoreData
import Foundation
import PostgreSQLDriver

extension PostgreSQLStore: HistoryKeeping {
    package func readHistory<T>(_ body: (any HistorySource) throws -> T) throws -> T? {
        let opened = try opened()
        guard let history = opened.history else { return nil }
        do {
            // The body is not run again, because its caller may have used results already.
            var isTold = false
            return try opened.sessions.with(repeats: true) { connection in
                if isTold { throw PostgreSQLError(.unusable, "The connection was cut while the history was read.") }
                let deadline = opened.sessions.deadline
                try connection.run(
                    Statement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", isReused: false), deadline)
                defer { connection.rollBack(opened.sessions.deadline) }
                let source = try ServerHistorySource(history, connection, opened.sessions)
                try opened.standbys?.note(connection)
                guard let source else { return nil }
                isTold = true
                return try body(source)
            }
        } catch {
            throw StoreErrors.reading(error, self)
        }
    }

    private func write(_ body: (ServerHistoryTables) -> [Statement]) throws {
        let opened = try opened()
        guard let history = opened.history else { return }
        if opened.isReadOnly { throw CoreDataError.readOnlyStore(url, store: self) }
        let statements = [Statement("BEGIN")] + body(history.tables) + [Statement("COMMIT")]
        do {
            // Repeating any of these has the same result.
            try opened.sessions.with(repeats: true) { connection in
                do {
                    _ = try connection.run(statements, opened.sessions.deadline)
                } catch {
                    connection.rollBack(opened.sessions.deadline)
                    throw error
                }
            }
        } catch {
            throw StoreErrors.saving(error, self)
        }
    }

    /// The row that assigns numbers is changed last, so saves wait only for the end of a purge.
    package func deleteHistory(below number: Int64) throws {
        try write { tables in
            [
                Statement("DELETE FROM \(tables.changes) WHERE transaction < $1", [.int64(number)]),
                Statement("DELETE FROM \(tables.transactions) WHERE number < $1", [.int64(number)]),
                Statement(
                    "UPDATE \(tables.head) SET deleted = greatest(deleted, least($1 - 1, last))", [.int64(number)]),
            ]
        }
    }

    package func historyRetention() throws -> PersistentHistoryRetention? { try opened().history?.retention }

    // MARK: Named readers

    private func value(_ text: (ServerHistoryTables) -> Statement) throws -> Int64? {
        let opened = try opened()
        guard let history = opened.history else { return nil }
        do {
            return try opened.sessions.with(repeats: true) {
                try $0.run(text(history.tables), opened.sessions.deadline).first(\.integer)
            }
        } catch {
            throw StoreErrors.reading(error, self)
        }
    }

    package func slowestHistoryReader() throws -> Int64? {
        try value { Statement("SELECT min(number) FROM \($0.readers)", isReused: false) }
    }

    package func setHistoryReader(_ name: String, to number: Int64?) throws {
        try write { tables in
            guard let number else {
                return [Statement("DELETE FROM \(tables.readers) WHERE name = $1", [.text(name)])]
            }
            return [
                Statement(
                    "INSERT INTO \(tables.readers) AS r (name, number) VALUES ($1, $2) "
                        + "ON CONFLICT (\(tables.dialect.tenantLead)name) DO UPDATE SET number = greatest(r.number, excluded.number)",
                    [.text(name), .int64(number)])
            ]
        }
    }

    package func historyReader(_ name: String) throws -> Int64? {
        try value { Statement("SELECT number FROM \($0.readers) WHERE name = $1", [.text(name)]) }
    }

    // MARK: Commits

    /// The store, under the same name for all coordinators of the process.
    var commitPlace: String { "postgresql:\(identifier ?? "")" }

    package func followCommits(_ body: @escaping @Sendable (CommitNews) -> Void) -> CommitSubscription {
        let subscription = CommitNotifier.shared.follow(commitPlace, store: self, body)
        guard let opened = try? opened() else { return subscription }
        let listener = opened.news.listen {
            body(CommitNews(number: nil, isOwn: false, isOfThisProcess: false))
        }
        return CommitSubscription {
            withExtendedLifetime(subscription) {}
            listener.end()
        }
    }

    package func lookForCommits(duringSaves: Bool) throws -> CommitSighting? {
        if !duringSaves, CommitNotifier.shared.isCommitting(commitPlace) { return nil }
        let opened = try opened()
        let last = try readHistory { try $0.bounds.last }
        let wasTold = opened.news.takeNotice()
        guard let last else { return CommitSighting(isForeign: wasTold) }
        return CommitSighting(isForeign: opened.news.see(last), last: last)
    }
}
