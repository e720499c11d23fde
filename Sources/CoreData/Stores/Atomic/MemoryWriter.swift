// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Applies a change set to rows in memory: checks everything first, then writes.

import Foundation

/// # Order
/// 1. Compare the versions of updates, deletions and checks; a difference is a conflict.
/// 2. Check uniqueness constraints against the result, so that one save may swap values.
/// 3. Assign permanent keys to insertions, in order.
/// 4. Apply deletions, insertions, updates and links. Nothing fails after step 2, so the tables are changed in place.
/// 5. Compute derived attributes of the rows that depend on changes.
struct MemoryWriter {
    private var tables: MemoryTables
    private let model: ModelLayout
    /// nil for a model without derived attributes.
    private let derived: DerivedRows?
    private(set) var outcome = SaveOutcome()

    init(_ tables: MemoryTables, _ model: ModelLayout, derived: DerivedRows?) {
        self.tables = tables
        self.model = model
        self.derived = derived
    }

    /// Checks the changes (1, 2). On failure the outcome contains the conflicts.
    mutating func allows(_ changes: ChangeSet) -> Bool {
        checkVersions(changes)
        if outcome.conflicts.isEmpty { checkUniqueness(changes) }
        return outcome.conflicts.isEmpty
    }

    /// Applies checked changes (3, 4, 5).
    ///
    /// - Parameter target: the checked tables. Their rows must be unchanged; keys may have been assigned since.
    mutating func write(_ changes: ChangeSet, to target: inout MemoryTables) {
        tables = MemoryTables(keys: target.keys)  // single owner, so the tables are changed in place
        swap(&tables, &target)
        giveKeys(changes)
        if let derived { write(changes, derived) } else { write(changes) }
        swap(&tables, &target)
        outcome.isWritten = true
    }

    private mutating func write(_ changes: ChangeSet, _ derived: DerivedRows) {
        let concerned = DerivedRule.changes(changes, outcome.permanentKeys)
        let before = derived.dependents(on: concerned, in: MemoryReader(tables, model))
        write(changes)
        let after = derived.dependents(on: concerned, in: MemoryReader(tables, model))
        var changed = derived.update([before, after], in: &tables)
        // The objects of the save still have their previous derived values.
        for change in concerned where change.layout.hasDerivedAttributes {
            changed.insert(ObjectKey(change.layout.rootIndex, change.key))
        }
        outcome.recomputed = changed.compactMap { row in
            tables.tables[row.entityIndex]?[row.key].map { FetchedRow(key: row.key, snapshot: $0) }
        }
    }

    private mutating func checkVersions(_ changes: ChangeSet) {
        for update in changes.updates { check(update.key, update.snapshot.layout, update.baseVersion) }
        for delete in changes.deletes { check(delete.key, delete.layout, delete.baseVersion) }
        for check in changes.checks { self.check(check.key, check.layout, check.baseVersion) }
    }

    private mutating func check(_ key: Int64, _ layout: EntityLayout, _ version: Int64) {
        let row = tables.tables[layout.rootIndex]?[key]
        guard row?.version != version else { return }
        outcome.conflicts.append(.init(kind: .version, key: key, layout: layout, rowKey: key, row: row))
    }

    /// Insertions below one root entity are consecutive; with a shared counter all insertions of the save are.
    private mutating func giveKeys(_ changes: ChangeSet) {
        var counts: [Int: Int] = [:]
        let keys = tables.keys
        func root(_ insert: ChangeSet.Insert) -> Int { keys.isShared ? 0 : insert.snapshot.layout.rootIndex }
        for insert in changes.inserts {
            if insert.key < 0 {
                counts[root(insert), default: 0] += 1
            } else {
                keys.note(insert.key, root: insert.snapshot.layout.rootIndex)
            }
        }
        var next: [Int: Int64] = [:]
        for (root, count) in counts { next[root] = keys.take(count, root: root) }
        for insert in changes.inserts where insert.key < 0 {
            let root = root(insert)
            let key = next[root] ?? 0
            next[root] = key + 1
            outcome.permanentKeys.set(key, for: insert.key)
        }
    }

    private mutating func write(_ changes: ChangeSet) {
        for update in changes.updates {
            if let row = tables.tables[update.snapshot.layout.rootIndex]?[update.key] { unindex(row, update.key) }
        }
        for delete in changes.deletes {
            if let row = tables.tables[delete.layout.rootIndex]?[delete.key] { unindex(row, delete.key) }
        }
        for (root, deletes) in Dictionary(grouping: changes.deletes, by: { $0.layout.rootIndex }) {
            tables.tables[root]?.remove(Set(deletes.map(\.key)))
        }
        dropLinks(of: changes.deletes)
        for insert in changes.inserts {
            store(insert.snapshot, permanent(insert.key), version: insert.version)
            link(insert.links, insert.snapshot.layout, permanent(insert.key))
        }
        for update in changes.updates {
            store(update.snapshot, update.key, version: update.version)
            link(update.links, update.snapshot.layout, update.key)
        }
    }

