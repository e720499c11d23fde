// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads values again, with or without the unsaved changes.

import Foundation

/// # Invariants
/// (1) With merge: afterwards each property that was changed here has the local value, each other one the store's. The
///     object's base version is the store's, so the next save meets no conflict. Both ends of its local to-ones agree
///     (Merging-28).
/// (2) Without merge: afterwards the object is a fault without changes, and no partner of a one-to-one keeps a link to
///     it that it does not have.
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
        giveUpPartners(object)
        object.turnIntoFault()
        noteRefresh(object)
        tracker.announceHasChanges()
    }

    /// With merge; as few statements as there are root entities and stores.
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
        let held = HeldAnnouncements.begin()
        refresh(objects.filter(\.isUnsaved))
        for object in objects where !object.isUnsaved {
            object.turnIntoFault()
            noteRefresh(object)
        }
        held?.end()
    }

    /// Both ends of a one-to-one are stored, so the partner gives the unsaved link up as well (Merging-37).
    private func giveUpPartners(_ object: NSManagedObject) {
        guard object.flags.contains(.updated), !object.isMarkedDeleted, !object.isFault,
            let objectExtension = object.objectExtension
        else { return }
        let layouts = registry.model.layouts
        for slot in object.table.layout.toOneSlots
        where objectExtension.changed.contains(slot) && StoredLinks.isFollowed(slot, object) {
            let place = object.table.layout[slot]
            guard layouts[Int(place.destination)][Int(place.inverse)].kind == .reference else { continue }
            object.giveUp(slot, faults)
        }
    }

    private func noteRefresh(_ object: NSManagedObject) {
        tracker.enterUnchanged(object)
        object.flags.insert(.refreshedInEvent)
    }

    /// Objects of one root entity and store.
    ///
    /// - Parameter linked: takes the rows, and keeps both ends of local to-ones in step.
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
            let keys = realized.map(\.key)  // some may become permanent meanwhile
            let rows = try source.rows(
                keys, root: registry.model.layouts[first.table.layout.rootIndex],
                home: first.table.home, maxAge: settings.staleness)
            // Cached rows come as they were asked for.
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
    /// Drops all values and unsaved changes; an insertion stays one.
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

    /// Lets go of all values and of the objects that they refer to.
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

    /// Takes the values of a row, and lays the changes made here over them. Transient values are no store's: they stay.
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
        letGoOfStoredOthers(current)
        objectExtension.changed = differing(in: objectExtension.changed)
    }

    /// - Parameter current: the values before; of an unchanged object these are the committed ones.
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

    /// Of an object without an extension: whether a destination that its table knows is another one now.
    private func hasOtherDestination(_ row: Snapshot, than before: Snapshot) -> Bool {
        flags.contains(.followed) && table.layout.toOneSlots.contains { !row.isEqual(before, slot: $0) }
    }

    /// Destinations and members are asked for again where the row may lead elsewhere.
    private func letGoOfStoredOthers(_ before: Snapshot) {
        guard let objectExtension, let snapshot else { return }
        for slot in table.layout.toOneSlots where !snapshot.isEqual(before, slot: slot) {
            objectExtension.destinations[Int(table.layout[slot].ordinal)] = nil
        }
        letGoOfMembers()
        objectExtension.forgetFetched()
    }

    /// To-manys are read again, with the additions and removals made here.
    final func letGoOfMembers() {
        guard let objectExtension else { return }
        for ordinal in objectExtension.members.indices {
            if objectExtension.members[ordinal]?.hasChanges == true {
                objectExtension.members[ordinal]?.refault()
            } else {
                objectExtension.members[ordinal] = nil
            }
        }
    }

    /// The slots that a row changes, as far as known without reading: a to-many that was read may have other members.
    final func replacedSlots(by row: Snapshot) -> [Int] {
        (0..<table.layout.slotCount).filter { slot in
            switch table.layout[slot].kind {
            case .toMany: objectExtension?.members[Int(table.layout[slot].ordinal)] != nil
            case .fetched: objectExtension?.fetched.isEmpty == false
            default: snapshot.map { !row.isEqual($0, slot: slot) } ?? true
            }
        }
    }

    /// Those of the slots that are not as they were fetched or saved.
    private func differing(in slots: SlotSet) -> SlotSet {
        var result = SlotSet()
        for slot in slots.slots where slotDiffers(slot, objectExtension?.committed, nil) { result.insert(slot) }
        return result
    }
}

extension Snapshot {
    /// These values, with the transient ones of another block.
    fileprivate func withTransients(of other: Snapshot) -> Snapshot {
        let kept = layout.transientSlots.filter { !isEqual(other, slot: $0) }
        guard !kept.isEmpty else { return self }
        let result = copy()
        for slot in kept { result.take(slot, from: other) }
        return result
    }
}
