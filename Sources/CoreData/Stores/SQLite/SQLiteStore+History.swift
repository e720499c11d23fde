// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The history of a SQLite store: reading, deleting, retention, named readers, and commits of other connections.

import Foundation
import SQLiteDriver

extension SQLiteStore: HistoryKeeping {
    func readHistory<T>(_ body: (any HistorySource) throws -> T) throws -> T? {
        var isBegun = false
        for _ in 0..<2 {
            let result: T? = try read(in: nil) { reader in
                let (opened, connection) = (reader.opened, reader.connection)
                return try connection.read {
                    guard try HistoryTables.exist(on: connection) else { return nil }
                    guard let history = opened.history.value else {
                        isBegun = true
                        return nil
                    }
                    return try body(
                        SQLiteHistorySource(history, on: connection, externalFolder: opened.externalFolder))
                }
            }
            if result != nil || !isBegun { return result }
            try takeUpHistory()
        }
        return nil
    }

    /// Called when another process has begun a history since this store was opened.
    private func takeUpHistory() throws {
        let opened = try opened()
        do {
            try opened.pool.write { try takeUpHistory(opened, $0) }
        } catch {
            throw failure(error)
        }
    }

    private func takeUpHistory(_ opened: OpenDatabase, _ connection: Connection) throws {
        if opened.isReadOnly {
            _ = try connection.read {
                // A connection knows the commits of others only when it has read the file.
                _ = try connection.schemaVersion()
                return try opened.history.updated(on: connection)
            }
        } else {
            _ = try connection.write { try opened.history.updated(on: connection) }
        }
        opened.history.didCommit(on: connection)
    }

    private func writableHistory() throws -> (OpenDatabase, SQLiteHistory)? {
        let opened = try opened()
        guard let history = opened.history.value else { return nil }
        if opened.isReadOnly { throw CoreDataError.readOnlyStore(url, store: self) }
        return (opened, history)
    }

    func deleteHistory(below number: Int64) throws {
        guard let (opened, _) = try writableHistory() else { return }
        do {
            try HistoryPurge(pool: opened.pool).run(below: number)
        } catch {
            throw failure(error)
        }
    }

    func historyRetention() throws -> PersistentHistoryRetention? { try writableHistory()?.1.retention }

    /// Applies the retention to a store that was just opened: one slice immediately, because the program may run only
    /// briefly, and the rest later.
    func purgeHistoryAtOpening() {
        do {
            guard let bound = try historyBound(), let (opened, _) = try writableHistory(),
                try HistoryPurge(pool: opened.pool).runOnce(below: bound)
            else { return }
        } catch {
            // Another program may be writing.
        }
        purgeHistoryLater()
    }

    // MARK: Named readers

    func slowestHistoryReader() throws -> Int64? {
        try read(in: nil) { reader in
            guard try reader.connection.tableExists(HistoryTables.readers) else { return nil }
            return try reader.connection.value("SELECT MIN(NUMBER) FROM \(HistoryTables.readers) WHERE NAME <> ''")?
                .integerValue
        }
    }

    func setHistoryReader(_ name: String, to number: Int64?) throws {
        guard let (opened, _) = try writableHistory() else { return }
        do {
            try opened.pool.write { connection in
                try connection.write {
                    try HistoryTables.makeReaders(connection)
                    if let number {
                        try connection.run(
                            "INSERT INTO \(HistoryTables.readers) (NAME, NUMBER) VALUES (?1, ?2) "
                                + "ON CONFLICT (NAME) DO UPDATE SET NUMBER = max(NUMBER, excluded.NUMBER)",
                            [.text(name), .integer(number)])
                    } else {
                        try connection.run("DELETE FROM \(HistoryTables.readers) WHERE NAME = ?", [.text(name)])
                    }
                }
            }
        } catch {
            throw failure(error)
        }
    }

    func historyReader(_ name: String) throws -> Int64? {
        try read(in: nil) { reader in
            guard try reader.connection.tableExists(HistoryTables.readers) else { return nil }
            return try reader.connection.value(
                "SELECT NUMBER FROM \(HistoryTables.readers) WHERE NAME = ?", [.text(name)])?.integerValue
        }
    }

    // MARK: Commits

    func followCommits(_ body: @escaping @Sendable (CommitNews) -> Void) -> CommitSubscription {
        CommitNotifier.shared.follow(commitPlace, store: self, body)
    }

    func lookForCommits(duringSaves: Bool) throws -> CommitSighting? {
        if !duringSaves, CommitNotifier.shared.isCommitting(commitPlace) { return nil }
        let opened = try openedStill()
        do {
            return try opened.pool.write { connection in
                let isForeign = try opened.seesForeignCommit(connection)
                if isForeign, try opened.history.isOutdated(on: connection) {
                    // A removed history is begun anew by the next transaction, not by a check.
                    guard try HistoryTables.exist(on: connection) else { return CommitSighting(isForeign: true) }
                    try takeUpHistory(opened, connection)
                }
                guard let history = opened.history.value, try HistoryTables.exist(on: connection) else {
                    return CommitSighting(isForeign: isForeign)
                }
                let source = try SQLiteHistorySource(
                    history, on: connection, externalFolder: opened.externalFolder)
                return CommitSighting(isForeign: isForeign, last: try source.bounds.last)
            }
        } catch {
            throw failure(error)
        }
    }

    /// The file, under the same name for all coordinators of the process.
    var commitPlace: String {
        // An open store has it ready.
        if let file = (try? openedStill())?.file { return file }
        guard let url, !isInMemory else { return "memory:\(identity.identifier)" }
        return url.resolvingSymlinksInPath().path
    }
}
