// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks the metadata of a store, and the copy of the model that it keeps.

import CoreData
import CoreDataModelFiles
import Foundation
import SQLiteDriver

extension Examination {
    func checkMetadata() throws {
        let rows = try store.connection.rows("SELECT Z_VERSION, Z_UUID, Z_PLIST FROM Z_METADATA ORDER BY Z_VERSION")
        guard let first = rows.first else {
            let repair = try newMetadata(identifier: UUID().uuidString).map { bytes, identifier in
                Repair(
                    .statements([
                        "INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, \(identifier.sqlLiteral), "
                            + "\(bytes.sqlLiteral))"
                    ]), "A row of metadata is written, with the new identifier \(identifier).")
            }
            try note("metadata.missing", nil, nil, "Z_METADATA has no row.", repair: repair)
            return try checkCachedModel(nil)
        }
        if rows.count > 1 {
            let kept = first[0].integerValue ?? 1
            try note(
                "metadata.rows", nil, nil, count: rows.count - 1, "Z_METADATA has \(rows.count) rows in place of one.",
                repair: Repair(
                    .statements(["DELETE FROM Z_METADATA WHERE Z_VERSION <> \(kept)"]),
                    "\(Self.rows(rows.count - 1)) of metadata are removed."))
        }
        try checkIdentifier(first[1].textValue ?? "")
        // The oldest stores keep text, and an empty dictionary.
        let bytes = first[2].blobValue ?? first[2].textValue.map { Data($0.utf8) }
        guard let bytes, let values = try? PropertyListBounds.values(of: bytes) as? [String: Any] else {
            let repair = try newMetadata(identifier: store.identifier).map { bytes, _ in
                Repair(
                    .statements(["UPDATE Z_METADATA SET Z_PLIST = \(bytes.sqlLiteral)"]),
                    "The metadata are written anew; those of the app are lost.")
            }
            try note(
                "metadata.unreadable", nil, nil, "The metadata are no property list with a dictionary.", repair: repair)
            return try checkCachedModel(nil)
        }
        try checkHashes(values)
        try checkCachedModel(values)
    }

    private func checkIdentifier(_ identifier: String) throws {
        guard UUID(uuidString: identifier) == nil else { return }
        let new = UUID().uuidString
        try note(
            "metadata.uuid", nil, nil,
            identifier.isEmpty ? "The store has no identifier." : "The identifier is no UUID.",
            repair: Repair(
                .statements(["UPDATE Z_METADATA SET Z_UUID = \(new.sqlLiteral)"]),
                "The store gets the identifier \(new). URIs with the former one lead nowhere."))
    }

    /// The entities of the store in the model that it keeps, or in the given one.
    private func storeModel() throws -> NSManagedObjectModel? {
        guard var document = store.document else { return nil }
        let names = Set(store.file.entities.map(\.name))
        for position in document.entities.indices { document.entities[position].className = nil }
        let model = NSManagedObjectModel(document: document)
        // A configuration has the entities of the store; Z_PRIMARYKEY says which.
        guard names.isSubset(of: model.entitiesByName.keys) || names.isEmpty else { return nil }
        return model
    }

    private func newMetadata(identifier: String) throws -> (Data, String)? {
        guard let model = try storeModel() else { return nil }
        let names = Set(store.file.entities.map(\.name))
        guard names.isEmpty || names == Set(model.entitiesByName.keys) else { return nil }
        return (try StoreTables.metadata(model, identifier: identifier), identifier)
    }

    // MARK: Version hashes

    private func checkHashes(_ values: [String: Any]) throws {
        guard let hashes = values["NSStoreModelVersionHashes"] as? [String: Data], !hashes.isEmpty else {
            // The framework of 2005 wrote no hashes.
            guard values["NSPersistenceFrameworkVersion"] != nil || store.file.cachedModel != nil else { return }
            let model = try storeModel()
            try note(
                "metadata.hashes", nil, nil, "The metadata have no version hashes.",
                repair: try model.map {
                    try replaced(values, hashes: $0.entityVersionHashesByName, "The version hashes are written.")
                })
            return
        }
        for (key, wanted) in [
            ("NSStoreModelVersionHashesDigest", VersionDigest.digest(hashes)),
            ("NSStoreModelVersionChecksumKey", VersionDigest.checksum(hashes)),
        ] {
            guard let found = values[key] as? String, found != wanted else { continue }
            try note(
                "metadata.digest", nil, key, "\(key) does not fit the version hashes.",
                repair: try replaced(values, hashes: hashes, "\(key) is computed anew."))
        }
    }

    private func replaced(_ values: [String: Any], hashes: [String: Data], _ text: String) throws -> Repair {
        var values = values
        values["NSStoreModelVersionHashes"] = hashes
        values["NSStoreModelVersionHashesVersion"] = values["NSStoreModelVersionHashesVersion"] ?? 3
        values["NSStoreModelVersionHashesDigest"] = VersionDigest.digest(hashes)
        values["NSStoreModelVersionChecksumKey"] = VersionDigest.checksum(hashes)
        let bytes = try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
        return Repair(.statements(["UPDATE Z_METADATA SET Z_PLIST = \(bytes.sqlLiteral)"]), text)
    }

    // MARK: The copy of the model

    private func checkCachedModel(_ metadata: [String: Any]?) throws {
        let hashes = metadata?["NSStoreModelVersionHashes"] as? [String: Data] ?? [:]
        guard try store.connection.tableExists("Z_MODELCACHE"),
            let content = try store.connection.value("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1"),
            content != .null
        else {
            let limit =
                store.isModelGiven
                ? ""
                : " It was examined by its tables alone: rules of values, and parts without a trace in the tables, take "
                    + "--model."
            return try note(
                "model.missing", nil, nil, "The store keeps no copy of its model.\(limit)",
                repair: try cachedModel(fitting: hashes))
        }
        guard let cached = store.file.cachedModel else {
            return try note(
                "model.unreadable", nil, nil, "The store's copy of its model cannot be read.",
                repair: try cachedModel(fitting: hashes))
        }
        let known = NSManagedObjectModel(document: cached)
        let cachedHashes = known.entityVersionHashesByName
        let differing = hashes.filter { name, hash in
            cachedHashes[name] != hash && !Self.hasDerivedAttributes(known.entitiesByName[name])
        }
        guard !differing.isEmpty else { return }
        try note(
            "model.differs", nil, nil, count: differing.count,
            "The copy of the model has another version of \(differing.keys.sorted().list) than the metadata.",
            repair: try cachedModel(fitting: hashes))
    }

    /// Hashes of entities with derived attributes are not comparable with those of Apple's framework.
    private static func hasDerivedAttributes(_ entity: NSEntityDescription?) -> Bool {
        entity?.properties.contains { $0 is NSDerivedAttributeDescription } ?? false
    }

    /// The change that keeps a copy of the given model; nil without a model of the store's version.
    private func cachedModel(fitting hashes: [String: Data]) throws -> Repair? {
        guard store.isModelGiven, let document = store.document else { return nil }
        let model = NSManagedObjectModel(document: document)
        let known = model.entityVersionHashesByName
        guard
            hashes.allSatisfy({ known[$0.key] == $0.value || Self.hasDerivedAttributes(model.entitiesByName[$0.key]) })
        else { return nil }
        let content = try StoreTables.cachedModel(model)
        return Repair(
            .statements([
                "CREATE TABLE IF NOT EXISTS Z_MODELCACHE (Z_CONTENT BLOB)", "DELETE FROM Z_MODELCACHE",
                "INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (\(content.sqlLiteral))",
            ]), "The model is kept in Z_MODELCACHE.")
    }
}
