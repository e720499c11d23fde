// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads values again, with or without the unsaved changes.

import Foundation

/// # Invariants
/// (1) With merge: afterwards each property that was changed here has the local value, and each other one the store's.
///     The object's base version is the store's, so the next save finds no conflict. Both ends of its local to-one
///     relationships agree (Merging-28).
/// (2) Without merge: afterwards the object is a fault without changes, and no partner of a one-to-one relationship
///     keeps a link to it that it does not have.
struct RefreshPolicy {
    private let registry: ObjectRegistry
    private let tracker: ChangeTracker
    private let source: any ContextSource
    private let settings: ContextSettings
    private let failures: ReadFailures
    private let faults: FaultFulfilment

    init(_ faults: FaultFulfilment) {
        registry = faults.registry
        tracker = faults.tracker
        source = faults.source
        settings = faults.settings
        failures = faults.failures
        self.faults = faults
    }

    func refresh(_ object: NSManagedObject, mergeChanges: Bool) {
        guard tracker.owns(object) else { return }
        if mergeChanges { return refresh([object]) }
        discardPartnerLinks(object)
        object.turnIntoFault()
        noteRefresh(object)
        tracker.announceHasChanges()
    }

    /// With merge; one statement for each root entity and store.
    func refresh(_ objects: [NSManagedObject]) {
        let linked = NewerRows(faults)
        for group in objects.grouped(by: \.identityMap) {  // by root entity and store
            merge(group, linked)
            group.lookAtEach(noteRefresh)
        }
        linked.finish()
    }

    func refreshAll() {
        let objects = registry.objects()
        let held = DeferredAnnouncements.begin()
        refresh(objects.filter(\.isUnsaved))
        for object in objects where !object.isUnsaved {
            object.turnIntoFault()
            noteRefresh(object)
        }
        held?.end()
    }

    /// Both ends of a one-to-one relationship are stored, so the partner discards the unsaved link as well
    /// (Merging-37).
    private func discardPartnerLinks(_ object: NSManagedObject) {
        guard object.flags.contains(.updated), !object.isMarkedDeleted, !object.isFault,
            let objectExtension = object.objectExtension
        else { return }
        let layouts = registry.model.layouts
        for slot in object.table.layout.toOneSlots
        where objectExtension.changed.contains(slot) && StoredLinks.isFollowed(slot, object) {
            let place = object.table.layout[slot]
            guard layouts[Int(place.destination)][Int(place.inverse)].kind == .reference else { continue }
            object.discardChanges(slot, faults)
        }
    }

    private func noteRefresh(_ object: NSManagedObject) {
        tracker.enterUnchanged(object)
        object.flags.insert(.refreshedInEvent)
    }

    /// Refreshes objects of one root entity and store.
    ///
    /// - Parameter linked: applies the rows, and keeps both ends of local to-one relationships consistent.
    private func merge(_ objects: [NSManagedObject], _ linked: NewerRows) {
        objects.lookAtEach { object in
            if object.isFault, !object.flags.contains(.inserted) {
                object.snapshot = nil  // its row may be old
            }
        }
        func isMerged(_ object: NSManagedObject) -> Bool { !object.isFault && !object.flags.contains(.inserted) }
        let realized = objects.isTrue(of: isMerged) ? objects : objects.filter(isMerged)
        guard let first = realized.first else { return }
        do {
            let keys = realized.map(\.key)  // some may become permanent during the read
            let rows = try source.rows(
                keys, root: registry.model.layouts[first.table.layout.rootIndex],
                home: first.table.home, maxAge: settings.staleness)
            // Cached rows are in the requested order.
            if rows.count == keys.count, rows.indices.allSatisfy({ rows[$0].key == keys[$0] }) {
                var position = 0
                realized.lookAtEach { object in
                    object.takeRefreshed(rows[position].snapshot, linked)
                    position += 1
                }
                return
            }
            let found = Dictionary(rows.map { ($0.key, $0.snapshot) }, uniquingKeysWith: { first, _ in first })
            for (object, key) in zip(realized, keys) {
                if let row = found[key] { object.takeRefreshed(row, linked) }
            }
        } catch {
            failures.note(error)
        }
    }
}

extension NSManagedObject {
    /// Drops all values and unsaved changes; an insertion remains an insertion.
    final func turnIntoFault() {
        if !isFault { willTurnIntoFault() }
        let replaced = willReplace { isFault ? [] : Array(0..<table.layout.slotCount) }
        defer { didReplace(replaced) }
        let inserted = flags.contains(.inserted)
        let lists = flags.intersection(.ofClass.union([.listed, .inEvent, .observed]))
        let observers = objectExtension?.observers
        let base = objectExtension?.eventBase
        let store = objectExtension?.assignedStore
        snapshot = nil
        objectExtension = nil
        flags = lists.union(.fault)
        if inserted {
            flags.insert(.inserted)
            extensionMade.assignedStore = store
        }
        if let base { extensionMade.eventBase = base }
        if let observers { extensionMade.observers = observers }
        didTurnIntoFault()
    }

