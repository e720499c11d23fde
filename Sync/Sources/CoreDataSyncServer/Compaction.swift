// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Removes the names of deleted and merged records that no replica needs any more.
import CoreData
import CoreDataSyncProtocol
import Foundation

/// The numbers of one compaction.
public struct SyncCompaction: Hashable, Sendable {
    /// The number of deleted and merged records that were forgotten.
    public var forgotten = 0
    /// Replicas that were away longer than the limit.
    public var expired = 0
    /// The number of records of which tags of members were collected.
    public var settled = 0
    /// The number of compact forms of records that were missing, and were made.
    public var forms = 0
    /// Large values that were sent, and that no request used lately.
    public var uploads = 0
    /// Deletions up to this revision are forgotten.
    public var floor: Int64 = 0
}

/// The state of a replica, as its last pull said.
struct NotedPull {
    let user: String
    let applied: Int64
    let time: Date
}

/// (1) A deleted record's name is kept until each known replica has applied its revision. Its presences in scopes go
///     with it, so that a record that comes back under the name enters the scopes again.
/// (2) A replica without a request for longer than the limit is forgotten. Its next batch is answered with `gap`, its
///     next pull with `startAnew`, so that it sends the waiting batches under a new id, and then pulls everything.
/// (3) A place before the floor is refused by each pull, in the same moment in which it reads the records.
/// (4) The tag of a member is reduced to the member's name when each known replica has applied its revision. A removal
///     by a device that has not applied the floor of the collected tags is superseded.
extension ServiceCore {
    /// The greatest number of replicas that are noted between two compactions; others start anew at worst.
    private static let mostPulls = 100_000
    /// The records that one save removes.
    private static let part = 1_000

    /// Notes that a replica lives, in memory: a pull writes nothing.
    func note(_ request: SyncPull, _ user: SyncUser) {
        guard pulls[request.replica] != nil || pulls.count < Self.mostPulls else { return }
        let applied = max(request.applied, pulls[request.replica]?.applied ?? 0)
        pulls[request.replica] = NotedPull(user: user.id, applied: applied, time: environment.now())
    }

    /// - Parameter inactivity: the seconds without a request after which a replica is forgotten.
    func compact(_ context: NSManagedObjectContext, inactivity: TimeInterval) throws -> SyncCompaction {
        try fold(context)
        context.reset()
        var result = SyncCompaction()
        result.uploads = try Uploads.removeUnused(
            since: environment.now().addingTimeInterval(-limits.uploadAge), self, context)
        context.reset()
        result.expired = try expire(context, environment.now().addingTimeInterval(-inactivity))
        guard let state = try StateRow.existing(in: context) else { return result }
        // A client may name a revision that never was.
        let floor = try ReplicaRow.all(in: context).map { $0.applied ?? 0 }.min() ?? state.revision
        result.floor = max(min(floor, state.revision), state.floor)
        let present = state.revision
        context.reset()
        let floors = (
            faults.contains(.forgetsUnseen) ? present : result.floor,
            faults.contains(.settlesUnseen) ? present : result.floor
        )
        while true {
            let count = try forget(context, upTo: floors.0)
            result.forgotten += count
            if count < Self.part { break }
        }
        while let count = try settle(context, upTo: floors.1) { result.settled += count }
        result.forms = try fillForms(context)
        return result
    }

    /// Stores the noted pulls, and forgets the replicas that were not seen since a time (2).
    private func expire(_ context: NSManagedObjectContext, _ time: Date) throws -> Int {
        var rows: [UUID: ReplicaRow] = [:]
        for row in try ReplicaRow.all(in: context) { if let id = row.replica { rows[id] = row } }
        for (replica, pull) in pulls.sorted(by: { $0.key.precedes($1.key) }) {
            let row = rows[replica] ?? ReplicaRow.insert(replica, user: pull.user, pull.time, in: context)
            rows[replica] = row
            guard row.user == pull.user else { continue }
            row.touch(pull.time, applied: pull.applied)
        }
        let expired = rows.values.filter { $0.seen < time }
        for row in expired { context.delete(row.object) }
        if context.hasChanges { try context.save() }
        pulls = [:]
        context.reset()
        return expired.count
    }

    /// Removes one part of the names, together with the floor (3).
    private func forget(_ context: NSManagedObjectContext, upTo floor: Int64) throws -> Int {
        defer { context.reset() }
        let request = NSFetchRequest<NSManagedObject>(entityName: SyncEntityName.record)
        request.predicate = NSPredicate(
            format: "revision <= %lld AND state != %d", floor, Int32(RecordRow.State.present.rawValue))
        request.fetchLimit = Self.part
        let found = try context.fetch(request)
        guard !found.isEmpty, let state = try StateRow.existing(in: context) else { return 0 }
        found.forEach(context.delete)
        if state.floor < floor, !faults.contains(.forgetsUnseen) { state.floor = floor }
        try context.save()
        return found.count
    }

    /// Collects the tags of one part of the records that changed since the last collection (4). A record that changes
    /// later comes again then, so each record is read once for each of its changes at most.
    ///
    /// - Returns: the number of records with such tags; nil after the last part.
    private func settle(_ context: NSManagedObjectContext, upTo floor: Int64) throws -> Int? {
        defer { context.reset() }
        guard let state = try StateRow.existing(in: context), state.settled < floor else { return nil }
        let request = NSFetchRequest<NSManagedObject>(entityName: SyncEntityName.record)
        request.predicate = NSPredicate(format: "revision > %lld AND revision <= %lld", state.settled, floor)
        request.sortDescriptors = [NSSortDescriptor(key: "revision", ascending: true)]
        request.fetchLimit = Self.part
        var rows = try context.fetch(request).map(RecordRow.init)
        if rows.count == Self.part, let last = rows.last?.revision {
            // Whole revisions, because the state names no record within one.
            rows = try RecordRow.fetch(
                NSPredicate(format: "revision > %lld AND revision <= %lld", state.settled, last), in: context)
            state.settled = last
        } else {
            state.settled = floor
        }
        var count = 0
        for row in rows where row.state == .present {
            var metadata = row.metadata
            metadata.settle(upTo: floor)
            guard metadata != row.metadata else { continue }
            row.metadata = metadata
            count += 1
        }
        try context.save()
        return count
    }
}
