// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Numbers the transactions of an open store in its file, to find a transaction after its commit has failed.

import SQLiteDriver

/// The writer's row in the table of numbers (IndeterminateCommits-D1, D2, D8). Guarded by the pool's write lock.
final class CommitNumbers {
    static let table = "OCD_COMMIT"
    /// The number of other writers' rows that are kept.
    private static let mostRows: Int64 = 100

    private let writer = Int64.random(in: 1...Int64.max)
    private var last: Int64 = 0
    /// The id of the writer's row when it was inserted; later rows have greater ids.
    private var row: Int64?

    /// Called in each transaction, before its commit.
    ///
    /// - Returns: the number of the transaction.
    func write(on connection: Connection) throws -> Int64 {
        last += 1
        try connection.run(
            "CREATE TABLE IF NOT EXISTS \(Self.table) (WRITER INTEGER NOT NULL, NUMBER INTEGER NOT NULL)")
        let changed = try connection.run(
            "UPDATE \(Self.table) SET NUMBER = ? WHERE WRITER = ?", [.integer(last), .integer(writer)])
        if changed > 0 { return last }
        try connection.run(
            "INSERT INTO \(Self.table) (WRITER, NUMBER) VALUES (?, ?)", [.integer(writer), .integer(last)])
        row = connection.lastInsertRowID
        try connection.run(
            "DELETE FROM \(Self.table) WHERE rowid <= (SELECT MAX(rowid) FROM \(Self.table)) - ?",
            [.integer(Self.mostRows)])
        return last
    }

    /// Whether a transaction is in the database. Must be called before the writer's next transaction.
    ///
    /// - Throws: SQLite's error if the database cannot be read; 134070 if others may have removed the writer's row.
    func isDurable(_ number: Int64, on connection: Connection) throws -> Bool {
        try connection.endFailedTransaction()
        guard try connection.tableExists(Self.table) else { return false }
        let found = try connection.value("SELECT NUMBER FROM \(Self.table) WHERE WRITER = ?", [.integer(writer)])
        if let found { return found.integerValue == number }
        let newest = try connection.value("SELECT MAX(rowid) FROM \(Self.table)")?.integerValue ?? 0
        if let row, newest - Self.mostRows >= row { throw Self.isRemoved }
        return false
    }

    private static var isRemoved: any Error {
        CoreDataError.storeOperation(
            "Whether an earlier save of the store is in its file cannot be found out any more, because \(mostRows) other "
                + "stores have written to the file since. Remove the store from its coordinator, add it again, and fetch "
                + "what it has before you save what is missing.")
    }
}
