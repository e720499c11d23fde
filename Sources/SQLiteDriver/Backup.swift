// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Copies a database page by page while it stays in use.

import CSQLite
import Foundation

package struct BackupProgress: Sendable {
    package var remainingPages: Int
    package var totalPages: Int
}

extension Connection {
    /// Copies the whole database over the content of another one.
    ///
    /// A change that another connection makes meanwhile starts the copy anew. The destination is changed as a whole at the
    /// end or, when anything throws, not at all.
    ///
    /// - Parameters:
    ///   - pagesPerStep: others may write between two steps.
    ///   - progress: called after each step; what it throws ends the backup.
    /// - Throws: `isBusy`, `isFull`, `isReadOnly`, `isIOError` …, or what `progress` throws.
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

    /// Copies the whole database into a file, which is made if it is missing and may not be anything but a database.
    /// A file that was made for a backup that fails is removed again.
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
