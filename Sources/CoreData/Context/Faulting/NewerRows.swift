// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Takes newer rows over under the local changes, and follows the links in which they differ from the rows before.

import Foundation

/// # Order
/// 1. `take` and `lose` apply the rows of the objects that a policy decides on; `takeRefreshed` that of a refresh.
/// 2. `spread` goes on to the other ends of links that differ, from row to row, until none is left (Merging-20, 21).
/// 3. Local to-ones that win cut the links that the new rows hold in their place (Merging-22), and the links of the new
///    rows that an end left (Merging-27).
final class NewerRows {
    private let faults: FaultFulfilment
    /// Objects that `take` or `lose` was called for, or will be.
    private var known: Set<ObjectIdentifier>
    /// To-manys to be read again, with the links before.
    private var unread: [StoredLinks] = []
    private var ends: [NSManagedObject] = []
    private var cuts: [(end: NSManagedObject, source: NSManagedObject, slot: Int)] = []
    /// The end of a link that is cut.
    private var loser: NSManagedObject?
    /// Objects of a refresh, while anything is unsaved.
    private var refreshed: [NSManagedObject] = []

    /// - Parameter expected: objects that `take` or `lose` will be called for.
    init(_ faults: FaultFulfilment, expected: [NSManagedObject] = []) {
        self.faults = faults
        known = Set(expected.map(ObjectIdentifier.init))
    }

    /// For objects whose rows a store reported: those of a generation would not fit to them.
    static func ofConflicts(_ faults: FaultFulfilment, expected: [NSManagedObject]) -> NewerRows {
        faults.scope.advanceGeneration()
        return NewerRows(faults, expected: expected)
    }

