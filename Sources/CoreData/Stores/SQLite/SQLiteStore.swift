// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store in a SQLite database with Apple's tables: opening, closing and relocating it.

import Foundation
import SQLiteDriver
import Synchronization

/// The SQLite store. Created by a coordinator; thread-safe.
final class SQLiteStore: NSPersistentStore, RecordStore, SteppingAside, ConditionReporting {
    let rowCache = RowCache()
    let ownTransactions = OwnTransactions()
    private let state = LockedReference<OpenDatabase>()
    private var current: OpenDatabase? {
        get { state.current }
        set { state.current = newValue }
    }
    /// Whether the connections are closed for a migration (Migration-M13); guarded by `asideLock`.
    private var isAside = false
    private let asideLock = NSLock()
    private var isMetadataLoaded = false
    /// The names of entities and columns for SQL queries; nil before the first query.
    let namedTables = Mutex<(schema: Schema, names: NamedTables)?>(nil)
    /// The model and the entities for which the store was opened.
    private var subject: (model: ModelLayout, entities: [NSEntityDescription])?

    override var type: String { NSSQLiteStoreType }

    override var isReadOnly: Bool { current?.isReadOnly ?? super.isReadOnly }

    /// A database without a file. It lives as long as the store.
    var isInMemory: Bool { url?.path == "/dev/null" }

    /// - Throws: 134070 when the store is not open, 134100 when a migration of this process has given the file another
    ///   version.
    func opened() throws -> OpenDatabase { try current ?? reopened() }

    /// Like `opened()`, for checks in the background: does not reopen a file to which a migration needs exclusive
    /// access. Opening would change the file, which the migration would take for a save.
    func openedStill() throws -> OpenDatabase {
        guard let current else { throw notOpen }
        return current
    }

    /// Reopens the file after a migration that needed exclusive access. The migration may have failed, or the file may
    /// have another version now.
    private func reopened() throws -> OpenDatabase {
        try asideLock.withLock {
            if let current { return current }
            guard isAside, let url, let subject else { throw notOpen }
            let opened = try sameStore(at: url, subject).opened
            rowCache.forgetAll()
            current = opened
            isAside = false
            return opened
        }
    }

    /// Opens the store at a URL.
    ///
    /// - Throws: 260 when there is no file, 134080 when it is a different store, or another error of opening.
    private func sameStore(
        at url: URL, _ subject: (model: ModelLayout, entities: [NSEntityDescription])
    ) throws -> SQLiteStoreOpening.Result {
        guard SQLiteStoreFile(url: url).hasContent else {
            throw CoreDataError.cannotOpenStore(url: url, .noSuchFile, reason: "There is no file.")
        }
        do {
            let result = try opening(url, subject.model, subject.entities).run(identifier: identifier, metadata: [:])
            guard result.metadata[NSStoreUUIDKey] as? String == identifier else {
                try result.opened.close()
                throw CoreDataError.cannotOpenStore(url: url, reason: "It is another store: its UUID differs.")
            }
            return result
        } catch {
            throw SQLiteStoreErrors.opening(error, url: url)
        }
    }

    /// Closes the connections for a migration by another coordinator of this process, until the store is used again.
    /// Fetched rows can still be read.
    func stepAside() -> Bool {
        asideLock.withLock {
            guard let current else { return true }
            guard current.closeIfUnused() else { return false }
            isAside = true
            self.current = nil
            return true
        }
    }

    func holds(_ file: String) -> Bool { current?.file == file }

    var currentCondition: StoreCondition? { current?.pool.condition }

    private var notOpen: NSError {
        CoreDataError.storeOperation("The store \(CoreDataError.place(url)) is not open.", store: self)
    }

    /// The error to throw for a failed read or save; 134070 if the store has been closed in the meantime.
    func failure(_ error: any Error) -> any Error {
        if error is SQLiteError, current == nil { return notOpen }
        if let value = error as? UnreadableValue { return value.error(identity) }
        return SQLiteStoreErrors.operation(error, store: self)
    }

