// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Pragmas, the schema, checkpoints and the trace.

import Foundation
import Synchronization
import Testing

@testable import SQLiteDriver

@Suite("Pragmas and schema") struct PragmaTests {
    let folder: TemporaryFolder
    let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        connection = try Connection(path: folder.path())
    }

    @Test("settings read as they were set") func settings() throws {
        try connection.setPageSize(8192)
        try connection.setAutoVacuum(.incremental)
        #expect(try connection.journalMode() == .delete)
        #expect(try connection.setJournalMode(.wal) == .wal)
        try connection.setSynchronous(.normal)
        try connection.setForeignKeys(true)
        try connection.setCacheSize(kibibytes: 16384)
        #expect(try connection.journalMode() == .wal)
        #expect(try connection.pageSize() == 8192)
        #expect(try connection.autoVacuum() == .incremental)
        #expect(try connection.synchronous() == .normal)
        #expect(try connection.foreignKeys())
        #expect(try connection.pragma("cache_size") == -16384)
        try connection.setPragma("user_version", to: 7)
        #expect(try connection.pragma("user_version") == 7)
        #expect(try connection.pragma("no_such_pragma") == nil)
    }

    @Test("a mode that cannot be is answered with the one in force") func refusedMode() throws {
        #expect(try Connection.inMemory().setJournalMode(.wal) == .memory)
    }

    @Test(
        "names and words that are more than identifiers are refused",
        arguments: ["", "a b", "x;DROP TABLE t", "1a", "ü", "a="])
    func injection(text: String) throws {
        #expect(try failure { _ = try connection.pragma(text) }.code == 21)
        #expect(try failure { try connection.setPragma("journal_mode", to: .word(text)) }.code == 21)
    }

    @Test("a checkpoint writes the WAL into the file") func checkpoint() throws {
        #expect(try connection.checkpoint(.passive) == (-1, -1))
        try connection.setJournalMode(.wal)
        try connection.execute("CREATE TABLE t (v); INSERT INTO t VALUES (1)")
        #expect(try connection.checkpoint(.full).written > 0)
        try connection.checkpoint(.truncate)
        let size = try FileManager.default.attributesOfItem(atPath: folder.path() + "-wal")[.size] as? Int
        #expect(size == 0)
    }

    @Test("the schema lists tables, indexes and triggers in the order of their creation") func schema() throws {
        try connection.execute(
            """
            CREATE TABLE ZBOOK (Z_PK INTEGER PRIMARY KEY, ZTITLE VARCHAR NOT NULL DEFAULT 'x', ZDATA BLOB);
            CREATE INDEX ZI ON ZBOOK (ZTITLE);
            CREATE VIEW ZV AS SELECT 1;
            """)
        let schema = try connection.schema()
        #expect(schema.map(\.name) == ["ZBOOK", "ZI", "ZV"])
        #expect(schema.map(\.type) == ["table", "index", "view"])
        #expect(schema.map(\.tableName) == ["ZBOOK", "ZBOOK", "ZV"])
        #expect(schema[1].sql == "CREATE INDEX ZI ON ZBOOK (ZTITLE)")
        #expect(
            try connection.columns(of: "ZBOOK") == [
                SchemaColumn(
                    name: "Z_PK", type: "INTEGER", isNotNull: false, defaultValue: nil, primaryKeyPosition: 1),
                SchemaColumn(
                    name: "ZTITLE", type: "VARCHAR", isNotNull: true, defaultValue: "'x'", primaryKeyPosition: 0),
                SchemaColumn(name: "ZDATA", type: "BLOB", isNotNull: false, defaultValue: nil, primaryKeyPosition: 0),
            ])
        #expect(try connection.columns(of: "nowhere").isEmpty)
        #expect(try connection.tableExists("ZBOOK"))
        #expect(try !connection.tableExists("ZI"))
    }

    @Test("the trace gives each statement with its time, and its values only when asked") func trace() throws {
        let seen = Log()
        connection.setTrace { trace in seen.append(trace) }
        _ = try connection.value("SELECT ?", ["secret"])
        connection.setTrace(expandsValues: true, countsRows: true) { trace in seen.append(trace) }
        _ = try connection.rows("SELECT ? UNION ALL SELECT 2", ["shown"])
        connection.setTrace(nil)
        _ = try connection.value("SELECT 3")
        #expect(seen.all.map(\.sql) == ["SELECT ?", "SELECT ? UNION ALL SELECT 2"])
        #expect(seen.all.map(\.expandedSQL) == [nil, "SELECT 'shown' UNION ALL SELECT 2"])
        #expect(seen.all.map(\.rows) == [0, 2])
        #expect(seen.all.allSatisfy { $0.duration > .zero })
    }

    final class Log: Sendable {
        private let traces = Mutex<[StatementTrace]>([])
        func append(_ trace: StatementTrace) { traces.withLock { $0.append(trace) } }
        var all: [StatementTrace] { traces.withLock { $0 } }
    }
}
