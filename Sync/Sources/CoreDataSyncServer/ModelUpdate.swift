// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Keeps the server's records true after its model changed: former names, and values that devices sent before.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

extension ServiceCore {
    /// After a change of the server's model, in one save: present names of entities and properties (V2), and kept
    /// values of properties that the model has now (V3). Reads all records of entities with former names.
    ///
    /// - Returns: whether the model had changed.
    func adaptToModel(_ state: StateRow, _ context: NSManagedObjectContext) throws -> Bool {
        let digest = versions.digest
        guard state.schema != digest else { return false }
        for row in try renamedRows(context) { rename(row) }
        let table = RecordTable(context)
        let rows = try RecordRow.fetch(NSPredicate(format: "unknown != nil"), in: context)
        try table.load(Set(rows.map(\.name)))
        for row in rows {
            guard let entry = table.resolve(row.name) else { continue }
            try adopt(entry, table)
        }
        let revision = state.revision + 1
        for entry in table.all where entry.isTouched {
            entry.row.metadata = entry.metadata
            entry.row.revision = revision
            entry.row.origin = nil
        }
        try number(context) { $0.schema = digest }
        return true
    }

    private func renamedRows(_ context: NSManagedObjectContext) throws -> [RecordRow] {
        let names = Array(versions.names.entities.keys) + Array(versions.names.properties.keys)
        return names.isEmpty ? [] : try RecordRow.fetch(NSPredicate(format: "entityName IN %@", names), in: context)
    }

    private func rename(_ row: RecordRow) {
        let entity = versions.names.entities[row.entityName] ?? row.entityName
        if entity != row.entityName {
            row.uri = row.uri.map { SyncNames.uri($0, entity: entity) }
            row.object.setValue(entity, forKey: "entityName")
        }
        var metadata = row.metadata
        metadata.stamps = versions.names.present(metadata.stamps, of: entity)
        metadata.edges = versions.names.present(metadata.edges, of: entity)
        metadata.settled = versions.names.present(metadata.settled, of: entity)
        metadata.places = versions.names.present(metadata.places, of: entity)
        metadata.counted = versions.names.present(metadata.counted, of: entity)
        metadata.derived = Set(metadata.derived.map { versions.names.properties[entity]?[$0] ?? $0 })
        if metadata != row.metadata { row.metadata = metadata }
    }

    private func adopt(_ entry: TableEntry, _ table: RecordTable) throws {
        guard let object = entry.object, let entity = model.entities[entry.entity] else { return }
        for (key, field) in versions.names.present(entry.row.unknown, of: entity.name) {
            if let attribute = entity.attributes[key] {
                // A value of another type is one of another property.
                guard (try? SyncValueCoding.decode(field.value, attribute)) != nil || field.value == .null else {
                    continue
                }
                try object.setSync(field.value, attribute)
            } else if entity.links[key] != nil {
                guard case .link(let name) = field.value else { continue }
                try table.load([name])
                object.setSyncLink(table.resolve(name)?.object, key)
            } else {
                continue
            }
            entry.metadata.stamps[key] = field.stamp
            entry.isTouched = true
        }
        entry.row.unknown = entry.row.unknown.filter {
            !entity.isKept(versions.names.properties[entity.name]?[$0.key] ?? $0.key)
        }
    }
}

extension ModelVersions {
    /// Equal for equal versions of all entities.
    static func digest(_ schema: SyncSchema) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(schema)) ?? Data()
    }
}
