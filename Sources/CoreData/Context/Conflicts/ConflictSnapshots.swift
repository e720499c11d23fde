// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts rows to the dictionaries of conflicts, by property name, and back.

import Foundation

/// Attributes in their public types, to-one relationships as ids, nil as `NSNull`; no to-many relationships and no
/// transient properties.
struct ConflictSnapshots {
    /// nil for objects that have left their context: their to-one relationships are omitted.
    private let model: ModelLayout?
    private let home: StoreIdentity?

    /// - Parameter object: an object of the rows' context and store.
    init(_ object: NSManagedObject) {
        model = object.contextState?.storedRegistry?.model
        home = object.table.home
    }

    init(model: ModelLayout?, home: StoreIdentity?) {
        self.model = model
        self.home = home
    }

    func dictionary(_ row: Snapshot) -> [String: Any] {
        var result: [String: Any] = [:]
        for slot in persistentSlots(row.layout) {
            result[row.layout.properties[slot].name] = value(row, slot) ?? NSNull()
        }
        return result
    }

    /// The row for a dictionary. Values of missing properties come from `base`.
    func row(_ values: [String: Any], version: Int64, base: Snapshot) -> Snapshot {
        let row = base.copy()
        row.version = version
        for slot in persistentSlots(row.layout) {
            guard let value = values[row.layout.properties[slot].name] else { continue }
            guard row.layout[slot].kind == .reference else {
                row.setValue(value, slot)
                continue
            }
            if let id = value as? NSManagedObjectID, let layout = model?.layout(named: id.layout.name) {
                row.setReference(Reference(entityIndex: layout.index, key: id.key), slot)
            } else {
                row.setNull(slot)
            }
        }
        return row
    }

    private func value(_ row: Snapshot, _ slot: Int) -> Any? {
        guard row.layout[slot].kind == .reference else { return row.value(slot) }
        guard let reference = row.reference(slot), let model else { return nil }
        return NSManagedObjectID(
            layout: model.layouts[reference.entityIndex], key: reference.key, home: reference.key < 0 ? nil : home)
    }

    private func persistentSlots(_ layout: EntityLayout) -> [Int] {
        let slots = model == nil ? layout.attributeSlots : layout.attributeSlots + layout.toOneSlots
        return slots.filter { !layout[$0].isTransient }
    }
}
