// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Swift called from SQL: functions, aggregates, collations, and their errors.

import Foundation
import Testing

@testable import SQLiteDriver

@Suite("Functions and collations") struct FunctionTests {
    let connection: Connection

    init() throws { connection = try Connection.inMemory() }

    static let echoed: [SQLiteValue] = [
        .null, 1, .integer(.min), 2.5, "", "a\u{0}b", "ü", .blob(Data()), .blob(Data([1, 0])),
    ]

    @Test("arguments and results keep their storage class", arguments: echoed)
    func echo(value: SQLiteValue) throws {
        try connection.addFunction("echo", argumentCount: 1) { arguments in arguments[0] }
        #expect(try connection.rows("SELECT echo(?1), typeof(echo(?1)) = typeof(?1)", [value]) == [[value, 1]])
    }

    @Test("any number of arguments, and typed reading of them") func variadic() throws {
        try connection.addFunction("total_of", argumentCount: nil, options: .deterministic) { arguments in
            .real((0..<arguments.count).reduce(0) { arguments.isNull($1) ? $0 : $0 + arguments.double($1) })
        }
        #expect(try connection.value("SELECT total_of(1, 2.5, '3', NULL)") == 6.5)
        #expect(try connection.value("SELECT total_of()") == 0.0)
    }

    @Test("a text function sees the bytes; null is nil") func textFunctions() throws {
        try connection.addTextFunction("byte_count", options: .deterministic) { text in text.map { Int64($0.count) } }
        try connection.addTextFunction("has_prefix", options: [.deterministic, .innocuous]) { text, prefix in
            guard let text, let prefix else { return nil }
            return text.starts(with: prefix) ? 1 : 0
        }
        #expect(
            try connection.rows("SELECT byte_count('ü'), byte_count(''), byte_count(NULL), byte_count(12)")
                == [[2, 0, .null, 2]])
        #expect(
            try connection.rows("SELECT has_prefix('abc', 'ab'), has_prefix('abc', 'b'), has_prefix(NULL, 'a')")
                == [[1, 0, .null]])
    }

    @Test("a deterministic function may be used in an index, another may not") func deterministic() throws {
        try connection.execute("CREATE TABLE t (v)")
        try connection.addTextFunction("sure", options: .deterministic) { _ in 1 }
        try connection.addTextFunction("unsure") { _ in 1 }
        try connection.execute("CREATE INDEX a ON t (sure(v))")
        #expect(try failure { try connection.execute("CREATE INDEX b ON t (unsure(v))") }.isGeneric)
    }

    @Test("an error thrown inside becomes the statement's error") func errors() throws {
        struct Unwanted: Error, CustomStringConvertible { var description: String { "unwanted text" } }
        try connection.addFunction("fail", argumentCount: 0) { _ in throw Unwanted() }
        try connection.addTextFunction("fail_text") { _ in
            throw SQLiteError(extendedCode: 2067, message: "taken")
        }
        let plain = try failure { try connection.value("SELECT fail()") }
        #expect(plain.isGeneric && plain.message == "unwanted text" && plain.sql == "SELECT fail()")
        let typed = try failure { try connection.value("SELECT fail_text('')") }
        #expect(typed.isUniqueConstraint && typed.message == "taken")
    }

    @Test("an aggregate has one state per group, and one for no rows") func aggregates() throws {
        try connection.addAggregate("joined", argumentCount: 1) { Joined() }
        try connection.execute("CREATE TABLE t (g, v); INSERT INTO t VALUES (1, 'a'), (1, 'b'), (2, 'c')")
        #expect(try connection.rows("SELECT g, joined(v) FROM t GROUP BY g") == [[1, "a+b"], [2, "c"]])
        #expect(try connection.value("SELECT joined(v) FROM t WHERE g = 3") == "")
    }

    @Test("an aggregate that fails ends its statement and gives its state back") func failingAggregate() throws {
        let alive = Lifetime()
        try connection.addAggregate("joined", argumentCount: 1) { Joined(token: alive.token()) }
        let error = try failure { try connection.value("SELECT joined(v) FROM (SELECT 'a' v UNION SELECT 1)") }
        #expect(error.message == "only text")
        #expect(alive.count == 0)
    }

    @Test("a collation orders, and its name is known to indexes") func collations() throws {
        try connection.addCollation("backwards") { left, right in
            left.elementsEqual(right) ? 0 : left.lexicographicallyPrecedes(right) ? 1 : -1
        }
        try connection.execute("CREATE TABLE t (v COLLATE backwards UNIQUE); INSERT INTO t VALUES ('a'), ('b'), ('')")
        #expect(try connection.rows("SELECT v FROM t ORDER BY v") == [["b"], ["a"], [""]])
        #expect(try failure { try connection.run("INSERT INTO t VALUES ('a')") }.isUniqueConstraint)
    }

    @Test("closures live as long as they can be called") func lifetime() throws {
        let alive = Lifetime()
        add(alive.token(), named: "one")
        add(alive.token(), named: "two")
        try connection.addCollation("three") { [token = alive.token()] _, _ in token.zero }
        #expect(alive.count == 3)
        add(alive.token(), named: "one")
        #expect(alive.count == 3)
        try connection.removeFunction("two", argumentCount: 0)
        #expect(alive.count == 2)
        let long = String(repeating: "x", count: 300)
        #expect(throws: SQLiteError.self) {
            try connection.addFunction(long, argumentCount: 0) { [token = alive.token()] _ in
                .integer(Int64(token.zero))
            }
        }
        #expect(alive.count == 2)
        try connection.close()
        #expect(alive.count == 0)
    }

    @Test("a function in use cannot be replaced") func inUse() throws {
        try connection.addTextFunction("f") { _ in 1 }
        let statement = try connection.prepare("SELECT f('a') UNION ALL SELECT f('b')")
        #expect(try statement.step())
        #expect(try failure { try connection.addTextFunction("f") { _ in 2 } }.isBusy)
    }

    func add(_ token: Lifetime.Token, named name: String) {
        do {
            try connection.addFunction(name, argumentCount: 0) { _ in .integer(Int64(token.zero)) }
        } catch {
            Issue.record(error)
        }
    }
}

private struct Joined: SQLAggregateFunction {
    struct OnlyText: Error, CustomStringConvertible { var description: String { "only text" } }
    var token: Lifetime.Token?
    var parts: [String] = []

    mutating func step(_ arguments: FunctionArguments) throws {
        guard let text = arguments[0].textValue else { throw OnlyText() }
        parts.append(text)
    }

    mutating func result() -> SQLiteValue { .text(parts.joined(separator: "+")) }
}

/// Counts the tokens that are still alive.
final class Lifetime: @unchecked Sendable {
    // @unchecked: the lock.
    private let lock = NSLock()
    private var living = 0

    var count: Int { lock.withLock { living } }
    func token() -> Token { Token(self) }

    final class Token: Sendable {
        private let owner: Lifetime
        var zero: Int { 0 }

        fileprivate init(_ owner: Lifetime) {
            self.owner = owner
            owner.lock.withLock { owner.living += 1 }
        }

        deinit { owner.lock.withLock { owner.living -= 1 } }
    }
}
