// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Destroys, replaces, copies and moves SQLite stores: the database, its WAL, and its folder of large data.

import Foundation
import SQLiteDriver

extension SQLiteStore {
    private static let companions = ["-wal", "-shm", "-journal"]

    private static func isMemory(_ url: URL) -> Bool { url.path == "/dev/null" }

    /// An empty database file remains, as in Apple's framework. Adding a store there creates a new one.
    static func destroy(at url: URL, options: [AnyHashable: Any]?) throws {
        guard !isMemory(url) else { return }
        let url = url.resolvingSymlinksInPath()
        try StoreFiles.requirePlain(url)
        guard StoreFiles.exists(url) else { return discard(at: url) }
        // Opened before the database is locked, and closed last: closing releases all locks of the process.
        let file = OpenFile(url)
        defer { withExtendedLifetime(file) {} }
        let reservation = try DatabaseReservation(url, options: options)
        defer { reservation.end() }
        // SQLite ignores the WAL or journal of an empty database, so this single step destroys the store.
        try StoreFiles.empty(url)
        // The truncation must be on the disk before large data is removed, or rows could return without it.
        file?.sync()
        for suffix in companions { StoreFiles.remove(URL(filePath: url.path + suffix)) }
        removeFiles(reservation.externalFiles, of: url)
    }

    /// Removes the large data of a destroyed store.
    ///
    /// - Parameter names: the files; nil if they are unknown.
    private static func removeFiles(_ names: Set<String>?, of url: URL) {
        let folder = ExternalFiles.folder(of: url)
        if sharesFolder(url) {
            for name in names ?? [] { StoreFiles.remove(folder.appendingPathComponent(name)) }
            ExternalReferences.removeIfEmpty(folder)
        } else {
            StoreFiles.remove(folder.deletingLastPathComponent())
        }
    }

    /// The names of the files in a folder; empty if the folder does not exist.
    private static func files(in folder: URL) -> Set<String> {
        Set((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    }

    /// Whether another file differs from the store only in its extension: both use the same folder for large data.
    private static func sharesFolder(_ url: URL) -> Bool {
        let stem = url.deletingPathExtension().lastPathComponent
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)) ?? []
        return names.contains { name in
            let isOwn = name == url.lastPathComponent || companions.contains { name == url.lastPathComponent + $0 }
            return !isOwn && (name as NSString).deletingPathExtension == stem
        }
    }

    /// Moves the WAL into the file; until the next opening the file has no WAL.
    static func unusedState(of url: URL, options: [AnyHashable: Any]?) throws -> StoreState {
        let url = url.resolvingSymlinksInPath()
        try StoreFiles.requirePlain(url)
        let reservation = try DatabaseReservation(url, options: options, isMigrating: true)
        defer { reservation.end() }
        return StoreState(of: url, transactions: reservation.transactions)
    }

