// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides which records a device with shapes may change and link to.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// Changes that would take records out of the shapes: the save is not made.
struct LeavingRecords: Error {
    let reasons: [SyncRefusal]
}

/// The records that a batch mentions and that its user may reach (S5). Evaluated before the batch changes anything.
struct ShapeRights {
    private let membership: Membership
    private let reachable: Set<UUID>

    /// - Parameter done: records that groups of this batch, which are saved already, inserted.
    /// - Returns: nil if the authority gives the user all records.
    init?(
        _ service: ServiceCore, _ context: NSManagedObjectContext, _ user: SyncUser, _ table: RecordTable,
        scope: String?, done: Set<UUID>
    ) throws {
        guard let shapes = try BoundShapes(service, user), !service.faults.contains(.writesForeign) else { return nil }
        var names = done
        var objects: [NSManagedObject: UUID] = [:]
        for entry in table.all { if let object = entry.object { objects[object] = entry.name } }
        let membership = Membership(service: service, context: context, user: user, shapes: shapes)
        for object in try membership.reachable(among: Set(objects.keys)) {
            if let name = objects[object] { names.insert(name) }
        }
        let dead = Set(table.all.filter { $0.object == nil }.map(\.name))
        if let scope { names.formUnion(try PresenceRow.fetch(dead, scope: scope, in: context).keys) }
        self.membership = membership
        reachable = names
    }

    /// The reasons against changes after which records are outside of the shapes, although the authority does not let
    /// records of their entities leave (S6). The changes are made, and not saved.
    func reasonsAgainstLeaving(_ changes: [SyncChange], _ table: RecordTable) throws -> [SyncRefusal] {
        let (service, user) = (membership.service, membership.user)
        var objects: [NSManagedObject: SyncChange] = [:]
        for change in changes where change.kind != .delete {
            guard let entry = table.resolve(change.name), let object = entry.object, !object.isDeleted,
                !service.authority.mayLeave(entity: entry.entity, user: user)
            else { continue }
            objects[object] = change
        }
        guard !objects.isEmpty else { return [] }
        let inside = try membership.reachable(among: Set(objects.keys))
        return objects.filter { !inside.contains($0.key) }.map(\.value).sorted { $0.name.precedes($1.name) }
            .map { change in
                SyncRefusal(
                    name: change.name, domain: SyncError.domain, code: SyncErrorCode.notPermitted.rawValue,
                    key: membership.shapes.key(of: change),
                    text: "The record would leave the user's shapes, which the server does not allow.")
            }
    }

    func mayReach(_ entry: TableEntry) -> Bool { reachable.contains(entry.name) }

    /// The same for a record that the batch does not mention.
    func mayReach(unmentioned object: NSManagedObject) throws -> Bool {
        try !membership.reachable(among: [object]).isEmpty
    }
}
