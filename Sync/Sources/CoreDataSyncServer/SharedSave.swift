// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Applies the batches of several replicas in one save (`Documentation/SharedSaves.md`).
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// The batch that a change of a shared save belongs to.
struct SharedCause {
    /// The stamp of the batch's side effects.
    let stamp: SyncStamp
    /// The replica as text; nil for one with another version of the model.
    let origin: String?
    /// Whether the batch deletes the record.
    let deletes: Bool
}

/// A shared save would change more than its batches name (W3).
struct SharingEnded: Error {}

/// One save for those of some batches that fit together. Runs on the queue of its context.
struct SharedSave {
    /// A batch that shares the save.
    private struct Member {
        let index: Int
        let push: SyncPush
        let user: SyncUser
        let row: ReplicaRow?
        var groups: [[SyncChange]] = []
        var outcomes: [SyncOutcome] = []
    }

    private static let mostBatches = 32
    private static let mostChanges = 2_000
    let service: ServiceCore
    let context: NSManagedObjectContext

    /// - Parameter requests: batches with the server's names, and their places among those that wait.
    /// - Returns: the answers by place. Batches without one are to be applied one by one (W5).
    /// - Throws: an error of the store (W6).
    func run(_ requests: [(index: Int, push: SyncPush, user: SyncUser)]) throws -> [Int: SyncPushAnswer] {
        defer { context.reset() }
        do {
            try service.fold(context)
            let rows = try ReplicaRow.existing(requests.map(\.push.replica), in: context)
            let plain = try requests.filter { try isPlain($0.push, $0.user, rows[$0.push.replica]) }
            guard plain.count > 1 else { return [:] }
            let table = RecordTable(context)
            try table.load(Set(plain.lazy.flatMap { $0.push.changes.lazy.flatMap(\.mentionedNames) }))
            var members: [Member] = []
            for request in separate(plain, table) {
                let member = Member(
                    index: request.index, push: request.push, user: request.user, row: rows[request.push.replica])
                if let member = accepted(member, table) { members.append(member) }
            }
            guard members.count > 1 else { return [:] }
            return try save(members, table)
        } catch is SharingEnded {
            return [:]
        } catch {
            switch SaveFailure(error) {
            case .rules, .conflict: return [:]
            case .other: throw error
            }
        }
    }

    /// (W1)
    private func isPlain(_ push: SyncPush, _ user: SyncUser, _ row: ReplicaRow?) throws -> Bool {
        guard push.number == (row?.number ?? 0) + 1, row?.user ?? user.id == user.id, row?.part == nil,
            row?.scope == nil
        else { return false }
        let latest = service.latestClock
        let isPlain = push.changes.allSatisfy { $0.largeValues.isEmpty && $0.greatestClock <= latest }
        return try isPlain && BoundShapes(service, user) == nil
    }

    /// The first batches that name no record which another one of them changes (W2).
    private func separate(
        _ requests: [(index: Int, push: SyncPush, user: SyncUser)], _ table: RecordTable
    ) -> [(index: Int, push: SyncPush, user: SyncUser)] {
        var (changed, named): (Set<UUID>, Set<UUID>) = ([], [])
        var replicas: Set<UUID> = []
        var result: [(index: Int, push: SyncPush, user: SyncUser)] = []
        var count = 0
        func names(_ list: some Sequence<UUID>) -> Set<UUID> {
            Set(list.lazy.flatMap { [$0, table.resolve($0)?.name ?? $0] })
        }
        for request in requests {
            let own = names(request.push.changes.lazy.map(\.name))
            var all = names(request.push.changes.lazy.flatMap(\.mentionedNames))
            for change in request.push.changes { all.formUnion(linkedNames(change, table)) }
            guard named.isDisjoint(with: own), changed.isDisjoint(with: all),
                replicas.insert(request.push.replica).inserted
            else { continue }
            count += request.push.changes.count
            guard result.isEmpty || count <= Self.mostChanges, result.count < Self.mostBatches else { break }
            changed.formUnion(own)
            named.formUnion(all)
            result.append(request)
        }
        return result
    }

