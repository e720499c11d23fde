// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Lets predicates and sort descriptors read properties directly from the block, without boxing values.

import CoreDataFoundation
import Foundation

extension NSManagedObject: PropertyReading {
    package static func propertyReader(forKey key: String) -> PropertyReader? {
        // The class overrides `value(forKey:)`.
        if MethodOverride.valueForKey.isPresent(in: self) { return nil }
        let place = SlotFinder(key)
        return { unsafeDowncast($0, to: NSManagedObject.self).comparable(place) }
    }

    package static func presenceReader(forKey key: String) -> PropertyReader? {
        if MethodOverride.valueForKey.isPresent(in: self) { return nil }
        let place = SlotFinder(key)
        return { object in
            let object = unsafeDowncast(object, to: NSManagedObject.self)
            return object.isInFiles(place) ? .integer(1) : object.comparable(place)
        }
    }

    /// Whether the value is stored in external files, which are not read here.
    private final func isInFiles(_ place: SlotFinder) -> Bool {
        checkOwnership()
        guard let slot = place.slot(in: table.layout), table.layout[slot].kind == .box,
            realized.box(slot)?.files.isEmpty == false
        else { return false }
        willRead(slot)
        return true
    }

    /// nil if reading the block is not sufficient: a fault must be fired, a read recorded, or members found.
    @inline(__always) private final func comparable(_ place: SlotFinder) -> ComparableValue? {
        guard !flags.contains(.fault), !recordsReads, let row = snapshot,
            let slot = place.slot(in: row.layout)
        else { return nil }
        checkOwnership()
        switch row.layout[slot].kind {
        case .toMany, .fetched: return nil
        case .reference: return destination(slot).map { .object($0) } ?? .null
        case .box:
            let value = row.comparable(slot)
            if case .null = value { return ComparableValue(unreadValue(slot)) }
            return value
        default: return row.comparable(slot)
        }
    }
}
