// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Values are read back unchanged.

import Foundation
import Testing

@testable import SQLiteDriver

@Suite("Values") struct ValueTests {
    let connection: Connection

    init() throws {
        connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
    }

    func roundTrip(_ value: SQLiteValue) throws -> SQLiteValue? {
        try connection.run("INSERT INTO t (v) VALUES (?)", [value])
        return try connection.value("SELECT v FROM t WHERE id = ?", [.integer(connection.lastInsertRowID)])
    }

    static let unchanged: [SQLiteValue] = [
        .null, 0, -1, .integer(.min), .integer(.max), 0.5, .real(-0.0), .real(.infinity),
        .real(.greatestFiniteMagnitude), .real(.leastNonzeroMagnitude), "", "a", "Grüße, 世界 👩‍👩‍👧", "a\u{0}b", "e\u{301}",
        .blob(Data()), .blob(Data([0])), .blob(Data([0xFF, 0, 0xFE])), .text(String(repeating: "x", count: 100_000)),
    ]

    @Test("a value of any storage class comes back unchanged", arguments: unchanged)
    func roundTrips(value: SQLiteValue) throws {
        #expect(try roundTrip(value) == value)
    }

    @Test("not a number is stored as null") func notANumber() throws {
        #expect(try roundTrip(.real(.nan)) == .null)
    }

    @Test("text that is no UTF-8 reads with replacement characters, its bytes unharmed") func invalidText() throws {
        let statement = try connection.prepare("SELECT CAST(x'61FF62' AS TEXT)")
        #expect(try statement.step())
        #expect(statement.columnType(at: 0) == .text)
        #expect(statement.string(at: 0) == "a\u{FFFD}b")
        #expect(statement.textBytes(at: 0).map(Array.init) == [0x61, 0xFF, 0x62])
    }

    @Test("null and empty are different") func nullAndEmpty() throws {
        let statement = try connection.prepare("SELECT NULL, '', x'', 0, 0.0")
        #expect(try statement.step())
        #expect(statement.isNull(at: 0) && !statement.isNull(at: 1) && !statement.isNull(at: 2))
        #expect(statement.string(at: 0) == nil && statement.string(at: 1) == "")
        #expect(statement.data(at: 0) == nil && statement.data(at: 2) == Data())
        #expect(statement.blobBytes(at: 0) == nil && statement.blobBytes(at: 2)?.count == 0)
        #expect(statement.int64IfPresent(at: 0) == nil && statement.int64IfPresent(at: 3) == 0)
        #expect(statement.doubleIfPresent(at: 0) == nil && statement.doubleIfPresent(at: 4) == 0)
        #expect(statement.int64(at: 0) == 0 && statement.double(at: 0) == 0)
    }

    @Test("a column outside the row is null") func outsideTheRow() throws {
        let statement = try connection.prepare("SELECT 1")
        #expect(statement.value(at: 0) == .null)
        #expect(try statement.step())
        #expect(statement.value(at: 1) == .null && statement.value(at: -1) == .null)
    }

    @Test("columns have names and storage classes") func columns() throws {
        let statement = try connection.prepare("SELECT 1 AS a, 2.5 AS b, 'x' AS c, x'00' AS d, NULL AS e")
        #expect(try statement.step())
        #expect(statement.columnCount == 5)
        #expect(statement.columnNames == ["a", "b", "c", "d", "e"])
        #expect((0..<5).map(statement.columnType(at:)) == [.integer, .real, .text, .blob, .null])
        #expect(statement.row == [1, 2.5, "x", .blob(Data([0])), .null])
    }

    @Test("values bound without copying are read from where they lie") func withoutCopying() throws {
        let statement = try connection.prepare("SELECT ?, ?, ?")
        let text = Array("text".utf8)
        let row = try text.withUnsafeBufferPointer { bytes in
            try statement.bindWithoutCopying(utf8: bytes, at: 1)
            try statement.bindWithoutCopying(bytes: UnsafeRawBufferPointer(bytes), at: 2)
            try statement.bindWithoutCopying(bytes: UnsafeRawBufferPointer(start: nil, count: 0), at: 3)
            _ = try statement.step()
            let row = statement.row
            statement.reset()
            statement.clearBindings()
            return row
        }
        #expect(row == ["text", .blob(Data(text)), .blob(Data())])
    }

    @Test("a slice of data binds only its own bytes") func slices() throws {
        #expect(try roundTrip(.blob(Data([1, 2, 3, 4])[1...2])) == .blob(Data([2, 3])))
    }

    @Test("an index the statement does not have is an error that names the statement") func wrongIndex() throws {
        let statement = try connection.prepare("SELECT ?")
        let error = try failure { try statement.bind(1 as Int64, at: 2) }
        #expect(error.code == 25)
        #expect(error.sql == "SELECT ?")
        let count = try failure { try statement.bind([1, 2]) }
        #expect(count.code == 25)
        #expect(count.message == "2 values for 1 parameters")
    }
}