    /// Releases all values and the objects that they refer to.
    final func becomeFault() {
        if flags.contains(.reportsHolding) { _lettingGoOfOthers() }
        snapshot = nil
        objectExtension = nil
        flags = flags.intersection(.ofClass.union(.listed)).union(.fault)
    }

    fileprivate final func takeRefreshed(_ row: Snapshot, _ linked: NewerRows) {
        willTurnIntoFault()
        linked.takeRefreshed(row, self)
        didTurnIntoFault()
        awake(fromSnapshotEvents: .refresh)
    }

    /// Applies the values of a row below the local changes. Transient values are not in a store, so they are kept.
    final func adopt(_ row: Snapshot) {
        guard let current = snapshot else {
            snapshot = row
            return
        }
        let base = row.withTransients(of: storedExtension?.committed ?? current)
        let merged = changes(of: current, over: base)
        let replaced = willReplace { replacedSlots(by: merged) }
        defer { didReplace(replaced) }
        snapshot = merged
        flags.remove(.ownsSnapshot)
        if heldExtension == nil, !hasOtherDestination(merged, than: current) { return }
        guard let objectExtension else { return }
        objectExtension.committed = merged === base ? nil : base
        releaseStaleReferences(current)
        objectExtension.changed = differing(in: objectExtension.changed)
    }

    /// - Parameter current: the previous values; for an unchanged object these are the committed ones.
    private func changes(of current: Snapshot, over base: Snapshot) -> Snapshot {
        guard let committed = storedExtension?.committed else { return base }
        let changed = (objectExtension?.changed.slots ?? []).filter {
            table.layout[$0].word >= 0 && !table.layout[$0].isTransient
        }
        let kept = (changed + table.layout.transientSlots).filter { !current.isEqual(committed, slot: $0) }
        guard !kept.isEmpty else { return base }
        let merged = base.copy()
        for slot in kept { merged.take(slot, from: current) }
        return merged
    }

    /// For an object without an extension: whether a destination in its table has changed.
    private func hasOtherDestination(_ row: Snapshot, than before: Snapshot) -> Bool {
        flags.contains(.followed) && table.layout.toOneSlots.contains { !row.isEqual(before, slot: $0) }
    }

    /// Releases destinations and members that may have changed with the row; they are read again on demand.
    private func releaseStaleReferences(_ before: Snapshot) {
        guard let objectExtension, let snapshot else { return }
        for slot in table.layout.toOneSlots where !snapshot.isEqual(before, slot: slot) {
            objectExtension.destinations[Int(table.layout[slot].ordinal)] = nil
        }
        releaseMembers()
        objectExtension.forgetFetched()
    }

    /// To-many relationships are read again on demand, with the local additions and removals.
    final func releaseMembers() {
        guard let objectExtension else { return }
        for ordinal in objectExtension.members.indices {
            if objectExtension.members[ordinal]?.hasChanges == true {
                objectExtension.members[ordinal]?.refault()
            } else {
                objectExtension.members[ordinal] = nil
            }
        }
    }

    /// The slots that a row changes, as far as is known without reading: a to-many relationship that was read may have
    /// other members.
    final func replacedSlots(by row: Snapshot) -> [Int] {
        (0..<table.layout.slotCount).filter { slot in
            switch table.layout[slot].kind {
            case .toMany: objectExtension?.members[Int(table.layout[slot].ordinal)] != nil
            case .fetched: objectExtension?.fetched.isEmpty == false
            default: snapshot.map { !row.isEqual($0, slot: slot) } ?? true
            }
        }
    }

    /// The slots with values that differ from the last fetched or saved ones.
    private func differing(in slots: SlotSet) -> SlotSet {
        var result = SlotSet()
        for slot in slots.slots where slotDiffers(slot, objectExtension?.committed, nil) { result.insert(slot) }
        return result
    }
}

extension Snapshot {
    /// These values, with the transient values of another block.
    fileprivate func withTransients(of other: Snapshot) -> Snapshot {
        let kept = layout.transientSlots.filter { !isEqual(other, slot: $0) }
        guard !kept.isEmpty else { return self }
        let result = copy()
        for slot in kept { result.take(slot, from: other) }
        return result
    }
}
