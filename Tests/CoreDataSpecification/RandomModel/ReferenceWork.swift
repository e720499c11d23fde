// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Changes objects of the reference, by operations.

extension ReferenceContext {
    mutating func change(_ operation: Operation) {
        switch operation {
        case .insert(let name, let entity): insert(name, entity)
        case .set(let name, let attribute, let value): set(name, attribute, value)
        case .link(let name, let key, let other): setOne(name, link(name, key), other)
        case .add(let name, let key, let other, nil): add(other, to: name, link(name, key))
        case .add(let name, let key, let other, let position?):
            let link = link(name, key)
            var members = (records[name]?.members(key) ?? [])
            touched.insert(name)
            guard !members.contains(other) else { return }
            members.insert(other, at: min(position, members.count))
            setMany(name, link, members)
        case .remove(let name, let key, let other): remove(other, from: name, link(name, key))
        case .replace(let name, let key, let others): setMany(name, link(name, key), others)
        case .delete(let name): delete(name)
        default: preconditionFailure("\(operation) changes no object")
        }
    }
}

extension ReferenceContext {
    /// A context with the saved records.
    init(sharing saved: [String: Record]) {
        committed = saved.mapValues(\.stored)
        state.records = committed
        history.clear(state)
    }

    /// Whether a change makes sense here.
    func allows(_ operation: Operation) -> Bool {
        guard operation.subjects.allSatisfy(isLive) else { return false }
        switch operation {
        case .insert(let name, _): return records[name] == nil
        case .set(let name, let attribute, _):
            return World.attributes(of: records[name]?.entity ?? "").contains(attribute)
        case .link(let name, let key, let other): return fits(name, key, [other].compactMap { $0 })
        case .add(let name, let key, let other, _): return fits(name, key, [other])
        case .remove(let name, let key, let other): return fits(name, key, [other])
        case .replace(let name, let key, let others): return fits(name, key, others)
        case .refresh(let name, merge: false):
            // If it discards a relationship, the other end stays as it is, which is the programmer's responsibility.
            guard let saved = committed[name], let record = records[name] else { return false }
            return record.changedLinks(since: saved).isEmpty
        case .undo, .redo, .closeGroup: return history.isRecording
        case .begin: return !remembersMood && !(propagatesLate && !state.deleted.isEmpty)
        default: return true
        }
    }

    private func fits(_ name: String, _ key: String, _ others: [String]) -> Bool {
        guard let link = World.links(of: records[name]?.entity ?? "").first(where: { $0.name == key }) else {
            return false
        }
        return others.allSatisfy { World.root(records[$0]?.entity ?? "") == link.destination }
    }
}
