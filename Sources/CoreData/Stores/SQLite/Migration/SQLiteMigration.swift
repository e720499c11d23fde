// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Migrates a SQLite store in place by statements, within one transaction. Documentation/Internals/Migration.md.

import Foundation
import SQLiteDriver

struct SQLiteMigration {
    /// In kibibytes.
    private static let cacheSize = 16 * 1024
    /// SQLite sorts the entries of an index in chunks of the size of its cache, and a chunk cannot be cancelled. Small
    /// chunks take no longer.
    private static let sortedSize = 4 * 1024

    let url: URL
    let options: SQLiteStoreOptions
    /// Frozen. Its layout is not shared, so that no class is bound to its entities.
    let source: NSManagedObjectModel
    let sourceLayout: ModelLayout
    let target: MigrationTarget
    /// The combined pairing if one script does several steps; nil for the pairing of the two versions.
    var pairing: ModelPairing?
    /// The version hashes that the store must have for this migration; nil allows any other than the target's.
    var expected: [String: Data]?
    var rebuilds = false
    /// Whether columns and tables that the target lacks are kept. Migration-M27.
    var defers = false
    /// Whether rows that cannot be migrated are moved to a separate store. Migration-M28.
    var quarantines = false
    /// Whether the store already has the version of the target, but a different structure (`SchemaDrift`).
    var isMending = false
    /// Whether a survey must not create any file, not even the index of the WAL.
    var leavesNoTrace = false
    /// Called after the checks and before the lock is taken. The function that it returns is called under the lock; it
    /// returns whether the store is unchanged since then.
    var beforeLock: () throws -> () -> Bool = { { true } }
    /// Shows the written rows, and ends the migration if the program cancels it. Migration-M16.
    var progress: Progress?
    /// Called with the number of each statement before it runs, and once more after the last.
    var beforeStatement: (Int, Connection) throws -> Void = { _, _ in }
    /// Finds the free bytes on the disk of the store.
    var freeBytes: (URL) -> Int64? = MigrationSpace.freeBytes

    /// All decisions made before the first change.
    struct Prepared {
        let metadata: [String: Any]
        let outline: DatabaseOutline
        let transition: SchemaTransition
        let script: MigrationScript
        let history: HistoryMigration?
        let mirror: CloudMirrorMigration?
        var steps: [ScriptStatement] {
            script.statements
                + ((history?.statements ?? []) + (mirror?.statements ?? [])).map { ScriptStatement($0) }
        }
        var statements: [String] { steps.map(\.text) }
    }

    typealias Outcome = StatementMigration.Outcome

    /// Builds the script for the present state of the file. Reads only.
    ///
    /// - Parameter losesRows: whether rows have been moved to the quarantine.
    func prepare(_ connection: Connection, losesRows: Bool = false) throws -> Prepared {
        let metadata = try StoreMetadata.read(connection, url: url)
        let names = Set((NSManagedObjectModel.versionHashes(inStoreMetadata: metadata) ?? [:]).keys)
        let outline = try DatabaseOutline(connection)
        let old: Schema
        do {
            old = try Schema(model: sourceLayout, entities: names, in: outline.inventory)
        } catch let mismatch as SchemaMismatch {
            throw ScriptFailure(entity: nil, property: nil, reason: mismatch.reason)
        }
        let entities = sourceLayout.layouts.filter { names.contains($0.name) }.map(\.entity)
        let pairing = self.pairing ?? ModelPairing(source: entities, destination: target.entities)
        let transition = SchemaTransition(
            source: old,
            destination: Schema(
                model: target.layout, entities: target.names,
                keeping: JoinNaming(old, continuedIn: pairing)),
            pairing: pairing)
        return Prepared(
            metadata: metadata, outline: outline, transition: transition,
            script: try ScriptBuild(
                transition, outline, rebuilds: rebuilds, defers: defers, losesRows: losesRows
            ).script(),
            history: HistoryMigration(transition, outline), mirror: CloudMirrorMigration(transition, outline))
    }

    /// - Returns: nil if another opener has migrated the store.
    /// - Throws: `ScriptFailure`, `FailedCheck`, `SQLiteError`, or a Cocoa error. The store is then as before.
    func run(amending: (inout [String: Any], Outcome) -> Void) throws -> Outcome? {
        guard try check() else { return nil }
        let isUnchanged = try beforeLock()
        guard
            let lock = try ExclusiveLock(
                url: url, timeout: options.timeout, asksOwnStores: true,
                beforeAttempt: { try MigrationCancellation.check(progress, url) }
            ).acquire(while: isNeeded)
        else { return nil }
        let connection = lock.connection
        var quarantined: QuarantinedRows?
        do {
            guard try isNeeded(connection) else {
                // Keep the journal mode: other openers of the migrated store may each set theirs.
                try connection.rollback()
                try connection.close()
                return nil
            }
            guard isUnchanged() else {
                throw ScriptFailure(
                    entity: nil, property: nil, reason: "Somebody else changed the store while it was copied")
            }
            var outcome = try change(connection, &quarantined, amending)
            try? connection.close()
            outcome.quarantine = quarantined?.file?.publish()
            return outcome
        } catch {
            try? end(connection, lock.mode)
            quarantined?.file?.resolve { try SQLiteStoreFile(url: url).metadata() }
            throw error
        }
    }

