// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Takes the answer to a batch, in one commit of the sidecar.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

struct AnswerHandling {
    let engine: SyncEngine

    /// - Returns: nil for an answer to a batch that does not wait.
    func take(_ answer: SyncPushAnswer) throws -> AnswerSummary? {
        let isWhole = answer.outcomes.contains { $0.result == .whole }
        // The values of whole records must not be newer than those of the batches that wait.
        if isWhole { try engine.capture() }
        var hashes: Set<String> = []
        let summary = try engine.sidecar.perform { () -> AnswerSummary? in
            guard let row = try engine.sidecar.firstBatch(), row.number == answer.number else { return nil }
            let push = try engine.sidecar.push(of: row)
            hashes = Set(push.largeValues.map(\.hash))
            let state = try engine.sidecar.state()
            var summary = AnswerSummary(changes: push.changes.count)
            let isRefused = answer.outcomes.contains { $0.result == .refused }
            let groups = isRefused ? Dictionary(grouping: push.changes, by: \.group) : [:]
            for outcome in answer.outcomes {
                summary.superseded += outcome.superseded.count
                summary.merged += outcome.merged.count
                if outcome.result == .refused {
                    let changes = groups[outcome.group] ?? []
                    refuse(changes, outcome.refusals, state, group: "\(push.id) \(outcome.group)")
                    summary.refused += changes.count
                }
                for (new, older) in outcome.merged.sorted(by: { $0.key < $1.key }) {
                    if let name = UUID(text: new) { try rename(name, older, state) }
                }
            }
            if isWhole {
                try sendWhole(answer, push, engine.sidecar.batches(), state)
            } else {
                engine.sidecar.remove(row)
            }
            var clock = SyncHybridClock(last: state.clock)
            clock.observe(answer.clock)
            state.clock = clock.last
            try engine.crash(.beforeAnswer)
            try engine.sidecar.save()
            try engine.crash(.afterAnswer)
            return summary
        }
        try engine.dropUnusedContents(among: hashes)
        return summary
    }

    /// Keeps the changes for the app (Y5). Objects that the server does not have go with the next application.
    private func refuse(_ changes: [SyncChange], _ reasons: [SyncRefusal], _ state: StateRow, group: String) {
        if !engine.faults.contains(.dropsRefusals) {
            for change in changes { engine.sidecar.insertRefusal(change, reasons, group: group) }
        }
        state.removals += changes.filter { $0.kind == .insert }.map(\.name)
    }

    /// The object takes the older name. If the device has an object of that name, it goes with the next application.
    private func rename(_ new: UUID, _ older: UUID, _ state: StateRow) throws {
        let names = NameTable(engine.sidecar)
        guard let row = try names.row(name: new) else { return }
        if try names.row(name: older) != nil {
            state.removals.append(new)
        } else {
            row.name = older
        }
    }

    // MARK: Whole records

    /// Replaces the groups to be sent again, and all batches that wait after them, by one batch of one group.
    ///
    /// The values of a whole record are those of now, and contain the effects of all transactions that wait. One group
    /// brings them all at once (Y3).
    private func sendWhole(
        _ answer: SyncPushAnswer, _ push: SyncPush, _ batches: [BatchRow], _ state: StateRow
    ) throws {
        let again = Set(answer.outcomes.filter { $0.result == .whole }.map(\.group))
        var folded: [UUID: SyncChange] = [:]
        let waiting =
            try push.changes.filter { again.contains($0.group) } + batches.dropFirst().flatMap { try $0.push().changes }
        for change in waiting { folded[change.name] = folded[change.name].map { $0.folded(with: change) } ?? change }
        let context = engine.newContext()
        for name in answer.outcomes.flatMap(\.whole).sorted(by: { $0.precedes($1) }) {
            guard let change = folded[name], change.kind != .delete else { continue }
            folded[name] = try context.performAndWait { try whole(change, context) }
        }
        batches.forEach(engine.sidecar.remove)
        state.number = push.number + 1
        var changes = folded.values.sorted { $0.name.precedes($1.name) }
        for index in changes.indices { changes[index].group = 0 }
        engine.sidecar.insert(
            SyncPush(
                replica: push.replica, number: state.number, id: engine.environment.makeID(),
                schema: engine.model.schema, observed: state.revision, changes: changes), from: batches.first?.place,
            clock: batches.first?.clock ?? 0)
    }

