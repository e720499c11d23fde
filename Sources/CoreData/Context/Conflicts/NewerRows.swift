// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Takes newer rows over under the local changes, and follows the links in which they differ from the rows before.

import Foundation

/// # Order
/// 1. `take` and `lose` apply the rows of the objects that a policy decides on.
/// 2. `spread` goes on to the other ends of links that differ, from row to row, until none is left (Merging-20, 21).
/// 3. Local to-ones that win cut the links that the new rows hold in their place (Merging-22).
final class NewerRows {
    private let faults: FaultFulfilment
    /// Objects that `take` or `lose` was called for, or will be.
    private var known: Set<ObjectIdentifier>
    /// To-manys to be read again, with the links before.
    private var unread: [StoredLinks] = []
    private var ends: [NSManagedObject] = []
    private var cuts: [(end: NSManagedObject, source: NSManagedObject, slot: Int)] = []

    /// - Parameter expected: objects that `take` or `lose` will be called for.
    init(_ faults: FaultFulfilment, expected: [NSManagedObject] = []) {
        self.faults = faults
        known = Set(expected.map(ObjectIdentifier.init))
        // Rows of a pinned generation would not fit to those that the store reported.
        faults.scope.advanceGeneration()
    }

    /// - Parameter links: those of the object before anything was done to it.
    func take(_ row: Snapshot, _ object: NSManagedObject, _ links: StoredLinks) {
        known.insert(ObjectIdentifier(object))
        let base = object.baseRow
        object.adopt(row)
        object.objectExtension?.parentRow = nil
        unread.append(links)
        for slot in object.table.layout.toOneSlots where StoredLinks.isFollowed(slot, object) {
            if base?.isEqual(row, slot: slot) == true { continue }
            ends += links.ends(slot)
            guard let reference = row.reference(slot), let end = object.table.owner?.object(at: reference, from: object)
            else { continue }
            ends.append(end)
            cuts.append((end, object, slot))
        }
    }

    /// The record of an object is gone.
    func lose(_ object: NSManagedObject, _ links: StoredLinks) {
        known.insert(ObjectIdentifier(object))
        ends += links.all
    }

    func finish() {
        spread()
        for (end, source, slot) in cuts where !end.isDeleted && source.destination(slot) !== end {
            end.lose(source, Int(source.table.layout[slot].inverse))
        }
        cuts = []
    }

    private func spread() {
        while !unread.isEmpty || !ends.isEmpty {
            readMembers()
            for links in unread { ends += links.differences }
            unread = []
            let next = ends.filter { known.insert(ObjectIdentifier($0)).inserted }
            ends = []
            // A change that is going to be saved meets a conflict of its own.
            let stale = next.filter { !$0.isInserted && !$0.isDeleted && !$0.hasPersistentChangedValues }
            for group in stale.grouped(by: \.identityMap) { refresh(group) }
        }
    }

    /// To-manys of one entity are read in one statement.
    private func readMembers() {
        var groups: [[Int]: [NSManagedObject]] = [:]
        for links in unread {
            for slot in links.readSlots {
                groups[[links.object.table.layout.index, slot], default: []].append(links.object)
            }
        }
        for (key, objects) in groups { faults.realizeMembers(of: key[1], in: objects) }
    }

    /// Objects of one root entity and store.
    private func refresh(_ objects: [NSManagedObject]) {
        guard let first = objects.first else { return }
        let root = faults.registry.model.layouts[first.table.layout.rootIndex]
        do {
            // A parent has the newest rows. A row cache may lack rows that other coordinators wrote.
            let rows = try faults.source.rows(
                objects.map(\.key), root: root, home: first.table.home, maxAge: faults.isNested ? -1 : 0)
            let found = Dictionary(rows.map { ($0.key, $0.snapshot) }, uniquingKeysWith: { first, _ in first })
            for object in objects { refresh(object, found[object.key]) }
        } catch {
            faults.failures.note(error)
        }
    }

    private func refresh(_ object: NSManagedObject, _ row: Snapshot?) {
        if object.isFault {
            object.snapshot = row
        } else if let row {
            guard object.baseRow.map({ $0 !== row && !isSameVersion($0, row) }) ?? true else { return }
            faults.tracker.markRefreshed(object)
            take(row, object, StoredLinks(object))
        } else {
            let links = StoredLinks(object)
            faults.tracker.markMissing(object)
            lose(object, links)
        }
    }

    /// Rows of a parent keep their version until they are saved.
    private func isSameVersion(_ one: Snapshot, _ other: Snapshot) -> Bool {
        !faults.isNested && one.version == other.version
    }
}

/// The links of an object as its last known row has them: of to-manys those that were read.
struct StoredLinks {
    let object: NSManagedObject
    private let toOnes: [(slot: Int, end: NSManagedObject)]
    private let toManys: [(slot: Int, members: Set<NSManagedObject>)]

    init(_ object: NSManagedObject) {
        self.object = object
        let layout = object.table.layout
        let base = object.isFault ? nil : object.baseRow
        toOnes = layout.toOneSlots.compactMap { slot in
            guard Self.isFollowed(slot, object), let reference = base?.reference(slot),
                let end = object.table.owner?.registeredObject(at: reference, from: object)
            else { return nil }
            return (slot, end)
        }
        toManys = layout.toManySlots.compactMap { slot in
            guard Self.isFollowed(slot, object), let value = object.memberValue(slot), !value.isFault else {
                return nil
            }
            return (slot, Set(value.committedMembers))
        }
    }

    /// Whether a relationship has two ends that are stored.
    static func isFollowed(_ slot: Int, _ object: NSManagedObject) -> Bool {
        !object.table.layout[slot].isTransient && object.table.layout[slot].inverse >= 0
    }

    func ends(_ slot: Int) -> [NSManagedObject] { toOnes.filter { $0.slot == slot }.map(\.end) }

    var all: [NSManagedObject] { toOnes.map(\.end) + toManys.flatMap(\.members) }

    var readSlots: [Int] { toManys.map(\.slot) }

    /// Members that came or went, of the to-manys that had been read and are read again.
    var differences: [NSManagedObject] {
        toManys.flatMap { slot, before -> [NSManagedObject] in
            guard let value = object.memberValue(slot), !value.isFault else { return [] }
            return Array(before.symmetricDifference(value.committedMembers))
        }
    }
}
