// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The files beside a database that no row names any more, until nobody can need them.

import Foundation

/// What an open store has to remove. Used under the lock of its writing connection.
///
/// # States of a file. Documentation/LargeData.md
///     named by a row ──a save lets go of it──▶ waiting ──commits are in the database, no value leads to it──▶ gone
///     new ──its commit failed──▶ doubtful ──the next commit──▶ waiting
final class ExternalRemovals {
    /// When a save looks whether files can go: a checkpoint for each save would make it slower.
    static let mostFiles = 64
    static let mostBytes = 32 << 20

    let folder: URL
    let access: FileAccess
    /// Whether files are synced: always but where the store was told not to sync anything.
    let syncs: Bool
    private let journal: ExternalJournal
    private var waiting: Set<String> = []
    private var doubtful: Set<String> = []
    /// Since files were removed last.
    private var (newFiles, newBytes) = (0, 0)

    init(of store: URL, syncs: Bool) {
        folder = ExternalFiles.folder(of: store)
        access = FileAccess(of: store)
        self.syncs = syncs
        journal = ExternalJournal(of: store, access)
    }

    /// - Throws: what the file system says.
    func note(_ names: some Sequence<String>) throws { try journal.note(names) }

    /// A commit has let go of files.
    func add(_ names: Set<String>) {
        for name in names {
            newFiles += 1
            newBytes += StoreFiles.size(folder.appendingPathComponent(name))
        }
        waiting.formUnion(names)
        waiting.formUnion(doubtful)
        doubtful = []
        settle()
    }

    func addAfterNextCommit(_ names: [String]) { doubtful.formUnion(names) }

    /// Forgets the journal where nothing of it is needed.
    func settle() {
        if waiting.isEmpty, doubtful.isEmpty { journal.clear() }
    }

    /// Removes what waits if there is enough of it.
    ///
    /// - Parameter settled: whether all commits are on the disk in the database, and nobody reads an earlier state.
    func runIfDue(_ settled: () throws -> Bool) {
        if newFiles >= Self.mostFiles || newBytes >= Self.mostBytes { run(settled) }
    }

    /// Removes the files that no reader can need. The others wait for the next call or opening (LargeData-E6).
    func run(_ settled: () throws -> Bool) {
        guard !waiting.isEmpty else { return }
        (newFiles, newBytes) = (0, 0)
        // A checkpoint that fails leaves files where they are, which costs space alone.
        guard (try? settled()) == true else { return }
        for name in waiting where !HeldFiles.contains(name) {
            StoreFiles.remove(folder.appendingPathComponent(name))
            waiting.remove(name)
        }
        settle()
        if !waiting.isEmpty { journal.shorten(to: waiting.union(doubtful)) }
    }

    /// The store is closed: what still waits is left to the next opening.
    func close() { journal.close() }
}
