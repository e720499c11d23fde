// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A backup is the whole database or nothing.

import Foundation
import Testing

@testable import SQLiteDriver

@Suite("Backup") struct BackupTests {
    let folder: TemporaryFolder
    let source: Connection

    init() throws {
        folder = try TemporaryFolder()
        source = try Connection(path: folder.path())
        try source.setJournalMode(.wal)
        try source.execute("CREATE TABLE t (v)")
        try source.write {
            for number in 0..<1000 {
                try source.run("INSERT INTO t VALUES (?)", [.text(String(repeating: "x", count: 100) + "\(number)")])
            }
        }
    }

    @Test("the copy equals the source, and progress is reported") func copies() throws {
        var steps: [BackupProgress] = []
        try source.backup(toPath: folder.path("copy"), pagesPerStep: 10) { steps.append($0) }
        let copy = try Connection(path: folder.path("copy"))
        #expect(try copy.rows("SELECT v FROM t") == source.rows("SELECT v FROM t"))
        #expect(try copy.integrityCheck().isEmpty)
        #expect(steps.count > 1)
        #expect(steps.allSatisfy { $0.remainingPages < $0.totalPages })
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.remainingPages > $1.remainingPages })
    }

    @Test("an existing database is replaced as a whole") func replaces() throws {
        let other = try Connection.inMemory()
        try other.execute("CREATE TABLE old (v)")
        try source.backup(to: other)
        #expect(try other.schema().map(\.name) == ["t"])
        #expect(try other.value("SELECT count(*) FROM t") == 1000)
    }

    @Test("a backup that is stopped leaves no files") func stops() throws {
        struct Stop: Error {}
        let run = { try source.backup(toPath: folder.path("copy"), pagesPerStep: 1) { _ in throw Stop() } }
        #expect(throws: Stop.self) { try run() }
        #expect(!FileManager.default.fileExists(atPath: folder.path("copy")))
        #expect(try source.value("SELECT count(*) FROM t") == 1000)
    }

    @Test("a file that is no database is not overwritten") func foreignFile() throws {
        let letter = Data(repeating: 0x41, count: 5000)
        try letter.write(to: URL(fileURLWithPath: folder.path("letter")))
        #expect(try failure { try source.backup(toPath: folder.path("letter")) }.isNotADatabase)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("letter"))) == letter)
    }

    @Test("a destination that is being written is busy") func busy() throws {
        let destination = try Connection(path: folder.path("copy"), options: .init(busyTimeout: .zero))
        let writer = try Connection(path: folder.path("copy"))
        try writer.begin(.exclusive)
        #expect(try failure { try source.backup(to: destination) }.isBusy)
    }
}
