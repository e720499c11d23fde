// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the numbers of rows and tokens that FTS5 keeps of an index.

import SQLiteDriver

/// The numbers of rows and tokens of an index, which FTS5 keeps for its own `bm25`.
struct FullTextTotals: Equatable {
    let rows: Int
    let tokens: Int

    /// nil for an index with unreadable numbers.
    init?(of index: FullTextTable, on connection: Connection) throws {
        let entry: SQLiteValue?
        do {
            entry = try connection.value("SELECT block FROM \(index.dataSQL) WHERE id = 1")
        } catch let error as SQLiteError where error.isGeneric {
            return nil  // another program has dropped the table
        }
        guard let record = entry?.blobValue else { return nil }
        self.init(record: Array(record))
    }

    /// - Parameter record: the first entry of the index's data: the number of rows, then the number of tokens of each
    ///   column, each an integer of 1 to 9 bytes as in SQLite's file format. Empty for an index that never had a row.
    init?(record: [UInt8]) {
        var numbers: [Int] = []
        var rest = record[...]
        while !rest.isEmpty {
            guard let number = Self.number(&rest) else { return nil }
            numbers.append(number)
        }
        rows = numbers.first ?? 0
        var sum = 0
        for number in numbers.dropFirst() {
            let (total, isOverflow) = sum.addingReportingOverflow(number)
            if isOverflow { return nil }
            sum = total
        }
        tokens = sum
    }

    private static func number(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        var number: UInt64 = 0
        for place in 1...9 {
            guard let byte = bytes.popFirst() else { return nil }
            if place == 9 {
                number = number << 8 | UInt64(byte)
            } else {
                number = number << 7 | UInt64(byte & 0x7F)
                if byte < 0x80 { break }
            }
        }
        return Int(exactly: number)
    }
}
