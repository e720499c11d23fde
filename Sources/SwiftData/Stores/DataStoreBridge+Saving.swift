// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Saves and batch deletions of a custom store. SwiftData-W5, W6.

import CoreData
import Foundation

extension DataStoreBridge {
    func save(_ request: NSSaveChangesRequest, _ context: NSManagedObjectContext) throws -> [Any] {
        let changes = SavedRows(request)
        if changes.isEmpty { return [] }
        let state = (context as? EngineContext)?.above?.editingState ?? EditingState()
        // If reading fails after the save, older snapshots must not be taken for the present ones.
        readings.end()
        let (permanent, rewritten) = try store.write(changes, state)
        for row in changes.inserted {
            let temporary = PersistentIdentifier(lasting: row.objectID)
            guard let given = permanent[temporary]?.id.parts, !given.isTemporary, !given.key.isEmpty else {
                throw fault("has given no permanent identifier to a new record", row)
            }
            guard given.entity == row.entity.name else {
                throw fault("has given a new record the identifier of a '\(given.entity)'", row)
            }
            guard rename(row.objectID, to: given.key) else {
                throw fault("has given a new record the identifier \(given.key), which another record has", row)
            }
            renamed[temporary.id.parts.key] = row.objectID
        }
        let readings = rewritten.compactMap { snapshot in
            objectID(snapshot.persistentIdentifier).map { ($0, SnapshotReading(snapshot)) }
        }
        self.readings.end(next: Dictionary(readings, uniquingKeysWith: { first, _ in first }))
        (context as? EngineContext)?.rewritten += readings.map(\.0)
        for row in changes.deleted { forget(row.objectID) }
        return []
    }

    private func fault(_ what: String, _ row: ModelRow) -> ModelError {
        ModelError(
            .loadIssueModelContainer, entity: row.entity.name,
            "the store \(Swift.type(of: store)) \(what); it was saved")
    }

    // MARK: Many at once

    /// Erases the store.
    ///
    /// - Returns: the former records; none for a store that cannot be erased, which still has them.
    func eraseStore() throws -> [NSManagedObjectID] {
        try asking.withLock {
            let all = Array(known)
            do {
                try store.erase()
            } catch DataStoreError.unsupportedFeature {
                return []
            }
            rowCache.forgetAll()
            for id in all { forget(id) }
            return all
        }
    }

    func beginState(_ state: EditingState) { asking.withLock { store.initializeState(for: state) } }
    func endState(_ state: EditingState) { asking.withLock { store.invalidateState(for: state) } }

    /// - Throws: `persistentStoreUnsupportedRequestType` for a store without batches, so the context deletes objects.
    func delete(_ request: NSBatchDeleteRequest) throws -> [NSManagedObjectID] {
        guard let batching = store as? any DataStoreBatching, let asked = TypedFetch.current,
            let deletion = asked.descriptor as? any TypedDeletion
        else { throw CocoaError(.persistentStoreUnsupportedRequestType) }
        do {
            return try deletion.run(batching, self, request.fetchRequest.includesSubentities)
        } catch DataStoreError.preferInMemoryFilter {
            throw CocoaError(.persistentStoreUnsupportedRequestType)
        }
    }
}

private protocol TypedDeletion {
    func run(_ store: any DataStoreBatching, _ bridge: DataStoreBridge, _ includesSubclasses: Bool) throws
        -> [NSManagedObjectID]
}

extension FetchDescriptor: TypedDeletion {
    fileprivate func run(
        _ store: any DataStoreBatching, _ bridge: DataStoreBridge, _ includesSubclasses: Bool
    ) throws -> [NSManagedObjectID] {
        let ids = try store.fetchIdentifiers(.init(descriptor: self, editingState: bridge.state))
            .compactMap(bridge.objectID)
            .filter { includesSubclasses || $0.entity.name == Schema.entityName(for: T.self) }
        try store.delete(
            .init(editingState: bridge.state, predicate: predicate, includeSubclasses: includesSubclasses))
        for id in ids { bridge.forget(id) }
        return ids
    }
}

/// The rows of a save, in an order that does not change.
struct SavedRows {
    let inserted: [ModelRow]
    let updated: [ModelRow]
    let deleted: [ModelRow]

    init(_ request: NSSaveChangesRequest) {
        inserted = Self.rows(request.insertedObjects)
        updated = Self.rows(request.updatedObjects)
        deleted = Self.rows(request.deletedObjects)
    }

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

    private static func rows(_ objects: Set<NSManagedObject>?) -> [ModelRow] {
        (objects ?? []).compactMap { $0 as? ModelRow }.sorted {
            ($0.entity.name ?? "", $0.objectID.recordKey) < ($1.entity.name ?? "", $1.objectID.recordKey)
        }
    }
}

extension DataStore {
    /// - Returns: the permanent identifiers by the temporary ones, and the records that the store changed while
    ///   writing.
    fileprivate func write(
        _ rows: SavedRows, _ state: EditingState
    ) throws -> ([PersistentIdentifier: PersistentIdentifier], [any DataStoreSnapshot]) {
        let request = DataStoreSaveChangesRequest<Snapshot>(
            editingState: state, inserted: rows.inserted.map(snapshot), updated: rows.updated.map(snapshot),
            deleted: rows.deleted.map(snapshot))
        let result = try save(request)
        return (result.remappedIdentifiers, Array(result.snapshotsToReregister.values))
    }

    private func snapshot(_ row: ModelRow) -> Snapshot {
        func make<Model: PersistentModel>(_ type: Model.Type) -> Snapshot {
            var related: [PersistentIdentifier: any BackingData] = [:]
            return Snapshot(from: RowValues<Model>(row), relatedBackingDatas: &related)
        }
        let type: any PersistentModel.Type = Swift.type(of: row.model)
        return make(type)
    }
}
