// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The file of a SQLite store, looked at without opening the store.

import Foundation
import SQLiteDriver

struct SQLiteStoreFile {
    let url: URL
    /// Whether reading may not make or change any file, not even an index of the log.
    var leavesNoTrace = false

    /// False for a file that is not there and one without bytes: both become a new store.
    var hasContent: Bool {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) else { return false }
        if isDirectory.boolValue { return true }
        let size = (try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? NSNumber) ?? nil
        return size.map { $0.int64Value > 0 } ?? true
    }

    /// Whether a new store is to be made here: there is no file, or nothing in it, or a database without tables, which
    /// a program that was killed while it made a store leaves behind.
    func isNew(timeout: Duration) throws -> Bool {
        guard hasContent else { return true }
        let connection = try inspector(timeout: timeout)
        defer { try? connection.close() }
        // SQLite takes a file of one byte for an empty one; such a file is no database.
        let pages = try connection.pragma("page_count")?.integerValue ?? 0
        return try pages > 0 && connection.schema().isEmpty
    }

    var exists: Bool { FileManager.default.fileExists(atPath: url.path) }

    func metadata(timeout: Duration = .seconds(5)) throws -> [String: Any] {
        do {
            let connection = try inspector(timeout: timeout)
            defer { try? connection.close() }
            return try StoreMetadata.read(connection, url: url)
        } catch {
            throw SQLiteStoreErrors.opening(error, url: url)
        }
    }

    /// - Throws: 259 when the file is no store, or keeps no model that can be read.
    func cachedModel() throws -> NSManagedObjectModel {
        do {
            let connection = try inspector()
            defer { try? connection.close() }
            if let model = try CachedModel.read(connection) { return model }
        } catch {
            throw SQLiteStoreErrors.opening(error, url: url)
        }
        throw CoreDataError.cannotOpenStore(url: url, .corrupt, reason: "It keeps no copy of its model.")
    }

    func setMetadata(_ metadata: [String: Any]) throws {
        guard exists else {
            throw CoreDataError.cannotOpenStore(url: url, .noSuchFile, reason: "There is no file.")
        }
        // First what cannot change the file: a database that is no store must stay as it is.
        _ = try self.metadata()
        let connection = try Connection(url: url, options: .init(access: .readWrite))
        defer { try? connection.close() }
        try connection.write { try StoreMetadata.write(metadata, to: connection) }
    }

    /// A connection that changes nothing.
    ///
    /// A store may lie where nothing can be written beside it (a read-only volume, an app bundle); SQLite reads a database in
    /// WAL mode there only when told that nobody else changes it.
    func inspector(timeout: Duration = .seconds(5)) throws -> Connection {
        guard exists else {
            throw CoreDataError.cannotOpenStore(url: url, .noSuchFile, reason: "There is no file.")
        }
        try StoreFiles.requirePlain(url)
        if leavesNoTrace {
            return try Connection(
                url: url, options: .init(access: .readOnly, busyTimeout: timeout, leavesNoTrace: true))
        }
        do {
            return try Connection(url: url, options: .init(access: .readOnly, busyTimeout: timeout))
        } catch let error where needsRollback(error) {
            // Somebody died in the midst of a transaction; whoever may write takes back what is half written.
            try Connection(url: url, options: .init(access: .readWrite, busyTimeout: timeout)).close()
            return try Connection(url: url, options: .init(access: .readOnly, busyTimeout: timeout))
        } catch let error where isUnwritablePlace(error) {
            return try Connection(url: url, options: .init(access: .readOnly, busyTimeout: timeout, isImmutable: true))
        }
    }

    /// A journal, or a log, has to be worked off first, which a connection for reading may not: `SQLITE_READONLY_ROLLBACK`,
    /// `SQLITE_READONLY_RECOVERY`.
    private func needsRollback(_ error: SQLiteError) -> Bool { [776, 264].contains(error.extendedCode) }

    private func isUnwritablePlace(_ error: SQLiteError) -> Bool {
        guard error.isCantOpen || error.isReadOnly else { return false }
        let manager = FileManager.default
        // Without its log a database in WAL mode is not whole: then it must not be read as if it were.
        return manager.isReadableFile(atPath: url.path) && !manager.fileExists(atPath: url.path + "-wal")
            && !manager.isWritableFile(atPath: url.deletingLastPathComponent().path)
    }
}
