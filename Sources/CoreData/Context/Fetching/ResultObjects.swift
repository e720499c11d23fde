// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// From rows that a fetch found to objects of the type that was asked for.

import Foundation
import Synchronization

/// The objects of rows: registered ones, or new faults that have their row.
enum ResultObjects {
    /// - Parameters:
    ///   - home: nil for records that no store has yet.
    ///   - refreshes: whether objects that have values take those of the rows.
    ///   - isHidden: whether a changed object is left out, as it will be asked itself.
    static func objects(
        for rows: [FetchedRow], in registry: ObjectRegistry, _ retained: RetainedObjects, home: StoreIdentity?,
        refreshes: Bool, isHidden: (NSManagedObject) -> Bool
    ) -> [NSManagedObject] {
        guard let first = rows.first else { return [] }
        let announcements = refreshes ? HeldAnnouncements.begin() : nil
        defer { announcements?.end() }
        let retains = retained.isOn
        var result: [NSManagedObject] = []
        result.reserveCapacity(rows.count)
        var index = first.snapshot.layout.index
        // Held for the loop, which makes objects, and looked at uncounted in it.
        var held = registry.table(index, home)
        defer { withExtendedLifetime(held) {} }
        var table = Uncounted(held)
        for position in rows.indices {
            // The list holds the row: an object counts it once, when it takes it.
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

    /// The same objects as a list of the type asked for; nil where that is no class of managed objects, or one of them
    /// is of another class.
    ///
    /// A dynamic cast costs more than reading an object, so each class is looked at once.
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
    /// Takes a newer row; nothing of it was changed here.
    final func replaceValues(_ row: Snapshot) {
        guard row.version != snapshot?.version || row.layout.hasDerivedAttributes else { return }
        adopt(row)
    }
}
