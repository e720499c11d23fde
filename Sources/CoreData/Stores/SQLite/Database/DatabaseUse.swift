// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Shows other openers that a database with a rollback journal is open, which its locks do not show.

import Foundation
import SQLiteDriver

/// Holds a shared lock on a file next to the store as long as the instance lives.
///
/// Between transactions a database in WAL mode is locked through its index, but one with a rollback journal is not
/// locked at all. So an operation that needs exclusive access, such as a migration, also checks this file.
///
/// # Invariants: Migration-M14
/// (1) The file has the name of a lock file of `StagedFile`, so the next opening deletes it if its process has died.
/// (2) The exclusive lock is held only for the moment of a check.
/// (3) An opener takes the shared lock before it reads the version for the last time. A migration checks the file
/// within its transaction.
final class DatabaseUse {
    private let file: URL
    private let descriptor: Int32

    /// nil if the file cannot be created or locked. Other openers then do not see that the database is open.
    init?(of url: URL) {
        file = Self.file(of: url)
        while true {
            let descriptor = open(file.path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
            guard descriptor >= 0 else { return nil }
            guard flock(descriptor, LOCK_SH) == 0 else {
                close(descriptor)
                return nil
            }
            // Another opener may have removed the file between `open` and `flock`.
            if Self.isStill(descriptor, file) {
                self.descriptor = descriptor
                return
            }
            close(descriptor)
        }
    }

    deinit {
        // The last user removes the file.
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(file.path) }
        close(descriptor)
    }

    /// Whether the path still names the open file.
    private static func isStill(_ descriptor: Int32, _ file: URL) -> Bool {
        var (open, named) = (stat(), stat())
        return fstat(descriptor, &open) == 0 && stat(file.path, &named) == 0 && open.st_ino == named.st_ino
            && open.st_dev == named.st_dev
    }

    private static func file(of url: URL) -> URL { StagedFile.lockFile(beside: url, for: "use") }

    /// - Throws: "busy" if another opener has the database open.
    static func requireNone(_ url: URL) throws(SQLiteError) {
        let descriptor = open(file(of: url).path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { throw .inUse(path: url.path) }
    }
}
