// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Opens a database as a store, or creates one: checks everything first, then changes the file.

import Foundation
import SQLiteDriver

/// One attempt to open a store. After a failure the file is unchanged.
struct SQLiteStoreOpening {
    let url: URL
    let options: SQLiteStoreOptions
    let model: ModelLayout
    let entities: [NSEntityDescription]
    let configuration: String?
    let isInMemory: Bool

    struct Result {
        var opened: OpenDatabase
        var metadata: [String: Any]
    }

    private var file: SQLiteStoreFile { SQLiteStoreFile(url: url, leavesNoTrace: options.leavesNoTrace) }
    private var names: Set<String> { Set(entities.compactMap(\.name)) }

    /// How often another program may remove the file while this one opens it.
    private static let mostRemovals = 10

    func run(identifier: String, metadata: [String: Any]) throws -> Result {
        var removals = 0
        while true {
            do {
                return try attempt(identifier: identifier, metadata: metadata)
            } catch let error as SQLiteError where error.isMoved && removals < Self.mostRemovals {
                removals += 1
            }
        }
    }

    private func attempt(identifier: String, metadata: [String: Any]) throws -> Result {
        if !isInMemory, try !file.isNew(timeout: options.timeout) { return try openExisting() }
        if options.isReadOnly, !isInMemory {
            throw CoreDataError.cannotOpenStore(
                url: url, .noSuchFile, reason: "There is no store, and none can be made for reading alone.")
        }
        return try create(identifier: identifier, metadata: metadata)
    }

    // MARK: An existing store

    private func openExisting() throws -> Result {
        let (metadata, schema, triggers) = try file.inspect(timeout: options.timeout) { inspector in
            let metadata = try StoreMetadata.read(inspector, url: url)
            try checkVersion(metadata, inspector)
            let schema = try existingSchema(inspector)
            return (metadata, schema, try inspector.schema().filter { $0.type == "trigger" }.map(\.name))
        }
        let derived = try DerivedColumns(schema: schema, triggers: triggers, isStrict: false)
        let writer = try makeWriter(isNew: false)
        let use = try use(writer)
        guard try hasStill(metadata, writer) else {
            try? writer.close()
            return try openExisting()
        }
        return try finish(schema: schema, metadata: metadata, derived: derived, writer: writer, use)
    }

    /// Shows other openers that the database is open; nil if its locks or its journal mode already do.
    private func use(_ writer: Connection) throws -> DatabaseUse? {
        if isInMemory || options.isReadOnly || writer.isReadOnly { return nil }
        do {
            return try writer.journalMode() == .wal ? nil : DatabaseUse(of: url)
        } catch {
            try? writer.close()
            throw error
        }
    }

    /// Whether no other opener has migrated the store since its inspection. After this check a store in WAL mode cannot
    /// be migrated while the connection is open (Migration-M21).
    private func hasStill(_ inspected: [String: Any], _ writer: Connection) throws -> Bool {
        do {
            let metadata = try StoreMetadata.read(writer, url: url)
            return NSManagedObjectModel.versionHashes(inStoreMetadata: metadata)
                == NSManagedObjectModel.versionHashes(inStoreMetadata: inspected)
        } catch {
            try? writer.close()
            throw error
        }
    }

    private func existingSchema(_ connection: Connection) throws -> Schema {
        do {
            return try Schema(model: model, entities: names, in: StoreInventory(connection))
        } catch let mismatch as SchemaMismatch {
            throw CoreDataError.cannotOpenStore(url: url, .schema, reason: mismatch.reason)
        }
    }

    private func checkVersion(_ metadata: [String: Any], _ connection: Connection) throws {
        if options.ignoresVersion { return }
        let version = StoredVersion(metadata, entities)
        if let kind = version.newerKind {
            throw CoreDataError.cannotOpenStore(
                url: url,
                reason: "It was written by a newer framework, with version hashes of kind \(kind); "
                    + "those up to \(StoreMetadata.hashesVersion) are known.")
        }
        if try version.isOther({ try CachedModel.describes(entities, named: $0, connection) }) {
            throw version.error(url)
        }
    }

    // MARK: A new store

