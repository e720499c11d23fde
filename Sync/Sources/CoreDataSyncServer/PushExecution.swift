// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Takes a batch once: its number, its groups in one save or one after the other, and the stored answer.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// Runs one push on the queue of its context.
///
/// (1) The answer and the number are saved together with the changes.
/// (2) Groups are tried together. If the model's rules forbid that, their halves are, down to single groups. Each save
///     also stores the outcomes so far, so that a repeated push goes on after them.
/// (3) Every record of the batch that the server has gets the new revision, so that the device's next pull brings it.
struct PushExecution {
    let service: ServiceCore
    let context: NSManagedObjectContext
    let request: SyncPush
    let user: SyncUser

    func run() throws -> SyncPushAnswer {
        for _ in 0..<8 {
            do { return try once() } catch {
                context.reset()
                guard case .conflict = SaveFailure(error) else { throw error }
            }
        }
        throw SyncError(.unavailable, "Other saves changed the same records again and again.")
    }

    private func once() throws -> SyncPushAnswer {
        try service.fold(context)
        let row = try ReplicaRow.existing(request.replica, in: context)
        if let answer = try storedAnswer(row) { return answer }
        let uploads = Uploads(service: service, context: context, user: user)
        let groups = groups(try clamped(try uploads.resolved(request)))
        if let part = row?.part, part.batch == request.id { return try divided(groups, done: part.outcomes) }
        do { return try together(groups, row) } catch {
            if error as? LeavingRecords == nil {
                guard case .rules = SaveFailure(error), groups.count >= 1 else { throw error }
            }
            context.reset()
            return try divided(groups, done: [])
        }
    }

    private func groups(_ changes: [SyncChange]) -> [[SyncChange]] {
        if service.faults.contains(.splitsGroups) { return changes.map { [$0] } }
        return changes.inGroups
    }

    /// (1)
    private func storedAnswer(_ row: ReplicaRow?) throws -> SyncPushAnswer? {
        let last = row?.number ?? 0
        if let row, row.user != user.id {
            throw SyncError(.notPermitted, "The replica belongs to another user.")
        }
        if service.faults.contains(.forgetsNumbers) { return nil }
        if let row, request.number == last, row.batch == request.id, let answer = row.answer { return answer }
        if request.number <= last {
            throw SyncError(.forked, "The number \(request.number) was given to another batch.")
        }
        guard request.number == last + 1 else {
            throw SyncError(.gap, "The batch after number \(last) is missing.")
        }
        return nil
    }

    // MARK: Saves

    private func together(_ groups: [[SyncChange]], _ row: ReplicaRow?) throws -> SyncPushAnswer {
        let application = try apply(groups, row)
        try application.checkLeaving()
        return try finish(application.outcomes, groups, row)
    }

    /// (2)
    private func divided(_ groups: [[SyncChange]], done: [SyncOutcome]) throws -> SyncPushAnswer {
        var outcomes = done
        if done.isEmpty, groups.count > 1 {
            try take(groups[..<(groups.count / 2)], &outcomes)
            try take(groups[(groups.count / 2)...], &outcomes)
        } else {
            try take(groups.dropFirst(done.count), &outcomes)
        }
        return try finish(outcomes, groups)
    }

    /// Applies some groups in one save, or each half of them so.
    private func take(_ groups: ArraySlice<[SyncChange]>, _ outcomes: inout [SyncOutcome]) throws {
        guard let first = groups.first else { return }
        let application = try apply(Array(groups), after: outcomes)
        do {
            try application.checkLeaving()
            try service.number(context) { _ in
                try replicaRow().part = PartialBatch(batch: request.id, outcomes: outcomes + application.outcomes)
            }
            outcomes += application.outcomes
            context.reset()
        } catch {
            let refusals: [SyncRefusal]
            if let leaving = error as? LeavingRecords {
                refusals = leaving.reasons
            } else {
                guard case .rules(let errors) = SaveFailure(error) else { throw error }
                refusals = errors.map { error in
                    SyncRefusal(error) { object in (try? application.table.entry(of: object))?.name }
                }
            }
            context.reset()
            guard groups.count > 1 else {
                outcomes.append(SyncOutcome(group: first[0].group, result: .refused, refusals: refusals))
                return
            }
            let middle = groups.startIndex + groups.count / 2
            try take(groups[..<middle], &outcomes)
            try take(groups[middle...], &outcomes)
        }
    }

    /// - Parameter row: the replica's row, if it was read since the last save.
    private func finish(
        _ outcomes: [SyncOutcome], _ groups: [[SyncChange]], _ row: ReplicaRow? = nil
    ) throws -> SyncPushAnswer {
        let refused = Set(outcomes.filter { $0.result == .refused }.map(\.group))
        let table = RecordTable(context)
        let names = Set(groups.joined().filter { refused.contains($0.group) }.map(\.name))
        try table.load(names)
        let answer = try service.number(context) { state in
            // (3)
            for name in names {
                table.resolve(name)?.row.renumber(state.revision)
                table.resolve(name)?.row.origin = nil
            }
            let answer = SyncPushAnswer(number: request.number, clock: state.clock, outcomes: outcomes)
            try (row ?? replicaRow()).note(answer, of: request, service.environment.now())
            return answer
        }
        context.reset()
        return answer
    }

    private func replicaRow() throws -> ReplicaRow {
        try ReplicaRow.existing(request.replica, in: context)
            ?? ReplicaRow.insert(request.replica, user: user.id, service.environment.now(), in: context)
    }

    // MARK: Application

    private struct Application {
        let outcomes: [SyncOutcome]
        let table: RecordTable
        let accepted: [SyncChange]
        let rights: ShapeRights?

