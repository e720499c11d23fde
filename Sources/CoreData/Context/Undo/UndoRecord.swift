// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The record of one event, for undo: values, no closures.

import Foundation

/// One event of one context. Made by `UndoRecording`, undone by `UndoApplication`; `Documentation/Internals/Undo.md`
/// has the invariants.
struct UndoRecord {
    /// `NSManagedObjectContext.undoEpoch` at the time of the event.
    let epoch: Int
    let entries: [Entry]

    /// The effect of the event on one object. Retains the object, and thereby its identity.
    struct Entry {
        let object: NSManagedObject
        let effect: Effect
        let changes: PropertyChanges

        /// Whether there is anything to undo.
        var isWorthKeeping: Bool {
            if case .updated = effect { return !changes.isEmpty }
            return true
        }

        /// The argument of `awake(fromSnapshotEvents:)` when the entry is undone.
        var snapshotEvent: NSSnapshotEventType {
            switch effect {
            case .inserted: .undoInsertion
            case .deleted: .undoDeletion
            case .updated: .undoUpdate
            }
        }
    }

    enum Effect {
        /// It was inserted, or its deletion was undone.
        case inserted
        /// It was deleted. A save may remove it from the context, so its values at that time are kept.
        case deleted(Contents)
        case updated
    }

    /// The properties that differ, with their values before the event.
    struct PropertyChanges {
        /// Contains the attributes' values; nil if none differs.
        var attributes: Snapshot?
        var attributeSlots: [Int] = []
        var toOnes: [(slot: Int, destination: NSManagedObject?)] = []
        var toManys: [(slot: Int, change: MembersChange)] = []

        var slots: [Int] { attributeSlots + toOnes.map(\.slot) + toManys.map(\.slot) }
        var isEmpty: Bool { attributeSlots.isEmpty && toOnes.isEmpty && toManys.isEmpty }
    }

    /// A whole object, at the end of the event that deleted it.
    final class Contents {
        let snapshot: Snapshot
        let destinations: OrdinalValues<NSManagedObject>
        let members: OrdinalValues<ContiguousArray<NSManagedObject>>
        /// Positions in ordered to-many relationships that its delete rules have not changed yet: they run in a later
        /// event.
        let positions: [(owner: NSManagedObject, slot: Int, run: MemberRun)]

        init(_ object: NSManagedObject, _ snapshot: Snapshot) {
            let layout = object.table.layout
            self.snapshot = snapshot.withoutFiles(layout.attributeSlots)
            destinations = object.objectExtension?.destinations.copy ?? OrdinalValues(count: layout.relationshipCount)
            var lists = OrdinalValues<ContiguousArray<NSManagedObject>>(count: layout.relationshipCount)
            for slot in layout.toManySlots {
                let ordinal = Int(layout[slot].ordinal)
                if let members = object.objectExtension?.members[ordinal]?.members { lists[ordinal] = members.objects }
            }
            members = lists
            let owners = object.flags.contains(.propagated) ? [] : object.orderedOwners
            positions = owners.compactMap { owner, slot in
                let run = MemberRun.all(in: owner.members(slot)) { $0 === object }.first
                return run.map { (owner: owner, slot: slot, run: $0) }
            }
        }
    }
}

extension NSManagedObject {
    /// The known objects that have it as a member of an ordered to-many relationship.
    fileprivate final var orderedOwners: [(NSManagedObject, slot: Int)] {
        let layout = table.layout
        return (layout.toOneSlots + layout.toManySlots).flatMap { slot -> [(NSManagedObject, slot: Int)] in
            let inverse = Int(layout[slot].inverse)
            guard inverse >= 0, layout.relationship(slot)?.inverseRelationship?.isOrdered == true else { return [] }
            let owners = layout[slot].kind == .toMany ? Array(members(slot)) : [destination(slot)].compactMap { $0 }
            return owners.filter { $0.table.owner === table.owner && !$0.isMarkedDeleted }.map { ($0, slot: inverse) }
        }
    }
}

extension Snapshot {
    /// The same values; data in files is read, because a save may remove the file.
    func withoutFiles(_ slots: [Int]) -> Snapshot {
        let inFiles = slots.filter { layout[$0].kind == .box && box($0)?.files.isEmpty == false }
        guard !inFiles.isEmpty else { return self }
        let result = copy()
        for slot in inFiles {
            if let data = box(slot)?.value { result.setBox(ValueBox(data), slot) }
        }
        return result
    }
}
