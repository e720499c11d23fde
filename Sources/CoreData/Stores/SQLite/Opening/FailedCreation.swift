// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Takes a file back in which the creation of a store has failed, unless another program uses it.

import Foundation
import SQLiteDriver

/// Two programs may make a store at one place, and the attempt of one of them may fail after the other one has saved.
///
/// # Invariants
/// (1) A file is removed or emptied only within an exclusive transaction, and while it has no tables: then no other
/// program has written to it, or is about to.
/// (2) A program that had opened the file before it was removed is refused its first write by SQLite
/// (`SQLiteError.isMoved`), and makes its attempt again.
/// (3) Otherwise the file stays. A database without tables is a place for a new store (Stores-G1).
/// (4) Closing the connection removes no file of another program's new store: SQLite leaves the log where it is if the
/// database was removed, and holds the lock until then if it was emptied.
enum FailedCreation {
    /// - Parameter wasThere: whether there was a file before, without a store: it is emptied. Otherwise it is removed.
    static func discard(_ url: URL, wasThere: Bool) {
        // A full disk has no room for an index of the log.
        let options = Connection.Options(access: .readWrite, busyTimeout: .zero, keepsLocks: true)
        guard (try? DatabaseUse.requireNone(url)) != nil, let connection = try? Connection(url: url, options: options)
        else { return }
        if (try? lock(connection, url)) == true {
            for suffix in ["-wal", "-shm", "-journal"] { StoreFiles.remove(URL(fileURLWithPath: url.path + suffix)) }
            if wasThere { try? StoreFiles.empty(url) } else { StoreFiles.remove(url) }
            try? connection.rollback()
        }
        try? connection.close()
    }

    /// - Returns: whether the database has no tables; it is locked then.
    private static func lock(_ connection: Connection, _ url: URL) throws -> Bool {
        guard try connection.schema().isEmpty else { return false }
        try connection.begin(.exclusive)
        try DatabaseUse.requireNone(url)
        return try connection.schema().isEmpty
    }
}
