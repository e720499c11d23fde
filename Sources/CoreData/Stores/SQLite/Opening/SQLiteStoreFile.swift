// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Inspects the file of a SQLite store without opening the store.

import Foundation
import SQLiteDriver

struct SQLiteStoreFile {
    let url: URL
    /// Whether reading must not create or change any file, including the index of the WAL.
    var leavesNoTrace = false

    /// False for a missing and an empty file: opening creates a new store in both cases.
    var hasContent: Bool {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) else { return false }
        if isDirectory.boolValue { return true }
        let size = (try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? NSNumber) ?? nil
        return size.map { $0.int64Value > 0 } ?? true
    }

    /// Whether opening creates a new store: the file is missing or empty, or the database has no tables. A program
    /// killed while it created a store leaves such a database.
    func isNew(timeout: Duration) throws -> Bool {
        guard hasContent else { return true }
        let connection = try inspector(timeout: timeout)
        defer { try? connection.close() }
        let pages = try connection.pragma("page_count")?.integerValue ?? 0
        // The rollback of a killed creation may just have emptied the file. SQLite also treats a file of one byte as
        // empty; such a file is not a database.
        guard pages > 0 else { return !hasContent }
        return try connection.schema().isEmpty
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

    /// - Throws: 259 when the file is not a store, or contains no readable model.
    func cachedModel(timeout: Duration = .seconds(5)) throws -> NSManagedObjectModel {
        do {
            let connection = try inspector(timeout: timeout)
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
        // Inspect read-only first: a database that is not a store must stay unchanged.
        _ = try self.metadata()
        let connection = try Connection(url: url, options: .init(access: .readWrite))
        defer { try? connection.close() }
        try connection.write { try StoreMetadata.write(metadata, to: connection) }
    }

    /// A read-only connection.
    ///
    /// A store may be in a folder that is not writable (a read-only volume, an app bundle). SQLite reads a database in
    /// WAL mode there only if the connection declares it immutable.
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
            // A process died within a transaction. A writing connection rolls it back.
            try Connection(url: url, options: .init(access: .readWrite, busyTimeout: timeout)).close()
            return try Connection(url: url, options: .init(access: .readOnly, busyTimeout: timeout))
        } catch let error where isUnwritablePlace(error) {
            return try Connection(url: url, options: .init(access: .readOnly, busyTimeout: timeout, isImmutable: true))
        }
    }

    /// A connection for the reads of an open store in another mode than WAL: it changes nothing, except that it rolls
    /// back the journal of a writer that died or could not do so (Stores-K29). Reads of a read-only connection would
    /// fail.
    func rollingBackReader(timeout: Duration) throws -> Connection {
        guard !leavesNoTrace, FileManager.default.isWritableFile(atPath: url.path),
            let connection = try? Connection(url: url, options: .init(access: .readWrite, busyTimeout: timeout))
        else { return try inspector(timeout: timeout) }
        try connection.setPragma("query_only", to: true)
        return connection
    }

    /// A journal or WAL must be replayed first, which a read-only connection may not do: `SQLITE_READONLY_ROLLBACK`,
    /// `SQLITE_READONLY_RECOVERY`.
    private func needsRollback(_ error: SQLiteError) -> Bool { [776, 264].contains(error.extendedCode) }

    private func isUnwritablePlace(_ error: SQLiteError) -> Bool {
        guard error.isCantOpen || error.isReadOnly else { return false }
        let manager = FileManager.default
        // Without its WAL a database in WAL mode is incomplete and must not be read as immutable.
        return manager.isReadableFile(atPath: url.path) && !manager.fileExists(atPath: url.path + "-wal")
            && !manager.isWritableFile(atPath: url.deletingLastPathComponent().path)
    }
}
