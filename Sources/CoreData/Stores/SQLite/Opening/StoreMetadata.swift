// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads and writes the metadata of a store, the one row of Z_METADATA.

import CoreDataModelFiles
import Foundation
import SQLiteDriver

enum StoreMetadata {
    /// The framework version of the Apple release with the same file layout.
    static let frameworkVersion = 1414
    static let hashesVersion = 3
    static let hashesVersionKey = "NSStoreModelVersionHashesVersion"
    private static let digestKey = "NSStoreModelVersionHashesDigest"
    static let checksumKey = "NSStoreModelVersionChecksumKey"
    static let autoVacuumKey = "_NSAutoVacuumLevel"
    /// Keys that survive when a caller replaces the metadata without them.
    private static let ownKeys = [
        NSStoreModelVersionHashesKey, hashesVersionKey, NSStoreModelVersionIdentifiersKey, digestKey, checksumKey,
        NSPersistenceFrameworkVersionKey, autoVacuumKey,
    ]

    /// The metadata of a new store with these entities.
    static func make(entities: [NSEntityDescription], identifiers: [String], identifier: String) -> [String: Any] {
        let hashes = Dictionary(
            entities.map { ($0.name ?? "", $0.versionHash) }, uniquingKeysWith: { first, _ in first })
        return [
            NSStoreTypeKey: NSSQLiteStoreType,
            NSStoreUUIDKey: identifier,
            NSStoreModelVersionHashesKey: hashes,
            hashesVersionKey: hashesVersion,
            NSStoreModelVersionIdentifiersKey: identifiers,
            digestKey: VersionDigest.digest(hashes),
            checksumKey: VersionDigest.checksum(hashes),
            NSPersistenceFrameworkVersionKey: frameworkVersion,
            autoVacuumKey: "2",
        ]
    }

    /// - Throws: 259 when the row is missing or unreadable.
    static func read(_ connection: Connection, url: URL?) throws -> [String: Any] {
        guard try connection.tableExists(SchemaNaming.metadataTable), try connection.tableExists(SchemaNaming.keyTable),
            let row = try connection.rows("SELECT Z_UUID, Z_PLIST FROM Z_METADATA LIMIT 1").first
        else {
            throw CoreDataError.cannotOpenStore(
                url: url, .corrupt, reason: "It is a database, but not one of Core Data: there is no Z_METADATA.")
        }
        var metadata: [String: Any] = [:]
        if let data = row[1].blobValue {
            guard
                let list = try? PropertyListBounds.values(of: data),
                let values = list as? [String: Any]
            else {
                throw CoreDataError.cannotOpenStore(
                    url: url, .corrupt, reason: "Its metadata is no property list with a dictionary.")
            }
            metadata = values
        }
        metadata[NSStoreTypeKey] = NSSQLiteStoreType
        metadata[NSStoreUUIDKey] = row[0].textValue ?? ""
        return metadata
    }

    /// The metadata in the file; empty if they are missing, or not a property list.
    ///
    /// - Throws: the error of the read. After it SQLite may have ended the transaction, so that later statements would
    ///   be committed on their own.
    private static func present(_ connection: Connection) throws -> [String: Any] {
        do {
            return try read(connection, url: nil)
        } catch let error as SQLiteError {
            throw error
        } catch {
            return [:]
        }
    }

    /// Writes the row, within a transaction. The store's own values remain if the caller left them out.
    static func write(_ metadata: [String: Any], to connection: Connection) throws {
        var values = metadata
        let old = try present(connection)
        for key in ownKeys where values[key] == nil { values[key] = old[key] }
        let uuid = values.removeValue(forKey: NSStoreUUIDKey) as? String ?? old[NSStoreUUIDKey] as? String ?? ""
        values[NSStoreTypeKey] = NSSQLiteStoreType
        let data: Data
        do {
            data = try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
        } catch {
            throw CoreDataError.storeOperation(
                "The metadata cannot be stored: it may hold property list values alone.", underlying: error)
        }
        try connection.run(
            "INSERT OR REPLACE INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)",
            [.text(uuid), .blob(data)])
    }
}
