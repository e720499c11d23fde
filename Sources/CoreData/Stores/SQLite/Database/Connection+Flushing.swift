// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Moves the commits of a database from its WAL to its file.

import Foundation
import SQLiteDriver

extension Connection {
    /// Moves all commits into the database file and syncs it, without waiting for readers.
    ///
    /// - Returns: whether all commits were moved, so that no reader uses an earlier snapshot. In WAL mode a checkpoint
    ///   stops at the last commit that the oldest reader of any process sees.
    func flushCommits() throws -> Bool {
        let (frames, written) = try checkpoint(.passive)
        if frames >= 0 { return frames == written }
        // Without a WAL, readers delay commits. The commit is the end of the journal: its deletion, or its zeroed
        // header.
        guard let path else { return true }
        let database = URL(filePath: path).resolvingSymlinksInPath()
        let journal = URL(filePath: database.path + "-journal")
        if StoreFiles.exists(journal) { try FileBytes.sync(journal) }
        try FileBytes.sync(database.deletingLastPathComponent())
        return true
    }
}
