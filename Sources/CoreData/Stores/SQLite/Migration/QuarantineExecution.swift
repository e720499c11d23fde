// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Moves the rows that cannot be migrated out of a locked store, into a store of their version.

import CoreDataModelFiles
import Foundation
import SQLiteDriver

/// Migration-M28.
struct QuarantineExecution {
    let prepared: SQLiteMigration.Prepared
    let connection: Connection
    let url: URL
    /// The free bytes on the disk of the store; nil if the system does not report them.
    let freeBytes: Int64?

    /// Finds the rows, copies them to their file, and deletes them from the tables. The caller commits or rolls back.
    ///
    /// - Returns: nil without such rows.
    func run() throws -> QuarantinedRows? {
        guard let selection = try QuarantineSelection(prepared.transition, prepared.script.checks, connection) else {
            return nil
        }
        defer { selection.end() }
        let writer = QuarantineWriter(
            source: connection, store: url, outline: prepared.outline, schema: prepared.transition.source,
            keys: selection.keys)
        try requireSpace(writer, selection.keys.keys)
        let hashes = NSManagedObjectModel.versionHashes(inStoreMetadata: prepared.metadata) ?? [:]
        let file = try QuarantineFile(of: url, checksum: VersionDigest.checksum(hashes))
        do {
            var result = QuarantinedRows(
                rows: selection.rows, file: file, identifier: prepared.metadata[NSStoreUUIDKey] as? String ?? "")
            result.files = try writer.write(to: file.url)
            result.counts = selection.counts
            // They would run during the removal.
            for trigger in prepared.outline.triggers {
                try connection.execute("DROP TRIGGER \(SchemaNaming.quoted(trigger.name))")
            }
            try selection.remove()
            return result
        } catch {
            file.discard()
            throw error
        }
    }

    private func requireSpace(_ writer: QuarantineWriter, _ tables: some Sequence<String>) throws {
        let space = MigrationSpace(url: url)
        var bytes = try space.bytes(for: prepared.script, connection) + writer.bytes(space)
        for table in tables { bytes += try space.size(of: table, connection) }
        try space.require(bytes: bytes, free: freeBytes)
    }
}
