// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes the undo record of an event: the previous state of its objects.

import CoreDataFoundation
import Foundation

/// Made at the end of each event that an undo manager records.
struct UndoRecording {
    let history: UndoHistory
    let tracker: ChangeTracker
    let faults: FaultFulfilment
    /// Whether `willSave` made the changes.
    let isSaving: Bool

    /// - Parameter undoable: nil for all objects of the event.
    func record(in manager: UndoManager, only undoable: Set<ObjectIdentifier>?) {
        let objects = tracker.event.filter { undoable?.contains(ObjectIdentifier($0)) ?? true }
        readAhead(Array(objects))
        let record = UndoRecord(epoch: history.epoch, entries: objects.compactMap(entry))
        guard !record.entries.isEmpty else { return }
        assert(record.entries.allSatisfy(\.isWorthKeeping), "(2) of Documentation/Internals/Undo.md")
        // The changes of `willSave` are not in a group of the program. Refusing them would make the save impossible.
        history.register(record, in: manager, ownGroup: isSaving)
    }

    /// nil for an object without anything to undo: refreshed, merged, changed back, or inserted and deleted.
    private func entry(_ object: NSManagedObject) -> UndoRecord.Entry? {
        // Another writer deleted it, or its record is missing: undo cannot restore it.
        guard !object.flags.contains(.inaccessible) else { return nil }
        let base = object.objectExtension?.eventBase
        // Without a base it is an insertion, or another context has changed it.
        if base == nil, !object.flags.contains(.inserted) { return nil }
        let wasThere = base.map { !$0.flags.contains(.deleted) } ?? false
        let isThere = tracker.owns(object) && !object.flags.contains(.deleted)
        switch (wasThere, isThere) {
        case (false, false): return nil
        case (false, true): return .init(object: object, effect: .inserted, changes: .init())
        case (true, false):
            guard !object.isFault, let snapshot = object.snapshot else { return nil }
            return .init(
                object: object, effect: .deleted(.init(object, snapshot)), changes: changes(object, since: base))
        case (true, true):
            let changes = changes(object, since: base)
            return changes.isEmpty ? nil : .init(object: object, effect: .updated, changes: changes)
        }
    }

    private func changes(_ object: NSManagedObject, since base: ObjectState?) -> UndoRecord.PropertyChanges {
        var result = UndoRecord.PropertyChanges()
        guard let base, let objectExtension = object.objectExtension, let now = object.snapshot, !object.isFault else {
            return result
        }
        let before = base.snapshot ?? objectExtension.committed ?? now
        let layout = object.table.layout
        for slot in objectExtension.changed.slots {
            let ordinal = Int(layout[slot].ordinal)
            switch layout[slot].kind {
            case .toMany:
                let isOrdered = layout[slot].isOrdered
                if let change = MembersChange(
                    from: base.members[ordinal], to: objectExtension.members[ordinal], isOrdered: isOrdered)
                {
                    result.toManys.append((slot, change))
                }
            case .reference where !before.isEqual(now, slot: slot):
                let destination = destination(before, slot, base, of: object)
                if destination !== objectExtension.destinations[ordinal] { result.toOnes.append((slot, destination)) }
            case .reference, .fetched: break
            default: if !before.isEqual(now, slot: slot) { result.attributeSlots.append(slot) }
            }
        }
        if !result.attributeSlots.isEmpty { result.attributes = before.withoutFiles(result.attributeSlots) }
        return result
    }

    private func destination(
        _ row: Snapshot, _ slot: Int, _ base: ObjectState, of object: NSManagedObject
    ) -> NSManagedObject? {
        if let known = base.destinations[Int(object.table.layout[slot].ordinal)] { return known }
        return row.reference(slot).map { faults.object(at: $0, from: object) }
    }

    // MARK: Reading ahead of a save

    /// Reads everything that a save would make unreadable, in a few statements: the positions of members that ordered
    /// relationships lost, and the values and members of deleted objects.
    private func readAhead(_ objects: [NSManagedObject]) {
        let deleted = objects.filter {
            $0.flags.contains(.deleted) && !$0.flags.contains(.inaccessible) && tracker.owns($0)
        }
        faults.realizeAll(deleted.filter(\.isFault))
        forEachLayout(deleted) { layout, objects in
            for slot in layout.toManySlots { faults.realizeMembers(of: slot, in: objects) }
        }
        forEachLayout(objects.filter { tracker.owns($0) && $0.objectExtension != nil }) { layout, objects in
            for slot in layout.toManySlots where layout[slot].isOrdered {
                let losers = objects.filter { $0.hasLostUnread(slot) }
                if !losers.isEmpty { faults.realizeMembers(of: slot, in: losers) }
            }
        }
    }

    private func forEachLayout(_ objects: [NSManagedObject], _ body: (EntityLayout, [NSManagedObject]) -> Void) {
        for group in Dictionary(grouping: objects, by: { ObjectIdentifier($0.table.layout) }).values {
            if let layout = group.first?.table.layout { body(layout, group) }
        }
    }
}

extension NSManagedObject {
    /// Whether an unread to-many relationship has lost members in this event.
    fileprivate final func hasLostUnread(_ slot: Int) -> Bool {
        guard let objectExtension, objectExtension.changed.contains(slot) else { return false }
        let ordinal = Int(table.layout[slot].ordinal)
        guard let now = objectExtension.members[ordinal], now.isFault else { return false }
        return MembersChange(from: objectExtension.eventBase?.members[ordinal], to: now, isOrdered: true)?.lost.isEmpty
            == false
    }
}
