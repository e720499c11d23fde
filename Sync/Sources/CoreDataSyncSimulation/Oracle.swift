// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The rules of merging once more, over dictionaries, for comparison with the server.
import CoreDataSyncProtocol
import Foundation

/// Takes the batches in the order in which the server answered them.
///
/// It decides values, counters, links, members, deletions and revivals on its own. That the model's rules refuse a
/// group, or that delete rules delete more, it takes from the server.
final class Oracle {
    private struct Record {
        var entity: String
        var fields: [String: SyncField] = [:]
        /// The stamp of the change by which a cover lost its note. It decides about older changes of the link, and
        /// protects nothing from a deletion.
        var loss: SyncStamp?
        var counters: [String: Int64] = [:]
        var counted: Set<String> = []
        /// The newest difference of a counter.
        var countStamp: SyncStamp?
        /// The members of notes: the device and the batch that added each of them last.
        var tags: [UUID: (replica: UUID, revision: Int64)] = [:]
    }

    private static let links: Set<String> = ["folder", "note"]
    /// The covers that a batch gives a note, and those that lose their note to another change.
    private struct LinkEffects {
        var explicit: Set<UUID> = []
        var stamps: [UUID: SyncStamp] = [:]
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
        var effects = LinkEffects()
        for outcome in answer.outcomes where outcome.result == .taken {
            for (new, older) in outcome.merged { if let name = UUID(text: new) { aliases[name] = older } }
            let changes = push.changes.filter { $0.group == outcome.group }
            for change in changes where change.kind != .delete {
                take(change)
                takeTags(change, push, revision)
            }
            for change in changes where change.kind != .delete { takeLinks(change, &effects) }
            for change in changes where change.kind == .delete { delete(change, &effects) }
        }
        note(effects)
    }

    private func take(_ change: SyncChange) {
        let name = resolve(change.name)
        if let deletion = dead[name] {
            if change.stamp < deletion { return }
            dead[name] = nil
        }
        var record = records[name] ?? Record(entity: change.entity)
        for (key, field) in change.fields where record.fields[key].map({ $0.stamp < field.stamp }) ?? true {
            if name != change.name, key == "id" { continue }
            if Self.links.contains(key) { continue }
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

    /// A link to a record that is deleted by then leads nowhere. A cover takes its note from another cover.
    private func takeLinks(_ change: SyncChange, _ effects: inout LinkEffects) {
        let name = resolve(change.name)
        for (key, field) in change.fields where Self.links.contains(key) {
            guard let record = records[name],
                [record.fields[key]?.stamp, record.loss].allSatisfy({ $0.map { $0 < field.stamp } ?? true })
            else { continue }
            effects.explicit.insert(name)
            records[name]?.loss = nil
            guard case .link(let target) = field.value, records[resolve(target)] != nil else {
                records[name]?.fields[key] = SyncField(.null, field.stamp)
                continue
            }
            if record.entity == "Cover" { removeLinks(ofCoversTo: resolve(target), change.stamp, &effects) }
            records[name]?.fields[key] = SyncField(.link(resolve(target)), field.stamp)
        }
    }

    private func removeLinks(ofCoversTo note: UUID, _ stamp: SyncStamp, _ effects: inout LinkEffects) {
        for (name, record) in records where record.entity == "Cover" {
            guard let field = record.fields["note"], field.value == .link(note) else { continue }
            records[name]?.fields["note"] = SyncField(.null, field.stamp)
            effects.stamps[name] = stamp
        }
    }

    /// A link that followed from another change of the batch has that change's stamp, unless the batch set it, too.
    private func note(_ effects: LinkEffects) {
        for (name, stamp) in effects.stamps where !effects.explicit.contains(name) {
            let former = records[name]?.loss ?? stamp
            records[name]?.loss = max(former, stamp)
        }
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

    private func delete(_ change: SyncChange, _ effects: inout LinkEffects) {
        let name = resolve(change.name)
        let stamps = records[name].map { $0.fields.values.map(\.stamp) + [$0.countStamp].compactMap { $0 } } ?? []
        if let newest = stamps.max(), newest > change.stamp { return }
        dead[name] = max(dead[name] ?? change.stamp, change.stamp)
        everDead.insert(name)
        records[name] = nil
        // A folder with notes cannot be deleted, and steps go with their note.
        removeLinks(ofCoversTo: name, change.stamp, &effects)
    }

    /// The first difference to the server's state; nil without one.
    ///
    /// Records that the server deleted by delete rules are taken over as deleted. Tags that were ever deleted or merged
    /// are not compared as members.
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
