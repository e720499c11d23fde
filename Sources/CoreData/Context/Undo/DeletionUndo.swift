// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Restores deleted objects, before or after their deletion is saved.

import Foundation

/// # States
///     marked: it is in the context, its deletion is not saved          ──▶ unmarked
///     gone:   a removed insertion, or a deletion that was saved        ──▶ an insertion again, under its old key
struct DeletionUndo {
    private let tracker: ChangeTracker
    private let registry: ObjectRegistry
    private let faults: FaultFulfilment

    init(_ tracker: ChangeTracker, _ registry: ObjectRegistry, _ faults: FaultFulfilment) {
        self.tracker = tracker
        self.registry = registry
        self.faults = faults
    }

    /// - Returns: the restored objects; their properties are as before the event.
    func restoreObjects(_ entries: [UndoRecord.Entry]) -> Set<ObjectIdentifier> {
        var returning: [UndoRecord.Entry] = []
        var reinserted: [(object: NSManagedObject, contents: UndoRecord.Contents)] = []
        // All objects are registered before a relationship refers to one of them.
        for entry in entries {
            guard case .deleted(let contents) = entry.effect else { continue }
            if tracker.owns(entry.object) {
                guard entry.object.flags.contains(.deleted) else { continue }
                unmark(entry.object)
            } else {
                guard canReturn(entry.object) else { continue }
                register(entry.object)
                reinserted.append((entry.object, contents))
            }
            returning.append(entry)
        }
        guard !returning.isEmpty else { return [] }
        read(returning, reinserted.map(\.contents))
        for (object, contents) in reinserted { fill(object, contents) }
        for entry in returning { restore(entry) }
        relinkInverses(of: reinserted.map(\.object))
        for (object, contents) in reinserted { restorePositions(object, contents.positions) }
        return Set(returning.map { ObjectIdentifier($0.object) })
    }

    private func unmark(_ object: NSManagedObject) {
        tracker.unmarkDeleted(object)
        object.flags.insert(.insertedInEvent)
        tracker.list(object)
    }

    /// `false` for an object of another context or model, or of a removed store.
    private func canReturn(_ object: NSManagedObject) -> Bool {
        let layouts = registry.model.layouts
        let layout = object.table.layout
        guard object.table.owner == nil, layouts.indices.contains(layout.index), layouts[layout.index] === layout else {
            return false
        }
        return object.key < 0 || object.table.home?.hasStore == true
    }

    /// The key is kept: other undo records, and ids that the program keeps, refer to the object by it.
    private func register(_ object: NSManagedObject) {
        let id = registry.permanentID(object.key) ?? object.ownID
        if let duplicate = registry.object(id.objectKey, id.home) { detachDuplicate(duplicate) }
        registry.register(object, id.home, key: id.key)
        object.flags = object.flags.intersection(.ofClass.union([.listed, .inEvent, .observed]))
        object.flags.formUnion(id.isTemporaryID ? .inserted : [.inserted, .hasPermanentKey])
        tracker.markInserted(object)
    }

    /// A second object was made for the id while the record was missing: it leaves the context and reads as nil.
    private func detachDuplicate(_ duplicate: NSManagedObject) {
        registry.unregister(duplicate)
        duplicate.becomeFault()
        duplicate.snapshot = .make(duplicate.table.layout)
        duplicate.flags.remove(.fault)
    }

    private func read(_ entries: [UndoRecord.Entry], _ contents: [UndoRecord.Contents]) {
        var others = entries.flatMap(\.changes.others)
        for contents in contents {
            others += contents.destinations.indices.compactMap { contents.destinations[$0] }
            others += contents.members.indices.flatMap { contents.members[$0] ?? [] }
        }
        faults.realizeAll(others.filter { $0.isFault && $0.isPresent(in: tracker) })
        // A refresh may have dropped values and members.
        for group in Dictionary(grouping: entries.map(\.object), by: { ObjectIdentifier($0.table.layout) }).values {
            faults.realizeAll(group.filter(\.isFault))
            for slot in group[0].table.layout.toManySlots { faults.realizeMembers(of: slot, in: group) }
        }
    }