    private func create(identifier: String, metadata: [String: Any]) throws -> Result {
        let wasThere = file.exists
        if !isInMemory { OrphanedLog.clear(beside: url) }
        let schema = Schema(model: model, entities: names)
        let statements = try SchemaDDL(schema: schema).statements
        let derived = try DerivedColumns(schema: schema, triggers: SchemaTriggers(schema: schema).names, isStrict: true)
        let identifiers = entities.first?.managedObjectModel.versionIdentifiers.compactMap { $0.base as? String }
            .sorted()
        var values = StoreMetadata.make(entities: entities, identifiers: identifiers ?? [], identifier: identifier)
        // Metadata set before the store existed.
        for (key, value) in metadata where values[key] == nil { values[key] = value }
        do {
            let writer = try makeWriter(isNew: true)
            let use = try use(writer)
            var isOurs = true
            do {
                try writer.write {
                    // Another process may have created the store since the inspection.
                    if try writer.tableExists(SchemaNaming.metadataTable) {
                        isOurs = false
                        return
                    }
                    for statement in statements { try execute(statement, schema, writer) }
                    for mapping in schema.entities {
                        let parent =
                            mapping.layout.superIndex >= 0 ? schema.mapping(mapping.layout.superIndex)?.number : nil
                        try writer.run(
                            "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, 0)",
                            [.integer(mapping.number), .text(mapping.layout.name), .integer(parent ?? 0)])
                    }
                    try StoreMetadata.write(values, to: writer)
                    if let model = entities.first?.managedObjectModel {
                        let content = try CachedModel.content(of: model)
                        try writer.run("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)", [.blob(content)])
                    }
                }
            } catch {
                try? writer.close()
                throw error
            }
            guard isOurs else {
                try writer.close()
                return try openExisting()
            }
            return try finish(schema: schema, metadata: values, derived: derived, writer: writer, use)
        } catch {
            if !isInMemory { FailedCreation.discard(url, wasThere: wasThere) }
            throw error
        }
    }

    private func execute(_ statement: String, _ schema: Schema, _ writer: Connection) throws {
        do {
            try writer.execute(statement)
        } catch {
            throw lackingTree(error, statement, schema) ?? error
        }
    }

    /// The error for the statement of a spatial index that this SQLite library cannot make; nil for other errors.
    private func lackingTree(_ error: SQLiteError, _ statement: String, _ schema: Schema) -> NSError? {
        guard error.lacksModule,
            let index = SchemaTriggers(schema: schema).spatialIndexes.first(where: { $0.creation == statement })
        else { return nil }
        return CoreDataError.cannotOpenStore(
            url: url,
            reason: "The fetch index '\(index.index)' of \(index.mapping.layout.name) is an R-tree, but this SQLite "
                + "library has none (\(error.message)).",
            underlying: SQLiteStoreErrors.underlying(error))
    }

    // MARK: Connections

    private func finish(
        schema: Schema, metadata: [String: Any], derived: DerivedColumns, writer connection: Connection,
        _ use: DatabaseUse?
    ) throws -> Result {
        let recorder = DerivedRecorder()
        let fullText = SideIndexes<FullTextTable>(schema: schema)
        let values = SideIndexes<ValueTable>(schema: schema)
        do {
            try prepare(connection, recorder: recorder)
            if !options.isReadOnly, !connection.isReadOnly {
                if !isInMemory {
                    // The next opening removes the remaining files.
                    StagedFile.sweep(beside: url)
                    QuarantineFile.settle(of: url) { try StoreMetadata.read(connection, url: url) }
                    try? ExternalLeftovers(store: url).remove(connection)
                }
                try settleFullText(fullText, connection)
                try settleValues(values, schema, connection)
                if options.vacuums { try connection.execute("VACUUM") }
                if options.analyzes { try connection.execute("ANALYZE") }
            }
        } catch {
            try? connection.close()
            throw error
        }
        let isReadOnly = try options.isReadOnly || !mayWrite(connection)
        let history = try openHistory(connection, schema, isReadOnly: isReadOnly)
        let isWAL = try connection.journalMode() == .wal
        let logBound = try isWAL && !isReadOnly ? makeLogBound(connection) : nil
        let pool = ConnectionPool(
            writer: connection, isWAL: isWAL, log: makeLog(isWAL: isWAL), keptReaders: options.keptReaders,
            limits: PoolLimits(options), logBound: logBound,
            makeReader: isInMemory ? nil : { try makeReader(timeout: options.timeout, isWAL: isWAL) })
        let opened = OpenDatabase(
            schema: schema, pool: pool, file: isInMemory ? nil : url.resolvingSymlinksInPath().path,
            externalFolder: isInMemory ? nil : ExternalFiles.folder(of: url),
            removals: isInMemory || isReadOnly
                ? nil : ExternalRemovals(of: url, syncs: try connection.synchronous() != .off),
            isReadOnly: isReadOnly, recorder: recorder, derived: derived, history: history, fullText: fullText,
            values: values, use: use, numbersCommits: !isWAL && !isInMemory && !isReadOnly)
        return Result(opened: opened, metadata: metadata)
    }

    private func settleFullText(_ indexes: SideIndexes<FullTextTable>, _ connection: Connection) throws {
        do {
            try indexes.settle(options.fullText, on: connection)
        } catch let error as SQLiteError where error.lacksModule {
            throw CoreDataError.cannotOpenStore(
                url: url,
                reason: "It is opened with \(NSFullTextIndexOption), but this SQLite library has no full-text search "
                    + "(\(error.message)).",
                underlying: SQLiteStoreErrors.underlying(error))
        }
    }

