// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The reference for a context: dictionaries of records, and the rules that change them.

import CoreData

/// A context as plain values, without laziness, sharing or weak references, so that each rule is visible in one
/// function.
struct ReferenceContext {
    /// The state that undo restores.
    struct State: Equatable {
        /// Includes deleted objects until they are saved.
        var records: [String: Record] = [:]
        var inserted: Set<String> = []
        var deleted: Set<String> = []
        /// Deleted objects after the application of their delete rules.
        var propagated: Set<String> = []
    }

    var state = State()
    /// The records as last fetched or saved.
    var committed: [String: Record] = [:]
    /// Objects that may count as updated: whether setting a value to itself is a change is unspecified.
    var touched: Set<String> = []
    /// Objects that had a record once: a reader of a dangling relationship may find the object.
    var ghosts: Set<String> = []
    /// Of these, the objects with a deletion that was merged and then taken back here: they stay in the context.
    var orphans: Set<String> = []
    /// Whether delete rules wait for the save.
    var propagatesLate = false
    var history = ReferenceHistory()

    var records: [String: Record] { state.records }
    /// The names of objects that a fetch may find.
    var live: [String] { records.keys.filter { !state.deleted.contains($0) }.sorted() }
    var inserted: Set<String> { state.inserted.subtracting(state.deleted) }
    var deleted: Set<String> { state.deleted.subtracting(state.inserted) }
    /// Objects that must count as updated.
    var updated: Set<String> {
        Set(touched.filter { !state.inserted.contains($0) && !state.deleted.contains($0) && !changes(of: $0).isEmpty })
    }
    /// Inserted and deleted again in this event: whether that counts as a change is unspecified.
    var isBetween: Bool { !state.inserted.isDisjoint(with: state.deleted) }
    var hasChanges: Bool { !inserted.isEmpty || !deleted.isEmpty || !updated.isEmpty }

    /// The names of the properties that differ from the last save; for an insertion, from a new object.
    func changes(of name: String) -> Set<String> {
        guard let record = records[name] else { return [] }
        return record.differences(
            from: committed[name] ?? Record(entity: record.entity, attributes: World.defaults))
    }

    func isLive(_ name: String) -> Bool { records[name] != nil && !state.deleted.contains(name) }

    func link(_ name: String, _ link: String) -> Link { World.link(records[name]?.entity ?? "", link) }

    // MARK: Changes of one object

    mutating func insert(_ name: String, _ entity: String) {
        state.records[name] = Record(entity: entity, attributes: World.defaults)
        state.inserted.insert(name)
        set(name, "name", .text(name))
    }

    mutating func set(_ name: String, _ attribute: String, _ value: Value?) {
        touched.insert(name)
        state.records[name]?.attributes[attribute] = value
    }

    /// Removes the mark of deletion, as long as delete rules have not been applied.
    mutating func delete(_ name: String) { state.deleted.insert(name) }

    // MARK: Relationships: both ends, and the one that loses

    mutating func setOne(_ name: String, _ link: Link, _ destination: String?) {
        touched.insert(name)
        let old = records[name]?.ones[link.name]
        guard old != destination else { return }
        if let old { lose(old, World.link(link.destination, link.inverse), name) }
        state.records[name]?.ones[link.name] = destination
        if let destination { gain(destination, World.link(link.destination, link.inverse), name) }
    }

    mutating func setMany(_ name: String, _ link: Link, _ members: [String]) {
        touched.insert(name)
        for member in records[name]?.members(link.name) ?? [] where !members.contains(member) {
            remove(member, from: name, link)
        }
        for member in members { add(member, to: name, link) }
        state.records[name]?.setMembers(members, link)
    }

    mutating func add(_ member: String, to name: String, _ link: Link) {
        touched.insert(name)
        guard records[name]?.members(link.name).contains(member) == false else { return }
        gain(name, link, member)
        gain(member, World.link(link.destination, link.inverse), name)
    }

    mutating func remove(_ member: String, from name: String, _ link: Link) {
        touched.insert(name)
        guard records[name]?.members(link.name).contains(member) == true else { return }
        lose(name, link, member)
        lose(member, World.link(link.destination, link.inverse), name)
    }

    /// Adds `other` to the inverse of `name`.
    private mutating func gain(_ name: String, _ link: Link, _ other: String) {
        guard records[name] != nil else { return }
        touched.insert(name)
        if link.isToMany {
            let members = records[name]?.members(link.name) ?? []
            if !members.contains(other) { state.records[name]?.setMembers(members + [other], link) }
        } else {
            if let rival = records[name]?.ones[link.name], rival != other {
                lose(rival, World.link(link.destination, link.inverse), name)
            }
            state.records[name]?.ones[link.name] = other
        }
    }

    /// Removes `other` from the inverse of `name`.
    private mutating func lose(_ name: String, _ link: Link, _ other: String) {
        guard records[name] != nil else { return }
        touched.insert(name)
        if link.isToMany {
            let members = records[name]?.members(link.name) ?? []
            state.records[name]?.setMembers(members.filter { $0 != other }, link)
        } else if records[name]?.ones[link.name] == other {
            state.records[name]?.ones[link.name] = nil
        }
    }

    // MARK: Delete rules

    mutating func propagate(onlyInsertions: Bool) {
        func next() -> String? {
            let waiting = state.deleted.subtracting(state.propagated)
            return onlyInsertions ? waiting.intersection(state.inserted).min() : waiting.min()
        }
        while let name = next() {
            state.propagated.insert(name)
            for link in World.links(of: records[name]?.entity ?? "") { propagate(name, link) }
        }
    }

    private mutating func propagate(_ name: String, _ link: Link) {
        guard let record = records[name] else { return }
        let others = (link.isToMany ? record.members(link.name) : [record.ones[link.name]].compactMap { $0 })
            .filter { isLive($0) }
        switch link.rule {
        case .nullifyDeleteRule:
            for other in others { lose(other, World.link(link.destination, link.inverse), name) }
        case .cascadeDeleteRule: state.deleted.formUnion(others)
        default: break
        }
    }

    /// Whether a to-one is dangling: the rule No Action leaves it unchanged at a deletion.
    func isDangling(_ name: String, _ link: String) -> Bool {
        records[name]?.ones[link].map { !isLive($0) } ?? false
    }
}