    /// The records to which the links of a change lead until then, and those that lose a one-to-one link to it: the
    /// order of the batches would decide about a change of these.
    private func linkedNames(_ change: SyncChange, _ table: RecordTable) -> [UUID] {
        guard let entity = service.model.entities[change.entity] else { return [] }
        let object = table.resolve(change.name)?.object
        var linked: [NSManagedObject?] = []
        for (key, relationship) in entity.links {
            guard let field = change.fields[key] else { continue }
            linked.append(object?.value(forKey: key) as? NSManagedObject)
            if case .link(let name) = field.value {
                linked.append(table.resolve(name)?.object?.syncHolder(of: relationship))
            }
        }
        // A record that is not loaded is changed by none of the batches.
        return linked.compactMap { $0.flatMap { table.loadedEntry(of: $0)?.name } }
    }

    /// The batch with its groups; nil if one of them cannot be taken as it is (W1).
    private func accepted(_ member: Member, _ table: RecordTable) -> Member? {
        var member = member
        var check = GroupCheck(model: service.model, table: table) { [service] in service.mayWrite($0, member.user) }
        check.keepsUnknown = { [service] in service.versions.differs(member.push.schema, entity: $0) }
        member.groups = member.push.changes.inGroups
        for group in member.groups {
            guard case .apply(let lost, let superseded) = check.verdict(group), lost.isEmpty, superseded.isEmpty else {
                return nil
            }
        }
        return member
    }

    private func save(_ members: [Member], _ table: RecordTable) throws -> [Int: SyncPushAnswer] {
        var members = members
        let state = try service.state(context)
        var explicit: Set<GroupApplication.Property> = []
        var causes: [UUID: SharedCause] = [:]
        var unique = UniqueValues(context: context)
        let new = members.lazy.flatMap(\.push.changes).filter { table.resolve($0.name)?.row.state != .present }
        try unique.load(Array(new), service.model, table)
        for index in members.indices {
            let (push, groups) = (members[index].push, members[index].groups)
            var application = GroupApplication(service, context, table, push, state)
            application.unique = unique
            let isDropped = service.faults.contains(.dropsShared) && index > 0
            try application.apply(isDropped ? [] : groups.flatMap { $0 })
            guard application.merged.isEmpty else { throw SharingEnded() }
            unique = application.unique ?? unique
            explicit.formUnion(application.explicit)
            guard let stamp = push.changes.map(\.stamp).max() else { continue }
            for change in push.changes {
                causes[table.resolve(change.name)?.name ?? change.name] = SharedCause(
                    stamp: stamp, origin: service.origin(of: push), deletes: change.kind == .delete)
            }
            members[index].outcomes = groups.map { group in
                SyncOutcome(
                    group: group[0].group, result: .taken, superseded: application.superseded[group[0].group] ?? [])
            }
        }
        let now = service.stamp(after: members.flatMap(\.push.changes), state)
        var consequences = service.consequences(context, table, state, cause: now, takesOlderForms: true)
        (consequences.explicit, consequences.shared) = (explicit, causes)
        try consequences.complete()
        for member in members { service.keepUnknown(member.push.changes, of: member.push, table) }
        return try commit(members)
    }

    /// (W4)
    private func commit(_ members: [Member]) throws -> [Int: SyncPushAnswer] {
        var answers: [Int: SyncPushAnswer] = [:]
        try service.number(context) { state in
            let now = service.environment.now()
            for member in members {
                let answer = SyncPushAnswer(number: member.push.number, clock: state.clock, outcomes: member.outcomes)
                let row =
                    member.row ?? ReplicaRow.insert(member.push.replica, user: member.user.id, now, in: context)
                row.note(answer, of: member.push, now)
                answers[member.index] = answer
            }
        }
        return answers
    }
}