    private func settleValues(_ indexes: SideIndexes<ValueTable>, _ schema: Schema, _ connection: Connection) throws {
        if options.values == .on {
            do {
                for layout in schema.entities.map(\.layout) { try ValueTable.checkPaths(of: layout, schema) }
            } catch {
                throw CoreDataError.cannotOpenStore(url: url, reason: error.sentence)
            }
        }
        try indexes.settle(options.values, on: connection)
        try ValueSettlement.settleAll(indexes, schema, on: connection)
    }

    private func openHistory(_ connection: Connection, _ schema: Schema, isReadOnly: Bool) throws -> FollowedHistory {
        do {
            let (history, seen) = try SQLiteHistory.open(
                connection, schema: schema, tracking: options.history, retention: options.retention,
                isReadOnly: isReadOnly, url: url)
            let (tracking, retention, url) = (options.history, options.retention, url)
            return FollowedHistory(history, seen: seen, isShared: !isInMemory) { connection in
                try SQLiteHistory.reopen(
                    connection, schema: schema, tracking: tracking, retention: retention, isReadOnly: isReadOnly,
                    url: url)
            }
        } catch {
            try? connection.close()
            throw error
        }
    }

    private func makeWriter(isNew: Bool) throws -> Connection {
        if isInMemory { return try Connection.inMemory(options: .init(busyTimeout: options.timeout)) }
        if options.isReadOnly { return try file.inspector(timeout: options.timeout) }
        let connection = try Connection(
            url: url, options: .init(access: isNew ? .readWriteCreate : .readWrite, busyTimeout: options.timeout))
        do {
            if isNew {
                // The size of pages first: setting the other writes the first page, and its size is final.
                for (name, value) in [("page_size", .integer(4096)), ("auto_vacuum", .word("incremental"))]
                    as [(String, PragmaValue)]
                {
                    try connection.setPragma(name, to: options.pragmas[name] ?? value)
                }
            }
            // As in Apple's framework: WAL mode unless the options specify another, also for an existing file in
            // another mode.
            if let mode = options.word("journal_mode") {
                try waiting { try connection.setPragma("journal_mode", to: .word(mode)) }
            } else if !connection.isReadOnly {
                try waiting { try connection.setJournalMode(.wal) }
            }
        } catch {
            try? connection.close()
            throw error
        }
        return connection
    }

    /// Retries until the timeout. SQLite does not wait for a lock when it changes the journal mode of a database: of
    /// two openers that change it at the same time, one fails.
    private func waiting<T>(_ body: () throws -> T) throws {
        let clock = ContinuousClock()
        let end = clock.now + options.timeout
        while true {
            do {
                _ = try body()
                return
            } catch let error as SQLiteError where error.isBusy {
                guard clock.now < end else { throw error }
                Thread.sleep(forTimeInterval: .random(in: 0.005...0.03))
            }
        }
    }

    /// False if the permissions of the file or its WAL forbid writing.
    private func mayWrite(_ connection: Connection) throws -> Bool {
        do {
            return try connection.mayWrite()
        } catch {
            try? connection.close()
            throw error
        }
    }

    /// SQLite truncates the WAL to the limit when it restarts the WAL; `LogBound` makes a restart possible.
    private func makeLogBound(_ connection: Connection) throws -> LogBound? {
        guard let bound = try LogBound(connection, options: options) else { return nil }
        try connection.setPragma("journal_size_limit", to: .integer(bound.limit))
        return bound
    }

    private func makeLog(isWAL: Bool) -> SQLLog? {
        guard SQLDebug.level > 0 || options.observation != nil else { return nil }
        // The explaining connection must not wait for a lock, because the lock's holder may wait for the explanation.
        return SQLLog(
            level: SQLDebug.level, makeExplainer: isInMemory ? nil : { try makeReader(timeout: .zero, isWAL: isWAL) },
            observation: options.observation, database: isInMemory ? nil : url.lastPathComponent,
            write: DiagnosisLog.info)
    }

    private func makeReader(timeout: Duration, isWAL: Bool) throws -> Connection {
        let connection =
            try isWAL ? file.inspector(timeout: timeout) : file.rollingBackReader(timeout: timeout)
        try Self.configure(connection, options)
        try SQLiteFunctions.add(to: connection)
        return connection
    }

    private func prepare(_ connection: Connection, recorder: DerivedRecorder) throws {
        try Self.configure(connection, options)
        try SQLiteFunctions.add(to: connection)
        try SQLiteFunctions.addTriggerFunctions(to: connection, recorder: recorder)
    }

    private static func configure(_ connection: Connection, _ options: SQLiteStoreOptions) throws {
        if options.pragmas["cache_size"] == nil { try connection.setCacheSize(kibibytes: 16 * 1024) }
        if options.pragmas["synchronous"] == nil { try connection.setSynchronous(.normal) }
        for (name, value) in options.pragmas.sorted(by: { $0.key < $1.key })
        where !["page_size", "auto_vacuum", "journal_mode"].contains(name) {
            try connection.setPragma(name, to: value)
        }
    }
}
