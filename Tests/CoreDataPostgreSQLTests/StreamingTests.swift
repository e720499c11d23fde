// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Rows that are read while the server sends them: one by one, and in parts where libpq has them.

import CoreDataTestSupport
import Foundation
import Testing

@testable import PostgreSQLDriver

/// The outcome of a streamed statement: the first column of its rows, and its error.
private struct Streamed {
    var numbers: [Int64?] = []
    var error: PostgreSQLError?
    /// How many of libpq's results there were.
    var parts = 0
    /// Whether the connection answers another statement afterwards.
    var isUsable = false
}

private struct Refusal: Error {}

/// A connection that reads streamed rows in parts of one size.
private struct StreamTrial {
    let connection: Connection
    private static let wait = Duration.seconds(20)

    init(rowsInPart: Int) throws {
        let url = try #require(StoreKind.serverURL.flatMap { URL(string: $0) })
        connection = try Connection(ConnectionSettings(url).settings, deadline: Deadline(in: Self.wait))
        connection.rowsInPart = rowsInPart
    }

    /// - Parameter onRow: called with the number of the row, from 1.
    func run(_ text: String, onRow: (Int) throws -> Void = { _ in }) throws -> Streamed {
        var result = Streamed()
        let before = connection.streamedParts
        do {
            try connection.stream(Statement(text), answerTimeout: Self.wait) { cells in
                result.numbers.append(cells[0].integer)
                try onRow(result.numbers.count)
            }
        } catch let error as PostgreSQLError {
            result.error = error
        } catch is Refusal {
            result.error = PostgreSQLError(.unusable, "the body has refused the row")
        }
        result.parts = connection.streamedParts - before
        result.isUsable = try answersAgain()
        return result
    }

    private func answersAgain() throws -> Bool {
        do {
            return try connection.run(Statement("SELECT 8"), Deadline(in: Self.wait)).first(\.integer) == 8
        } catch let error as PostgreSQLError where error.kind == .connection {
            return false
        }
    }

    // MARK: The cases

    func numbers() throws -> Streamed { try run("SELECT n::int8 FROM generate_series(1, 1000) AS n") }

    func nulls() throws -> Streamed {
        try run(
            "SELECT CASE WHEN n % 3 = 0 THEN NULL ELSE n END::int8, repeat('x', n) FROM generate_series(1, 600) AS n")
    }

    func failing() throws -> Streamed {
        try run("SELECT (700 - n) / (700 - n) * n::int8 FROM generate_series(1, 1000) AS n")
    }

    func refusing() throws -> Streamed {
        try run("SELECT n::int8 FROM generate_series(1, 1000) AS n") { if $0 == 300 { throw Refusal() } }
    }

    func wrong() throws -> Streamed { try run("SELECT n FROM no_such_table") }

    /// The server sends some 600 rows at once, and then one in ten milliseconds for hours.
    func cancelled() throws -> Streamed {
        let cancellation = try #require(connection.cancellation())
        let text = "SELECT n::int8 FROM generate_series(1, 1000000) AS n WHERE n < 2000 OR pg_sleep(0.01) IS NOT NULL"
        return try run(text) { if $0 == 1 { cancellation.send() } }
    }

    func ended() throws -> Streamed {
        try run(
            "SELECT n::int8 FROM generate_series(1, 3000) AS n WHERE n < 2000 OR pg_terminate_backend(pg_backend_pid())"
        )
    }

    /// The transaction has a first statement, whose rows are not those of the streamed one.
    func afterPreamble() throws -> Streamed {
        connection.preamble = Statement("SELECT 5 FROM generate_series(1, 3)")
        return try numbers()
    }

    func failingAfterPreamble() throws -> Streamed {
        connection.preamble = Statement("SELECT 5")
        return try failing()
    }
}

extension Streamed {
    /// Whether these are the numbers from 1 without a gap, at most to the given one.
    fileprivate func begins(atMost last: Int64) -> Bool {
        numbers.count <= Int(last) && numbers.enumerated().allSatisfy { $1 == Int64($0 + 1) }
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips a suite, visibly, with a libpq that gives rows one by one.
    static var needsParts: Self {
        .enabled(
            if: StoreKind.serverURL != nil && Library.givesRowsInParts,
            "It needs a server and libpq 17 or later: name one in OPENCOREDATA_LIBPQ.")
    }
}

@Suite("Rows that the server sends one by one", .needsServer) struct SingleRowTests {
    @Test("every row is read once, in order") func order() throws {
        for streamed in [try StreamTrial(rowsInPart: 1).numbers(), try StreamTrial(rowsInPart: 1).afterPreamble()] {
            #expect(streamed.numbers == (1...1_000).map { $0 })
            #expect(streamed.error == nil)
            #expect(streamed.parts == 1_001)
            #expect(streamed.isUsable)
        }
    }