    static func replace(
        at url: URL, options: [AnyHashable: Any]?, from source: URL, ifStill state: StoreState?
    ) throws {
        guard !isMemory(url), !isMemory(source) else {
            throw CoreDataError.unsupportedRequest("replacing a store that is in memory", store: nil)
        }
        let url = url.resolvingSymlinksInPath()
        try StoreFiles.requirePlain(url)
        do {
            _ = try SQLiteStoreFile(url: source).metadata()
            let connection = try SQLiteStoreFile(url: source).inspector()
            defer { try? connection.close() }
            let folders = (source: ExternalFiles.folder(of: source), copy: ExternalFiles.folder(of: url))
            let copy = DatabaseCopy(source: connection, folders: folders)
            // A known state is the one at the beginning of a migration.
            let reservation =
                StoreFiles.exists(url)
                ? try DatabaseReservation(url, options: options, isMigrating: state != nil) : nil
            defer { reservation?.end() }
            try state?.require(url, transactions: reservation?.transactions)
            // The files of an unreadable database are unknown; then all files in the folder are removed, unless it is
            // shared.
            let former = reservation?.externalFiles ?? (sharesFolder(url) ? [] : files(in: folders.copy))
            let journal = ExternalJournal(of: url, FileAccess(of: url))
            defer { journal.close() }
            let kept: Set<String>
            do {
                kept = try copy.write(to: url) {
                    // If removing them fails or the process is killed, the next opening removes them.
                    if !former.isEmpty { try journal.noteDurably(former) }
                    // The WAL of the old database must not be applied to the new one. (If forced, without a
                    // reservation, it may contain pages.)
                    for suffix in companions { StoreFiles.remove(URL(filePath: url.path + suffix)) }
                }
            } catch {
                journal.clear()
                throw error
            }
            let obsolete = former.subtracting(kept).map(folders.copy.appendingPathComponent)
            for file in obsolete { StoreFiles.remove(file) }
            if !obsolete.contains(where: StoreFiles.exists) { journal.clearDurably() }
            journal.close()
            ExternalReferences.removeIfEmpty(folders.copy)
        } catch {
            throw SQLiteStoreErrors.opening(error, url: url)
        }
    }

    static func discard(at url: URL) {
        guard !isMemory(url) else { return }
        let url = url.resolvingSymlinksInPath()
        for suffix in companions + [""] { StoreFiles.remove(URL(filePath: url.path + suffix)) }
        removeFiles(nil, of: url)
    }

    /// Moves a closed store to an unused URL.
    ///
    /// - Throws: 516 if another process has created a store there; 134080 for a store that still has a WAL: closing
    ///   could not move the WAL into the file, and its last saves would be lost.
    static func move(_ url: URL, to destination: URL) throws {
        guard StoreFiles.size(URL(filePath: url.path + "-wal")) == 0 else {
            throw CoreDataError.cannotChangeStore(
                url: destination, reason: "The log of the new store could not be moved into its file.")
        }
        let folders = (from: ExternalFiles.folder(of: url), to: ExternalFiles.folder(of: destination))
        var moved: [URL] = []
        let access = FileAccess(of: url)
        let journal = ExternalJournal(of: destination, access)
        defer { journal.close() }
        do {
            let names = files(in: folders.from)
            if !names.isEmpty {
                try access.makeFolder(folders.to)
                try journal.noteDurably(names)
            }
            for name in names {
                let target = folders.to.appendingPathComponent(name)
                try StoreFiles.put(folders.from.appendingPathComponent(name), at: target)
                moved.append(target)
            }
            ExternalReferences.removeIfEmpty(folders.from)
            try StoreFiles.putNew(url, at: destination)
            journal.clear()
        } catch {
            for file in moved { StoreFiles.remove(file) }
            journal.clearDurably()
            journal.close()
            ExternalReferences.removeIfEmpty(folders.to)
            throw error
        }
    }

    /// Other connections can read and write during the copy.
    func copy(to destination: URL) throws {
        let destination = destination.resolvingSymlinksInPath()
        try StoreFiles.requirePlain(destination)
        let opened = try opened()
        let folders = opened.externalFolder.map { (source: $0, copy: ExternalFiles.folder(of: destination)) }
        do {
            // Saves of this process keep the files that generations use.
            let generation = try opened.pool.generationReader()
            defer { generation?.release() }
            if let generation {
                _ = try generation.read { try DatabaseCopy(source: $0, folders: folders).write(to: destination) }
            } else {
                _ = try opened.pool.write { try DatabaseCopy(source: $0, folders: folders).write(to: destination) }
            }
        } catch {
            throw SQLiteStoreErrors.opening(error, url: destination)
        }
    }

    func lastKey(below root: EntityLayout) throws -> Int64 {
        try read(in: nil) { reader in
            guard let mapping = reader.opened.schema.mapping(root) else { return 0 }
            let key = try reader.connection.value(
                "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", [.integer(mapping.number)])
            return key?.integerValue ?? 0
        }
    }
}
