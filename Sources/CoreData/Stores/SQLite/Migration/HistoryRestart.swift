// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Restarts the history in a new file of the same store, with numbers above all former tokens.

import Foundation
import SQLiteDriver

/// A migration by objects gives all objects new keys, so the old history does not fit the new file. The new history
/// continues the numbers and skips one, so former tokens are expired (134301) and never name a transaction of the new
/// history.
enum HistoryRestart {
    /// - Parameter new: a file without a history that no other connection uses.
    static func write(from old: URL, to new: URL) throws {
        let inspector = try SQLiteStoreFile(url: old).inspector()
        let (isRecording, last) = try inspector.read { try (HistoryTables.exist(on: inspector), number(inspector)) }
        try inspector.close()
        guard isRecording || last != nil else { return }
        let connection = try Connection(url: new, options: .init(access: .readWrite))
        defer { try? connection.close() }
        try connection.write {
            try HistoryTables.makeReaders(connection)
            try connection.run(
                "INSERT OR REPLACE INTO \(HistoryTables.readers) (NAME, NUMBER) VALUES ('', ?)", [.integer(last ?? 0)])
            // The next opening adds the columns of the model's tombstones.
            if isRecording { try HistoryTables.create(connection, tombstones: 0) }
        }
    }

    /// The number of the last transaction; nil for a store that never had a history.
    private static func number(_ connection: Connection) throws -> Int64? {
        try connection.value(
            "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", [.integer(HistoryTables.transactionNumber)])?
            .integerValue ?? HistoryTables.removedNumber(connection)
    }
}