    @Test("nulls and long texts") func nulls() throws {
        let streamed = try StreamTrial(rowsInPart: 1).nulls()
        #expect(streamed.numbers == (1...600).map { $0 % 3 == 0 ? nil : $0 })
    }

    /// Proves: PostgreSQL-P1
    @Test("an error in the middle is thrown, after rows that were read before it") func errors() throws {
        for streamed in [
            try StreamTrial(rowsInPart: 1).failing(), try StreamTrial(rowsInPart: 1).failingAfterPreamble(),
        ] {
            #expect(streamed.error?.code == "22012")
            #expect(streamed.begins(atMost: 699))
            #expect(streamed.isUsable)
        }
    }

    @Test("an error of the reader ends the reading, and the connection stays usable") func refusals() throws {
        let streamed = try StreamTrial(rowsInPart: 1).refusing()
        #expect(streamed.error?.kind == .unusable)
        #expect(streamed.numbers.count == 300)
        #expect(streamed.isUsable)
    }

    @Test("a refused statement has no rows") func wrong() throws {
        let streamed = try StreamTrial(rowsInPart: 1).wrong()
        #expect(streamed.error?.code == "42P01")
        #expect(streamed.numbers.isEmpty)
        #expect(streamed.isUsable)
    }

    /// Proves: PostgreSQL-P1
    @Test("a cancelled statement fails in the middle") func cancelled() throws {
        let streamed = try StreamTrial(rowsInPart: 1).cancelled()
        #expect(streamed.error?.code == "57014")
        #expect(!streamed.numbers.isEmpty)
        #expect(streamed.begins(atMost: 100_000))
    }

    /// Proves: PostgreSQL-P1
    @Test("a connection that ends in the middle is an error, not the end of the rows") func ended() throws {
        let streamed = try StreamTrial(rowsInPart: 1).ended()
        #expect(streamed.error?.endsConnection == true)
        #expect(streamed.begins(atMost: 2_999))
        #expect(!streamed.isUsable)
    }
}

@Suite("Rows that libpq gives in parts", .needsParts) struct RowPartTests {
    @Test("every row is read once, in order, whatever the size of the parts", arguments: [2, 7, 256, 1_000, 5_000])
    func order(rows: Int) throws {
        for streamed in [
            try StreamTrial(rowsInPart: rows).numbers(), try StreamTrial(rowsInPart: rows).afterPreamble(),
        ] {
            #expect(streamed.numbers == (1...1_000).map { $0 })
            #expect(streamed.error == nil)
            #expect(streamed.parts == (1_000 + rows - 1) / rows + 1)
            #expect(streamed.isUsable)
        }
    }

    @Test("nulls and long texts", arguments: [7, 256]) func nulls(rows: Int) throws {
        let streamed = try StreamTrial(rowsInPart: rows).nulls()
        #expect(streamed.numbers == (1...600).map { $0 % 3 == 0 ? nil : $0 })
    }

    /// Proves: PostgreSQL-P1
    @Test(
        "an error in the middle of a part is thrown, after rows that were read before it", arguments: [7, 256, 5_000])
    func errors(rows: Int) throws {
        for streamed in [
            try StreamTrial(rowsInPart: rows).failing(), try StreamTrial(rowsInPart: rows).failingAfterPreamble(),
        ] {
            #expect(streamed.error?.code == "22012")
            #expect(streamed.begins(atMost: 699))
            #expect(streamed.isUsable)
        }
    }

    @Test("an error of the reader ends the reading, and the connection stays usable", arguments: [7, 256])
    func refusals(rows: Int) throws {
        let streamed = try StreamTrial(rowsInPart: rows).refusing()
        #expect(streamed.error?.kind == .unusable)
        #expect(streamed.numbers.count == 300)
        #expect(streamed.isUsable)
    }

    @Test("a refused statement has no rows") func wrong() throws {
        let streamed = try StreamTrial(rowsInPart: 256).wrong()
        #expect(streamed.error?.code == "42P01")
        #expect(streamed.numbers.isEmpty)
        #expect(streamed.isUsable)
    }

    /// Proves: PostgreSQL-P1
    @Test("a cancelled statement fails in the middle of a part") func cancelled() throws {
        let streamed = try StreamTrial(rowsInPart: 256).cancelled()
        #expect(streamed.error?.code == "57014")
        #expect(!streamed.numbers.isEmpty)
        #expect(streamed.begins(atMost: 100_000))
    }

    /// Proves: PostgreSQL-P1
    @Test("a connection that ends in the middle of a part is an error, not the end of the rows") func ended() throws {
        let streamed = try StreamTrial(rowsInPart: 256).ended()
        #expect(streamed.error?.endsConnection == true)
        #expect(streamed.begins(atMost: 2_999))
        #expect(!streamed.isUsable)
    }
}
