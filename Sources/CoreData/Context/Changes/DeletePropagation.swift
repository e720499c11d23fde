// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Applies delete rules: nullify, cascade, deny, no action.

import Foundation

/// Works in rounds: each takes all objects that were deleted and not looked at yet, reads what their rules need in as
/// few
/// statements as possible, and may delete more (cascade), which the next round takes.
struct DeletePropagation {
    private let context: NSManagedObjectContext

    init(_ context: NSManagedObjectContext) { self.context = context }

    /// Whose delete rules are applied.
    enum Scope {
        case event
        /// What was deleted in earlier events as well.
        case everything
        /// Insertions alone: they leave the context with the event, whatever is put off to the save.
        case insertions
    }

    func run(_ scope: Scope) {
        func unpropagated(_ objects: ContiguousArray<NSManagedObject>) -> [NSManagedObject] {
            objects.filter { object in
                object.flags.contains(.deleted) && !object.flags.contains(.propagated)
                    && (scope != .insertions || object.flags.contains(.inserted))
            }
        }
        var round = unpropagated(scope == .everything ? context.tracker.unsaved : context.tracker.event)
        while !round.isEmpty {
            context.tracker.nextDeletions = []
            let held = HeldAnnouncements.begin()
            guard canPrepare(round, forSave: scope == .everything) else {
                held?.end()
                context.tracker.nextDeletions = nil
                return
            }
            for object in round { propagate(object) }
            held?.end()  // observers may delete more: that is the next round's
            round = unpropagated(context.tracker.nextDeletions ?? [])
            context.tracker.nextDeletions = nil
        }
    }

    /// Whether everything could be read that the rules need. If not, the rules apply when the context is saved, or the save
    /// fails, and the next one tries again.
    private func canPrepare(_ round: [NSManagedObject], forSave: Bool) -> Bool {
        let before = context.storedReadFailure
        context.storedReadFailure = nil
        prepare(round)
        let failure = context.storedReadFailure
        context.storedReadFailure = before
        guard let failure else { return true }
        if round.contains(where: \.isInserted) {
            context.readFailure = failure.error  // insertions leave now, and cannot wait for their rules
            return true
        }
        if forSave, before == nil { context.storedReadFailure = ReadFailure(failure.error) }
        return false
    }

    /// Reads the rows of the objects and of those that will lose a reference.
    private func prepare(_ round: [NSManagedObject]) {
        context.realizeAll(round.filter(\.isFault))
        for objects in round.grouped(by: \.layout) {
            guard let layout = objects.first?.table.layout else { continue }
            for slot in layout.toManySlots where needsMembers(layout, slot) {
                context.realizeMembers(of: slot, in: objects)
                let members = objects.flatMap { Array($0.members(slot)) }
                context.realizeAll(members.filter(\.isFault))
            }
            for slot in layout.toOneSlots where needsMembers(layout, slot) {
                context.realizeAll(objects.compactMap { $0.destination(slot) }.filter(\.isFault))
            }
        }
    }

    private func needsMembers(_ layout: EntityLayout, _ slot: Int) -> Bool {
        switch layout[slot].deleteRule {
        case .noActionDeleteRule, .denyDeleteRule: return false
        case .cascadeDeleteRule: return true
        case .nullifyDeleteRule: return layout[slot].inverse >= 0
        }
    }

    private func propagate(_ object: NSManagedObject) {
        object.flags.insert(.propagated)
        let layout = object.table.layout
        for slot in layout.relationshipSlots {
            switch layout[slot].deleteRule {
            case .nullifyDeleteRule:
                object.nullify(slot)
            case .cascadeDeleteRule:
                let others =
                    layout[slot].kind == .toMany
                    ? Array(object.members(slot)) : [object.destination(slot)].compactMap { $0 }
                for other in others where !other.isDeleted && other.table.owner != nil { context.deleteObject(other) }
            case .denyDeleteRule, .noActionDeleteRule:
                // Deny is checked at validation, when it is known what else is deleted; no action leaves the other end
                // alone.
                break
            }
        }
    }
}
