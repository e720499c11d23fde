// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// SQLite stores as a whole: the database, its log, and the folder of large data beside it.

import Foundation
import SQLiteDriver

extension SQLiteStore {
    private static let companions = ["-wal", "-shm", "-journal"]

    private static func isMemory(_ url: URL) -> Bool { url.path == "/dev/null" }

    /// As with Apple, an empty database file stays: whoever adds a store there makes a new one.
    static func destroy(at url: URL, options: [AnyHashable: Any]?) throws {
        guard !isMemory(url) else { return }
        let url = url.resolvingSymlinksInPath()
        try StoreFiles.requirePlain(url)
        guard StoreFiles.exists(url) else { return discard(at: url) }
        // Opened before the database is locked, and closed last: closing gives up all locks of the process.
        let file = OpenFile(url)
        defer { withExtendedLifetime(file) {} }
        let reservation = try DatabaseReservation(url, options: options)
        defer { reservation.end() }
        // SQLite takes no log or journal for one of a database without bytes, so this one step settles it.
        try StoreFiles.empty(url)
        // Large data must not go before it is certain that no row comes back.
        file?.sync()
        for suffix in companions { StoreFiles.remove(URL(filePath: url.path + suffix)) }
        removeFiles(reservation.externalFiles, of: url)
    }

    /// Large data of a store that is gone.
    ///
    /// - Parameter names: nil when nobody knows them.
    private static func removeFiles(_ names: Set<String>?, of url: URL) {
        let folder = ExternalFiles.folder(of: url)
        if sharesFolder(url) {
            for name in names ?? [] { StoreFiles.remove(folder.appendingPathComponent(name)) }
            ExternalReferences.removeIfEmpty(folder)
        } else {
            StoreFiles.remove(folder.deletingLastPathComponent())
        }
    }

    /// Whether a file beside the store differs from it in the extension alone: its large data would lie in the same
    /// folder.
    private static func sharesFolder(_ url: URL) -> Bool {
        let stem = url.deletingPathExtension().lastPathComponent
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)) ?? []
        return names.contains { name in
            let isOwn = name == url.lastPathComponent || companions.contains { name == url.lastPathComponent + $0 }
            return !isOwn && (name as NSString).deletingPathExtension == stem
        }
    }

    static func replace(at url: URL, options: [AnyHashable: Any]?, from source: URL) throws {
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
            let reservation = StoreFiles.exists(url) ? try DatabaseReservation(url, options: options) : nil
            defer { reservation?.end() }
            let kept = try copy.write(to: url) {
                // A log of the old database must not meet the new one. (Without a reservation it may have pages in it:
                // that is what force is.)
                for suffix in companions { StoreFiles.remove(URL(filePath: url.path + suffix)) }
            }
            for name in (reservation?.externalFiles ?? []).subtracting(kept) {
                StoreFiles.remove(folders.copy.appendingPathComponent(name))
            }
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

    static func move(_ url: URL, to destination: URL) throws {
        let folders = (from: ExternalFiles.folder(of: url), to: ExternalFiles.folder(of: destination))
        var moved: [URL] = []
        let access = FileAccess(of: url)
        let journal = ExternalJournal(of: destination, access)
        defer { journal.close() }
        do {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: folders.from.path)) ?? [] {
                try access.makeFolder(folders.to)
                try journal.note(CollectionOfOne(name))
                let target = folders.to.appendingPathComponent(name)
                try StoreFiles.put(folders.from.appendingPathComponent(name), at: target)
                moved.append(target)
            }
            ExternalReferences.removeIfEmpty(folders.from)
            try StoreFiles.put(url, at: destination)
            journal.clear()
        } catch {
            for file in moved { StoreFiles.remove(file) }
            journal.clear()
            journal.close()
            ExternalReferences.removeIfEmpty(folders.to)
            throw error
        }
    }

    /// Others go on reading and writing meanwhile.
    func copy(to destination: URL) throws {
        let destination = destination.resolvingSymlinksInPath()
        try StoreFiles.requirePlain(destination)
        let opened = try opened()
        let folders = opened.externalFolder.map { (source: $0, copy: ExternalFiles.folder(of: destination)) }
        do {
            // Saves of this process ask the pins before they remove a file.
            let pin = try opened.pool.pin()
            defer { pin?.release() }
            if let pin {
                _ = try pin.read { try DatabaseCopy(source: $0, folders: folders).write(to: destination) }
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