    /// Looks for rows that cannot be migrated and for free space, before any byte changes.
    ///
    /// - Returns: false if another opener has migrated the store.
    private func check() throws -> Bool {
        try SQLiteStoreFile(url: url).inspect(timeout: options.timeout) { inspector in
            if let progress { inspector.setWatch { progress.isCancelled } }
            return try inspector.read {
                guard try isNeeded(inspector) else { return false }
                let prepared = try prepare(inspector)
                if !quarantines, let failure = try inspector.failure(of: prepared.script.checks) { throw failure }
                try MigrationSpace(url: url).require(for: prepared.script, inspector, free: freeBytes(url))
                return true
            }
        }
    }

    /// The statements that restore the structure of a new store of the same version; nil for another version.
    func drift() throws -> (differences: [String], statements: [String])? {
        try SQLiteStoreFile(url: url, leavesNoTrace: leavesNoTrace).inspect(timeout: options.timeout) { inspector in
            try inspector.read {
                guard try hasVersion(inspector) else { return nil }
                let differences = try differences(inspector)
                return (differences, differences.isEmpty ? [] : try prepare(inspector).statements)
            }
        }
    }

    private func differences(_ connection: Connection) throws -> [String] { try comparison(connection).differences }

    private func leftovers(_ connection: Connection) throws -> [String] { try comparison(connection).removals }

    private func comparison(_ connection: Connection) throws -> SchemaComparison {
        let outline = try DatabaseOutline(connection)
        return try SchemaComparison(target.schema(like: outline.inventory), outline)
    }

    private func isNeeded() throws -> Bool {
        // The structure cannot be read while another opener holds the lock.
        if isMending { return true }
        return isSource(
            NSManagedObjectModel.versionHashes(
                inStoreMetadata: try SQLiteStoreFile(url: url).metadata(timeout: .milliseconds(20))))
    }

    private func isSource(_ hashes: [String: Data]?) -> Bool {
        hashes != target.hashes && (expected == nil || hashes == expected)
    }

    private func isNeeded(_ connection: Connection) throws -> Bool {
        if isMending { return try hasVersion(connection) && !differences(connection).isEmpty }
        return isSource(
            NSManagedObjectModel.versionHashes(inStoreMetadata: try StoreMetadata.read(connection, url: url)))
    }

    private func hasVersion(_ connection: Connection) throws -> Bool {
        NSManagedObjectModel.versionHashes(inStoreMetadata: try StoreMetadata.read(connection, url: url))
            == target.hashes
    }

    /// Releases the lock and restores the journal mode of the file.
    private func end(_ connection: Connection, _ mode: JournalMode) throws {
        connection.setWatch(nil)
        try connection.rollback()
        if mode == .wal { try connection.setJournalMode(.wal) }
        try connection.close()
    }

    // MARK: Within the transaction

    private func change(
        _ connection: Connection, _ quarantined: inout QuarantinedRows?,
        _ amending: (inout [String: Any], Outcome) -> Void
    ) throws -> Outcome {
        var prepared = try prepare(connection)
        try connection.setCacheSize(kibibytes: Self.cacheSize)
        try MigrationFunctions.add(to: connection, folder: ExternalFiles.folder(of: url))
        if quarantines { quarantined = try quarantine(prepared, connection) }
        if quarantined != nil { prepared = try prepare(connection, losesRows: true) }
        if let failure = try connection.failure(of: prepared.script.checks) { throw failure }
        return try change(connection, prepared, quarantined, amending)
    }

    private func quarantine(_ prepared: Prepared, _ connection: Connection) throws -> QuarantinedRows? {
        if let progress { connection.setWatch { progress.isCancelled } }
        return try QuarantineExecution(
            prepared: prepared, connection: connection, url: url, freeBytes: freeBytes(url)
        ).run()
    }

