// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The deleted objects of a context, and the reads that their delete rules need.

import Foundation

struct DeletedObjects: DeletionGraph {
    let tracker: ChangeTracker
    let failures: ReadFailures
    let faults: FaultFulfilment

    func firstWave(_ scope: DeletionScope) -> [NSManagedObject] {
        unpropagated(scope == .everything ? tracker.unsaved : tracker.event, scope)
    }

    func nextWave(_ scope: DeletionScope) -> [NSManagedObject] {
        defer { tracker.nextDeletions = nil }
        return unpropagated(tracker.nextDeletions ?? [], scope)
    }

    private func unpropagated(_ objects: ContiguousArray<NSManagedObject>, _ scope: DeletionScope) -> [NSManagedObject]
    {
        objects.filter { object in
            object.flags.contains(.deleted) && !object.flags.contains(.propagated)
                && (scope != .insertions || object.flags.contains(.inserted))
        }
    }

    func apply(_ wave: [NSManagedObject], _ scope: DeletionScope, _ body: () -> Void) -> Bool {
        tracker.nextDeletions = []
        let held = HeldAnnouncements.begin()
        guard canRead(wave, forSave: scope == .everything) else {
            held?.end()
            tracker.nextDeletions = nil
            return false
        }
        body()
        held?.end()  // objects that observers delete belong to the next wave
        return true
    }

    /// Whether everything that the rules need could be read. If not, the rules are deferred to the save; if the save
    /// cannot read either, it fails, and the next save tries again.
    private func canRead(_ wave: [NSManagedObject], forSave: Bool) -> Bool {
        guard let failure = failures.separating({ read(wave) }) else { return true }
        if wave.contains(where: \.isInserted) {
            failures.note(failure.error)  // insertions leave the context now, so their rules cannot be deferred
            return true
        }
        if forSave { failures.noteWaitingRules(failure.error) }
        return false
    }

    /// Reads the rows of the objects and of those that will lose a reference.
    private func read(_ wave: [NSManagedObject]) {
        faults.realizeAll(wave.filter(\.isFault))
        for objects in wave.grouped(by: \.layout) {
            guard let layout = objects.first?.table.layout else { continue }
            for slot in layout.toManySlots where layout.ruleNeedsDestinations(slot) {
                faults.realizeMembers(of: slot, in: objects)
                let members = objects.flatMap { Array($0.members(slot)) }
                faults.realizeAll(members.filter(\.isFault))
            }
            for slot in layout.toOneSlots where layout.ruleNeedsDestinations(slot) {
                faults.realizeAll(objects.compactMap { $0.destination(slot) }.filter(\.isFault))
            }
        }
    }

    func layout(of object: NSManagedObject) -> EntityLayout { object.table.layout }

    func markPropagated(_ object: NSManagedObject) { object.flags.insert(.propagated) }

    func nullify(_ object: NSManagedObject, _ slot: Int) { object.nullify(slot) }

    func destinations(of object: NSManagedObject, _ slot: Int) -> [NSManagedObject] {
        object.table.layout[slot].kind == .toMany
            ? Array(object.members(slot)) : [object.destination(slot)].compactMap { $0 }
    }

    func delete(_ object: NSManagedObject) {
        if !object.isMarkedDeleted, object.table.owner != nil { tracker.delete(object) }
    }
}
