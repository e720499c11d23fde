// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Notes which records entered and left the scope of a device since its last pull.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// A scope as of one revision of the server.
struct PullScope {
    let id: String
    let revision: Int64
    let floor: Int64
}

extension ServiceCore {
    /// Scopes that no device used for so long are removed, in seconds.
    private static let unusedScopeAge: TimeInterval = 30 * 24 * 3600
    /// As many leavings are kept for each scope at least.
    private static let keptLeavings = 1_000

    /// The scope of a pull, brought to the present state, in at most one save (S2).
    ///
    /// - Returns: nil if the authority gives the user all records.
    func scope(of request: SyncPull, _ user: SyncUser, _ context: NSManagedObjectContext) throws -> PullScope? {
        guard let shapes = try BoundShapes(self, user, chosen: request.shapes) else { return nil }
        let replica = try ReplicaRow.existing(request.replica, in: context)
        if let replica, replica.user != user.id {
            throw SyncError(.notPermitted, "The replica belongs to another user.")
        }
        let state = try state(context)
        let present = try ScopeRow.existing(shapes.key, in: context)
        if let present, present.revision == state.revision, replica?.scope == present.id {
            return PullScope(id: present.id, revision: present.revision, floor: present.floor)
        }
        // Insertions that a replica sent before its first pull of the scope are not noted as held (S3).
        if request.after != nil, replica?.scope == nil || replica?.scope != present?.id {
            throw SyncError(.startAnew, "The device has not pulled these shapes yet.")
        }
        let row = try present ?? newScope(shapes.key, context)
        let owner = replica ?? ReplicaRow.insert(request.replica, user: user.id, environment.now(), in: context)
        if owner.scope != row.id { owner.scope = row.id }
        row.touch(environment.now())
        let objects = try Membership(service: self, context: context, user: user, shapes: shapes).objects()
        let isChanged = try ScopeChange(service: self, context: context, row: row, next: state.revision + 1)
            .note(objects)
        if isChanged {
            try number(context) { state in row.revision = state.revision }
        } else {
            row.revision = state.revision
            try context.save()
        }
        return PullScope(id: row.id, revision: row.revision, floor: row.floor)
    }

    /// The same; nil if another save changed the same rows.
    func presentScope(of request: SyncPull, _ user: SyncUser, _ context: NSManagedObjectContext) throws -> PullScope?? {
        do { return .some(try scope(of: request, user, context)) } catch {
            guard case .conflict = SaveFailure(error) else { throw error }
            return nil
        }
    }

    private func newScope(_ key: String, _ context: NSManagedObjectContext) throws -> ScopeRow {
        let time = environment.now().addingTimeInterval(-Self.unusedScopeAge)
        for row in try ScopeRow.unused(since: time, in: context) {
            let presences = PresenceRow.request(NSPredicate(format: "scope == %@", row.id))
            for presence in try context.fetch(presences) { context.delete(presence) }
            context.delete(row.object)
        }
        return ScopeRow.insert(key, id: environment.makeID(), in: context)
    }

    /// Keeps the newest leavings only. A device with an older place pulls everything.
    fileprivate func forgetLeavings(_ row: ScopeRow, members: Int, _ context: NSManagedObjectContext) throws {
        let request = PresenceRow.request(NSPredicate(format: "scope == %@ AND isIn == NO", row.id))
        let count = try context.count(for: request)
        guard count > max(Self.keptLeavings, members) else { return }
        request.sortDescriptors = [NSSortDescriptor(key: "revision", ascending: true)]
        let leavings = try context.fetch(request).map(PresenceRow.init)
        row.floor = leavings[leavings.count / 2].revision
        for leaving in leavings where leaving.revision <= row.floor { context.delete(leaving.object) }
    }
}

/// Compares the members of a scope with its presences.
private struct ScopeChange {
    let service: ServiceCore
    let context: NSManagedObjectContext
    let row: ScopeRow
    /// The revision of entering and leaving.
    let next: Int64

    /// - Returns: whether a record entered or left.
    func note(_ objects: Set<NSManagedObject>) throws -> Bool {
        let table = RecordTable(context)
        try table.load(objects: Array(objects))
        var members: [UUID: NSManagedObject] = [:]
        for object in objects { if let name = try table.entry(of: object)?.name { members[name] = object } }
        let before = try PresenceRow.namesIn(row.id, in: context)
        let (entering, leaving) = (Set(members.keys).subtracting(before), before.subtracting(members.keys))
        guard !entering.isEmpty || !leaving.isEmpty else { return false }
        let holders = try before.isEmpty ? [] : self.holders(entering, leaving, members, table)
        let changed = try PresenceRow.fetch(entering.union(leaving).union(holders), scope: row.id, in: context)
        for (name, presence) in changed {
            if service.faults.contains(.keepsLeft), leaving.contains(name) { continue }
            (presence.revision, presence.isIn) = (next, members[name] != nil)
        }
        for name in entering where changed[name] == nil {
            guard let record = table.resolve(name)?.row else { continue }
            _ = PresenceRow.insert(record, scope: row.id, revision: next, in: context)
        }
        try service.forgetLeavings(row, members: members.count, context)
        return true
    }

    /// The members with a link to a record which enters or leaves: devices get other links of them (S4).
    private func holders(
        _ entering: Set<UUID>, _ leaving: Set<UUID>, _ members: [UUID: NSManagedObject], _ table: RecordTable
    ) throws -> Set<UUID> {
        try table.load(leaving)
        var objects: Set<NSManagedObject> = []
        for name in entering.union(leaving) {
            guard let object = members[name] ?? table.resolve(name)?.object else { continue }
            for (key, relationship) in object.entity.relationshipsByName where !relationship.isTransient {
                guard let inverse = relationship.inverseRelationship else { continue }
                for holder in object.syncDestinations(key)
                where service.model.entity(of: holder)?.isKept(inverse.name) ?? false { objects.insert(holder) }
            }
            for relationship in oneWay(to: object.entity) {
                let request = NSFetchRequest<NSManagedObject>(entityName: relationship.entity.name ?? "")
                let format = relationship.isToMany ? "ANY %K == %@" : "%K == %@"
                request.predicate = NSPredicate(format: format, relationship.name, object)
                objects.formUnion(try context.fetch(request))
            }
        }
        try table.load(objects: Array(objects))
        return Set(try objects.compactMap { try table.entry(of: $0)?.name }.filter { members[$0] != nil })
    }

    /// The relationships without an inverse that may lead to an entity.
    private func oneWay(to entity: NSEntityDescription) -> [NSRelationshipDescription] {
        service.container.managedObjectModel.entities.flatMap { source -> [NSRelationshipDescription] in
            guard let name = source.name, service.model.entities[name] != nil else { return [] }
            return source.relationshipsByName.values.filter { relationship in
                relationship.inverseRelationship == nil && relationship.entity === source && !relationship.isTransient
                    && (relationship.destinationEntity.map { entity.isKindOf(entity: $0) } ?? false)
            }
        }
    }
}
