// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The links of an object before a newer row replaces its values.

import Foundation

/// The links of an object in its last known row; of to-many relationships those that were read.
struct StoredLinks {
    let object: NSManagedObject
    private let toOnes: [(slot: Int, end: NSManagedObject)]
    private let toManys: [(slot: Int, members: Set<NSManagedObject>)]

    init(_ object: NSManagedObject) {
        self.object = object
        let layout = object.table.layout
        let base = object.isFault ? nil : object.baseRow
        toOnes = layout.toOneSlots.compactMap { slot in
            guard Self.isFollowed(slot, object), let reference = base?.reference(slot),
                let end = object.table.owner?.registeredObject(at: reference, from: object)
            else { return nil }
            return (slot, end)
        }
        toManys = layout.toManySlots.compactMap { slot in
            guard Self.isFollowed(slot, object), let value = object.memberValue(slot), !value.isFault else {
                return nil
            }
            return (slot, Set(value.committedMembers))
        }
    }

    /// Whether both ends of a relationship are stored.
    static func isFollowed(_ slot: Int, _ object: NSManagedObject) -> Bool {
        !object.table.layout[slot].isTransient && object.table.layout[slot].inverse >= 0
    }

    func ends(_ slot: Int) -> [NSManagedObject] { toOnes.filter { $0.slot == slot }.map(\.end) }

    var all: [NSManagedObject] { toOnes.map(\.end) + toManys.flatMap(\.members) }

    var readSlots: [Int] { toManys.map(\.slot) }

    /// Members that were added or removed, in to-many relationships that were read before and are read again.
    var differences: [NSManagedObject] {
        toManys.flatMap { slot, before -> [NSManagedObject] in
            guard let value = object.memberValue(slot), !value.isFault else { return [] }
            return Array(before.symmetricDifference(value.committedMembers))
        }
    }
}
