// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Copies a database page by page while other connections use it.

import CSQLite
import Foundation

package struct BackupProgress: Sendable {
    package var remainingPages: Int
    package var totalPages: Int
}

extension Connection {
    /// Replaces the content of another database by a copy of this one.
    ///
    /// A change by another connection restarts the copy. The destination changes as a whole at the end; if an error is
    /// thrown, it is unchanged.
    ///
    /// - Parameters:
    ///   - pagesPerStep: the number of pages to copy before other connections may write.
    ///   - progress: called after each step; an error that it throws ends the backup.
    /// - Throws: `isBusy`, `isFull`, `isReadOnly`, `isIOError` …, or the error of `progress`.
    package func backup(
        to destination: Connection, pagesPerStep: Int = 256, progress: ((BackupProgress) throws -> Void)? = nil
    ) throws {
        guard let backup = sqlite3_backup_init(destination.handle, "main", handle, "main") else {
            throw SQLiteError(of: destination.handle, code: sqlite3_errcode(destination.handle), sql: nil)
        }
        var code = SQLITE_OK
        do {
            while code == SQLITE_OK {
                code = sqlite3_backup_step(backup, Int32(clamping: max(pagesPerStep, 1)))
                if code == SQLITE_OK {
                    try progress?(
                        BackupProgress(
                            remainingPages: Int(sqlite3_backup_remaining(backup)),
                            totalPages: Int(sqlite3_backup_pagecount(backup))))
                }
            }
        } catch {
            sqlite3_backup_finish(backup)
            throw error
        }
        sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE else {
            throw SQLiteError(of: destination.handle, code: code, sql: nil, path: destination.path ?? path)
        }
    }

    /// Copies the whole database into a file. A missing file is created, and removed again if the backup fails. An
    /// existing file must be a database.
    package func backup(
        toPath path: String, pagesPerStep: Int = 256, progress: ((BackupProgress) throws -> Void)? = nil
    ) throws {
        let existed = FileManager.default.fileExists(atPath: path)
        do {
            let destination = try Connection(path: path)
            try backup(to: destination, pagesPerStep: pagesPerStep, progress: progress)
            try destination.close()
        } catch {
            if !existed { try? FileManager.default.removeItem(atPath: path) }
            throw error
        }
    }
}
