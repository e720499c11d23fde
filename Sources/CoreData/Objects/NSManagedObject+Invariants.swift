// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks the invariants of one object in debug builds and tests.

extension NSManagedObject {
    /// The violated invariants, by type and number. Fires no fault. Empty unless this module has a defect.
    ///
    /// - Parameter membersAtMost: to-many relationships with more additions and removals than this are skipped.
    final func brokenInvariants(membersAtMost most: Int = .max) -> [String] {
        var broken = brokenStates
        guard let objectExtension, !isFault else { return broken }
        for slot in table.layout.toOneSlots where !remembersDestination(slot, objectExtension) {
            broken.append("ObjectExtension (1): \(table.layout.properties[slot].name)")
        }
        for slot in table.layout.toManySlots {
            guard let value = objectExtension.members[Int(table.layout[slot].ordinal)] else { continue }
            guard value.added.count + value.removed.count <= most else { continue }
            let name = table.layout.properties[slot].name
            broken += value.brokenInvariants(ordered: table.layout[slot].isOrdered).map { "\($0): \(name)" }
        }
        return broken.map { "\($0) of \(table.layout.name) \(key)" }
    }

    private var brokenStates: [String] {
        var broken: [String] = []
        func check(_ isTrue: Bool, _ invariant: String) {
            if !isTrue { broken.append(invariant) }
        }
        if isFault {
            check(objectExtension?.committed == nil && !flags.contains(.ownsSnapshot), "ObjectFlags (1)")
        } else {
            check(snapshot != nil, "ObjectFlags (5)")
        }
        if !flags.contains(.inEvent) {
            check(!flags.contains(.inserted) || flags.isDisjoint(with: [.updated, .deleted]), "ObjectFlags (2)")
            check(flags.isDisjoint(with: .eventStates.subtracting(.ownsSnapshot)), "ObjectFlags (6)")
        }
        check(!flags.contains(.ownsSnapshot) || snapshot !== objectExtension?.committed, "ObjectFlags (4)")
        check(!flags.contains(.propagated) || flags.contains(.deleted), "ObjectFlags (7)")
        return broken
    }

    /// A temporary key in the block may have become permanent since.
    private func remembersDestination(_ slot: Int, _ objectExtension: ObjectExtension) -> Bool {
        guard let known = objectExtension.destinations[Int(table.layout[slot].ordinal)] else { return true }
        guard let reference = snapshot?.reference(slot) else { return false }
        return reference.key < 0 || reference.key == known.key
    }
}

extension ToManyValue {
    func brokenInvariants(ordered: Bool) -> [String] {
        var broken: [String] = []
        var (additions, removals) = (added, removed)
        if removals.objects.contains(where: { additions.contains($0) }) { broken.append("ToManyValue (3)") }
        guard var members else { return broken }
        if additions.objects.contains(where: { !members.contains($0) })
            || members.objects.contains(where: { removals.contains($0) })
        {
            broken.append("ToManyValue (2)")
        }
        if ordered, isReordered, committed == nil { broken.append("ToManyValue (4)") }
        return broken
    }
}

// MARK: Both ends

extension NSManagedObject {
    /// Whether both ends of a relationship agree about two objects, as far as they are known without reading:
    /// `InverseMaintenance` (1).
    final func agrees(_ slot: Int, with other: NSManagedObject) -> Bool {
        let inverse = Int(table.layout[slot].inverse)
        guard inverse >= 0, let here = isRelated(slot, to: other), let there = other.isRelated(inverse, to: self) else {
            return true
        }
        return here == there
    }

    /// nil if it would have to be read.
    private func isRelated(_ slot: Int, to other: NSManagedObject) -> Bool? {
        let ordinal = Int(table.layout[slot].ordinal)
        if table.layout[slot].kind == .toMany {
            // In place, because the list then keeps the index that it builds for the search.
            return objectExtension?.members[ordinal]?.contains(other)
        }
        guard !isFault, let snapshot else { return nil }
        if snapshot.isNull(slot) { return false }
        return objectExtension?.destinations[ordinal].map { $0 === other }
    }

    /// The known destinations of the object.
    final func knownDestinations(_ slot: Int) -> [NSManagedObject] {
        guard let objectExtension, !isFault else { return [] }
        let ordinal = Int(table.layout[slot].ordinal)
        if table.layout[slot].kind == .toMany { return Array(objectExtension.members[ordinal]?.members?.objects ?? []) }
        return [objectExtension.destinations[ordinal]].compactMap { $0 }
    }
}
