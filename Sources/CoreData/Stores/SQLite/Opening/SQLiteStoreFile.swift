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
        return try inspect(timeout: timeout) { connection in
            let pages = try connection.pragma("page_count")?.integerValue ?? 0
            // The rollback of a killed creation may just have emptied the file. SQLite also treats a file of one byte
            // as empty; such a file is not a database.
            guard pages > 0 else { return !hasContent }
            return try connection.schema().isEmpty
        }
    }

    var exists: Bool { FileManager.default.fileExists(atPath: url.path) }

    func metadata(timeout: Duration = .seconds(5)) throws -> [String: Any] {
        do {
            return try inspect(timeout: timeout) { try StoreMetadata.read($0, url: url) }
        } catch {
            throw SQLiteStoreErrors.opening(error, url: url)
        }
    }

    /// - Throws: 259 when the file is not a store, or contains no readable model.
    func cachedModel(timeout: Duration = .seconds(5)) throws -> NSManagedObjectModel {
        do {
            if let model = try inspect(timeout: timeout, { try CachedModel.read($0) }) { return model }
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

    /// Calls the body with a read-only connection, and again with another one if the body meets a journal.
    ///
    /// - Parameter body: it only reads.
    func inspect<T>(timeout: Duration = .seconds(5), _ body: (Connection) throws -> T) throws -> T {
        try rollingBack(timeout: timeout) {
            let connection = try inspector(timeout: timeout)
            defer { try? connection.close() }
            return try body(connection)
        }
    }

    /// A writer may die, or commit while SQLite looks for its journal, as often as this in one inspection.
    private static let mostJournals = 20

    /// Calls the body, and again after each rollback by a writing connection. A reading one refuses a journal of a
    /// transaction that has just been committed, like one of a dead process (Stores-K29).
    private func rollingBack<T>(timeout: Duration, _ body: () throws -> T) throws -> T {
        var journals = 0
        while true {
            do {
                return try body()
            } catch let error as SQLiteError where needsRollback(error) && journals < Self.mostJournals {
                journals += 1
                try Connection(url: url, options: .init(access: .readWrite, busyTimeout: timeout)).close()
            }
        }
    }

    /// A read-only connection. Its reads fail where a journal has to be rolled back: see `inspect`.
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
            return try rollingBack(timeout: timeout) {
                try Connection(url: url, options: .init(access: .readOnly, busyTimeout: timeout))
            }
        } catch let error as SQLiteError where isUnwritablePlace(error) {
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
