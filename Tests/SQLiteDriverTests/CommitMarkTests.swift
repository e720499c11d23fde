// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States when the mark of the newest commit changes.

import Foundation
import Testing

@testable import SQLiteDriver

@Suite("The mark of the newest commit") struct CommitMarkTests {
    private let folder: TemporaryFolder
    private let writer: Connection
    private let reader: Connection

    init() throws {
        folder = try TemporaryFolder()
        writer = try Connection(path: folder.path("marks.sqlite"))
        try writer.execute("PRAGMA journal_mode = WAL")
        try writer.execute("CREATE TABLE t (a INTEGER)")
        reader = try Connection(path: folder.path("marks.sqlite"), options: .init(access: .readOnly))
    }

    private func beginReading() throws {
        try reader.begin()
        try reader.execute("SELECT count(*) FROM t")
    }

    @Test("is unknown before the first read of a connection") func unread() throws {
        #expect(reader.commitMark == nil)
        try beginReading()
        #expect(reader.commitMark != nil)
        try reader.rollback()
        #expect(reader.commitMark != nil)
    }

    @Test("changes with each commit of another connection, during a read transaction") func otherCommit() throws {
        try beginReading()
        var marks = [reader.commitMark]
        for value in 1...100 {
            try writer.execute("INSERT INTO t VALUES (\(value))")
            marks.append(reader.commitMark)
        }
        for (one, next) in zip(marks, marks.dropFirst()) { #expect(one != next) }
        #expect(reader.commitMark == marks.last)
    }

    @Test("stays without a commit: a read, a rollback, a checkpoint") func noCommit() throws {
        try beginReading()
        let mark = reader.commitMark
        try writer.begin(.immediate)
        try writer.execute("INSERT INTO t VALUES (1)")
        #expect(reader.commitMark == mark)
        try writer.rollback()
        try writer.execute("SELECT * FROM t")
        try writer.execute("PRAGMA wal_checkpoint(PASSIVE)")
        #expect(reader.commitMark == mark)
    }

    @Test("changes when the log begins anew") func emptiedLog() throws {
        try beginReading()
        let mark = reader.commitMark
        try reader.rollback()
        try writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try writer.execute("INSERT INTO t VALUES (1)")
        #expect(reader.commitMark != mark)
    }

    @Test("is unknown without an index in shared memory") func inPlace() throws {
        let copy = folder.path("copy.sqlite")
        try writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try FileManager.default.copyItem(atPath: folder.path("marks.sqlite"), toPath: copy)
        let inPlace = try Connection(path: copy, options: .init(access: .readOnly, leavesNoTrace: true))
        try inPlace.begin()
        try inPlace.execute("SELECT count(*) FROM t")
        #expect(inPlace.commitMark == nil)
        #expect(!FileManager.default.fileExists(atPath: copy + "-shm"))
    }
}
