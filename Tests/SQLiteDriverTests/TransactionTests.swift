// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Transactions: all or nothing, and the first error wins.

import CSQLite
import Testing

@testable import SQLiteDriver

@Suite("Transactions") struct TransactionTests {
    struct Stop: Error {}
    let connection: Connection

    init() throws {
        connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE t (v UNIQUE)")
    }

    func insert(_ value: SQLiteValue) throws { try connection.run("INSERT INTO t VALUES (?)", [value]) }
    func values() throws -> [SQLiteValue] { try connection.rows("SELECT v FROM t ORDER BY v").map { $0[0] } }

    @Test("changes of the body stay when it returns") func commits() throws {
        let result = try connection.write {
            try insert(1)
            return connection.inTransaction
        }
        #expect(result)
        #expect(!connection.inTransaction)
        #expect(try values() == [1])
    }

    @Test("a rollback that fails is made up before the next transaction") func lateRollback() throws {
        try insert(1)
        let handle = connection.handle
        sqlite3_set_authorizer(
            handle,
            { _, action, name, _, _, _ in
                let isRollback = action == SQLITE_TRANSACTION && name.map { String(cString: $0) } == "ROLLBACK"
                return isRollback ? SQLITE_DENY : SQLITE_OK
            }, nil)
        let run = {
            try connection.write {
                try insert(2)
                throw Stop()
            }
        }
        #expect(throws: Stop.self) { try run() }
        #expect(connection.inTransaction)
        #expect(throws: SQLiteError.self) { try connection.begin() }
        sqlite3_set_authorizer(handle, nil, nil)
        #expect(try connection.read { try values() } == [1])
        try connection.write { try insert(3) }
        #expect(!connection.inTransaction)
        #expect(try values() == [1, 3])
    }

    @Test("nothing stays when the body throws") func rollsBack() throws {
        let run = {
            try connection.write {
                try insert(1)
                throw Stop()
            }
        }
        #expect(throws: Stop.self) { try run() }
        #expect(!connection.inTransaction)
        #expect(try values() == [])
    }

    @Test("a failure that ended the transaction by itself is the one that is thrown") func orRollback() throws {
        let error = try failure {
            try connection.write {
                try insert(1)
                try connection.run("INSERT OR ROLLBACK INTO t VALUES (1)")
            }
        }
        #expect(error.isUniqueConstraint)
        #expect(!connection.inTransaction)
        #expect(try values() == [])
    }

    @Test("a commit that fails rolls back") func failedCommit() throws {
        try connection.execute(
            "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (p REFERENCES p DEFERRABLE INITIALLY DEFERRED)")
        try connection.setForeignKeys(true)
        let error = try failure { try connection.write { try connection.run("INSERT INTO c VALUES (7)") } }
        #expect(error.isConstraint && !error.isUniqueConstraint)
        #expect(!connection.inTransaction)
        #expect(try connection.value("SELECT count(*) FROM c") == 0)
    }

    @Test("a transaction within a transaction is refused and harms nothing") func nestedWrite() throws {
        try connection.begin(.immediate)
        try insert(1)
        let error = try failure { try connection.write {} }
        #expect(error.isGeneric)
        #expect(connection.inTransaction)
        try connection.commit()
        #expect(try values() == [1])
    }

    @Test("a savepoint undoes only later changes") func savepoints() throws {
        let inner = {
            try connection.savepoint {
                try insert(2)
                try connection.savepoint { try insert(3) }
                throw Stop()
            }
        }
        var thrown = false
        try connection.write {
            try insert(1)
            do { try inner() } catch is Stop { thrown = true }
            try connection.savepoint { try insert(4) }
        }
        #expect(thrown)
        #expect(try values() == [1, 4])
    }

    @Test("a savepoint without its transaction throws the cause") func lostSavepoint() throws {
        let error = try failure {
            try connection.write {
                try insert(1)
                try connection.savepoint { try connection.run("INSERT OR ROLLBACK INTO t VALUES (1)") }
            }
        }
        #expect(error.isUniqueConstraint)
        #expect(!connection.inTransaction)
    }

    @Test("rolling back outside of a transaction does nothing") func idleRollback() throws {
        try connection.rollback()
        #expect(!connection.inTransaction)
    }

    @Test("a read sees one state and ends") func reads() throws {
        try insert(1)
        let count = try connection.read { try connection.read { try values().count } }
        #expect(count == 1)
        #expect(!connection.inTransaction)
    }
}
