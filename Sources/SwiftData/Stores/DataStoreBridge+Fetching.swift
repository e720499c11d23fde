// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Fetches of a custom store, with the context's help where it cannot filter or sort. SwiftData-W3, W4.

import CoreData
import Foundation

/// The fetch of a model context, as its program wrote it.
struct TypedFetch: Sendable {
    @TaskLocal static var current: TypedFetch?

    let descriptor: any Sendable
    let editingState: EditingState
}

/// The snapshots that one call of the engine has read.
final class CallReadings {
    private weak var context: NSManagedObjectContext?
    var all: [NSManagedObjectID: SnapshotReading] = [:]
    private var next: [NSManagedObjectID: SnapshotReading] = [:]

    /// Forgets the snapshots of earlier calls, which had other contexts.
    func begin(_ context: NSManagedObjectContext) {
        if self.context === context { return }
        self.context = context
        all = next
        next = [:]
    }

    /// - Parameter next: the snapshots that the next call begins with.
    func end(next: [NSManagedObjectID: SnapshotReading] = [:]) {
        context = nil
        all = [:]
        self.next = next
    }
}

extension DataStoreBridge {
    func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>, _ context: NSManagedObjectContext) throws -> [Any] {
        guard let entity = request.entity else { return [] }
        readings.begin(context)
        return try fetch(request, entity, try modelType(entity), context)
    }

    private func modelType(_ entity: NSEntityDescription) throws -> any PersistentModel.Type {
        guard let type = (entity.companion as? EntityCompanion)?.type as? any PersistentModel.Type else {
            throw ModelError(.unknownSchema, entity: entity.name, "the entity belongs to no model class")
        }
        return type
    }

    private func fetch<T: PersistentModel>(
        _ request: NSFetchRequest<any NSFetchRequestResult>, _ entity: NSEntityDescription, _ type: T.Type,
        _ context: NSManagedObjectContext
    ) throws -> [Any] {
        let asked = TypedFetch.current
        // A store knows no searches: it would return models that do not match.
        if var descriptor = asked?.descriptor as? FetchDescriptor<T>, request.includesSubentities,
            descriptor.search == nil
        {
            // The request has no window if unsaved changes are laid over the result.
            descriptor.fetchLimit = request.fetchLimit == 0 ? nil : request.fetchLimit
            descriptor.fetchOffset = request.fetchOffset == 0 ? nil : request.fetchOffset
            if let answer = try answer(descriptor, request, entity) { return answer }
        }
        let all = try ids(FetchDescriptor<T>(), entity)
        return try results(of: request, among: all, with: context)
    }

    /// The store's own result; nil if the context has to filter and sort.
    private func answer<T: PersistentModel>(
        _ descriptor: FetchDescriptor<T>, _ request: NSFetchRequest<any NSFetchRequestResult>,
        _ entity: NSEntityDescription
    ) throws -> [Any]? {
        do {
            if request.resultType == .countResultType {
                return [NSNumber(value: try store.fetchCount(.init(descriptor: descriptor, editingState: state)))]
            }
            if request.resultType == .managedObjectIDResultType {
                let identifiers = try store.fetchIdentifiers(
                    .init(descriptor: descriptor, editingState: state))
                return identifiers.compactMap(objectID).filter { $0.entity.isKindOf(entity: entity) }
            }
            return try ids(descriptor, entity)
        } catch DataStoreError.preferInMemoryFilter {
            return nil
        } catch DataStoreError.preferInMemorySort {
            return nil
        }
    }

    /// The context of the request; an empty state for requests of the engine itself.
    var state: EditingState { TypedFetch.current?.editingState ?? EditingState() }

    /// Fetches snapshots, keeps them for the call, and returns their ids.
    func ids<T: PersistentModel>(
        _ descriptor: FetchDescriptor<T>, _ entity: NSEntityDescription
    ) throws -> [NSManagedObjectID] {
        let found = try store.snapshots(.init(descriptor: descriptor, editingState: state))
        for snapshot in found.related { note(snapshot) }
        return found.fetched.compactMap(note).filter { $0.entity.isKindOf(entity: entity) }
    }

    @discardableResult
    private func note(_ snapshot: any DataStoreSnapshot) -> NSManagedObjectID? {
        guard let id = objectID(snapshot.persistentIdentifier) else { return nil }
        readings.all[id] = SnapshotReading(snapshot)
        return id
    }

    // MARK: Single records

    /// The record of an id: of this call, from the store's cache, or fetched.
    ///
    /// - Throws: 133000 for a record that is not there.
    func reading(_ id: NSManagedObjectID, _ context: NSManagedObjectContext) throws -> SnapshotReading {
        readings.begin(context)
        if let known = readings.all[id] { return known }
        let identifier = PersistentIdentifier(lasting: id)
        for snapshot in try store.cached([identifier], state) { note(snapshot) }
        if readings.all[id] == nil { try fetch(identifier, id, modelType(id.entity)) }
        guard let found = readings.all[id] else { throw CocoaError(.managedObjectReferentialIntegrity) }
        return found
    }

    private func fetch<T: PersistentModel>(
        _ identifier: PersistentIdentifier, _ id: NSManagedObjectID, _ type: T.Type
    ) throws {
        var descriptor = FetchDescriptor<T>(predicate: #Predicate { $0.persistentModelID == identifier })
        do {
            _ = try ids(descriptor, id.entity)
        } catch DataStoreError.preferInMemoryFilter {
            descriptor.predicate = nil
            _ = try ids(descriptor, id.entity)
        }
    }
}

extension DataStore {
    /// The records of a fetch, and related ones that the store returned.
    fileprivate func snapshots<T: PersistentModel>(
        _ request: DataStoreFetchRequest<T>
    ) throws -> (fetched: [any DataStoreSnapshot], related: [any DataStoreSnapshot]) {
        let result = try fetch(request)
        return (result.fetchedSnapshots, Array(result.relatedSnapshots.values))
    }

    fileprivate func cached(
        _ identifiers: [PersistentIdentifier], _ state: EditingState
    ) throws -> [any DataStoreSnapshot] {
        Array(try cachedSnapshots(for: identifiers, editingState: state).values)
    }
}
