// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Removes large-data files that no row refers to, which earlier crashes have left.

import Foundation
import SQLiteDriver

/// Searches only when a journal indicates leftover files.
struct ExternalLeftovers {
    let store: URL

    /// - Throws: SQLite's errors; no file is removed then.
    func remove(_ connection: Connection) throws {
        let journals = ExternalJournal.abandoned(by: store)
        guard !journals.isEmpty else { return }
        let folder = ExternalFiles.folder(of: store)
        StagedFile.sweep(beside: folder.appendingPathComponent("a file"))
        var names = journals.reduce(into: Set<String>()) { $0.formUnion($1.names) }
        names = names.filter { StoreFiles.exists(folder.appendingPathComponent($0)) }
        guard !names.isEmpty else { return remove(journals, folder) }
        // The lock excludes saves. All tables are searched, because the model may contain only some of them.
        try connection.write(.immediate) {
            try names.subtract(ExternalReferences.names(in: connection))
            // A new commit prevents the WAL pages of a failed commit from being replayed (LargeData-E5).
            if !names.isEmpty { try connection.execute("UPDATE Z_METADATA SET Z_VERSION = Z_VERSION") }
        }
        if !names.isEmpty { guard try connection.flushCommits() else { return } }
        for name in names where !ReferencedFiles.contains(name) {
            let url = folder.appendingPathComponent(name)
            StoreFiles.remove(url)
            if !StoreFiles.exists(url) { names.remove(name) }
        }
        // The journals go last, also on a disk that loses power.
        if names.isEmpty {
            StoreFiles.sync(folder)
            remove(journals, folder)
        }
    }

    /// If a temporary file could not be removed, the journals are kept.
    private func remove(_ journals: [ExternalJournal.Abandoned], _ folder: URL) {
        if !StagedFile.isLeft(in: folder) { journals.forEach { $0.remove() } }
    }
}
