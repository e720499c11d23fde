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
enum FailedCreation {
    /// - Parameter wasThere: whether there was a file before, without a store: it is emptied. Otherwise it is removed.
    static func discard(_ url: URL, wasThere: Bool) {
        // The exclusive lock would change the journal mode of a store.
        let file = SQLiteStoreFile(url: url)
        guard (try? file.inspect(timeout: .zero, { try $0.schema().isEmpty })) == true,
            let (connection, mode) = try? ExclusiveLock(url: url, timeout: .zero).acquire(while: { true })
        else { return }
        let isEmpty = (try? connection.schema().isEmpty) == true
        if isEmpty, wasThere { try? StoreFiles.empty(url) }
        if isEmpty, !wasThere { StoreFiles.remove(url) }
        try? connection.rollback()
        if !isEmpty { _ = try? connection.setJournalMode(mode) }
        try? connection.close()
    }
}
