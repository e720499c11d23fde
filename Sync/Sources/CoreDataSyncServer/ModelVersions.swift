// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Serves devices with an older or a newer version of the server's model.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// Compares the versions that requests name with the server's, and translates names (`Documentation/Versions.md`).
struct ModelVersions: Sendable {
    let schema: SyncSchema
    /// The text of `schema` that the store keeps; each push and pull compares it.
    let digest: Data
    let names: SyncNames
    /// The versions that devices may have besides the server's; nil for all.
    let accepted: [SyncSchema]?
    /// The server's version, for people.
    let version: String

    init(_ model: NSManagedObjectModel, _ schema: SyncSchema, accepted: [NSManagedObjectModel]?) {
        self.schema = schema
        digest = Self.digest(schema)
        names = SyncNames(model)
        self.accepted = accepted?.map { SyncModel($0).schema }
        version = model.versionIdentifiers.map { "\($0)" }.sorted().joined(separator: ", ")
    }

    /// - Throws: `SyncError.upgrade` for a version that the server does not serve (V5).
    func check(_ request: SyncSchema) throws {
        guard let accepted, request != schema, !accepted.contains(request) else { return }
        let wanted = version.isEmpty ? "the server's version of the model" : "version \(version) of the model"
        throw SyncError(.upgrade, "The device needs \(wanted).")
    }

    /// Whether a device has the server's version of all entities.
    func isServers(_ request: SyncSchema) -> Bool { request.entities.isEmpty || request == schema }

    /// Whether a device has another version of an entity, which is given by its present name.
    func differs(_ request: SyncSchema, entity: String) -> Bool {
        let former = names.former(ofEntity: entity)
        guard let hash = request.entities[entity] ?? former.flatMap({ request.entities[$0] }) else { return false }
        return hash != schema.entities[entity]
    }

    // MARK: Names

    /// The batch with the server's names (V2).
    func present(_ request: SyncPush) -> SyncPush {
        guard request.schema != schema else { return request }
        var request = request
        request.changes = request.changes.map { change in
            let entity = names.entities[change.entity] ?? change.entity
            return differs(request.schema, entity: entity) ? names.present(change) : change
        }
        return request
    }

    /// The page with the names that the device knows; properties have both (V2).
    func former(_ page: SyncPage, for request: SyncSchema) -> SyncPage {
        guard request != schema, !request.entities.isEmpty else { return page }
        var page = page
        page.records = page.records.map { state in
            var state = state
            if differs(request, entity: state.entity) {
                state.values = names.withFormer(state.values, of: state.entity)
                state.members = names.withFormer(state.members, of: state.entity)
                state.orders = names.withFormer(state.orders, of: state.entity)
                let outside = names.properties[state.entity]?.filter { state.outside?.contains($0.value) ?? false }
                if let outside, !outside.isEmpty { state.outside = ((state.outside ?? []) + outside.keys).sorted() }
            }
            if request.entities[state.entity] == nil, let name = names.former(ofEntity: state.entity) {
                state.entity = name
            }
            return state
        }
        return page
    }

    // MARK: Unknown properties

    /// The part of a change that the server's model does not have, kept for devices with a newer model (V3).
    func unknown(_ change: SyncChange, _ entity: SyncEntity, _ request: SyncSchema) -> [String: SyncField] {
        guard differs(request, entity: entity.name) else { return [:] }
        return change.fields.filter { !entity.isKept($0.key) }
    }

    /// - Throws: `SyncError.unavailable` for parts of a newer model that the server cannot keep (V4).
    func checkParts(_ request: SyncPush, _ model: SyncModel) throws {
        guard request.schema != schema else { return }
        for change in request.changes {
            guard let entity = model.entities[change.entity] else {
                guard request.schema.entities[change.entity] != nil else { continue }
                throw SyncError(.unavailable, "The server's model does not have the entity '\(change.entity)' yet.")
            }
            guard differs(request.schema, entity: entity.name) else { continue }
            let keys = Array(change.members.keys) + Array(change.counters.keys) + Array(change.places.keys)
            guard let key = keys.sorted().first(where: { !entity.isKept($0) }) else { continue }
            throw SyncError(.unavailable, "The server's model does not have '\(key)' of '\(change.entity)' yet.")
        }
    }
}

extension ServiceCore {
    /// The replica of a batch as the origin of records. A device with another version of the model may have other
    /// values than the server makes of its changes, so they come back.
    func origin(of push: SyncPush) -> String? { versions.isServers(push.schema) ? push.replica.text : nil }

    /// Keeps newer values of properties that only the device's model has (V3).
    func keepUnknown(_ changes: [SyncChange], of push: SyncPush, _ table: RecordTable) {
        if versions.isServers(push.schema) { return }
        for change in changes where change.kind != .delete {
            guard let entry = table.resolve(change.name), let entity = model.entities[entry.entity] else { continue }
            let fields = versions.unknown(change, entity, push.schema)
            if fields.isEmpty { continue }
            entry.row.unknown.merge(fields) { $0.stamp < $1.stamp ? $1 : $0 }
        }
    }
}
