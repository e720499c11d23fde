// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Copies a consistent state of a database in use, with the large-data files of its rows.

import Foundation
import SQLiteDriver

/// # Order
/// 1. A read transaction holds the state. Until it ends, this process keeps the files of its rows.
/// 2. The files are copied, then the pages. If another process removes a file during the copy, the copy starts again.
/// 3. The database is renamed into place last. Until then the target is unchanged.
struct DatabaseCopy {
    private static let maximumAttempts = 5

    let source: Connection
    /// The folders for large data of source and copy.
    let folders: (source: URL, copy: URL)?

    /// - Parameters:
    ///   - database: the URL of the copy; an existing file is replaced.
    ///   - beforePutting: called when everything is copied, before the rename.
    /// - Returns: the names of the large-data files of the copy.
    @discardableResult
    func write(to database: URL, beforePutting: () throws -> Void = {}) throws -> Set<String> {
        guard StoreFiles.exists(database.deletingLastPathComponent()) else {
            throw CoreDataError.cannotChangeStore(url: database, .noSuchFile, reason: "The folder is not there.")
        }
        let half = try StagedFile(beside: database)
        // A replaced target keeps its file permissions; a new one gets those of the source.
        let access = FileAccess(
            of: StoreFiles.exists(database) ? database : source.path.map { URL(filePath: $0) } ?? database)
        let journal = ExternalJournal(of: database, access)
        defer { journal.close() }
        var copied: Set<String> = []
        do {
            let names = try copyAll(to: half.url, &copied, journal, access)
            try beforePutting()
            try StoreFiles.put(half.url, at: database)
            if !isFileLeft(of: []) { journal.clearDurably() }
            return names
        } catch {
            half.discard()
            if let folders { for name in copied { StoreFiles.remove(folders.copy.appendingPathComponent(name)) } }
            if !isFileLeft(of: copied) { journal.clearDurably() }
            journal.close()
            if let folders { ExternalReferences.removeIfEmpty(folders.copy) }
            throw error
        }
    }

    /// Whether a copied file, or the temporary file of a copy, could not be removed. The remaining journal then makes
    /// the next opening of the copy search for it.
    private func isFileLeft(of copied: Set<String>) -> Bool {
        guard let folders else { return false }
        return StagedFile.isLeft(in: folders.copy)
            || copied.contains { StoreFiles.exists(folders.copy.appendingPathComponent($0)) }
    }

    private func copyAll(
        to half: URL, _ copied: inout Set<String>, _ journal: ExternalJournal, _ access: FileAccess
    ) throws -> Set<String> {
        var lost: Set<String>?
        for _ in 0..<Self.maximumAttempts {
            let (names, missing) = try source.read { () throws -> (Set<String>, Set<String>) in
                let names = try ExternalReferences.names(in: source)
                let missing = try copyFiles(names, &copied, journal, access)
                // A file that is missing twice is missing in the source, too, so the copy is equivalent.
                if missing.isEmpty || missing == lost { try copyPages(to: half, access) }
                return (names, missing)
            }
            if missing.isEmpty || missing == lost { return names }
            lost = missing
        }
        throw CoreDataError.cannotChangeStore(
            url: half.deletingLastPathComponent(), .timeout,
            reason: "Others change the files beside the source faster than they can be copied.")
    }

    private func copyPages(to half: URL, _ access: FileAccess) throws {
        StoreFiles.remove(half)
        // Created before it has content: SQLite treats an empty file as a new database.
        do {
            try FileBytes.make(half, Data(), access)
        } catch let failure as FileFailure {
            throw failure.writing(half, store: nil)
        }
        try source.backup(toPath: half.path)
    }

    /// - Returns: the names of missing files.
    private func copyFiles(
        _ names: Set<String>, _ copied: inout Set<String>, _ journal: ExternalJournal, _ access: FileAccess
    ) throws -> Set<String> {
        guard let folders, !names.isEmpty else { return [] }
        guard folders.source.standardizedFileURL != folders.copy.standardizedFileURL else {
            throw CoreDataError.cannotChangeStore(
                url: folders.copy,
                reason:
                    "The source and the copy would share one folder for large data: their names differ in the extension alone. "
                    + "Choose another name.")
        }
        do {
            try access.makeFolder(folders.copy)
        } catch let failure as FileFailure {
            throw failure.writing(folders.copy, store: nil)
        }
        try journal.noteDurably(names)
        var missing: Set<String> = []
        for name in names {
            let (from, to) = (
                folders.source.appendingPathComponent(name), folders.copy.appendingPathComponent(name)
            )
            // Files are immutable, so a file with this name is the same file.
            if StoreFiles.exists(to) { continue }
            guard StoreFiles.exists(from) else {
                missing.insert(name)
                continue
            }
            try StoreFiles.copy(from, to: to)
            copied.insert(name)
        }
        return missing
    }
}
