// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The deleted objects of a context, and the reads that their delete rules need.

import Foundation

/// Selects the deletions to which delete rules are applied.
enum DeletionScope {
    /// Objects deleted in this event.
    case event
    /// Objects deleted in earlier events as well.
    case everything
    /// Only insertions: they leave the context at the end of the event, even if rules are deferred to the save.
    case insertions
}

struct DeletedObjects: DeletionGraph {
    let scope: DeletionScope
    let tracker: ChangeTracker
    let failures: ReadFailures
    let faults: FaultFulfilment

    func firstWave() -> [NSManagedObject] {
        unpropagated(scope == .everything ? tracker.unsaved : tracker.event)
    }

    func nextWave() throws(Never) -> [NSManagedObject] {
        defer { tracker.nextDeletions = nil }
        return unpropagated(tracker.nextDeletions ?? [])
    }

    private func unpropagated(_ objects: ContiguousArray<NSManagedObject>) -> [NSManagedObject] {
        objects.filter { object in
            object.flags.contains(.deleted) && !object.flags.contains(.propagated)
                && (scope != .insertions || object.flags.contains(.inserted))
        }
    }

    func apply(_ wave: [NSManagedObject], _ body: () -> Void) throws(Never) -> Bool {
        tracker.nextDeletions = []
        let held = DeferredAnnouncements.begin()
        guard canRead(wave) else {
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
    private func canRead(_ wave: [NSManagedObject]) -> Bool {
        guard let failure = failures.separating({ read(wave) }) else { return true }
        if wave.contains(where: \.isInserted) {
            failures.note(failure.error)  // insertions leave the context now, so their rules cannot be deferred
            return true
        }
        if scope == .everything { failures.noteWaitingRules(failure.error) }
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

    func cascade(_ object: NSManagedObject, _ slot: Int) {
        let destinations =
            object.table.layout[slot].kind == .toMany
            ? Array(object.members(slot)) : [object.destination(slot)].compactMap { $0 }
        for other in destinations where !other.isMarkedDeleted && other.table.owner != nil { tracker.delete(other) }
    }

    /// The validation checks Deny, when all deletions are known.
    func deny(_ object: NSManagedObject, _ slot: Int) {}
}

extension EntityLayout {
    /// Whether the delete rule of a relationship needs its destinations.
    func ruleNeedsDestinations(_ slot: Int) -> Bool {
        switch self[slot].deleteRule {
        case .noActionDeleteRule, .denyDeleteRule: false
        case .cascadeDeleteRule: true
        case .nullifyDeleteRule: self[slot].inverse >= 0
        }
    }
}
