// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Removes the log of a database whose file was removed, before a new database takes the file's place.

import Foundation

/// The write-ahead log, its index and the journal beside a file that does not exist.
///
/// A program may still have the removed database open, with its log. A new database must not read that log: its pages
/// are those of the other database. Nor may it truncate the index, which the program has mapped.
///
/// # Invariants
/// (1) The files are removed only under the lock and while there is no database. The database is made under the same
/// lock. So they are never those of a database that another opener is making: its log comes after its file.
/// (2) Every opener that finds them takes the lock. The lock file is that of a `StagedFile`, so the one of a process
/// that died is removed later.
enum OrphanedLog {
    private static let suffixes = ["-wal", "-shm", "-journal"]

    /// Does nothing where there is a database, or no log.
    static func clear(beside url: URL) {
        guard isAbandoned(url) else { return }
        let lock = StagedFile.lockFile(beside: url, for: "log").path
        while true {
            let descriptor = open(lock, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            // Opening says why nothing can be made here.
            guard descriptor >= 0 else { return }
            defer { close(descriptor) }
            // On file systems without locks nobody waits.
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

    /// The empty file comes by a link, not by opening it: closing it would release the locks that another thread has
    /// on it.
    private static func replace(_ url: URL) {
        for suffix in suffixes { unlink(url.path + suffix) }
        guard let staged = try? StagedFile(beside: url) else { return }
        let descriptor = open(staged.url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return }
        close(descriptor)
        // Fails where another opener has made the file.
        link(staged.url.path, url.path)
        staged.discard()
    }
}
