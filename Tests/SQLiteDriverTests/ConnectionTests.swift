// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Opening and closing: which files are refused and how, and how two connections share one.

import Foundation
import Synchronization
import Testing

@testable import SQLiteDriver

@Suite("Connections") struct ConnectionTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func make(_ name: String = "test.sqlite") throws -> String {
        let path = folder.path(name)
        let connection = try Connection(path: path)
        try connection.execute("CREATE TABLE t (v); INSERT INTO t VALUES (1)")
        try connection.close()
        return path
    }

    @Test("a missing file is made only when asked") func missing() throws {
        for access in [Connection.Options.Access.readOnly, .readWrite] {
            let error = try failure { _ = try Connection(path: folder.path(), options: .init(access: access)) }
            #expect(error.isCantOpen)
            #expect(error.path == folder.path())
            #expect(error.systemError == ENOENT)
        }
        _ = try make()
        #expect(FileManager.default.fileExists(atPath: folder.path()))
    }

    @Test("a missing folder is not made") func missingFolder() throws {
        #expect(try failure { _ = try Connection(path: folder.path("none/test.sqlite")) }.isCantOpen)
    }

    @Test("a folder is no database") func directory() throws {
        #expect(try failure { _ = try Connection(url: folder.url) }.isCantOpen)
    }

    @Test("an empty path, a path with NUL and a web address are refused") func strangePaths() throws {
        #expect(try failure { _ = try Connection(path: "") }.isCantOpen)
        #expect(try failure { _ = try Connection(path: "/tmp/a\u{0}b") }.isCantOpen)
        let web = try #require(URL(string: "https://example.org/a.sqlite"))
        #expect(try failure { _ = try Connection(url: web) }.isCantOpen)
    }

    @Test(
        "every character may be in a name", arguments: ["a b?mode=ro#x%41.sqlite", "file:x", "ü&;'\".sqlite", "+\t\n"])
    func names(name: String) throws {
        _ = try make(name)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [name])
    }

    @Test("a file of something else is refused at once") func notADatabase() throws {
        let path = folder.path()
        try Data(repeating: 0x41, count: 4096).write(to: URL(fileURLWithPath: path))
        let error = try failure { _ = try Connection(path: path) }
        #expect(error.isNotADatabase)
        #expect(error.path == path)
    }

    @Test("a damaged file is an error or is reported by the check") func corrupt() throws {
        let path = folder.path()
        let connection = try Connection(path: path)
        try connection.execute("CREATE TABLE t (v); CREATE INDEX i ON t (v)")
        try connection.write {
            for number in 0..<2000 { try connection.run("INSERT INTO t VALUES (?)", [.text("value \(number)")]) }
        }
        #expect(try connection.integrityCheck() == [])
        #expect(try connection.integrityCheck(isQuick: true) == [])
        try connection.close()

        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for page in 1..<(bytes.count / 4096) {
            bytes.replaceSubrange(page * 4096..<page * 4096 + 64, with: Data(repeating: 0xA5, count: 64))
        }
        try bytes.write(to: URL(fileURLWithPath: path))
        let damaged = try Connection(path: path)
        #expect(try !damaged.integrityCheck().isEmpty)
        let error = try failure { _ = try damaged.rows("SELECT * FROM t") }
        #expect(error.isCorrupt)
        #expect(error.path == path)
    }

    @Test("a truncated schema page is refused at opening") func damagedHeader() throws {
        let path = try make()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes.replaceSubrange(100..<4096, with: Data(repeating: 0xFF, count: 3996))
        try bytes.write(to: URL(fileURLWithPath: path))
        #expect(try failure { _ = try Connection(path: path) }.isCorrupt)
    }

    @Test("a read-only connection reads and does not write") func readOnly() throws {
        let connection = try Connection(path: make(), options: .init(access: .readOnly))
        #expect(connection.isReadOnly)
        #expect(try connection.value("SELECT v FROM t") == 1)
        #expect(try failure { try connection.run("DELETE FROM t") }.isReadOnly)
    }

    @Test(
        "a file without rights is refused, one without write rights says so",
        .enabled(if: geteuid() != 0, "root may do all"))
    func rights() throws {
        let path = try make()
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
        #expect(try Connection(path: path).isReadOnly)
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
        let error = try failure { _ = try Connection(path: path) }
        #expect(error.isCantOpen)
        #expect(error.systemError == EACCES)
    }

    @Test("an immutable file is read without any other file") func immutable() throws {
        let path = folder.path()
        let connection = try Connection(path: path)
        #expect(try connection.setJournalMode(.wal) == .wal)
        try connection.execute("CREATE TABLE t (v); INSERT INTO t VALUES (1)")
        try connection.close()
        let fixed = try Connection(path: path, options: .init(access: .readOnly, isImmutable: true))
        #expect(try fixed.value("SELECT v FROM t") == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["test.sqlite"])
    }

    @Test("a lock held by another connection is reported as busy after the timeout") func busy() throws {
        let path = try make()
        let first = try Connection(path: path)
        let second = try Connection(path: path, options: .init(busyTimeout: .milliseconds(60)))
        try first.begin(.immediate)
        let error = try failure { try second.begin(.immediate) }
        #expect(error.isBusy)
        try first.commit()
        try second.begin(.immediate)
        try second.commit()
    }

    @Test("a lock held by another connection is waited for") func lockedForAMoment() throws {
        let path = try make()
        let first = try Connection(path: path)
        let second = try Connection(path: path, options: .init(busyTimeout: .seconds(600)))
        try first.begin(.immediate)
        let released = DispatchSemaphore(value: 0)
        let thread = Thread {
            usleep(50_000)
            try? first.commit()
            released.signal()
        }
        thread.start()
        try second.begin(.immediate)
        released.wait()
        #expect(!first.inTransaction)
        try second.commit()
    }

    @Test("the wait for a lock is reported, in parts, and ends with the given time") func waitingTime() throws {
        let path = try make()
        let first = try Connection(path: path)
        let second = try Connection(path: path, options: .init(busyTimeout: .milliseconds(60)))
        let waited = Mutex<[Duration]>([])
        second.onLockWait { pause in waited.withLock { $0.append(pause) } }
        try second.begin(.immediate)
        try second.commit()
        #expect(waited.withLock { $0.isEmpty })
        try first.begin(.immediate)
        #expect(try failure { try second.begin(.immediate) }.isBusy)
        let pauses = waited.withLock { $0 }
        #expect(pauses.count > 1 && pauses.allSatisfy { $0 > .zero })
        second.setBusyTimeout(.zero)
        #expect(try failure { try second.begin(.immediate) }.isBusy)
        #expect(waited.withLock { $0.count } == pauses.count)
        try first.commit()
    }

    @Test("the data version counts other connections' changes only") func dataVersion() throws {
        let path = try make()
        let first = try Connection(path: path)
        let second = try Connection(path: path)
        let before = try first.dataVersion()
        try first.run("INSERT INTO t VALUES (2)")
        #expect(try first.dataVersion() == before)
        try second.run("INSERT INTO t VALUES (3)")
        #expect(try first.dataVersion() != before)
    }

    @Test("a closed connection says so, and closing twice is fine") func closing() throws {
        let connection = try Connection(path: make())
        #expect(connection.isOpen)
        try connection.close()
        try connection.close()
        connection.interrupt()
        #expect(!connection.isOpen)
    }

    @Test("closing while a statement is held is refused and names it") func closingTooEarly() throws {
        let connection = try Connection(path: make())
        var statement: Statement? = try connection.statement(for: "SELECT v FROM t")
        let error = try failure { try connection.close() }
        #expect(error.isBusy)
        #expect(error.sql == statement?.sql)
        statement = nil
        try connection.close()
    }

    @Test("a statement may outlive the connection object") func outliving() throws {
        var connection: Connection? = try Connection(path: make())
        let statement = try #require(try connection?.prepare("SELECT v FROM t"))
        connection = nil
        #expect(try statement.step())
        #expect(statement.int64(at: 0) == 1)
    }

    @Test("using a closed connection is a programmer's mistake with a sentence") func useAfterClose() async {
        await #expect(processExitsWith: .failure) {
            let connection = try Connection.inMemory()
            try connection.close()
            _ = connection.changes
        }
    }

    @Test("an interrupt from another thread ends a long statement") func interrupt() async throws {
        let connection = try Connection.inMemory()
        let interrupter = Task.detached {
            while !Task.isCancelled {
                connection.interrupt()
                await Task.yield()
            }
        }
        defer { interrupter.cancel() }
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        #expect(try failure { _ = try connection.value(endless) }.isInterrupted)
    }
}
