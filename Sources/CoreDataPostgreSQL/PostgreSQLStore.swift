// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store in a schema of a PostgreSQL database: opening, closing, reading and saving.

public import CoreData
import Foundation
import PostgreSQLDriver
import Synchronization

/// The type of stores in PostgreSQL, for descriptions and `addPersistentStore`.
public let NSPostgreSQLStoreType = "PostgreSQL"

extension NSPersistentStore.StoreType {
    /// A schema of a PostgreSQL database. `PostgreSQLStore.register()` registers the type.
    public static let postgreSQL = NSPersistentStore.StoreType(rawValue: NSPostgreSQLStoreType)
}

/// A store in PostgreSQL: the same contexts for a fleet of servers.
///
/// ```swift
/// PostgreSQLStore.register()
/// let description = NSPersistentStoreDescription(url: URL(string: "postgresql://db.example.com/shop?schema=app")!)
/// description.type = NSPostgreSQLStoreType
/// container.persistentStoreDescriptions = [description]
/// ```
///
/// Created by a coordinator; thread-safe. `Documentation/Internals/PostgreSQL.md` describes the schema, permissions and
/// limits.
public final class PostgreSQLStore: NSPersistentStore, VersionedStore, RelationalSource, ConditionReporting {
    package let rowCache = RowCache()
    package let ownTransactions = OwnTransactions()
    private let state = Mutex<OpenServer?>(nil)
    /// The connections of the question for the version, until the store is opened.
    private let asked = Mutex<Sessions?>(nil)

    /// Registers the type in all coordinators of the process. Call it once, before the first store is added.
    public static func register() {
        NSPersistentStoreCoordinator.registerStoreClass(PostgreSQLStore.self, type: .postgreSQL)
    }

    package static var addressing: StoreAddressing { .any }

    public override var type: String { NSPostgreSQLStoreType }

    package var currentCondition: StoreCondition? { state.withLock { $0 }?.sessions.condition }

    /// - Throws: 134070 when the store is not open.
    func opened() throws -> OpenServer {
        if let opened = state.withLock({ $0 }) { return opened }
        throw CoreDataError.storeOperation("The store \(CoreDataError.place(url)) is not open.", store: self)
    }

    // MARK: Opening

    package func metadataOfOtherVersion(than model: ModelLayout, entities: [NSEntityDescription]) throws
        -> [String: Any]?
    {
        let url = try place()
        do {
            let sessions = Sessions(try settings(url))
            let opening = ServerOpening(url: url, sessions: sessions, model: model, entities: entities)
            let metadata = try opening.otherVersion()
            if metadata == nil { asked.withLock { $0 = sessions } } else { sessions.close() }
            return metadata
        } catch {
            throw StoreErrors.opening(error, url)
        }
    }

    private func settings(_ url: URL) throws -> StoreSettings {
        var settings = try StoreSettings(url, options)
        if let observation, observation.isActive { settings.observation = observation }
        return settings
    }

    private func place() throws -> URL {
        guard let url, ["postgresql", "postgres"].contains(url.scheme ?? "") else {
            throw CoreDataError.cannotOpenStore(
                url: self.url.map(ConnectionSettings.withoutPassword),
                reason: "A PostgreSQL store needs a URL such as postgresql://host/database?schema=name.")
        }
        return url
    }

    package func open(model: ModelLayout, entities: [NSEntityDescription]) throws {
        let url = try place()
        // The password is a setting of the connection, and is never shown.
        self.url = ConnectionSettings.withoutPassword(url)
        do {
            let sessions = try asked.withLock { $0.take() } ?? Sessions(settings(url))
            let result = try ServerOpening(url: url, sessions: sessions, model: model, entities: entities)
                .run(identifier: identifier, metadata: metadataValues.current)
            state.withLock { $0 = result.opened }
            result.opened.onOtherServer { [rowCache, news = result.opened.news] in
                rowCache.forgetAll()
                news.notice()
            }
            metadataValues.adopt(result.metadata)
            if let identifier = result.metadata[NSStoreUUIDKey] as? String { self.identifier = identifier }
            if result.opened.history?.retention != nil { purgeHistoryLater() }
        } catch {
            throw StoreErrors.opening(error, url)
        }
    }

    package func close() throws {
        let opened = state.withLock { state in
            defer { state = nil }
            return state
        }
        rowCache.forgetAll()
        opened?.close()
    }

