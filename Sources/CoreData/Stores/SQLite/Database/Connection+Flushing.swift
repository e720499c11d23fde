// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Moves the commits of a database from its log to its file.

import Foundation
import SQLiteDriver

extension Connection {
    /// Moves all commits into the database file and syncs it, without waiting for readers.
    ///
    /// - Returns: whether all commits were moved, so that no reader sees an earlier state. In WAL mode a checkpoint
    ///   stops at the last commit seen by the oldest reader of any process.
    func flushCommits() throws -> Bool {
        let (frames, written) = try checkpoint(.passive)
        if frames >= 0 { return frames == written }
        // Without a log readers delay commits. A commit is the end of the journal: its removal, or its zeroed header.
        guard let path else { return true }
        let database = URL(filePath: path).resolvingSymlinksInPath()
        let journal = URL(filePath: database.path + "-journal")
        if StoreFiles.exists(journal) { try FileBytes.sync(journal) }
        try FileBytes.sync(database.deletingLastPathComponent())
        return true
    }
}