        /// - Throws: `LeavingRecords` (S6).
        func checkLeaving() throws {
            let reasons = try rights?.reasonsAgainstLeaving(accepted, table) ?? []
            if !reasons.isEmpty { throw LeavingRecords(reasons: reasons) }
        }
    }

    /// Changes the objects of groups, and saves nothing.
    ///
    /// - Parameter row: the replica's row, if it was read since the last save.
    private func apply(
        _ groups: [[SyncChange]], _ row: ReplicaRow? = nil, after done: [SyncOutcome] = []
    ) throws -> Application {
        let table = RecordTable(context)
        try table.load(Set(groups.joined().flatMap(\.mentionedNames)))
        var check = GroupCheck(model: service.model, table: table) { service.mayWrite($0, user) }
        let row = try row ?? ReplicaRow.existing(request.replica, in: context)
        let scope = row?.scope
        check.rights = try ShapeRights(
            service, context, user, table, scope: scope, done: insertedNames(done))
        check.keepsUnknown = { service.versions.differs(request.schema, entity: $0) }
        var accepted: [SyncChange] = []
        var verdicts: [(group: Int, verdict: GroupVerdict)] = []
        for group in groups {
            let verdict = check.verdict(group)
            verdicts.append((group[0].group, verdict))
            guard case .apply(let lost, _) = verdict else { continue }
            accepted += group.filter { !lost.contains($0.name) }
            for name in lost { table.resolve(name)?.isTouched = true }
        }
        let state = try service.state(context)
        var application = GroupApplication(service, context, table, request, state)
        application.rights = check.rights
        try application.apply(accepted)
        let now = service.stamp(after: request.changes + accepted, state)
        let cause = accepted.map(\.stamp).max() ?? now
        var consequences = service.consequences(context, table, state, cause: cause, takesOlderForms: true)
        (consequences.origin, consequences.explicit) = (service.origin(of: request), application.explicit)
        consequences.note(accepted)
        try consequences.complete()
        service.keepUnknown(accepted, of: request, table)
        try noteHeld(accepted, application.merged, table, scope, revision: state.revision + 1)
        let outcomes = verdicts.map { outcome($0.verdict, $0.group, application) }
        return Application(outcomes: outcomes, table: table, accepted: accepted, rights: check.rights)
    }

    /// The records that groups of this batch inserted in earlier saves.
    private func insertedNames(_ done: [SyncOutcome]) -> Set<UUID> {
        let taken = Set(done.filter { $0.result == .taken }.map(\.group))
        return Set(request.changes.filter { $0.kind == .insert && taken.contains($0.group) }.map(\.name))
    }

    /// The device has the records that it inserted, also those that are outside of its shapes: these leave it (S3).
    ///
    /// - Parameter merged: the older names that the device gives to the objects of insertions.
    private func noteHeld(
        _ changes: [SyncChange], _ merged: [Int: [String: UUID]], _ table: RecordTable, _ scope: String?,
        revision: Int64
    ) throws {
        guard let scope else { return }
        var names = Set(changes.filter { $0.kind == .insert }.map(\.name))
        for older in merged.values { names.formUnion(older.values) }
        let known = try PresenceRow.fetch(names, scope: scope, in: context)
        for name in names.sorted(by: { $0.precedes($1) }) {
            if let row = known[name] {
                row.isIn = true
            } else if let entry = table.entry(ofName: name) {
                _ = PresenceRow.insert(entry.row, scope: scope, revision: revision, in: context)
            }
        }
    }

    private func outcome(_ verdict: GroupVerdict, _ group: Int, _ application: GroupApplication) -> SyncOutcome {
        switch verdict {
        case .refuse(let refusals): SyncOutcome(group: group, result: .refused, refusals: refusals)
        case .whole(let names): SyncOutcome(group: group, result: .whole, whole: names)
        case .apply(_, let superseded):
            SyncOutcome(
                group: group, result: .taken, superseded: superseded + (application.superseded[group] ?? []),
                merged: application.merged[group] ?? [:])
        }
    }

    /// Replaces stamps that are too far ahead of the server's clock.
    private func clamped(_ changes: [SyncChange]) throws -> [SyncChange] {
        let latest = service.latestClock
        guard changes.contains(where: { $0.greatestClock > latest }) else { return changes }
        var clock = SyncHybridClock(last: try service.state(context).clock)
        let now = clock.next(service.environment.now())
        return changes.map { $0.replacingClocks(after: latest, by: now) }
    }
}

extension [SyncChange] {
    /// The changes of each group, in the order of the groups' numbers.
    var inGroups: [[SyncChange]] {
        Dictionary(grouping: self, by: \.group).sorted { $0.key < $1.key }.map(\.value)
    }
}

extension SyncChange {
    /// The names of the record, of link targets and of members.
    var mentionedNames: [UUID] {
        var names = [name]
        for field in fields.values { if case .link(let target) = field.value { names.append(target) } }
        for changed in members.values { names += changed.added + changed.removed }
        for places in places.values { names += places.keys.compactMap(UUID.init(text:)) }
        return names
    }

    var greatestClock: UInt64 {
        var greatest = stamp.clock
        for field in fields.values { greatest = max(greatest, field.stamp.clock) }
        for members in places.values { for place in members.values { greatest = max(greatest, place.stamp.clock) } }
        return greatest
    }

    func replacingClocks(after latest: UInt64, by clock: UInt64) -> SyncChange {
        func bounded(_ stamp: SyncStamp) -> SyncStamp {
            stamp.clock > latest ? SyncStamp(clock: clock, replica: stamp.replica) : stamp
        }
        var change = self
        change.stamp = bounded(stamp)
        change.fields = fields.mapValues { SyncField($0.value, bounded($0.stamp)) }
        change.places = places.mapValues { $0.mapValues { SyncPlace($0.key, bounded($0.stamp)) } }
        return change
    }
}
