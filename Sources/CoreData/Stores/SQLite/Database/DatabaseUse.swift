// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Shows others that a database with a rollback journal is open, which its locks do not show.

import Foundation
import SQLiteDriver

/// Holds a shared lock on a file beside the store as long as it lives.
///
/// Between transactions a database in WAL mode is locked by its index, and one with a rollback journal is not locked at
/// all. Who wants it alone, for a migration for example, asks for this file too.
///
/// # Invariants: SchemaMigration-M17
/// (1) The file is named as the lock file of a `StagedFile`, so that the next opening removes the one of a process that
/// died.
/// (2) Nobody holds its lock alone for longer than a question takes.
/// (3) An opener takes it before the last look at the version. A migration asks for it within its transaction.
final class DatabaseUse {
    private let file: URL
    private let descriptor: Int32

    /// nil where no file can be made or locked. The use of such a database is not shown.
    init?(of url: URL) {
        file = Self.file(of: url)
        while true {
            let descriptor = open(file.path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
            guard descriptor >= 0 else { return nil }
            guard flock(descriptor, LOCK_SH) == 0 else {
                close(descriptor)
                return nil
            }
            // Another one may have removed the file between `open` and `flock`.
            if Self.isStill(descriptor, file) {
                self.descriptor = descriptor
                return
            }
            close(descriptor)
        }
    }

    deinit {
        // The last one removes the file.
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(file.path) }
        close(descriptor)
    }

    /// Whether the name of the file means the open one.
    private static func isStill(_ descriptor: Int32, _ file: URL) -> Bool {
        var (open, named) = (stat(), stat())
        return fstat(descriptor, &open) == 0 && stat(file.path, &named) == 0 && open.st_ino == named.st_ino
            && open.st_dev == named.st_dev
    }

    private static func file(of url: URL) -> URL { StagedFile.lockFile(beside: url, for: "use") }

    /// - Throws: "busy" while somebody has the database open.
    static func requireNone(_ url: URL) throws(SQLiteError) {
        let descriptor = open(file(of: url).path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { throw .inUse(path: url.path) }
    }
}
