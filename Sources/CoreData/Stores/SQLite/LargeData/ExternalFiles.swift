// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The external files of large data that one save writes and makes obsolete.

import Foundation

/// The files that one save creates and makes obsolete. Documentation/Internals/LargeData.md
///
/// # States
///     open ──willCommit──▶ synced ──didCommit──▶ done: `ExternalRemovals` receives the obsolete files
///       └────── rollback ─────┤                        new files are removed at once
///                             └──commitFailed──▶ done: new files stay, because rows may name them
final class ExternalFiles: LargeDataFiles {
    private let removals: ExternalRemovals
    private var folder: URL { removals.folder }
    private var written: [String] = []
    private var obsolete: Set<String> = []
    private var kept: Set<String> = []

    init(_ removals: ExternalRemovals) { self.removals = removals }

    static let folderName = "_EXTERNAL_DATA"

    /// The folder `.<name without extension>_SUPPORT/_EXTERNAL_DATA` next to the store's file, after resolving symbolic
    /// links.
    static func folder(of store: URL) -> URL {
        let store = store.resolvingSymlinksInPath()
        return StoreFiles.support(of: store).appendingPathComponent(folderName, isDirectory: true)
    }

    /// A row keeps its current file. Any other file is copied, even one in the same folder: its row may have released
    /// it, so it may soon be removed (LargeData-E1).
    ///
    /// - Throws: 260 and similar codes when data cannot be read; errors of the file system.
    func column(_ box: ValueBox, of attribute: @autoclosure () -> String) throws -> Data? {
        if let file = box.externalData {
            if file.folder.path == folder.path, obsolete.contains(file.name), kept.insert(file.name).inserted {
                return ExternalColumn.reference(file.name)
            }
            do {
                return try column(file.read())
            } catch let error as UnreadableFile {
                throw CoreDataError.unreadableData(file.url, attribute: attribute(), underlying: error.underlying)
            }
        }
        return try (box.value as? Data).map(column)
    }

    private func column(_ data: Data) throws -> Data {
        guard data.count > ExternalColumn.largestInline else { return ExternalColumn.inline(data) }
        let name = UUID().uuidString
        let url = folder.appendingPathComponent(name)
        do {
            if written.isEmpty { try removals.makeFolder() }
            try removals.note(CollectionOfOne(name))
            // Before writing, so that `rollback` also finds a file that could be neither completed nor removed.
            written.append(name)
            try FileBytes.make(url, data, removals.access)
        } catch let failure as FileFailure {
            throw failure.writing(url, store: nil)
        }
        return ExternalColumn.reference(name)
    }

    /// Releases the file of a column that is about to be overwritten or deleted.
    func release(_ column: Data?) {
        if let name = column.flatMap(ExternalColumn.fileName) { obsolete.insert(name) }
    }

    private var useless: Set<String> { obsolete.subtracting(kept) }

    /// Syncs new files and their folder. Call it before the transaction commits (LargeData-E2).
    func willCommit() throws {
        do {
            if !useless.isEmpty { try removals.note(useless) }
            guard removals.syncs, !written.isEmpty else { return }
            for name in written { try FileBytes.sync(folder.appendingPathComponent(name)) }
            try removals.syncFolders()
        } catch let failure as FileFailure {
            throw failure.writing(folder, store: nil)
        }
    }

    /// Call it after the transaction has committed.
    func didCommit() { removals.add(useless) }

    /// Call it when the transaction was rolled back.
    func rollback() {
        // No row refers to a file that could not be removed, so the next commit releases it.
        removals.addAfterNextCommit(written.filter { !removals.remove($0) })
        removals.clearJournalIfPossible()
    }

    /// Call it when the commit failed. The WAL may contain the whole commit and be replayed after a crash
    /// (LargeData-E5).
    ///
    /// - Parameter isRolledBack: whether certainly no row refers to the files. Otherwise the next opening decides.
    func commitFailed(isRolledBack: Bool) {
        if isRolledBack { removals.addAfterNextCommit(written) } else { removals.leaveToNextOpening(written) }
    }
}
