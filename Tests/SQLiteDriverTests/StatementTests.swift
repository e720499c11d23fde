// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Statements: preparing, running, and caching.

import Foundation
import Testing

@testable import SQLiteDriver

@Suite("Statements") struct StatementTests {
    let connection: Connection

    init() throws {
        connection = try Connection.inMemory(options: .init(statementCacheCapacity: 3))
        try connection.execute(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, v UNIQUE); INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    }

    @Test("one text is prepared once") func reuse() throws {
        var first: Statement? = try connection.statement(for: "SELECT 1")
        let identity = first.map(ObjectIdentifier.init)
        first = nil
        #expect(try ObjectIdentifier(connection.statement(for: "SELECT 1")) == identity)
    }

    @Test("a statement that is still held is not handed out twice") func nested() throws {
        var seen: [[Int64]] = []
        try connection.withStatement("SELECT id FROM t ORDER BY id") { outer in
            while try outer.step() {
                try connection.withStatement("SELECT id FROM t ORDER BY id") { inner in
                    while try inner.step() { seen.append([outer.int64(at: 0), inner.int64(at: 0)]) }
                }
            }
        }
        #expect(seen == [[1, 1], [1, 2], [2, 1], [2, 2]])
    }

    @Test("a statement comes from the cache reset and without values") func clean() throws {
        var statement: Statement? = try connection.statement(for: "SELECT ?")
        try statement?.bind("left over", at: 1)
        _ = try statement?.step()
        statement = nil
        let again = try connection.statement(for: "SELECT ?")
        #expect(!again.isRunning)
        #expect(try again.step())
        #expect(again.isNull(at: 0))
    }

    @Test("the cache drops the statement that was not used for the longest time") func bounded() throws {
        for number in [1, 2, 3, 1, 4] { _ = try connection.statement(for: "SELECT \(number)") }
        #expect(connection.cache.texts == ["SELECT 1", "SELECT 3", "SELECT 4"])
        connection.removeCachedStatements()
        #expect(connection.cache.texts.isEmpty)
    }

    @Test("a body that throws leaves no running statement") func thrown() throws {
        struct Stop: Error {}
        let run = {
            try connection.withStatement("SELECT id FROM t") { statement in
                _ = try statement.step()
                throw Stop()
            }
        }
        #expect(throws: Stop.self) { try run() }
        #expect(try !connection.statement(for: "SELECT id FROM t").isRunning)
    }

    @Test("a statement runs again after its end, with the values it had") func again() throws {
        let statement = try connection.prepare("SELECT v FROM t WHERE id = ?")
        try statement.bind(2 as Int64, at: 1)
        for _ in 0..<2 {
            #expect(try statement.step())
            #expect(statement.string(at: 0) == "b")
            #expect(try !statement.step())
        }
    }

    @Test("a failed step is an error with code and text, and the statement can go on") func failedStep() throws {
        let statement = try connection.prepare("INSERT INTO t (v) VALUES (?)")
        try statement.bind("a", at: 1)
        let error = try failure { _ = try statement.step() }
        #expect(error.isConstraint && error.isUniqueConstraint)
        #expect(error.extendedCode == 2067)
        #expect(error.sql == "INSERT INTO t (v) VALUES (?)")
        #expect(!error.description.contains("'a'"))
        try statement.bind("c", at: 1)
        #expect(try !statement.step())
        #expect(connection.changes == 1)
        #expect(connection.lastInsertRowID == 3)
    }

    @Test(
        "text that is not exactly one statement is refused",
        arguments: ["", "  ", "-- nothing", "SELECT 1; SELECT 2", "SELECT 1\u{0}", "SELEC", "SELECT 1; nonsense"])
    func notOneStatement(sql: String) throws {
        let error = try failure { _ = try connection.prepare(sql) }
        #expect(error.sql == sql)
        #expect(error.code == 1 || error.code == 21)
    }

    @Test(
        "spaces and comments may follow a statement",
        arguments: ["SELECT 1;", "SELECT 1 ; \n", "SELECT 1; /* end */ -- x"])
    func trailingBlanks(sql: String) throws {
        #expect(try connection.prepare(sql).step())
    }

    @Test("a script runs up to its first failure") func script() throws {
        let error = try failure {
            try connection.execute("INSERT INTO t (v) VALUES ('c'); INSERT INTO nowhere VALUES (1)")
        }
        #expect(error.isGeneric)
        #expect(try connection.value("SELECT count(*) FROM t") == 3)
    }

    @Test("the number of changed rows is known") func changes() throws {
        #expect(try connection.run("UPDATE t SET v = v || ?", ["x"]) == 2)
        #expect(connection.totalChanges == 4)
        #expect(try connection.rows("SELECT * FROM t ORDER BY id") == [[1, "ax"], [2, "bx"]])
    }

    @Test("a statement says whether it writes") func readOnly() throws {
        #expect(try connection.prepare("SELECT * FROM t").isReadOnly)
        #expect(try !connection.prepare("DELETE FROM t").isReadOnly)
    }
}
