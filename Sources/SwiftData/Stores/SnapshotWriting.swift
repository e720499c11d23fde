// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Puts snapshots into a context, which saves them.

import CoreData
import Foundation

struct SnapshotWriting {
    private let context: ModelContext
    private var inserted: [(temporary: PersistentIdentifier, row: ModelRow)] = []
    private var rows: [PersistentIdentifier: ModelRow] = [:]

    init(_ context: ModelContext) { self.context = context }

    /// After the save.
    var permanentIdentifiers: [PersistentIdentifier: PersistentIdentifier] {
        Dictionary(
            inserted.map { ($0.temporary, PersistentIdentifier(lasting: $0.row.objectID)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// First all records, then the relationships between them.
    mutating func write(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws {
        for snapshot in request.inserted { try insert(snapshot) }
        for snapshot in request.updated { rows[snapshot.persistentIdentifier] = try row(snapshot.persistentIdentifier) }
        for snapshot in request.inserted + request.updated { try setAttributes(snapshot) }
        for snapshot in request.inserted + request.updated { try setRelationships(snapshot) }
        for snapshot in request.deleted {
            guard let row = try context.existingRow(snapshot.persistentIdentifier) else { continue }
            context.below.delete(row)
        }
    }

    private mutating func insert(_ snapshot: DefaultSnapshot) throws {
        let name = snapshot.persistentIdentifier.entityName
        guard let entity = context.container.schemaModel.model.entitiesByName[name] else {
            throw ModelError(.unknownSchema, entity: name, "the store's schema has no such class")
        }
        let row = ModelRow(entity: entity, insertInto: context.below)
        inserted.append((snapshot.persistentIdentifier, row))
        rows[snapshot.persistentIdentifier] = row
    }

    private func row(_ identifier: PersistentIdentifier) throws -> ModelRow {
        if let row = rows[identifier] { return row }
        guard let row = try context.existingRow(identifier) else {
            throw CocoaError(
                .managedObjectReferentialIntegrity,
                userInfo: [NSLocalizedDescriptionKey: "There is no record \(identifier.id.parts.uri) in the store."])
        }
        return row
    }

    private func setAttributes(_ snapshot: DefaultSnapshot) throws {
        let row = try row(snapshot.persistentIdentifier)
        let present = row.isInserted ? [:] : SnapshotValues.values(of: row)
        for (name, attribute) in row.entity.attributesByName where !attribute.isTransient {
            if let value = snapshot.values[name] {
                row.setValue(try ValueForms.engineValue(value, in: attribute), forKey: name)
            } else if row.isInserted || present[name] != nil {
                // Snapshots do not contain bytes that could not be decoded; the file keeps them.
                row.setValue(nil, forKey: name)
            }
        }
    }

    private func setRelationships(_ snapshot: DefaultSnapshot) throws {
        let row = try row(snapshot.persistentIdentifier)
        for (name, relationship) in row.entity.relationshipsByName {
            let value = snapshot.values[name]
            if relationship.isToMany {
                let members = try (value as? [PersistentIdentifier] ?? []).map(self.row)
                row.setValue(
                    relationship.isOrdered ? NSOrderedSet(array: members) : NSSet(array: members), forKey: name)
            } else {
                row.setValue(try (value as? PersistentIdentifier).map(self.row), forKey: name)
            }
        }
    }
}

extension ModelContext {
    /// nil for a missing record, and for an identifier of another store.
    func existingRow(_ identifier: PersistentIdentifier) throws -> ModelRow? {
        guard let id = objectID(identifier) else { return nil }
        do {
            return try below.existingObject(with: id) as? ModelRow
        } catch let error as NSError
            where error.domain == NSCocoaErrorDomain && error.code == NSManagedObjectReferentialIntegrityError
        {
            return nil
        }
    }
}
