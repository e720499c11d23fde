// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Applies newer rows below the local changes, and updates the inverses of the links that differ.

import Foundation

/// # Order
/// 1. `take` and `lose` apply the rows of the objects that a policy decides on; `takeRefreshed` that of a refresh.
/// 2. `propagate` continues with the other ends of differing links, from row to row, until none differs (Merging-20,
/// 21).
/// 3. Local to-one relationships that win replace the links of the new rows (Merging-22), and links of the new rows are
///    removed if the other end has changed locally (Merging-27).
final class NewerRows {
    private let faults: FaultFulfilment
    /// Objects for which `take` or `lose` was or will be called.
    private var known: Set<ObjectIdentifier>
    /// To-many relationships to be read again, with their previous links.
    private var unread: [StoredLinks] = []
    private var ends: [NSManagedObject] = []
    private var cuts: [(end: NSManagedObject, source: NSManagedObject, slot: Int)] = []
    /// The end of a link that is being cut.
    private var loser: NSManagedObject?
    /// Objects of a refresh, if the context has unsaved changes.
    private var refreshed: [NSManagedObject] = []

    /// - Parameter expected: objects for which `take` or `lose` will be called.
    init(_ faults: FaultFulfilment, expected: [NSManagedObject] = []) {
        self.faults = faults
        known = Set(expected.map(ObjectIdentifier.init))
    }

    /// For objects with newer rows from a store's report: the context advances to a newer generation first, to match
    /// these rows.
    static func ofConflicts(_ faults: FaultFulfilment, expected: [NSManagedObject]) -> NewerRows {
        faults.scope.advanceGeneration()
        return NewerRows(faults, expected: expected)
    }

    /// Updates one object to its newest row.
    ///
    /// - Parameter other: has just lost the object, and does not get it back.
    func updateToNewestRow(_ object: NSManagedObject, losing other: NSManagedObject) {
        loser = other
        ends.append(object)
        finish()
    }

    /// - Parameter links: the links of the object before the resolution began.
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

    /// Applies the row of a refresh. Follows only links that a local to-one relationship replaces (Merging-28).
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

    /// A changed one-to-one partner may have left the object (Merging-27), or may be deleted (Merging-34).
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

    /// Called if the record of an object was deleted.
    func lose(_ object: NSManagedObject, _ links: StoredLinks) {
        known.insert(ObjectIdentifier(object))
        ends += links.all
    }

    func finish() {
        propagate()
        for (end, source, slot) in cuts where !end.isMarkedDeleted {
            let inverse = Int(source.table.layout[slot].inverse)
            if source.destination(slot) !== end {
                end.loseStored(source, inverse)
            } else if end.hasUnlinked(source, inverse) {
                source.lose(end, slot)
            }
        }
        cuts = []
        for object in refreshed where !object.isMarkedDeleted { object.dropDeletedDestinations() }
        refreshed = []
    }

    private func propagate() {
        while !unread.isEmpty || !ends.isEmpty {
            readMembers()
            for links in unread { ends += links.differences }
            unread = []
            let next = ends.filter { known.insert(ObjectIdentifier($0)).inserted }
            ends = []
            let stale = next.filter { !$0.isInserted && !$0.isMarkedDeleted && !willConflict($0) }
            for group in stale.grouped(by: \.identityMap) { refresh(group) }
        }
    }

    /// Whether the next save finds a separate conflict for the object. A store compares versions, a parent context the
    /// changed properties (NestedContexts-7).
    private func willConflict(_ object: NSManagedObject) -> Bool {
        !faults.isNested && object.hasPersistentChangedValues
    }

    /// The same for an object of a child context, if the parent's row is known.
    private func willConflict(_ object: NSManagedObject, _ row: Snapshot?) -> Bool {
        guard object.hasPersistentChangedValues else { return false }
        guard let row, let base = object.parentRow else { return true }
        return object.objectExtension?.changed.contains { slot in
            let place = row.layout[slot]
            return place.word >= 0 && !place.isTransient && !row.isEqual(base, slot: slot)
                && !row.isEqual(object.realized, slot: slot)
        } ?? false
    }

    /// Reads the to-many relationships of one entity in one statement.
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

    /// Removes members that were linked by another writer after the object was read here, although a local change of
    /// theirs had removed it (Merging-33).
    private func followRemovals(_ object: NSManagedObject, _ slot: Int) {
        guard object.table.layout.toOneInverse(slot) == nil else { return }
        for member in object.members(slot) where member.hasRemoved(object, members: slot) {
            object.loseStored(member, slot)
        }
    }

    /// Refreshes objects of one root entity and store.
    private func refresh(_ objects: [NSManagedObject]) {
        guard let first = objects.first else { return }
        let root = faults.registry.model.layouts[first.table.layout.rootIndex]
        do {
            // A parent context has the newest rows. A row cache may lack rows that other coordinators wrote.
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
        } else if willConflict(object, row) {
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

    /// Rows of a parent context keep their version until they are saved.
    private func isSameVersion(_ one: Snapshot, _ other: Snapshot) -> Bool {
        !faults.isNested && one.version == other.version
    }
}

extension NSManagedObject {
    /// The row that unsaved changes are based on; nil for an insertion and for a fault.
    final var baseRow: Snapshot? { flags.contains(.inserted) ? nil : objectExtension?.committed ?? snapshot }

    /// Whether the last known row refers to `other`, and a local change does not.
    fileprivate final func hasUnlinked(_ other: NSManagedObject, _ slot: Int) -> Bool {
        guard table.layout[slot].kind == .reference, !isFault, baseRow?.reference(slot)?.key == other.key else {
            return false
        }
        return destination(slot) !== other
    }

    /// Whether this end of a many-to-many relationship has an unsaved removal of the owner.
    ///
    /// - Parameter slot: the owner's to-many relationship.
    fileprivate final func hasRemoved(_ owner: NSManagedObject, members slot: Int) -> Bool {
        let inverse = Int(owner.table.layout[slot].inverse)
        guard inverse >= 0, flags.contains(.updated), let objectExtension,
            var removed = objectExtension.members[Int(table.layout[inverse].ordinal)]?.removed
        else { return false }
        return removed.contains(owner)
    }

    /// The newer row of a member refers to this object. A to-many relationship drops its record of the member's removal
    /// (Merging-35), or adds the member if it was read without it (Merging-38). No other members are added, because
    /// this object's information about them may be old.
    fileprivate final func regain(_ object: NSManagedObject, _ slot: Int, _ faults: FaultFulfilment) {
        let ordinal = Int(table.layout[slot].ordinal)
        guard table.layout[slot].kind == .toMany, !isFault, var members = objectExtension?.members[ordinal],
            members.contains(object) != true
        else { return }
        faults.tracker.markRefreshed(self)
        announcing(slot) { objectExtension?.members[ordinal]?.takeStored(object) }
    }

    /// Drops the recorded removal of a member: the newer row of the member refers to another object.
    fileprivate final func forgetRemoval(of object: NSManagedObject, _ slot: Int) {
        guard table.layout[slot].kind == .toMany else { return }
        objectExtension?.members[Int(table.layout[slot].ordinal)]?.forgetRemoval(of: object)
    }
}

extension FaultFulfilment {
    /// Whether an object has, or will have, a record in its store. Reads from the store or parent; if that fails, the
    /// result is true, and the save throws the error.
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
