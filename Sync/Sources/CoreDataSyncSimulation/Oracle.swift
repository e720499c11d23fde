// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The rules of merging once more, over dictionaries, for comparison with the server.
import CoreDataSyncProtocol
import Foundation

/// Takes the batches in the order in which the server answered them.
///
/// It decides values, counters, members, deletions and revivals on its own. That the model's rules refuse a group, or
/// that delete rules delete more, it takes from the server.
final class Oracle {
    private struct Record {
        var entity: String
        var fields: [String: SyncField] = [:]
        var counters: [String: Int64] = [:]
        var counted: Set<String> = []
        /// The newest difference of a counter.
        var countStamp: SyncStamp?
        /// The members of notes: the device and the batch that added each of them last.
        var tags: [UUID: (replica: UUID, revision: Int64)] = [:]
    }

    private var records: [UUID: Record] = [:]
    private var dead: [UUID: SyncStamp] = [:]
    private var aliases: [UUID: UUID] = [:]
    private var taken: Set<UUID> = []
    private var everDead: Set<UUID> = []

    /// Whether a tag was ever deleted or merged: its members follow from inverse relationships then.
    private func isUncertain(_ tag: UUID) -> Bool { everDead.contains(tag) || aliases.values.contains(tag) }

    private func resolve(_ name: UUID) -> UUID {
        var name = name
        while let older = aliases[name] { name = older }
        return name
    }

    /// - Parameter revision: the server's revision after the batch.
    func take(_ push: SyncPush, _ answer: SyncPushAnswer, revision: Int64) {
        guard taken.insert(push.id).inserted else { return }
        for outcome in answer.outcomes where outcome.result == .taken {
            for (new, older) in outcome.merged { if let name = UUID(text: new) { aliases[name] = older } }
            let changes = push.changes.filter { $0.group == outcome.group }
            for change in changes where change.kind != .delete {
                take(change, outcome)
                takeTags(change, push, revision)
            }
            for change in changes where change.kind == .delete { delete(change) }
        }
    }

    private func take(_ change: SyncChange, _ outcome: SyncOutcome) {
        let name = resolve(change.name)
        if let deletion = dead[name] {
            if change.stamp < deletion { return }
            dead[name] = nil
        }
        var record = records[name] ?? Record(entity: change.entity)
        for (key, field) in change.fields where record.fields[key].map({ $0.stamp < field.stamp }) ?? true {
            if name != change.name, key == "id" { continue }
            record.fields[key] = field
        }
        // A restored device may send a transaction again under another number.
        let origin = change.origin.map { origin in origin.transactions.map { "\(origin.store) \($0)" } }
        let transactions = origin ?? ["\(change.stamp)"]
        if change.counters.values.contains(where: { $0 != 0 }), record.counted.isDisjoint(with: transactions) {
            for (key, difference) in change.counters { record.counters[key, default: 0] += difference }
            record.counted.formUnion(transactions)
            record.countStamp = max(record.countStamp ?? change.stamp, change.stamp)
        }
        records[name] = record
    }

    /// A removal removes what its device had seen, and what it added itself.
    private func takeTags(_ change: SyncChange, _ push: SyncPush, _ revision: Int64) {
        guard let members = change.members["tags"], var record = records[resolve(change.name)] else { return }
        for tag in members.removed.map(resolve) {
            guard let added = record.tags[tag] else { continue }
            if added.revision <= push.observed || added.replica == push.replica { record.tags[tag] = nil }
        }
        for tag in members.added.map(resolve) { record.tags[tag] = (push.replica, revision) }
        records[resolve(change.name)] = record
    }

    private func delete(_ change: SyncChange) {
        let name = resolve(change.name)
        let stamps = records[name].map { $0.fields.values.map(\.stamp) + [$0.countStamp].compactMap { $0 } } ?? []
        if let newest = stamps.max(), newest > change.stamp { return }
        dead[name] = max(dead[name] ?? change.stamp, change.stamp)
        everDead.insert(name)
        records[name] = nil
    }

    /// The first difference to the server's state; nil without one.
    ///
    /// Records that the server deleted by delete rules are taken over as deleted. Links to records that were ever
    /// deleted, and those that an inverse relationship may have changed, are not compared.
    func difference(_ image: ReplicaImage) -> (invariant: String, text: String)? {
        for (name, record) in records.sorted(by: { $0.key.precedes($1.key) }) {
            guard let present = image.records[name] else {
                guard record.entity == "Step" else {
                    return ("Y5", "\(record.entity) \(name) vanished from the server")
                }
                records[name] = nil
                everDead.insert(name)
                continue
            }
            for (key, field) in record.fields {
                if case .link = field.value { continue }
                if case .link? = present.values[key] { continue }
                if field.value == present.values[key]?.withoutBytes(SimulationModel.sizes) { continue }
                return (
                    "Y2",
                    "\(record.entity).\(key) of \(name) is \(present.values[key] ?? .null), "
                        + "expected \(field.value)"
                )
            }
            let tags = Set(present.members["tags"] ?? []).filter { !isUncertain($0) }
            let expected = Set(record.tags.keys).filter { records[$0] != nil && !isUncertain($0) }
            if tags != expected {
                return ("Y2", "Note.tags of \(name) are \(tags), expected \(expected)")
            }
            for (key, sum) in record.counters where present.values[key] != .integer(sum) {
                return ("Y1", "\(record.entity).\(key) of \(name) is \(present.values[key] ?? .null), expected \(sum)")
            }
        }
        for name in image.records.keys.sorted(by: { $0.precedes($1) }) where records[name] == nil {
            if image.records[name]?.entity == "Step" { continue }
            return ("Y2", "\(image.records[name]?.entity ?? "") \(name) should be deleted")
        }
        return nil
    }
}