    private mutating func store(_ row: Snapshot, _ key: Int64, version: Int64) {
        // The context may change its block again if another store rejects the save.
        let copy = row.withoutTransients().copy()
        copy.resolveReferences { outcome.permanentKeys[$0] }
        copy.version = version
        copy.stamp = RowClock.now
        if row.layout.hasDerivedAttributes { copy.takeDerivedValues(of: tables.tables[row.layout.rootIndex]?[key]) }
        tables.tables[row.layout.rootIndex, default: .init()].set(key, copy)
        index(copy, key)
    }

    private mutating func link(_ links: [ChangeSet.Links], _ layout: EntityLayout, _ owner: Int64) {
        for link in links {
            guard let relationship = layout.relationship(link.slot) else { continue }
            let own = MemoryTables.LinkKey(relationship: ObjectIdentifier(relationship), owner: owner)
            if let order = link.order {
                tables.links[own] = order.map(permanent)
            } else if relationship.isOrdered || !hasToOneInverse(layout, link.slot) {
                change(own, link.added.map(permanent), link.removed.map(permanent))
            }
            // The other end of a many-to-many relationship may not be part of the changes.
            guard let inverse = relationship.mutualInverse, inverse.isToMany else { continue }
            let back = Reference(entityIndex: layout.index, key: owner)
            for reference in link.added.map(permanent) {
                change(.init(relationship: ObjectIdentifier(inverse), owner: reference.key), [back], [])
            }
            for reference in link.removed.map(permanent) {
                change(.init(relationship: ObjectIdentifier(inverse), owner: reference.key), [], [back])
            }
        }
    }

    private mutating func change(_ key: MemoryTables.LinkKey, _ added: [Reference], _ removed: [Reference]) {
        var members = tables.links[key] ?? []
        let gone = Set(removed.map(\.key))
        if !gone.isEmpty { members.removeAll { gone.contains($0.key) } }
        var present = Set(members.map(\.key))
        for reference in added where present.insert(reference.key).inserted { members.append(reference) }
        tables.links[key] = members.isEmpty ? nil : members
    }

    /// Removes the links of deleted rows, and deleted members from other rows' lists, with one pass for each list.
    private mutating func dropLinks(of deletes: [ChangeSet.Delete]) {
        var left: [MemoryTables.LinkKey: [Reference]] = [:]
        for delete in deletes {
            for slot in delete.layout.toManySlots {
                guard let relationship = delete.layout.relationship(slot) else { continue }
                let own = MemoryTables.LinkKey(relationship: ObjectIdentifier(relationship), owner: delete.key)
                let members = tables.links.removeValue(forKey: own) ?? []
                guard let inverse = relationship.mutualInverse, inverse.isToMany else { continue }
                let back = Reference(entityIndex: delete.layout.index, key: delete.key)
                for member in members {
                    left[.init(relationship: ObjectIdentifier(inverse), owner: member.key), default: []].append(back)
                }
            }
        }
        for (key, members) in left where tables.links[key] != nil { change(key, [], members) }
    }

    private func hasToOneInverse(_ layout: EntityLayout, _ slot: Int) -> Bool {
        layout.relationship(slot)?.mutualInverse.map { !$0.isToMany } ?? false
    }

    private func permanent(_ key: Int64) -> Int64 { outcome.permanentKeys[key] ?? key }

    private func permanent(_ reference: Reference) -> Reference {
        Reference(entityIndex: reference.entityIndex, key: permanent(reference.key))
    }

    // MARK: Uniqueness

    /// Finds uniqueness conflicts in the result of the changes.
    private mutating func checkUniqueness(_ changes: ChangeSet) {
        var leaving: Set<ObjectKey> = []
        for delete in changes.deletes { leaving.insert(ObjectKey(delete.layout.rootIndex, delete.key)) }
        for update in changes.updates { leaving.insert(ObjectKey(update.snapshot.layout.rootIndex, update.key)) }
        var check = UniquenessCheck<UniqueValues>()
        for update in changes.updates { add(update.snapshot, update.key, to: &check) }
        for insert in changes.inserts { add(insert.snapshot, insert.key, to: &check) }
        outcome.conflicts += check.conflicts { group, _ in
            let root = group.layout.rootIndex
            guard let key = tables.unique[group.rule]?[group.values], !leaving.contains(ObjectKey(root, key))
            else { return nil }
            return tables.tables[root]?[key].map { FetchedRow(key: key, snapshot: $0) }
        }
    }

    private func add(_ row: Snapshot, _ key: Int64, to check: inout UniquenessCheck<UniqueValues>) {
        for rule in row.layout.uniquenessRules(model) {
            guard let values = UniqueValues(row, rule) else { continue }
            check.add(values, of: rule, key, row.layout)
        }
    }

    private mutating func index(_ row: Snapshot, _ key: Int64) {
        for rule in row.layout.uniquenessRules(model) {
            if let values = UniqueValues(row, rule) { tables.unique[rule, default: [:]][values] = key }
        }
    }

    private mutating func unindex(_ row: Snapshot, _ key: Int64) {
        for rule in row.layout.uniquenessRules(model) {
            guard let values = UniqueValues(row, rule), tables.unique[rule]?[values] == key else {
                continue
            }
            tables.unique[rule]?[values] = nil
        }
    }
}
