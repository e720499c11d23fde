// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A row for the evaluation of predicates in memory: values by key, with relationships followed through the store.

import CoreDataFoundation
import Foundation

/// One row during the evaluation of a predicate or a sort descriptor. Equal to any other view of the row and to its
/// `ObjectArgument`.
package final class RowView: ObjectArgument, KeyValueReadable, KeyValueCoding {
    package let row: FetchedRow
    private unowned let source: any RowGraph

    package init(_ row: FetchedRow, _ source: any RowGraph) {
        self.row = row
        self.source = source
        super.init(
            key: ObjectKey(row.snapshot.layout.index, row.key), rootIndex: row.snapshot.layout.rootIndex)
    }

    package func storedValue(forKey key: String) throws -> Any? {
        let layout = row.snapshot.layout
        guard let slot = layout.slot(key) else {
            switch key {
            case "self", "SELF", "objectID": return self
            case "entity": return layout.entity
            default:
                // A property of a subentity: rows of other entities have no value for it.
                guard let inside = InsidePath(key: key), layout.slot(inside.attribute) != nil else { return nil }
                return inside.value(in: try storedValue(forKey: inside.attribute))
            }
        }
        switch layout[slot].kind {
        case .reference:
            guard let reference = row.snapshot.reference(slot), let row = try source.storedRow(reference) else {
                return nil
            }
            return RowView(row, source)
        case .toMany:
            let members = try source.storedMembers(of: slot, layout: layout, key: row.key).compactMap { reference in
                try source.storedRow(reference).map { RowView($0, source) }
            }
            return DistinctMembers(members, isOrdered: layout[slot].isOrdered)
        case .fetched: return nil
        case .box: return try boxed(slot)
        default: return row.snapshot.value(slot)
        }
    }

    /// - Throws: an error that names the object, if the value is in a file that cannot be read.
    fileprivate func boxed(_ slot: Int) throws -> Any? {
        do {
            return try row.snapshot.box(slot)?.read()
        } catch {
            let failure = UnreadableValue(file: error, layout: row.snapshot.layout, slot: slot, key: row.key)
            // Rows of several stores have ids here; otherwise the store adds its identity.
            guard let id = result.base as? NSManagedObjectID else { throw failure }
            throw failure.error(id.home)
        }
    }

    /// The representation of this object in dictionaries.
    package var result: AnyHashable { source.result(for: key) }

    package func value(forKey key: String) -> Any? { try? storedValue(forKey: key) }

    /// Rows are read, never written, through views.
    package func setValue(_ value: Any?, forKey key: String) {
        preconditionFailure("A row view cannot be changed; '\(key)' was set.")
    }
}

extension RowView: SearchedObject {
    package var searchSchema: any SearchSchema { row.snapshot.layout }
}

// Properties are read as those of managed objects: directly from the block.
extension RowView: PropertyReading {
    package static func propertyReader(forKey key: String) -> PropertyReader? {
        let place = SlotFinder(key)
        return { object in
            let view = unsafeDowncast(object, to: RowView.self)
            let row = view.row.snapshot
            guard let slot = place.slot(in: row.layout) else { return nil }
            switch row.layout[slot].kind {
            case .toMany, .fetched: return nil
            case .reference: return ComparableValue(try view.storedValue(forKey: key))
            case .box: return ComparableValue(try view.boxed(slot))
            default: return row.comparable(slot)
            }
        }
    }

    package static func presenceReader(forKey key: String) -> PropertyReader? {
        let place = SlotFinder(key)
        let read = propertyReader(forKey: key)
        return { object in
            let row = unsafeDowncast(object, to: RowView.self).row.snapshot
            if let slot = place.slot(in: row.layout), row.layout[slot].kind == .box,
                row.box(slot)?.files.isEmpty == false
            {
                return .integer(1)
            }
            return try read?(object)
        }
    }
}
