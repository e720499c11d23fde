// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts the rows of a fetch to objects of the requested type.

import Foundation
import Synchronization

/// The objects of rows: registered ones, or new faults that are primed with their row.
enum ResultObjects {
    /// - Parameters:
    ///   - home: nil for records that have no store yet.
    ///   - refreshes: whether objects with values take those of the rows.
    ///   - isHidden: whether a changed object is left out, because its present state is evaluated separately.
    static func objects(
        for rows: [FetchedRow], in registry: ObjectRegistry, _ retained: RetainedObjects, home: StoreIdentity?,
        refreshes: Bool, isHidden: (NSManagedObject) -> Bool
    ) -> [NSManagedObject] {
        guard let first = rows.first else { return [] }
        let announcements = refreshes ? DeferredAnnouncements.begin() : nil
        defer { announcements?.end() }
        let retains = retained.isOn
        var result: [NSManagedObject] = []
        result.reserveCapacity(rows.count)
        var index = first.snapshot.layout.index
        // Retained for the loop, which creates objects, and read without reference counting in it.
        var held = registry.table(index, home)
        defer { withExtendedLifetime(held) {} }
        var table = Uncounted(held)
        for position in rows.indices {
            // The list retains the row: an object retains it once, when it takes it.
            let (key, row) = (rows[position].key, Uncounted(rows[position].snapshot))
            let rowIndex = row.look { $0.layout.index }
            if rowIndex != index {
                index = rowIndex
                held = registry.table(index, home)
                table = Uncounted(held)
            }
            let known =
                home == nil
                ? registry.object(ObjectKey(index, key), nil) : table.look { $0.identityMap.object(key) }
            guard let object = known else {
                let made = registry.makeFault(table, key, row)
                if retains { retained.retain(made) }
                result.append(consume made)
                continue
            }
            if object.flags.contains(.listed), isHidden(object) {
                if refreshes, !object.isFault, !object.isMarkedDeleted { object.adopt(rows[position].snapshot) }
                continue
            }
            if object.flags.contains(.fault) {
                object.prime(row)
            } else if refreshes {
                refresh(object, rows[position].snapshot)
            }
            result.append(object)
        }
        return result
    }

    private static func refresh(_ object: NSManagedObject, _ row: Snapshot) {
        if object.isUnsaved { object.adopt(row) } else { object.replaceValues(row) }
    }

    /// The same objects as a list of the requested type; nil if that is not a class of managed objects, or an object is
    /// of another class.
    ///
    /// A dynamic cast costs more than reading an object, so each class is checked once.
    static func typed<T>(_ objects: [NSManagedObject]) -> [T]? {
        var known = ObjectIdentifier(T.self)
        // The class of an object is one of managed objects.
        guard
            objects.first.map({ ObjectIdentifier(Swift.type(of: $0)) == known }) == true
                || T.self is NSManagedObject.Type
        else { return nil }
        for object in objects {
            let type = ObjectIdentifier(Swift.type(of: object))
            if type == known { continue }
            guard object is T else { return nil }
            known = type
        }
        return CollectionCasts.array(objects)
    }
}

extension NSManagedObject {
    /// Takes a newer row; the object has no local changes.
    final func replaceValues(_ row: Snapshot) {
        guard row.version != snapshot?.version || row.layout.hasDerivedAttributes else { return }
        adopt(row)
    }
}
