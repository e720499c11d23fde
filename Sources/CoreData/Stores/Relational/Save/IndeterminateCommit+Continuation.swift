// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Continues a save that is repeated after an indeterminate commit.

extension IndeterminateCommit {
    /// The changes that remain after this commit.
    package struct Continuation {
        package var changes: ChangeSet
        package let earlier: IndeterminateCommit
        /// The temporary keys of insertions and the keys of their rows.
        package var keys: [(temporary: Int64, permanent: Int64)] = []
        /// The versions that the rows get.
        package var versions: [ObjectKey: Int64] = [:]
        /// Rows of the commit that another transaction has changed since. They are newer than the objects, so no row
        /// cache takes the objects' values.
        package var overtaken: [ObjectKey] = []
    }

    /// - Parameter read: reads rows by key below a root entity.
    /// - Returns: nil if the commit is not durable, or has nothing in common with the changes.
    package func continuation(
        _ changes: ChangeSet, _ model: ModelLayout, _ read: ([Int64], EntityLayout) throws -> [FetchedRow]
    ) throws -> Continuation? {
        let rows = try rows(changes, model, read)
        var result = Continuation(changes: changes, earlier: self)
        result.changes.inserts = []
        for insert in changes.inserts {
            let layout = insert.snapshot.layout
            let key = keys[insert.key] ?? insert.key
            let place = ObjectKey(layout.rootIndex, key)
            let stored = Self.storedSlots(layout)
            guard let written = inserts[insert.key] else {
                result.changes.inserts.append(insert)
                continue
            }
            if insert.key < 0 { result.keys.append((insert.key, key)) }
            if !Self.isSame(rows[place], written, stored, version: written.version),
                isRepeated(by: insert, stored)
            {
                result.versions[place] = written.version
                result.overtaken.append(place)
                continue
            }
            let update = ChangeSet.Update(
                key: key, snapshot: insert.snapshot, baseVersion: written.version, changed: stored, links: insert.links)
            result.changes.updates.append(update)
            result.versions[place] = update.version
        }
        let continued = result.changes.updates.dropFirst(changes.updates.count)
        result.changes.updates = []
        for var update in changes.updates {
            let place = ObjectKey(update.snapshot.layout.rootIndex, update.key)
            if let write = updates[place], write.askedVersion == update.baseVersion {
                let written = write.update
                if Self.isSame(rows[place], written.snapshot, written.changed, version: written.version) {
                    // The first attempt has written the links; writing them again has no effect.
                    update.baseVersion = written.version
                    result.versions[place] = update.version
                } else if write.isRepeated(by: update) {
                    result.versions[place] = written.version
                    result.overtaken.append(place)
                    continue
                }
            }
            result.changes.updates.append(update)
        }
        result.changes.updates += continued
        result.changes.deletes.removeAll { delete in
            let place = ObjectKey(delete.layout.rootIndex, delete.key)
            return deletes[place] == delete.baseVersion && rows[place] == nil
        }
        let isConcerned = !result.versions.isEmpty || result.changes.deletes.count < changes.deletes.count
        return isConcerned ? result : nil
    }

    /// The current rows of those changes that this commit made as well.
    private func rows(
        _ changes: ChangeSet, _ model: ModelLayout, _ read: ([Int64], EntityLayout) throws -> [FetchedRow]
    ) throws -> [ObjectKey: Snapshot] {
        var wanted: [Int: [Int64]] = [:]
        for insert in changes.inserts where inserts[insert.key] != nil {
            wanted[insert.snapshot.layout.rootIndex, default: []].append(keys[insert.key] ?? insert.key)
        }
        for update in changes.updates {
            let place = ObjectKey(update.snapshot.layout.rootIndex, update.key)
            if updates[place] != nil { wanted[place.entityIndex, default: []].append(place.key) }
        }
        for delete in changes.deletes {
            let place = ObjectKey(delete.layout.rootIndex, delete.key)
            if deletes[place] != nil { wanted[place.entityIndex, default: []].append(place.key) }
        }
        var rows: [ObjectKey: Snapshot] = [:]
        for (root, keys) in wanted {
            for row in try read(keys, model.layouts[root]) {
                rows[ObjectKey(root, row.key)] = row.snapshot
            }
        }
        return rows
    }

    private static func storedSlots(_ layout: EntityLayout) -> SlotSet {
        var slots = SlotSet()
        for slot in layout.attributeSlots where !layout[slot].isTransient && !layout[slot].isDerived {
            slots.insert(slot)
        }
        for slot in layout.toOneSlots { slots.insert(slot) }
        return slots
    }

    private static func isSame(_ row: Snapshot?, _ written: Snapshot, _ slots: SlotSet, version: Int64) -> Bool {
        guard let row, row.layout === written.layout, row.version == version else { return false }
        return !slots.contains(where: { !row.isEqual(written, slot: $0) })
    }
}