    public override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        do {
            let settings = try StoreSettings(url, nil)
            let sessions = Sessions(settings)
            defer { sessions.close() }
            let metadata = try sessions.with(repeats: true) {
                try ServerMetadata.read($0, PostgreSQLDialect(settings), sessions.deadline)
            }
            guard let metadata else {
                throw CoreDataError.cannotOpenStore(
                    url: settings.connection.publicURL, .noSuchFile, reason: "There is no store in the schema.")
            }
            return metadata
        } catch {
            throw StoreErrors.opening(error, url)
        }
    }

    public override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        do {
            let settings = try StoreSettings(url, nil)
            let sessions = Sessions(settings)
            defer { sessions.close() }
            let dialect = PostgreSQLDialect(settings)
            let changed = try sessions.with(repeats: false) {
                try $0.run(try ServerMetadata.update(metadata ?? [:], dialect), sessions.deadline).changes
            }
            if changed == 0 {
                throw CoreDataError.cannotOpenStore(
                    url: settings.connection.publicURL, .noSuchFile, reason: "There is no store in the schema.")
            }
        } catch {
            throw StoreErrors.opening(error, url)
        }
    }

    // MARK: Reading

    package func read<T>(in sharedRead: SharedReadTransaction?, _ body: (ServerReader) throws -> T) throws -> T {
        let permit = CacheFillPermit(rowCache)
        let opened = try opened()
        do {
            do {
                return try opened.read { try body(ServerReader(opened: opened, connection: $0, cache: permit)) }
            } catch let error as PostgreSQLError where error.code == "0A000" && !opened.dialect.mapped.isEmpty {
                // Another client has altered a mapped table: prepare the statements again, on new connections.
                opened.sessions.closeIdle()
                return try opened.readPrimary {
                    try body(ServerReader(opened: opened, connection: $0, cache: permit))
                }
            }
        } catch let error as PostgreSQLError where StoreErrors.missesTables(error) {
            throw try migratedMeanwhile(opened, error)
        } catch {
            throw StoreErrors.reading(error, self)
        }
    }

    // MARK: Writing

    /// The connection can still be lost while the server commits.
    package var guaranteesCommit: Bool { false }

    package func save(_ changes: ChangeSet, confirm: () throws -> Bool) throws -> SaveOutcome {
        let opened = try opened()
        if opened.isReadOnly { throw CoreDataError.readOnlyStore(url, store: self) }
        if changes.isEmpty, !metadataValues.hasUnsaved { return SaveOutcome(isWritten: try confirm()) }
        let metadata = metadataValues.unsaved
        let commit = CommitNotifier.shared.begin(commitPlace, by: self)
        do {
            let backend = ServerSave(opened, metadata: metadata?.values)
            var save = RelationalSave(backend, changes, CacheFillPermit(rowCache))
            let outcome = try save.run(confirm)
            if outcome.isWritten, let metadata { metadataValues.didSave(metadata) }
            if outcome.isWritten {
                opened.indeterminate.withLock { $0.didCommit() }
                let number = outcome.transactionNumber
                if let number { _ = opened.news.see(number) }
                didCommit(number, commit)
                if number != nil || opened.tellsOthers { opened.news.tell() }
            }
            return outcome
        } catch is ServerSave.MigratedMeanwhile {
            throw try migratedMeanwhile(opened)
        } catch let error as PostgreSQLError where StoreErrors.missesTables(error) {
            throw try migratedMeanwhile(opened, error)
        } catch {
            throw StoreErrors.saving(error, self)
        }
    }

    /// The error for a store that another program has migrated. If the version is unchanged, the error is the cause.
    func migratedMeanwhile(_ opened: OpenServer, _ cause: PostgreSQLError? = nil) throws -> any Error {
        let present = try Self.metadata(at: opened.sessions.settings.place, options: options)
        let ours = metadataValues.current[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        let theirs = present[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        if let cause, ours == theirs { return StoreErrors.saving(cause, self) }
        return CoreDataError.incompatibleModel(storeHashes: theirs, modelHashes: ours, url: url, metadata: present)
    }

    package func perform(_ batch: StoreBatch, confirm: () throws -> Bool) throws -> BatchOutcome {
        let opened = try writable()
        do {
            try opened.settleIndeterminate()
        } catch {
            throw StoreErrors.saving(error, self)
        }
        opened.standbys?.position.forget()
        let commits = opened.indeterminate.withLock { $0 }
        guard let earlier = commits.outcome(of: batch) else { return try RowBatch(self, batch).run(confirm) }
        // The program received an error, so its row cache has the rows from before.
        rowCache.forgetAll()
        guard try confirm() else { throw CoreDataError.cancelled() }
        opened.indeterminate.withLock { $0.forget(batch) }
        return earlier
    }

    package func reserveKeys(_ count: Int, for layout: EntityLayout) throws -> Int64 {
        let opened = try writable()
        do {
            return try opened.keys.takeRow(count, root: layout.rootIndex, opened.sessions)
        } catch {
            throw StoreErrors.saving(error, self)
        }
    }

    package func permanentKeys(for objects: [NSManagedObject], of layout: EntityLayout) throws -> [Int64] {
        let opened = try writable()
        do {
            return try opened.keys.take(objects.count, root: layout.rootIndex, opened.sessions)
        } catch {
            throw StoreErrors.saving(error, self)
        }
    }

    private func writable() throws -> OpenServer {
        let opened = try opened()
        if opened.isReadOnly { throw CoreDataError.readOnlyStore(url, store: self) }
        return opened
    }
}
