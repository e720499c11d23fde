// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the metadata, entities and cached model of a store's file, without a model.

package import CoreDataModelFiles
package import Foundation
package import SQLiteDriver

/// A store inspected without a model: a database through SQL, other files by the part before their objects.
package struct StoreFile: Sendable {
    /// A row of `Z_PRIMARYKEY`.
    package struct KnownEntity: Sendable, Equatable {
        package var number: Int64
        package var name: String
        /// 0 for an entity without a superentity.
        package var superNumber: Int64
    }

    /// The first number of the framework's internal entities (history, mirroring).
    package static let firstReservedNumber: Int64 = 16000

    package var uuid: String?
    package var frameworkVersion: Int?
    /// By entity name; empty for stores from 2005, which have none.
    package var hashes: [String: Data] = [:]
    package var versionIdentifiers: [String] = []
    /// In the order of their numbers, without the framework's internal ones.
    package var entities: [KnownEntity] = []
    /// nil if the store has no cached model, or an unreadable one.
    package var cachedModel: ModelDocument?

    package init(_ connection: Connection, path: String) throws {
        guard try connection.tableExists("Z_PRIMARYKEY"), try connection.tableExists("Z_METADATA") else {
            throw ToolError(
                "\(path) is a SQLite database, but no Core Data store: it has no Z_PRIMARYKEY or Z_METADATA.")
        }
        try readMetadata(connection)
        for row in try connection.rows("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT") {
            guard let number = row[0].integerValue, let name = row[1].textValue, number < Self.firstReservedNumber
            else { continue }
            entities.append(KnownEntity(number: number, name: name, superNumber: row[2].integerValue ?? 0))
        }
        if try connection.tableExists("Z_MODELCACHE"),
            let content = try connection.value("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")?.blobValue
        {
            cachedModel = try? KeyedModelReader.read(modelCache: content)
        }
    }

    /// The names of the store's entities in the model. An in-place migration leaves old names in `Z_PRIMARYKEY`, so the
    /// metadata take precedence.
    package var entityNames: Set<String> {
        hashes.isEmpty ? Set(entities.map(\.name)) : Set(hashes.keys)
    }

    /// - Parameter entities: the names in the file, in order.
    package init(metadata: [String: Any], entities names: [String]) {
        uuid = metadata["NSStoreUUID"] as? String
        entities = names.enumerated().map {
            KnownEntity(number: Int64($0.offset + 1), name: $0.element, superNumber: 0)
        }
        read(metadata)
    }

    private mutating func readMetadata(_ connection: Connection) throws {
        guard let row = try connection.rows("SELECT Z_UUID, Z_PLIST FROM Z_METADATA LIMIT 1").first else { return }
        uuid = row[0].textValue
        // The oldest stores contain text.
        guard let plist = row[1].blobValue ?? row[1].textValue.map({ Data($0.utf8) }),
            let values = try? PropertyListBounds.values(of: plist) as? [String: Any]
        else { return }
        read(values)
    }

    private mutating func read(_ values: [String: Any]) {
        hashes = values["NSStoreModelVersionHashes"] as? [String: Data] ?? [:]
        frameworkVersion = (values["NSPersistenceFrameworkVersion"] as? NSNumber)?.intValue
        versionIdentifiers = (values["NSStoreModelVersionIdentifiers"] as? [Any] ?? [])
            .compactMap { $0 as? String }.filter { !$0.isEmpty }
    }
}