    /// - Throws: 259, 260 and similar codes when the file is not a store. A missing file, an empty one and a database
    ///   without tables have no metadata yet.
    override func loadMetadata() throws {
        guard let url, !isMetadataLoaded else { return }
        isMetadataLoaded = true
        let settings = try SQLiteStoreOptions(options)
        let file = SQLiteStoreFile(url: url, leavesNoTrace: settings.leavesNoTrace)
        if !isInMemory, try !isNew(file, timeout: settings.timeout) {
            adopt(try file.metadata(timeout: settings.timeout))
        } else {
            adopt([NSStoreTypeKey: NSSQLiteStoreType, NSStoreUUIDKey: identity.identifier])
        }
    }

    private func isNew(_ file: SQLiteStoreFile, timeout: Duration) throws -> Bool {
        do {
            return try file.isNew(timeout: timeout)
        } catch {
            throw SQLiteStoreErrors.opening(error, url: file.url)
        }
    }

    private func adopt(_ metadata: [String: Any]) {
        metadataValues.adopt(metadata)
        if let uuid = metadata[NSStoreUUIDKey] as? String { identity = StoreIdentity(identifier: uuid, store: self) }
    }

    /// - Throws: 134080 for a store without a URL, or with one that is no file's.
    func place() throws -> URL {
        guard let url else {
            throw CoreDataError.cannotOpenStore(
                url: nil, reason: "A SQLite store needs a URL; '/dev/null' keeps it in memory.")
        }
        guard url.isFileURL else {
            throw CoreDataError.cannotOpenStore(url: url, reason: "A SQLite store is a file; this URL is none.")
        }
        return url
    }

    func open(model: ModelLayout, entities: [NSEntityDescription]) throws {
        let url = try place()
        do {
            if !isInMemory { try StoreFiles.requirePlain(url) }
            try loadMetadata()
            let result = try opening(url, model, entities)
                .run(identifier: identity.identifier, metadata: metadataValues.current)
            current = result.opened
            subject = (model, entities)
            adopt(result.metadata)
            if !isInMemory { OpenStores.add(self) }
            if result.opened.history.value?.retention != nil { purgeHistoryAtOpening() }
        } catch {
            throw SQLiteStoreErrors.opening(error, url: url)
        }
    }

    private func opening(_ url: URL, _ model: ModelLayout, _ entities: [NSEntityDescription]) throws
        -> SQLiteStoreOpening
    {
        var settings = try SQLiteStoreOptions(options)
        if let observation, observation.isActive { settings.observation = observation }
        return SQLiteStoreOpening(
            url: url, options: settings, model: model, entities: entities,
            configuration: configuration, isInMemory: url.path == "/dev/null")
    }

    /// Opens the file at another URL and releases the previous one.
    ///
    /// - Throws: 260 when there is no file, 134080 when it is a different store; the previous file then stays open.
    func relocate(to url: URL) throws {
        let before = try opened()
        guard let subject else { throw notOpen }
        current = try sameStore(at: url, subject).opened
        self.url = url
        rowCache.forgetAll()
        try? before.close()  // failure is harmless: its connections close with their last reference
    }

    func close() throws {
        OpenStores.remove(self)
        asideLock.withLock { isAside = false }
        guard let current else { return }
        self.current = nil
        rowCache.forgetAll()
        do {
            try current.close()
        } catch {
            throw SQLiteStoreErrors.operation(error, store: self)
        }
    }

    override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        do {
            return try SQLiteStoreFile(url: url).metadata()
        } catch {
            throw SQLiteStoreErrors.opening(error, url: url)
        }
    }

    override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        do {
            try SQLiteStoreFile(url: url).setMetadata(metadata ?? [:])
        } catch {
            throw SQLiteStoreErrors.opening(error, url: url)
        }
    }
}
