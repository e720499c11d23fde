// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Removes obsolete large-data files once no reader can need them.

import Foundation

/// The obsolete files of an open store. Used under the lock of its writing connection.
///
/// # States of a file
///     named by a row ──a save releases it──▶ waiting ──commits are in the database, no value uses it──▶ removed
///     new ──its commit failed──▶ doubtful ──next commit──▶ waiting
///      └──its commit failed, and the database cannot be read──▶ left to the next opening
final class ExternalRemovals {
    /// The number of waiting files at which a save tries to remove them. A checkpoint for each save would be slow.
    static let maximumFiles = 64
    static let maximumBytes = 32 << 20

    let folder: URL
    let access: FileAccess
    /// Whether files are synced: true unless the store's options turn off all syncing.
    let syncs: Bool
    /// Removes a file if it can.
    var erase: (URL) -> Void = StoreFiles.remove
    private let journal: ExternalJournal
    private var waiting: Set<String> = []
    private var doubtful: Set<String> = []
    /// New files of an indeterminate commit. The journal keeps them; the next opening removes those without a row.
    private var left: Set<String> = []
    /// Whether the entries of the folder and of its parent have been synced since this store was opened.
    private var hasSyncedFolders = false
    /// Counted since the last removal.
    private var (newFiles, newBytes) = (0, 0)

    init(of store: URL, syncs: Bool) {
        folder = ExternalFiles.folder(of: store)
        access = FileAccess(of: store)
        self.syncs = syncs
        journal = ExternalJournal(of: store, access)
    }

    /// Makes the folder if it does not exist.
    ///
    /// - Throws: `FileFailure`.
    func makeFolder() throws {
        if try access.makeFolder(folder) != nil { hasSyncedFolders = false }
    }

    /// Makes the entries of new files durable (LargeData-E2); the first call includes the journal, and the entries
    /// of the folders, which a save that was rolled back, or another process, may have made without a sync.
    ///
    /// - Throws: `FileFailure`.
    func syncFolders() throws {
        try FileBytes.sync(folder)
        if hasSyncedFolders { return }
        try journal.sync()
        let support = folder.deletingLastPathComponent()
        for outer in [support, support.deletingLastPathComponent()] { try FileBytes.sync(outer) }
        hasSyncedFolders = true
    }

    /// - Throws: `FileFailure`.
    func note(_ names: some Sequence<String>) throws { try journal.note(names) }

    /// Adds files that a commit has released.
    func add(_ names: Set<String>) {
        for name in names {
            newFiles += 1
            newBytes += StoreFiles.size(folder.appendingPathComponent(name))
        }
        waiting.formUnion(names)
        waiting.formUnion(doubtful)
        doubtful = []
        clearJournalIfPossible()
    }

    func addAfterNextCommit(_ names: [String]) { doubtful.formUnion(names) }

    func leaveToNextOpening(_ names: [String]) { left.formUnion(names) }

    /// Clears the journal if no name in it is needed.
    func clearJournalIfPossible() {
        if waiting.isEmpty, doubtful.isEmpty, left.isEmpty { journal.clear() }
    }

    /// Removes the waiting files if there are enough of them.
    ///
    /// - Parameter settled: whether all commits are in the database file, and no reader uses an earlier snapshot.
    func runIfDue(_ settled: () throws -> Bool) {
        if newFiles >= Self.maximumFiles || newBytes >= Self.maximumBytes { run(settled) }
    }

    /// Removes the files that no reader needs. Others wait for the next call or the next opening (LargeData-E6).
    func run(_ settled: () throws -> Bool) {
        guard !waiting.isEmpty else { return }
        (newFiles, newBytes) = (0, 0)
        // After a failed checkpoint files remain and only take space.
        guard (try? settled()) == true else { return }
        for name in waiting where !ReferencedFiles.contains(name) {
            // A file that could not be removed waits for the next call or the next opening.
            if remove(name) { waiting.remove(name) }
        }
        // Otherwise a power failure could bring a file back, and not its name in the journal.
        if syncs { StoreFiles.sync(folder) }
        clearJournalIfPossible()
        if !waiting.isEmpty { journal.shorten(to: waiting.union(doubtful).union(left)) }
    }

    /// - Returns: whether the file no longer exists.
    func remove(_ name: String) -> Bool {
        let url = folder.appendingPathComponent(name)
        erase(url)
        return !StoreFiles.exists(url)
    }

    /// Closes the journal; waiting files are left to the next opening.
    func close() { journal.close() }
}
