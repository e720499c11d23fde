// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Removes the WAL of a removed database file, before a new database is created with the same name.

import Foundation

/// The WAL, its index and the journal of a database file that does not exist.
///
/// A program may still have the removed database open, with its WAL. A new database must not read that WAL, whose pages
/// belong to the other database. Nor may it truncate the index, which the program has mapped.
///
/// # Invariants
/// (1) The files are removed only under the lock and while the database does not exist. The database is created under
/// the same lock. So they never belong to a database that another opener is creating: its WAL is created after its
/// file.
/// (2) Every opener that finds such files takes the lock. The lock file is that of a `StagedFile`, so it is removed
/// later if its process has died.
enum OrphanedLog {
    private static let suffixes = ["-wal", "-shm", "-journal"]

    /// Does nothing if the database exists, or if it has no leftover files.
    static func clear(beside url: URL) {
        guard isAbandoned(url) else { return }
        let lock = StagedFile.lockFile(beside: url, for: "log").path
        while true {
            let descriptor = open(lock, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            // Opening will report why no file can be created here.
            guard descriptor >= 0 else { return }
            defer { close(descriptor) }
            // On file systems without locks no opener waits.
            while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
            // Another opener may have removed the file between `open` and `flock`.
            guard FileState(descriptor: descriptor) == FileState(of: URL(filePath: lock)) else { continue }
            if isAbandoned(url) { replace(url) }
            unlink(lock)
            return
        }
    }

    private static func isAbandoned(_ url: URL) -> Bool {
        access(url.path, F_OK) != 0 && suffixes.contains { access(url.path + $0, F_OK) == 0 }
    }

    /// The empty file is created as a link, because opening and closing it would release the locks that another thread
    /// has on it.
    private static func replace(_ url: URL) {
        for suffix in suffixes { unlink(url.path + suffix) }
        guard let staged = try? StagedFile(beside: url) else { return }
        let descriptor = open(staged.url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return }
        close(descriptor)
        // Fails if another opener has created the file.
        link(staged.url.path, url.path)
        staged.discard()
    }
}
