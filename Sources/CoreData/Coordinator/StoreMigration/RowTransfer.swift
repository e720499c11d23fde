// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Copies all rows of a store into an empty one in bounded memory, with their keys and versions.

import Foundation

/// # Order
/// For each root entity:
/// 1. Read all keys (eight to sixteen bytes a row), and reserve as many, so that none is assigned again.
/// 2. Copy rows with attributes and to-one relationships, in batches.
/// 3. After the rows of all entities, copy to-many relationships that rows do not contain (join tables,
/// order), in batches.
/// # Invariant
/// (1) Each row keeps its version, so contexts can save changes based on it. Step 3 updates some rows a second time,
/// which increments the version, so step 2 writes those with a version lower by one.
struct RowTransfer {
    private static let batch = 256
    /// The limit for large data in one batch, in bytes.
    private static let largestBatch = 8 << 20

    private let source: any RecordSource
    private let origin: any RecordStore
    private let destination: any RecordStore
    private let model: ModelLayout
    private let roots: [EntityLayout]

    /// - Parameter roots: the root entities of the stores.
    init(from origin: any RecordStore, to destination: any RecordStore, model: ModelLayout, roots: [EntityLayout])
        throws
    {
        self.origin = origin
        self.destination = destination
        self.model = model
        self.roots = roots
        // Reads one consistent state, independent of writes by other processes.
        source = try origin.copySource()
    }

    func run() throws {
        for root in roots { try copyRows(root) }
        for root in roots where root.familyIndexes.contains(where: { !model.layouts[$0].linkSlots.isEmpty }) {
            try copyLinks(root)
        }
    }

    /// The keys of all rows below a root entity, ascending.
    static func keys(of root: EntityLayout, in source: any RecordSource, _ model: ModelLayout) throws -> [Int64] {
        var fetch = BoundFetch(PreparedFetch(model: model, layout: root))
        fetch.result = .keys
        guard case .keys(let keys) = try source.fetch(fetch, in: nil) else { return [] }
        return keys.map(\.key).sorted()
    }

    private func copyRows(_ root: EntityLayout) throws {
        let keys = try Self.keys(of: root, in: source, model)
        let last = max(try origin.lastKey(below: root), keys.last ?? 0)
        if last > 0 { _ = try destination.reserveKeys(Int(last), for: root) }
        var changes = ChangeSet()
        var size = 0
        try forEachBatch(of: keys, root) { rows in
            for row in rows {
                let (copy, bytes) = try row.snapshot.withoutFiles()
                copy.version = row.snapshot.version &- (row.snapshot.layout.linkSlots.isEmpty ? 1 : 2)
                changes.inserts.append(.init(key: row.key, snapshot: copy))
                size += bytes
                if size > Self.largestBatch { try write(&changes, &size) }
            }
            try write(&changes, &size)
        }
    }

    private func copyLinks(_ root: EntityLayout) throws {
        try forEachBatch(of: Self.keys(of: root, in: source, model), root) { rows in
            var changes = ChangeSet()
            var size = 0
            for (index, rows) in Dictionary(grouping: rows, by: { $0.snapshot.layout.index }) {
                let layout = model.layouts[index]
                if layout.linkSlots.isEmpty { continue }
                let members = try layout.linkSlots.map { slot in
                    (slot, try source.members(of: slot, layout: layout, owners: rows.map(\.key), in: nil))
                }
                for row in rows {
                    let (copy, bytes) = try row.snapshot.withoutFiles()
                    let links = members.compactMap { slot, members in
                        members[row.key].map { layout.links(slot, to: $0) }
                    }
                    changes.updates.append(
                        .init(
                            key: row.key, snapshot: copy, baseVersion: copy.version &- 1, changed: SlotSet(),
                            links: links))
                    size += bytes
                    if size > Self.largestBatch { try write(&changes, &size) }
                }
            }
            try write(&changes, &size)
        }
    }

    private func forEachBatch(of keys: [Int64], _ root: EntityLayout, _ body: ([FetchedRow]) throws -> Void) throws {
        var position = 0
        while position < keys.count {
            let end = min(position + Self.batch, keys.count)
            try body(try source.rows(Array(keys[position..<end]), root: root, in: nil).sorted { $0.key < $1.key })
            // The copied rows are not needed again, and the cache would otherwise keep twenty thousand.
            source.rowCache.forget(root: root.rootIndex, keys: keys[position..<end])
            position = end
        }
    }

    private func write(_ changes: inout ChangeSet, _ size: inout Int) throws {
        if changes.isEmpty { return }
        let outcome = try destination.save(changes)
        guard outcome.isWritten else {
            let names = Set(outcome.conflicts.map(\.layout.name)).sorted().joined(separator: ", ")
            throw CoreDataError.migration(
                .migration, "The new store refuses objects of \(names): values that must be unique are there twice.",
                url: destination.url)
        }
        changes = ChangeSet()
        size = 0
    }
}

extension EntityLayout {
    /// To-many relationships with links, or an order, that neither the row nor the rows at the other end contain.
    fileprivate var linkSlots: [Int] {
        toManySlots.filter { !self[$0].isTransient && (self[$0].isOrdered || !isWrittenAtOtherEnd($0)) }
    }

    private func isWrittenAtOtherEnd(_ slot: Int) -> Bool {
        relationship(slot)?.mutualInverse.map { !$0.isToMany } ?? false
    }

    fileprivate func links(_ slot: Int, to members: [Reference]) -> ChangeSet.Links {
        ChangeSet.Links(
            slot: slot, added: isWrittenAtOtherEnd(slot) ? [] : members, removed: [],
            order: self[slot].isOrdered ? members : nil)
    }
}

extension Snapshot {
    /// A copy of the row with its large data in memory, and the number of bytes.
    ///
    /// - Throws: 260 when an external file is missing.
    func withoutFiles() throws -> (Snapshot, bytes: Int) {
        let copy = self.copy()
        var bytes = 0
        for slot in layout.attributeSlots where layout[slot].kind == .box {
            guard let box = box(slot), !box.files.isEmpty else { continue }
            do {
                guard let value = try box.read() else { continue }
                copy.setBox(ValueBox(value), slot)
                bytes += (value as? Data)?.count ?? 0
            } catch {
                throw CoreDataError.unreadableData(
                    error.url, attribute: layout.properties[slot].qualifiedName, underlying: error.underlying)
            }
        }
        return (copy, bytes)
    }

    /// Whether the row has large data in external files.
    var hasFiles: Bool {
        layout.attributeSlots.contains { layout[$0].kind == .box && box($0)?.files.isEmpty == false }
    }
}
