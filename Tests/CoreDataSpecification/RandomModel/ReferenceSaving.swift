// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The reference for saving, undoing and merging a context's changes.

import CoreData

extension ReferenceContext {
    // MARK: The event

    /// Ends the event.
    ///
    /// - Parameter forSave: whether delayed delete rules are applied now.
    mutating func endEvent(forSave: Bool = false) {
        propagate(onlyInsertions: propagatesLate && !forSave)
        for name in state.inserted.intersection(state.deleted) {
            state.records[name] = nil
            state.inserted.remove(name)
            state.deleted.remove(name)
            state.propagated.remove(name)
            touched.remove(name)
        }
        history.endEvent(state)
    }

    // MARK: Saving

    private func hasPersistentChanges(_ name: String) -> Bool {
        state.deleted.contains(name) || !changes(of: name).subtracting(["mood"]).isEmpty
    }

    /// The number of rules that the changes break.
    var violations: Int {
        var count = 0
        for name in records.keys {
            guard let record = records[name], state.inserted.contains(name) || hasPersistentChanges(name) else {
                continue
            }
            if state.deleted.contains(name) {
                for link in World.links(of: record.entity) where link.rule == .denyDeleteRule {
                    if committed[name] != nil, record.members(link.name).contains(where: isLive) { count += 1 }
                }
                continue
            }
            if case .number(let number) = record.attributes["number"], number > World.greatestNumber { count += 1 }
            count += record.ones.keys.filter { leadsNowhere(name, $0) }.count
        }
        return count
    }

    /// Whether a to-one refers to an object that this save deletes, or is new and refers to one deleted before.
    private func leadsNowhere(_ name: String, _ link: String) -> Bool {
        guard isDangling(name, link), let destination = records[name]?.ones[link] else { return false }
        if state.deleted.contains(destination) {
            let end = self.link(name, link)
            return World.link(end.destination, end.inverse).rule != .denyDeleteRule
        }
        return changes(of: name).contains(link)
    }

    /// The present state becomes the saved one.
    mutating func acceptSave() {
        for name in state.deleted { state.records[name] = nil }
        ghosts.formUnion(state.deleted)
        committed = records
        state.inserted = []
        state.deleted = []
        state.propagated = []
        touched = []
        history.saved(state)
    }

    mutating func rollback() {
        orphans.formUnion(deleted.filter { committed[$0] == nil })
        ghosts.formUnion(orphans)
        state = State(records: committed)
        touched = []
        history.clear(state)
    }

    // MARK: Undo

    mutating func undo() {
        endEvent()
        guard let earlier = history.undo(state) else { return }
        restore(earlier)
    }

    mutating func redo() {
        endEvent()
        guard let later = history.redo(state) else { return }
        restore(later)
    }

    /// A save may have happened in between: insertions and deletions are relative to the present records.
    private mutating func restore(_ earlier: State) {
        var result = State()
        for (name, record) in earlier.records {
            let isSaved = committed[name] != nil
            if earlier.deleted.contains(name), !isSaved { continue }
            result.records[name] = record
            if !isSaved { result.inserted.insert(name) }
            if earlier.deleted.contains(name) { result.deleted.insert(name) }
            if earlier.propagated.contains(name) { result.propagated.insert(name) }
        }
        for (name, record) in state.records where earlier.records[name] == nil && committed[name] != nil {
            result.records[name] = record
            result.deleted.insert(name)
            result.propagated.insert(name)
        }
        for name in result.records.keys { result.leaveOutWhatIsGone(of: name, unlessIn: state) }
        for name in result.deleted { result.cutLinks(of: name) }
        state = result
        touched = Set(records.keys)
        history.eventStart = state
    }

    // MARK: Refreshing

    /// Values of transient properties end with the values of a fault.
    ///
    /// - Parameter mood: the value of the parent.
    mutating func forgetMood(of name: String, to mood: Value?) {
        state.records[name]?.attributes["mood"] = mood
        committed[name]?.attributes["mood"] = mood
        history.forgetMood(of: name, to: mood)
    }

    /// Discards the object's changes.
    mutating func discard(_ name: String, mood: Value?) {
        guard let record = committed[name] else { return }
        state.records[name] = record
        touched.remove(name)
        forgetMood(of: name, to: mood)
        history.eventStart.records[name] = records[name]
    }

