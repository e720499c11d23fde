// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Changes since the last save, and within the current event.

import Foundation

extension NSManagedObject {
    /// The properties that differ from the last fetched or saved ones, by name, with their current values.
    ///
    /// ```swift
    /// note.title = "Grocery list"
    /// print(note.changedValues())  // ["title": "Grocery list"]
    /// print(note.committedValues(forKeys: ["title"]))  // ["title": "Groceries"]
    /// if note.hasChanges { try context.save() }
    /// print(note.changedValues())  // [:]
    /// ```
    ///
    /// nil values are given as `NSNull`. A property that was set back to its saved value is left out, as are values
    /// that only `setPrimitiveValue(_:forKey:)` set. For an insertion these are the differences from a new object, so
    /// it is empty before the first value is set. Empty after a save.
    ///
    /// - Important: call on the context's queue. Empty for a fault.
    /// - Complexity: one comparison for each property that was set; never fires a fault.
    /// - SeeAlso: `changedValuesForCurrentEvent()`, `committedValues(forKeys:)`, `hasPersistentChangedValues`.
    /// - Source: Core Data Programming Guide, "Change Management".
    public final func changedValues() -> [String: Any] {
        checkOwnership()
        guard !isFault else { return [:] }
        if flags.contains(.inserted), objectExtension?.committed == nil {
            // An insertion has no list of its set properties: they are the differences from a new object.
            let layout = table.layout
            return changes(Array(0..<layout.slotCount), since: layout.defaults ?? .make(layout))
        }
        guard let objectExtension else { return [:] }
        return changes(objectExtension.changed.slots, since: objectExtension.committed)
    }

    /// The properties that changed since pending changes were last processed, with their previous values. For an object
    /// that was inserted since then: the properties that differ from those of a new object, with `NSNull`.
    public final func changedValuesForCurrentEvent() -> [String: Any] {
        checkOwnership()
        guard flags.contains(.inEvent), !isFault else { return [:] }
        guard let base = objectExtension?.eventBase else {
            return flags.contains(.inserted) ? changedValues().mapValues { _ in NSNull() } : [:]
        }
        guard let objectExtension else { return [:] }
        var result: [String: Any] = [:]
        for slot in objectExtension.changed.slots where slotDiffers(slot, base.snapshot, base.members) {
            result[table.layout.properties[slot].name] = base.snapshot?.value(slot) ?? NSNull()
        }
        return result
    }

    /// The values as last fetched or saved. nil values are represented by `NSNull`. The result is empty for an
    /// insertion that has not been saved yet.
    ///
    /// - Parameter keys: names of properties; nil for all.
    public final func committedValues(forKeys keys: [String]?) -> [String: Any] {
        checkOwnership()
        guard !isInserted else { return [:] }
        var result: [String: Any] = [:]
        for name in keys ?? table.layout.properties.map(\.name) {
            let slot = slot(name)
            result[name] = committedValue(slot) ?? NSNull()
        }
        return result
    }

    /// Whether a save would write something. A change back to the saved value does not count, nor does a change of a
    /// transient property.
    public final var hasPersistentChangedValues: Bool {
        if isInserted || isMarkedDeleted { return true }
        guard !isFault else { return false }
        return withExistingExtension { objectExtension in
            let committed = objectExtension.heldCommitted
            return objectExtension.changed.contains { !place($0).isTransient && slotDiffers($0, fromSaved: committed) }
        } ?? false
    }

    /// The value as last fetched or saved; for an inserted object the current value.
    final func committedValue(_ slot: Int) -> Any? {
        let row = realized
        let committed = objectExtension?.committed ?? row
        switch table.layout[slot].kind {
        case .reference:
            guard let reference = committed.reference(slot) else { return nil }
            return table.owner?.object(at: reference, from: self)
        case .toMany:
            realizeMembers(slot)
            let members = objectExtension?.members[Int(table.layout[slot].ordinal)]?.committedMembers ?? []
            return table.layout[slot].isOrdered
                ? NSOrderedSet(array: members) : NSSet(array: members)
        case .fetched: return nil
        default: return committed.value(slot)
        }
    }

    private func changes(_ slots: [Int], since base: Snapshot?) -> [String: Any] {
        var result: [String: Any] = [:]
        for slot in slots where slotDiffers(slot, base, nil) {
            result[table.layout.properties[slot].name] = value(at: slot) ?? NSNull()
        }
        return result
    }

    /// - Parameter members: the to-many relationships to compare with; nil compares with the last save.
    final func slotDiffers(_ slot: Int, _ base: Snapshot?, _ members: OrdinalValues<ToManyValue>?) -> Bool {
        let place = place(slot)
        if place.kind == .toMany {
            let current = objectExtension?.members[Int(place.ordinal)]
            guard let members else { return current?.hasChanges ?? false }
            return current?.differs(from: members[Int(place.ordinal)]) ?? false
        }
        return rowDiffers(slot, base.map { Uncounted($0) })
    }

    /// - Parameter base: the block as last saved; the caller retains it.
    @inline(__always) final func slotDiffers(_ slot: Int, fromSaved base: Uncounted<Snapshot>?) -> Bool {
        if place(slot).kind != .toMany { return rowDiffers(slot, base) }
        let ordinal = Int(place(slot).ordinal)
        return (withExistingExtension { $0.withMembers { $0[ordinal]?.hasChanges ?? false } } ?? nil) ?? false
    }

    @inline(__always) private final func rowDiffers(_ slot: Int, _ base: Uncounted<Snapshot>?) -> Bool {
        // For an insertion, everything that was set has changed. Otherwise nothing was set, or a refresh has undone it.
        guard let base else { return heldRow != nil && flags.contains(.inserted) }
        guard let heldRow, heldRow.address != base.address else { return false }
        return heldRow.look { row in base.look { !row.isEqual($0, slot: slot) } }
    }
}
