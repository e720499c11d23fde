// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Destroys, replaces, copies and moves SQLite stores: the database, its log, and its folder of large data.

import Foundation
import SQLiteDriver

extension SQLiteStore {
    private static let companions = ["-wal", "-shm", "-journal"]

    private static func isMemory(_ url: URL) -> Bool { url.path == "/dev/null" }

    /// An empty database file remains, as with Apple. Adding a store there creates a new one.
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
        // SQLite ignores the log or journal of an empty database, so this single step destroys the store.
        try StoreFiles.empty(url)
        // The truncation must be on the disk before large data is removed, or rows could return without it.
        file?.sync()
        for suffix in companions { StoreFiles.remove(URL(filePath: url.path + suffix)) }
        removeFiles(reservation.externalFiles, of: url)
    }

    /// Removes the large data of a destroyed store.
    ///
    /// - Parameter names: the files; nil when they are unknown.
    private static func removeFiles(_ names: Set<String>?, of url: URL) {
        let folder = ExternalFiles.folder(of: url)
        if sharesFolder(url) {
            for name in names ?? [] { StoreFiles.remove(folder.appendingPathComponent(name)) }
            ExternalReferences.removeIfEmpty(folder)
        } else {
            StoreFiles.remove(folder.deletingLastPathComponent())
        }
    }

    /// The names of the files of a folder; none without the folder.
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

    /// Moves a log into the file, which has no log then until somebody opens it.
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
            // A known state is that of a migration's beginning.
            let reservation =
                StoreFiles.exists(url)
                ? try DatabaseReservation(url, options: options, isMigrating: state != nil) : nil
            defer { reservation?.end() }
            try state?.require(url, transactions: reservation?.transactions)
            // Of a database that cannot be read the files are unknown; those of the copy are not.
            let former = reservation?.externalFiles ?? (sharesFolder(url) ? [] : files(in: folders.copy))
            let journal = ExternalJournal(of: url, FileAccess(of: url))
            defer { journal.close() }
            let kept: Set<String>
            do {
                kept = try copy.write(to: url) {
                    // The next opening removes those that stay after a failure or a kill.
                    if !former.isEmpty { try note(former, in: journal) }
                    // A log of the old database must not meet the new one. (Without a reservation, when forced, it
                    // may contain pages.)
                    for suffix in companions { StoreFiles.remove(URL(filePath: url.path + suffix)) }
                }
            } catch {
                journal.clear()
                throw error
            }
            let obsolete = former.subtracting(kept).map(folders.copy.appendingPathComponent)
            for file in obsolete { StoreFiles.remove(file) }
            if !obsolete.contains(where: StoreFiles.exists) { journal.clear() }
            journal.close()
            ExternalReferences.removeIfEmpty(folders.copy)
        } catch {
            throw SQLiteStoreErrors.opening(error, url: url)
        }
    }

    private static func note(_ names: Set<String>, in journal: ExternalJournal) throws {
        do {
            try journal.note(names)
        } catch let failure as FileFailure {
            throw failure.writing(journal.place, store: nil)
        }
    }

    static func discard(at url: URL) {
        guard !isMemory(url) else { return }
        let url = url.resolvingSymlinksInPath()
        for suffix in companions + [""] { StoreFiles.remove(URL(filePath: url.path + suffix)) }
        removeFiles(nil, of: url)
    }

    /// Moves a closed store to a place without one.
    ///
    /// - Throws: 516 if somebody has made a store there; 134080 for a store whose log is still there: closing it could
    ///   not move the log into the file, and its last saves would be lost.
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
            for name in files(in: folders.from) {
                try access.makeFolder(folders.to)
                try journal.note(CollectionOfOne(name))
                let target = folders.to.appendingPathComponent(name)
                try StoreFiles.put(folders.from.appendingPathComponent(name), at: target)
                moved.append(target)
            }
            ExternalReferences.removeIfEmpty(folders.from)
            try StoreFiles.putNew(url, at: destination)
            journal.clear()
        } catch {
            for file in moved { StoreFiles.remove(file) }
            journal.clear()
            journal.close()
            ExternalReferences.removeIfEmpty(folders.to)
            throw error
        }
    }

    /// Other connections keep reading and writing meanwhile.
    func copy(to destination: URL) throws {
        let destination = destination.resolvingSymlinksInPath()
        try StoreFiles.requirePlain(destination)
        let opened = try opened()
        let folders = opened.externalFolder.map { (source: $0, copy: ExternalFiles.folder(of: destination)) }
        do {
            // Saves of this process keep the files of generations.
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
        try read(in: nil) { opened, connection, _ in
            guard let mapping = opened.schema.mapping(root) else { return 0 }
            return try connection.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", [.integer(mapping.number)])?
                .integerValue ?? 0
        }
    }
}
