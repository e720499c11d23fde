// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Removes what earlier uses of a store have left beside it: files that no row names.

import Foundation
import SQLiteDriver

/// Looks only where a journal says that something may be left.
struct ExternalLeftovers {
    let store: URL

    /// - Throws: SQLite's errors; then everything stays as it is.
    func remove(_ connection: Connection) throws {
        let left = ExternalJournal.left(by: store)
        guard !left.isEmpty else { return }
        let folder = ExternalFiles.folder(of: store)
        HalfMade.sweep(beside: folder.appendingPathComponent("a file"))
        var names = left.reduce(into: Set<String>()) { $0.formUnion($1.names) }
        names = names.filter { StoreFiles.exists(folder.appendingPathComponent($0)) }
        guard !names.isEmpty else { return left.forEach { $0.remove() } }
        // No save is under way while the lock is held. All tables are searched: the model may know some of them.
        try connection.write(.immediate) {
            try names.subtract(ExternalReferences.names(in: connection))
            // What a failed commit has left in the log is not replayed behind another commit (LargeData-E5).
            if !names.isEmpty { try connection.execute("UPDATE Z_METADATA SET Z_VERSION = Z_VERSION") }
        }
        if !names.isEmpty { guard try connection.settleCommits() else { return } }
        for name in names where !HeldFiles.contains(name) {
            StoreFiles.remove(folder.appendingPathComponent(name))
            names.remove(name)
        }
        if names.isEmpty { left.forEach { $0.remove() } }
    }
}

extension Connection {
    /// Puts all commits into the database file, on the disk, without waiting for anybody.
    ///
    /// - Returns: whether all are there, and so nobody reads a state before the last commit. In WAL mode a checkpoint
    ///   stops at the commit that the oldest reader, of any process, has seen last.
    func settleCommits() throws -> Bool {
        let (frames, written) = try checkpoint(.passive)
        if frames >= 0 { return frames == written }
        // Without a log readers hold commits up. A commit is the end of the journal: its removal, or its first bytes.
        guard let path else { return true }
        let database = URL(filePath: path).resolvingSymlinksInPath()
        let journal = URL(filePath: database.path + "-journal")
        if StoreFiles.exists(journal) { try FileBytes.sync(journal) }
        try FileBytes.sync(database.deletingLastPathComponent())
        return true
    }
}
