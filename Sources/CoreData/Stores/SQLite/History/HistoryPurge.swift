// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Deletes the beginning of a history in slices, so that other writers can write between them.

import Foundation
import SQLiteDriver

/// # Order of one slice
/// 1. Transactions that end within the slice are deleted with their changes.
/// 2. The row of a transaction with more changes than a slice is deleted with the first of them, so no reader finds the
///    remaining changes (History-9).
struct HistoryPurge {
    /// The number of changes to delete in one transaction: about 20 ms.
    private static let slice: Int64 = 5_000
    /// In microseconds; a waiting process retries the lock every few milliseconds.
    private static let pause: UInt32 = 3_000
    private static let pagesPerStep = 500

    let pool: ConnectionPool

    /// Deletes one slice of the transactions below a number, for a caller that waits for it.
    ///
    /// - Returns: whether more remains to be deleted.
    func runOnce(below number: Int64) throws -> Bool {
        try pool.write { try deleteSlice(below: number, $0) }
    }

    /// Deletes the transactions below a number.
    func run(below number: Int64) throws {
        let free = try pool.write { try freePages($0) }
        while try pool.write({ try deleteSlice(below: number, $0) }) {
            usleep(Self.pause)
        }
        try pool.write { connection in
            try connection.write {
                guard try HistoryTables.exist(on: connection) else { return }
                let unused = ["AUTHOR", "BUNDLEID", "CONTEXTNAME", "PROCESSID"].map {
                    "NOT EXISTS (SELECT 1 FROM ATRANSACTION WHERE Z\($0)TS = ATRANSACTIONSTRING.Z_PK)"
                }
                try connection.run("DELETE FROM ATRANSACTIONSTRING WHERE \(unused.joined(separator: " AND "))")
            }
        }
        try givePagesBack(downTo: free)
    }

    /// - Returns: whether more remains to be deleted.
    private func deleteSlice(below number: Int64, _ connection: Connection) throws -> Bool {
        try connection.write {
            // Another process may have removed the history since the last slice.
            guard try HistoryTables.exist(on: connection) else { return false }
            let first = try connection.rows("SELECT Z_PK, ZTRANSACTIONID FROM ACHANGE ORDER BY Z_PK LIMIT 1").first
            guard let first, let start = first[0].integerValue, let transaction = first[1].integerValue,
                transaction < number
            else {
                try connection.run("DELETE FROM ATRANSACTION WHERE Z_PK < ?", [.integer(number)])
                return false
            }
            let end = start + Self.slice
            let next = try connection.value(
                "SELECT ZTRANSACTIONID FROM ACHANGE WHERE Z_PK >= ? ORDER BY Z_PK LIMIT 1", [.integer(end)])?
                .integerValue
            // The transaction that continues beyond the slice.
            let bound = min(next ?? number, number)
            if bound > transaction {
                try connection.run("DELETE FROM ATRANSACTION WHERE Z_PK < ?", [.integer(bound)])
                try connection.run(
                    "DELETE FROM ACHANGE WHERE Z_PK < ? AND ZTRANSACTIONID < ?", [.integer(end), .integer(bound)])
                return bound < number
            }
            try connection.run("DELETE FROM ATRANSACTION WHERE Z_PK <= ?", [.integer(transaction)])
            try connection.run("DELETE FROM ACHANGE WHERE Z_PK < ?", [.integer(end)])
            return true
        }
    }

    private func freePages(_ connection: Connection) throws -> Int64 {
        try connection.pragma("freelist_count")?.integerValue ?? 0
    }

    private func givePagesBack(downTo free: Int64) throws {
        var last = Int64.max
        while true {
            let count = try pool.write { connection in
                let count = try freePages(connection)
                if count > free, count < last {
                    try connection.execute("PRAGMA incremental_vacuum(\(Self.pagesPerStep))")
                }
                return count
            }
            guard count > free, count < last else { return }
            last = count
            usleep(Self.pause)
        }
    }
}