    // MARK: Others' changes

    /// The names of objects whose relationships a merge must not find changed, because it would have to choose.
    var entangled: Set<String> {
        var result = state.inserted.union(state.deleted)
        for (name, record) in records {
            guard let saved = committed[name] else { continue }
            if !record.changedLinks(since: saved).isEmpty { result.insert(name) }
        }
        return result
    }

    /// Lays this context's changes over the save of another one.
    ///
    /// - Parameter isRegistered: only a registered object can be deleted by a merge.
    mutating func merge(_ saved: [String: Record], isRegistered: (String) -> Bool) {
        for (name, theirs) in saved.mapValues(\.stored) {
            guard let mine = records[name], let base = committed[name] else {
                state.records[name] = theirs
                committed[name] = theirs
                continue
            }
            guard theirs != base.stored else { continue }
            var merged = theirs
            for key in World.attributes(of: mine.entity) where mine.attributes[key] != base.attributes[key] {
                merged.attributes[key] = mine.attributes[key]
            }
            merged.attributes["mood"] = mine.attributes["mood"]
            for key in mine.changedLinks(since: base) {
                merged.ones[key] = mine.ones[key]
                merged.manys[key] = mine.manys[key]
            }
            committed[name] = theirs
            committed[name]?.attributes["mood"] = base.attributes["mood"]
            state.records[name] = merged
        }
        for name in Set(committed.keys).subtracting(saved.keys) {
            committed[name] = nil
            if isRegistered(name) {
                state.deleted.insert(name)
                state.propagated.insert(name)
            } else {
                state.records[name] = nil
            }
        }
        history.clear(state)
    }

    // MARK: Children

    /// Makes a child of this context.
    var child: ReferenceContext {
        var result = ReferenceContext()
        result.committed = records.filter { isLive($0.key) }
        result.state.records = result.committed
        result.ghosts = ghosts.union(state.deleted)
        result.history.clear(result.state)
        return result
    }

    /// Merges the save of a child: each property that it changed.
    mutating func take(_ child: ReferenceContext) {
        for name in child.live + child.deleted.intersection(records.keys) {
            guard let theirs = child.records[name], records[name] != nil else {
                state.records[name] = child.records[name]
                state.inserted.insert(name)
                continue
            }
            if child.touched.contains(name) { touched.insert(name) }
            let keys = child.changes(of: name)
            for key in keys.intersection(World.attributes(of: theirs.entity)) {
                state.records[name]?.attributes[key] = theirs.attributes[key]
            }
            for key in keys {
                state.records[name]?.ones[key] = theirs.ones[key]
                state.records[name]?.manys[key] = theirs.manys[key]
            }
        }
        state.deleted.formUnion(child.deleted)
    }
}

extension ReferenceContext.State {
    /// Removes the object from the inverses of its destinations.
    fileprivate mutating func cutLinks(of name: String) {
        guard let record = records[name] else { return }
        for link in World.links(of: record.entity) {
            let back = World.link(link.destination, link.inverse)
            func leadsBack(_ other: String) -> Bool {
                let end = records[other]
                return back.isToMany ? end?.members(back.name).contains(name) == true : end?.ones[back.name] == name
            }
            if link.isToMany {
                let members = record.members(link.name).filter(leadsBack)
                records[name]?.setMembers(members, link)
            } else if let other = record.ones[link.name], !leadsBack(other) {
                records[name]?.ones[link.name] = nil
            }
        }
    }

    /// Undo restores no link to an object that is gone, or still deleted.
    fileprivate mutating func leaveOutWhatIsGone(of name: String, unlessIn now: ReferenceContext.State) {
        guard let record = records[name] else { return }
        let current = now.records[name]
        let present = Set(records.keys).subtracting(deleted)
        for link in World.links(of: record.entity) {
            if let other = record.ones[link.name], !present.contains(other), current?.ones[link.name] != other {
                records[name]?.ones[link.name] = nil
            }
            let there = present.union(current?.members(link.name) ?? [])
            let members = record.members(link.name)
            if !there.isSuperset(of: members) { records[name]?.setMembers(members.filter(there.contains), link) }
        }
    }
}