    /// Gives one object its newest row.
    ///
    /// - Parameter other: has removed the object just now, and does not take it back.
    func catchUp(_ object: NSManagedObject, losing other: NSManagedObject) {
        loser = other
        ends.append(object)
        finish()
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
            follow(row, slot, of: object)
        }
    }

    private func follow(_ row: Snapshot, _ slot: Int, of object: NSManagedObject) {
        guard let reference = row.reference(slot), let end = object.table.owner?.object(at: reference, from: object)
        else { return }
        ends.append(end)
        cuts.append((end, object, slot))
        if object.destination(slot) === end, end !== loser {
            end.regain(object, Int(object.table.layout[slot].inverse), faults)
        }
    }

    /// Takes the row of a refresh over. Only links that a local to-one wins over are followed (Merging-28).
    func takeRefreshed(_ row: Snapshot, _ object: NSManagedObject) {
        guard object.flags.contains(.updated) else {
            object.adopt(row)
            return noteEnds(of: object)
        }
        known.insert(ObjectIdentifier(object))
        let (base, links) = (object.baseRow, StoredLinks(object))
        MemberMerge(object, faults).mergeOrders(storeWins: false)
        object.adopt(row)
        object.objectExtension?.parentRow = nil
        for slot in object.table.layout.toOneSlots where StoredLinks.isFollowed(slot, object) {
            if base?.isEqual(row, slot: slot) == true || object.realized.isEqual(row, slot: slot) { continue }
            for end in links.ends(slot) {
                end.forgetRemoval(of: object, Int(object.table.layout[slot].inverse))
            }
            follow(row, slot, of: object)
        }
        noteEnds(of: object)
    }

    /// A partner with changes may have left the object (Merging-27), or may be deleted (Merging-34).
    private func noteEnds(of object: NSManagedObject) {
        if faults.tracker.unsaved.isEmpty { return }
        refreshed.append(object)
        let layouts = faults.registry.model.layouts
        for slot in object.table.layout.toOneSlots where StoredLinks.isFollowed(slot, object) {
            let place = object.table.layout[slot]
            guard layouts[Int(place.destination)][Int(place.inverse)].kind == .reference,
                let reference = object.snapshot?.reference(slot),
                let end = object.table.owner?.registeredObject(at: reference, from: object),
                end.flags.contains(.updated)
            else { continue }
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
        for (end, source, slot) in cuts where !end.isMarkedDeleted {
            let inverse = Int(source.table.layout[slot].inverse)
            if source.destination(slot) !== end {
                end.loseStored(source, inverse)
            } else if end.hasGivenUp(source, inverse) {
                source.lose(end, slot)
            }
        }
        cuts = []
        for object in refreshed where !object.isMarkedDeleted { object.dropDeletedDestinations() }
        refreshed = []
    }

    private func spread() {
        while !unread.isEmpty || !ends.isEmpty {
            readMembers()
            for links in unread { ends += links.differences }
            unread = []
            let next = ends.filter { known.insert(ObjectIdentifier($0)).inserted }
            ends = []
            let stale = next.filter { !$0.isInserted && !$0.isMarkedDeleted && !meetsConflict($0) }
            for group in stale.grouped(by: \.identityMap) { refresh(group) }
        }
    }

    /// Whether the object meets a conflict of its own when it is saved. A store compares versions, a parent the
    /// properties that changed (NestedContexts-7).
    private func meetsConflict(_ object: NSManagedObject) -> Bool {
        !faults.isNested && object.hasPersistentChangedValues
    }

    /// The same for a child's object, when the parent's row is known.
    private func meetsConflict(_ object: NSManagedObject, _ row: Snapshot?) -> Bool {
        guard object.hasPersistentChangedValues else { return false }
        guard let row, let base = object.parentRow else { return true }
        return object.objectExtension?.changed.contains { slot in
            let place = row.layout[slot]
            return place.word >= 0 && !place.isTransient && !row.isEqual(base, slot: slot)
                && !row.isEqual(object.realized, slot: slot)
        } ?? false
    }

    /// To-manys of one entity are read in one statement.
    private func readMembers() {
        var groups: [[Int]: [NSManagedObject]] = [:]
        for links in unread {
            for slot in links.readSlots {
                groups[[links.object.table.layout.index, slot], default: []].append(links.object)
            }
        }
        for (key, objects) in groups {
            faults.realizeMembers(of: key[1], in: objects)
            for object in objects { followRemovals(object, key[1]) }
        }
    }

    /// Members that were linked after the object was read here, and that lost it by a change of their own (Merging-33).
    private func followRemovals(_ object: NSManagedObject, _ slot: Int) {
        guard object.table.layout.toOneInverse(slot) == nil else { return }
        for member in object.members(slot) where member.hasRemoved(object, members: slot) {
            object.loseStored(member, slot)
        }
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
        } else if meetsConflict(object, row) {
            return
        } else if let row {
            guard object.baseRow.map({ $0 !== row && !isSameVersion($0, row) }) ?? true else { return }
            faults.tracker.markRefreshed(object)
            let links = StoredLinks(object)
            MemberMerge(object, faults).mergeOrders(storeWins: false)
            take(row, object, links)
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

extension NSManagedObject {
    /// The row that unsaved changes were made on; nil for an insertion and for a fault.
    final var baseRow: Snapshot? { flags.contains(.inserted) ? nil : objectExtension?.committed ?? snapshot }

    /// Whether the last known row leads to `other`, and a local change leads away.
    fileprivate final func hasGivenUp(_ other: NSManagedObject, _ slot: Int) -> Bool {
        guard table.layout[slot].kind == .reference, !isFault, baseRow?.reference(slot)?.key == other.key else {
            return false
        }
        return destination(slot) !== other
    }

    /// Whether this end of a many-to-many has the unsaved removal of an owner.
    ///
    /// - Parameter slot: the owner's to-many.
    fileprivate final func hasRemoved(_ owner: NSManagedObject, members slot: Int) -> Bool {
        let inverse = Int(owner.table.layout[slot].inverse)
        guard inverse >= 0, flags.contains(.updated), let objectExtension,
            var removed = objectExtension.members[Int(table.layout[inverse].ordinal)]?.removed
        else { return false }
        return removed.contains(owner)
    }

    /// The newer row of a member leads here. A to-many drops the note that the member was removed (Merging-35), and
    /// one that was read without the member has it (Merging-38). No other member comes in: it may be old here.
    fileprivate final func regain(_ object: NSManagedObject, _ slot: Int, _ faults: FaultFulfilment) {
        let ordinal = Int(table.layout[slot].ordinal)
        guard table.layout[slot].kind == .toMany, !isFault, var members = objectExtension?.members[ordinal],
            members.contains(object) != true
        else { return }
        faults.tracker.markRefreshed(self)
        announcing(slot) { objectExtension?.members[ordinal]?.takeStored(object) }
    }

    /// A to-many drops the note that a member was removed: the newer row of the member leads elsewhere.
    fileprivate final func forgetRemoval(of object: NSManagedObject, _ slot: Int) {
        guard table.layout[slot].kind == .toMany else { return }
        objectExtension?.members[Int(table.layout[slot].ordinal)]?.forgetRemoval(of: object)
    }
}

extension FaultFulfilment {
    /// Whether an object is or will be in its store. Asks the level below; if that cannot be read the answer is yes,
    /// and the save throws the error.
    func hasRecord(_ object: NSManagedObject) -> Bool {
        if object.isInserted { return !object.isMarkedDeleted }
        guard !object.flags.contains(.inaccessible) else { return false }
        do {
            let root = registry.model.layouts[object.table.layout.rootIndex]
            return try !source.rows([object.key], root: root, home: object.table.home, maxAge: 0).isEmpty
        } catch {
            failures.note(error)
            return true
        }
    }
}
