// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What the driver refuses before SQLite would misread it.

import Foundation
import Testing

@testable import SQLiteDriver

@Suite("What the driver refuses") struct RefusalTests {
    private struct Failing: SQLAggregateFunction {
        struct NoResult: Error, CustomStringConvertible { var description: String { "there is no result" } }

        mutating func step(_ arguments: FunctionArguments) throws {}
        mutating func result() throws -> SQLiteValue { throw NoResult() }
    }

    @Test("a text with a NUL character is not run up to it") func nul() throws {
        let connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE t (a)")
        let error = #expect(throws: SQLiteError.self) {
            try connection.execute("INSERT INTO t VALUES (1); \u{0} DROP TABLE t")
        }
        #expect(error?.message.contains("NUL") == true)
        #expect(try connection.value("SELECT count(*) FROM t") == 0)
    }

    @Test("the error of an aggregate's result is the error of the statement") func aggregate() throws {
        let connection = try Connection.inMemory()
        try connection.addAggregate("failing", argumentCount: 1) { Failing() }
        let error = #expect(throws: SQLiteError.self) { try connection.value("SELECT failing(1)") }
        #expect(error?.message.contains("there is no result") == true)
        #expect(try connection.value("SELECT 1") == 1)
    }

    @Test("bytes of a folder, and a copy to a place without a folder, are errors") func bytes() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("text")
        try Data("0123456789".utf8).write(to: url)
        #expect(throws: CocoaError.self) {
            try DatabaseBytes(path: url.path).copy(to: folder.url.appendingPathComponent("none/copy"))
        }
        let failure = #expect(throws: SQLiteError.self) {
            let bytes = try DatabaseBytes(path: folder.url.path)
            _ = try bytes.read(at: 0, count: 16)
        }
        #expect(failure != nil)
    }

    @Test("a backup onto a database that is in use by a statement is an error, and both stay as they were")
    func backup() throws {
        let (source, target) = (try Connection.inMemory(), try Connection.inMemory())
        try source.execute("CREATE TABLE t (a)")
        try target.execute("CREATE TABLE u (a); INSERT INTO u VALUES (1), (2)")
        var failure: SQLiteError?
        try target.withStatement("SELECT a FROM u") { statement in
            _ = try statement.step()
            do { try source.backup(to: target) } catch let error as SQLiteError { failure = error }
        }
        #expect(failure != nil)
        #expect(try target.value("SELECT count(*) FROM u") == 2)
    }
}