    /// The change as an insertion with all present values; nil if the object is gone without a change that says so.
    private func whole(_ change: SyncChange, _ context: NSManagedObjectContext) throws -> SyncChange? {
        let names = NameTable(engine.sidecar)
        guard let row = try names.row(name: change.name), let object = try engine.object(row, context),
            let entity = engine.model.entity(of: object)
        else { return nil }
        func name(of object: NSManagedObject) throws -> UUID? {
            try names.row(uri: object.objectID.uriRepresentation().absoluteString)?.name
        }
        var whole = SyncChange(.insert, name: change.name, entity: change.entity, group: 0, stamp: change.stamp)
        for (key, attribute) in entity.attributes {
            let value = try engine.outgoing(try SyncValueCoding.encode(object.value(forKey: key), attribute))
            whole.fields[key] = SyncField(value, change.fields[key]?.stamp ?? change.stamp)
        }
        for key in entity.links.keys {
            let target = try (object.value(forKey: key) as? NSManagedObject).flatMap { try name(of: $0) }
            if target == nil, row.known.outside?.contains(key) ?? false { continue }
            whole.fields[key] = SyncField(
                target.map(SyncValue.link) ?? .null, change.fields[key]?.stamp ?? change.stamp)
        }
        // Older than each change: they are for a record that has no values, and do not replace any.
        let oldest = SyncStamp(clock: 0, replica: change.stamp.replica)
        for (key, value) in row.known.unknown ?? [:] {
            whole.fields[key] = SyncField(try engine.outgoing(value), oldest)
        }
        for key in entity.members.keys {
            let members = try object.syncMembers(key).compactMap { try name(of: $0) }
            whole.members[key] = SyncMembers(added: members.sorted { $0.precedes($1) })
        }
        for (key, places) in row.known.orders {
            whole.places[key] = places.mapValues { SyncPlace($0, change.stamp) }
        }
        for key in entity.counters.keys {
            whole.counters[key] = (object.value(forKey: key) as? NSNumber)?.int64Value ?? 0
        }
        whole.origin = change.origin
        return whole
    }
}

extension SyncEngine {
    /// The object of a name; nil if it is gone.
    func object(_ row: NameRow, _ context: NSManagedObjectContext) throws -> NSManagedObject? {
        guard let id = coordinator.managedObjectID(for: row.uri) else { return nil }
        return try? context.existingObject(with: id)
    }
}

extension SyncEngine {
    /// Reads the objects of names in few statements, with the destinations of their relationships.
    func objects(
        of wanted: [UUID], _ names: NameTable, _ context: NSManagedObjectContext
    ) throws -> [UUID: NSManagedObject] {
        var byID: [NSManagedObjectID: UUID] = [:]
        for name in wanted {
            guard let row = try names.row(name: name), let id = coordinator.managedObjectID(for: row.uri) else {
                continue
            }
            byID[id] = name
        }
        if byID.isEmpty { return [:] }
        let found = try objects(Array(byID.keys), context)
        return found.reduce(into: [:]) { objects, object in
            if let name = byID[object.objectID] { objects[name] = object }
        }
    }

    /// Reads objects in few statements, with the destinations of their relationships.
    func objects(_ ids: [NSManagedObjectID], _ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        try Dictionary(grouping: ids) { $0.entity.name ?? "" }.sorted { $0.key < $1.key }.flatMap { name, ids in
            try stride(from: 0, to: ids.count, by: 500).flatMap { start in
                let request = NSFetchRequest<NSManagedObject>(entityName: name)
                request.predicate = NSPredicate(format: "self IN %@", Array(ids[start..<min(start + 500, ids.count)]))
                request.includesSubentities = false
                request.returnsObjectsAsFaults = false
                if let entity = model.entities[name] {
                    request.relationshipKeyPathsForPrefetching = entity.relationshipKeys
                }
                return try context.fetch(request)
            }
        }
    }
}

extension SyncChange {
    /// This change and a later one of the same record as one change.
    func folded(with later: SyncChange) -> SyncChange {
        if later.kind == .delete { return later }
        var result = self
        if kind == .delete { return later }
        result.stamp = later.stamp
        result.fields.merge(later.fields) { $1 }
        for (key, members) in later.members {
            let before = result.members[key] ?? SyncMembers()
            result.members[key] = SyncMembers(
                added: before.added.filter { !members.removed.contains($0) } + members.added,
                removed: before.removed.filter { !members.added.contains($0) } + members.removed)
        }
        result.counters.merge(later.counters) { $0 &+ $1 }
        if let origin = later.origin {
            let earlier = result.origin?.transactions ?? []
            result.origin = SyncOrigin(store: origin.store, transactions: earlier + origin.transactions)
        }
        for (key, places) in later.places { result.places[key, default: [:]].merge(places) { $1 } }
        return result
    }
}
