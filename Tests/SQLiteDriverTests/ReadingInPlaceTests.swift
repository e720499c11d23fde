// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reading a database in WAL mode without a trace: with its log, without one, and while another program writes.

import Foundation
import Testing

@testable import SQLiteDriver

@Suite("Reading without a trace") struct ReadingInPlaceTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var reading: Connection.Options { .init(access: .readOnly, leavesNoTrace: true) }

    /// A database in WAL mode; the row 1 is in it, the row 2 in the log of the connection.
    private func writer(_ path: String) throws -> Connection {
        let connection = try Connection(path: path)
        try connection.setJournalMode(.wal)
        try connection.execute("CREATE TABLE t (v); INSERT INTO t VALUES (1); PRAGMA wal_checkpoint(TRUNCATE)")
        try connection.execute("INSERT INTO t VALUES (2)")
        return connection
    }

    private func files() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        return try Dictionary(
            uniqueKeysWithValues: names.map {
                ($0, try Data(contentsOf: folder.url.appendingPathComponent($0)))
            })
    }

    @Test("the log is read, and no file is made or changed") func log() throws {
        let source = try TemporaryFolder()
        let writer = try writer(source.path())
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: source.path() + suffix, toPath: folder.path() + suffix)
        }
        try writer.close()
        let before = try files()
        let connection = try Connection(path: folder.path(), options: reading)
        #expect(try connection.value("SELECT sum(v) FROM t") == .integer(3))
        #expect(try files() == before)
        #expect(throws: SQLiteError.self) { try connection.execute("INSERT INTO t VALUES (3)") }
        try connection.close()
        #expect(try files() == before)
    }

    @Test("a database without its log is read, and no file is made") func noLog() throws {
        try writer(folder.path()).close()
        let before = try files()
        #expect(before.count == 1)
        let connection = try Connection(path: folder.path(), options: reading)
        #expect(try connection.value("SELECT sum(v) FROM t") == .integer(3))
        #expect(try files() == before)
        try connection.close()
        #expect(try files() == before)
    }

    @Test("while another program writes, each transaction sees one state") func writerAtWork() throws {
        let writer = try writer(folder.path())
        let connection = try Connection(path: folder.path(), options: reading)
        try connection.begin(.deferred)
        #expect(try connection.value("SELECT sum(v) FROM t") == .integer(3))
        try writer.execute("INSERT INTO t VALUES (4); PRAGMA wal_checkpoint(PASSIVE)")
        #expect(try connection.value("SELECT sum(v) FROM t") == .integer(3))
        try connection.rollback()
        #expect(try connection.value("SELECT sum(v) FROM t") == .integer(7))
        try connection.close()
        #expect(try writer.value("SELECT count(*) FROM t") == .integer(3))
        try writer.close()
    }
}