    /// Restores the values that the object had when it left, without references to objects that were removed since.
    private func fill(_ object: NSManagedObject, _ contents: UndoRecord.Contents) {
        let layout = object.table.layout
        let objectExtension = object.extensionMade
        let row = contents.snapshot.copy()
        // Versions continue: a context that knows the old record detects that it was written again.
        row.version = (objectExtension.committed ?? object.snapshot ?? row).version
        objectExtension.committed = nil
        objectExtension.changed = SlotSet()
        objectExtension.destinations.forgetAll()
        objectExtension.members = OrdinalValues(count: layout.relationshipCount)
        for slot in layout.toOneSlots {
            let ordinal = Int(layout[slot].ordinal)
            guard let other = contents.destinations[ordinal] else { continue }
            let isThere = object.mayLink(slot, to: other)
            objectExtension.destinations[ordinal] = isThere ? other : nil
            if isThere { row.setReference(other.reference, slot) } else { row.setNull(slot) }
        }
        for slot in layout.toManySlots {
            let ordinal = Int(layout[slot].ordinal)
            let members = contents.members[ordinal] ?? []
            objectExtension.members[ordinal] = .insertion(of: members.filter { object.mayLink(slot, to: $0) })
        }
        object.snapshot = row
        object.flags.insert(.ownsSnapshot)
    }

    /// Undoes the changes of the event before the deletion. The inverse ends have entries of their objects, except for
    /// objects that were deleted before.
    private func restore(_ entry: UndoRecord.Entry) {
        let (object, changes) = (entry.object, entry.changes)
        guard !object.isFault else { return }
        let replaced = object.willReplace { changes.slots }
        defer { object.didReplace(replaced) }
        for slot in changes.attributeSlots {
            object.willWrite(slot)
            if let values = changes.attributes { object.realized.take(slot, from: values) }
        }
        for (slot, destination) in changes.toOnes {
            if let other = object.destination(slot), other !== destination { cutDeleted(other, from: object, slot) }
            object.writeDestination(destination.flatMap { object.mayLink(slot, to: $0) ? $0 : nil }, slot)
        }
        for (slot, change) in changes.toManys {
            for member in change.gained.reversed() {
                object.dropMember(member, slot)
                cutDeleted(member, from: object, slot)
            }
            for member in change.lost where object.mayLink(slot, to: member) {
                _ = object.noteMember(member, slot, at: nil)
            }
            object.arrange(slot, change)
        }
        linkDeletedEnds(of: object)
    }

    private func cutDeleted(_ other: NSManagedObject, from object: NSManagedObject, _ slot: Int) {
        let inverse = Int(object.table.layout[slot].inverse)
        if inverse >= 0, other.isMarkedDeleted, tracker.owns(other) { other.lose(object, inverse) }
    }

    private func linkDeletedEnds(of object: NSManagedObject) {
        let layout = object.table.layout
        for slot in layout.toOneSlots + layout.toManySlots where layout[slot].inverse >= 0 {
            for other in object.knownDestinations(slot) where other.isMarkedDeleted && object.mayLink(slot, to: other) {
                link(other, to: object, slot)
            }
        }
    }

    /// The rules removed the object from ordered to-many relationships after this event; their own record could not
    /// restore it.
    private func restorePositions(
        _ object: NSManagedObject, _ positions: [(owner: NSManagedObject, slot: Int, run: MemberRun)]
    ) {
        for (owner, slot, run) in positions where owner.isReachable(in: tracker) && owner.hasMember(object, slot) {
            let others: ContiguousArray = owner.members(slot).filter { $0 !== object }
            owner.announcing(slot) { owner.arrange(slot, MemberRun.insertRuns(others, [run])) }
        }
    }

    private func link(_ other: NSManagedObject, to object: NSManagedObject, _ slot: Int) {
        let inverse = Int(object.table.layout[slot].inverse)
        if inverse >= 0 { other.gain(object, inverse, other: slot) }
    }

    /// A save without the objects has cut the inverse links, in the context or in the store.
    private func relinkInverses(of objects: [NSManagedObject]) {
        faults.realizeAll(objects.flatMap { $0.relatedObjects }.filter(\.isFault))
        for object in objects {
            let layout = object.table.layout
            for slot in layout.toOneSlots {
                guard let other = object.destination(slot) else { continue }
                if object.mayLink(slot, to: other) {
                    link(other, to: object, slot)
                } else {
                    object.writeDestination(nil, slot)
                }
            }
            for slot in layout.toManySlots {
                for other in object.members(slot) { link(other, to: object, slot) }
            }
        }
    }
}

extension NSManagedObject {
    fileprivate final var relatedObjects: [NSManagedObject] {
        let layout = table.layout
        return layout.toOneSlots.compactMap(destination) + layout.toManySlots.flatMap { Array(members($0)) }
    }
}
