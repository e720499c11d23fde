// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The limits of statements: reading of given tables, and calling of given functions.

import Foundation
import Testing

@testable import SQLiteDriver

@Suite("Permissions of statements") struct PermissionTests {
    private let permission = ReadPermission(tables: ["open"], unread: ["named"], functions: ["count", "upper"])

    private func connection() throws -> Connection {
        let connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE open(a); CREATE TABLE closed(a); INSERT INTO open VALUES ('x')")
        return connection
    }

    /// The error of a limited statement, and what was refused.
    private func failure(_ connection: Connection, _ sql: String) throws -> (error: SQLiteError?, refusal: String?) {
        try connection.limited(to: permission) { authorizer in
            do {
                try connection.run(sql)
                return (nil, authorizer.refusal)
            } catch let error as SQLiteError {
                return (error, authorizer.refusal)
            }
        }
    }

    @Test("allowed tables are read, and allowed functions called")
    func allowed() throws {
        let connection = try connection()
        for sql in [
            "SELECT upper(a) FROM open", "SELECT count(*) FROM OPEN",
            "WITH named AS (SELECT a FROM open) SELECT count(*) FROM named",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n",
        ] {
            let rows = try connection.limited(to: permission) { _ in try connection.rows(sql) }
            #expect(!rows.isEmpty, "\(sql)")
        }
    }

    @Test(
        "everything else is refused when it is prepared, and said in words",
        arguments: [
            ("SELECT a FROM closed", "'closed'"), ("SELECT count(*) FROM closed", "'closed'"),
            ("SELECT a FROM open WHERE a IN (SELECT a FROM closed)", "'closed'"),
            ("SELECT name FROM sqlite_master", "'sqlite_master'"), ("SELECT lower(a) FROM open", "'lower'"),
            ("SELECT load_extension('x')", "'load_extension'"), ("INSERT INTO open VALUES (1)", "'open'"),
            ("DELETE FROM open", "'open'"), ("UPDATE open SET a = 1", "'open'"), ("ATTACH ':memory:' AS x", "ATTACH"),
            ("DETACH main", "DETACH"), ("PRAGMA user_version", "PRAGMA"), ("DROP TABLE open", "'"),
            ("BEGIN", "transaction"),
            ("SAVEPOINT x", "transaction"), ("CREATE TEMP TABLE x(a)", "'"), ("ANALYZE", "'sqlite_master'"),
            ("CREATE TEMP VIEW v AS SELECT 1", "'"),
            ("SELECT * FROM pragma_database_list", "'sqlite_master'"),
        ])
    func refused(sql: String, words: String) throws {
        let connection = try connection()
        let failure = try failure(connection, sql)
        #expect(failure.error != nil, "\(failure)")
        #expect(failure.refusal?.contains(words) == true, "\(failure)")
        #expect(try connection.value("SELECT count(*) FROM open") == 1)
        #expect(try connection.value("SELECT count(*) FROM closed") == 0)
    }

    @Test("statements that were cached before work afterwards, and are limited inside")
    func cached() throws {
        let connection = try connection()
        #expect(try connection.value("SELECT count(*) FROM closed") == 0)
        #expect(try failure(connection, "SELECT count(*) FROM closed").refusal == "Reading of 'closed'")
        #expect(try connection.value("SELECT count(*) FROM closed") == 0)
    }

    @Test("an error has its place in the statement")
    func place() throws {
        let connection = try connection()
        let error = #expect(throws: SQLiteError.self) { try connection.prepare("SELECT é, b FROM open") }
        let isReported = Connection.libraryVersion >= 3_038_000
        #expect(error?.offset == (isReported ? 7 : nil))
    }
}