    private func change(
        _ connection: Connection, _ prepared: Prepared, _ quarantined: QuarantinedRows?,
        _ amending: (inout [String: Any], Outcome) -> Void
    ) throws -> Outcome {
        try prepared.history?.addFunction(to: connection)
        let verification = try ScriptVerification(prepared.script, prepared.transition.destination, connection)
        let work = progress.map { MigrationProgress($0, prepared.steps, verification.rowsBefore) }
        work?.watch(connection)
        let journal = try noteReleased(prepared.script, quarantined?.files ?? [], connection)
        defer { journal.close() }
        do {
            for (number, statement) in prepared.steps.enumerated() {
                work?.begin(number)
                if statement.makesIndex { try connection.setCacheSize(kibibytes: Self.sortedSize) }
                try beforeStatement(number, connection)
                try requireTransaction(connection)
                try connection.execute(statement.text)
                if statement.makesIndex { try connection.setCacheSize(kibibytes: Self.cacheSize) }
            }
            try beforeStatement(prepared.steps.count, connection)
            try requireTransaction(connection)
            try computeDerived(prepared, connection)
            var outcome = Outcome(statements: prepared.statements)
            outcome.rows = try verification.run(connection, allowsLeftovers: defers)
            outcome.quarantined = quarantined
            if let quarantined { try count(quarantined, prepared.transition, &outcome, connection) }
            let hasLeftovers = try defers && !leftovers(connection).isEmpty
            try requireTransaction(connection)
            try writeVersion(prepared.metadata, outcome, connection) { metadata, outcome in
                metadata[NSPersistentStoreDeferredLightweightMigrationOptionKey] = hasLeftovers ? true : nil
                quarantined?.file?.record(in: &metadata)
                amending(&metadata, outcome)
            }
            connection.setWatch(nil)
            try MigrationCancellation.check(progress, url)
            try connection.commit()
            return outcome
        } catch {
            journal.clear()
            throw error
        }
    }

    /// After some disk errors SQLite rolls back by itself. If such an error went unnoticed, the following statements
    /// would be committed without the earlier ones: a new version number without its tables.
    private func requireTransaction(_ connection: Connection) throws {
        guard connection.inTransaction else {
            throw ScriptFailure(entity: nil, property: nil, reason: "An error of the disk ended the transaction")
        }
    }

    /// Adds the quarantined rows to the counts before the migration.
    private func count(
        _ quarantined: QuarantinedRows, _ transition: SchemaTransition, _ outcome: inout Outcome,
        _ connection: Connection
    ) throws {
        for (number, count) in quarantined.counts {
            guard let entity = transition.entity(old: number)?.destination, !entity.layout.isAbstract else { continue }
            let query = "SELECT COUNT(*) FROM \(entity.table.sql) WHERE Z_ENT = \(entity.number)"
            let after = try connection.value(query)?.integerValue ?? 0
            outcome.rows[entity.layout.name] = (after + count, after)
        }
    }

    /// The next opening deletes the noted files if no row refers to them.
    ///
    /// - Parameter quarantined: the files of quarantined rows, which are already copied.
    private func noteReleased(
        _ script: MigrationScript, _ quarantined: Set<String>, _ connection: Connection
    ) throws -> ExternalJournal {
        let journal = ExternalJournal(of: url, FileAccess(of: url))
        var names = quarantined
        for query in script.released {
            for row in try connection.rows(query) {
                if let name = row[0].blobValue.flatMap(ExternalColumn.fileName) { names.insert(name) }
            }
        }
        if !names.isEmpty { try journal.noteDurably(names) }
        return journal
    }

    private func computeDerived(_ prepared: Prepared, _ connection: Connection) throws {
        guard !prepared.script.computedRoots.isEmpty else { return }
        try DerivedColumns(schema: prepared.transition.destination, triggers: [], isStrict: true)
            .update(touching: prepared.script.computedRoots, on: connection, recorder: DerivedRecorder())
    }

    private func writeVersion(
        _ old: [String: Any], _ outcome: Outcome, _ connection: Connection,
        _ amending: (inout [String: Any], Outcome) -> Void
    ) throws {
        guard let model = target.model else { return }
        let identifiers = model.versionIdentifiers.compactMap { $0.base as? String }.sorted()
        let uuid = old[NSStoreUUIDKey] as? String ?? UUID().uuidString
        var metadata = old
        for (key, value) in StoreMetadata.make(entities: target.entities, identifiers: identifiers, identifier: uuid) {
            if key == StoreMetadata.autoVacuumKey, old[key] == nil { continue }
            metadata[key] = value
        }
        amending(&metadata, outcome)
        try StoreMetadata.write(metadata, to: connection)
        let content = try CachedModel.content(of: model)
        if try connection.tableExists(SchemaNaming.modelTable) {
            try connection.execute("DELETE FROM Z_MODELCACHE")
        } else {
            try connection.execute("CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)")
        }
        try connection.run("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)", [.blob(content)])
    }
}
