// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Values of a row that are read without a call for each column: the same ones as the statement gives.

import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

/// Documentation/Internals/UnsafeCode.md
@Suite("Values of a row") struct PresentRowTests {
    private func text(_ columns: some RowColumns, _ index: Int) -> String {
        "\(columns.columnType(at: index)) \(columns.isNull(at: index)) \(columns.int64(at: index)) "
            + "\(columns.double(at: index)) \(String(describing: columns.int64IfPresent(at: index))) "
            + "\(String(describing: columns.doubleIfPresent(at: index))) "
            + "\(String(describing: columns.data(at: index))) \(String(describing: columns.string(at: index)))"
    }

    /// Reads each row twice, since reading a value as another type changes it in SQLite's memory.
    private func compare(_ sql: String, rows: Int) throws {
        let connection = try Connection(path: ":memory:")
        defer { try? connection.close() }
        func texts(_ read: (Statement, Int) throws -> String) throws -> [String] {
            try connection.withStatement(sql) { statement in
                var texts: [String] = []
                while try statement.step() {
                    for index in 0..<statement.columnCount { texts.append(try read(statement, index)) }
                }
                return texts
            }
        }
        let expected = try texts { text($0, $1) }
        let found = try texts { statement, index in
            if PortableMode.isOn { return text(statement, index) }
            return text(try #require(statement.presentRow), index)
        }
        #expect(found == expected)
        #expect(found.count.isMultiple(of: rows))
        #expect(!found.isEmpty)
    }

    @Test("of each type are those of the statement") func types() throws {
        try compare(
            "SELECT 0, 1, -9223372036854775808, 0.0, 2.5, '', 'a', 'Größe', '12', x'', x'00ff', NULL, zeroblob(3), "
                + "CAST(x'ff41' AS TEXT)", rows: 1)
    }

    @Test("are those of the present row, also of rows that come from several parts of a statement") func rows() throws {
        try compare(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) "
                + "SELECT i, 'row ' || i, i * 0.5, NULL FROM n UNION ALL SELECT 'x', 1, x'01', 2 "
                + "UNION ALL SELECT max(i), count(*), group_concat(i), 7 FROM n", rows: 52)
        try compare("SELECT 5 UNION SELECT 3 UNION SELECT 4 ORDER BY 1", rows: 3)
        try compare("SELECT 'a', 1 EXCEPT SELECT 'b', 2", rows: 1)
    }

    @Test("are there in many columns, and for statements that were run before") func many() throws {
        let columns = (0..<1_000).map { $0.isMultiple(of: 3) ? "'text \($0)'" : "\($0)" }
        try compare("SELECT " + columns.joined(separator: ", "), rows: 1)
        let connection = try Connection(path: ":memory:")
        defer { try? connection.close() }
        for number in 0..<3 {
            let value = try connection.withStatement("SELECT ?, 'constant'") { statement in
                try statement.bind([.integer(Int64(number))])
                guard try statement.step() else { return "none" }
                guard let row = statement.presentRow else { return "\(number) constant" }
                return "\(row.int64(at: 0)) \(row.string(at: 1) ?? "")"
            }
            #expect(value == "\(number) constant")
        }
    }

    @Test("texts of any length and letters become the strings that the standard library makes")
    func strings() {
        let maker = StringMaker()
        var texts: [[UInt8]] = []
        for count in 0...40 {
            texts.append((0..<count).map { UInt8(97 + $0 % 26) })
            texts.append(Array(repeating: 0, count: count))
            texts.append(Array(repeating: 127, count: count))
            for position in 0..<count {
                for byte: UInt8 in [0x80, 0xc3, 0xff, 0xe2] {
                    var text = (0..<count).map { UInt8(65 + $0 % 26) }
                    text[position] = byte
                    if byte == 0xc3, position + 1 < count { text[position + 1] = 0xa9 }
                    texts.append(text)
                }
            }
        }
        var found: [String] = []
        for text in texts { text.withUnsafeBufferPointer { found.append(maker.string($0)) } }
        #expect(found == texts.map { String(decoding: $0, as: UTF8.self) })
        #expect(found.map(\.hashValue) == texts.map { String(decoding: $0, as: UTF8.self).hashValue })
        #expect(found.map { Array($0.utf8) } == texts.map { Array(String(decoding: $0, as: UTF8.self).utf8) })
        #expect(maker.string(UnsafeBufferPointer(start: nil, count: 0)) == "")
    }
}
