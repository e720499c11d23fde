// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Applies delete rules to rows: finds the rows that a batch deletion deletes and nullifies, and those that forbid it.

import Foundation

/// Works in waves, like `DeletePropagation` of a context: reads the destinations of a wave's rows together, and the
/// rows to which they cascade are the next wave.
struct DeletionPlan {
    private let source: any RecordSource
    private let model: ModelLayout
    private let staged: StagedRows
    private(set) var deleted: [ObjectKey: FetchedRow] = [:]
    private var order: [ObjectKey] = []
    private var denials: [Link] = []
    private var endings: [Link] = []

    /// A relationship of a deleted row to a destination.
    private struct Link {
        let owner: FetchedRow
        let slot: Int
        let destination: Reference
    }

    init(_ source: any RecordSource, _ model: ModelLayout) {
        self.source = source
        self.model = model
        staged = StagedRows(source, model)
    }

    /// - Throws: 1600 if a Deny rule blocks the deletion, 1570 if a remaining row would lose the destination of a
    ///   mandatory to-one.
    mutating func run(_ rows: [FetchedRow]) throws -> ChangeSet {
        var wave = take(rows)
        while !wave.isEmpty { wave = take(try nextWave(wave)) }
        for link in denials where !isDeleted(link.destination) {
            throw CoreDataError.validation(
                .validationRelationshipDeniedDelete, object: nil, entity: link.owner.snapshot.layout.entity,
                key: link.owner.snapshot.layout.properties[link.slot].name)
        }
        try staged.read(endings.map(\.destination).filter { !isDeleted($0) })
        for link in endings where !isDeleted(link.destination) {
            let layout = link.owner.snapshot.layout
            try staged.nullify(
                Int(layout[link.slot].inverse), of: link.destination,
                leadingTo: Reference(entityIndex: layout.index, key: link.owner.key))
        }
        let gone = Set(order)
        try staged.checkMandatory(except: gone)
        var changes = staged.changes(except: gone)
        for name in order {
            guard let row = deleted[name] else { continue }
            changes.deletes.append(
                .init(key: row.key, layout: row.snapshot.layout, baseVersion: row.snapshot.version))
        }
        return changes
    }

    private func isDeleted(_ reference: Reference) -> Bool {
        deleted[ObjectKey(model.layouts[reference.entityIndex].rootIndex, reference.key)] != nil
    }

    /// - Returns: the rows that are new.
    private mutating func take(_ rows: [FetchedRow]) -> [FetchedRow] {
        rows.filter { row in
            let name = ObjectKey(row.snapshot.layout.rootIndex, row.key)
            guard deleted.updateValue(row, forKey: name) == nil else { return false }
            order.append(name)
            return true
        }
    }

    private mutating func nextWave(_ wave: [FetchedRow]) throws -> [FetchedRow] {
        var cascaded: [Int: Set<Int64>] = [:]
        for (index, rows) in Dictionary(grouping: wave, by: { $0.snapshot.layoutIndex }).sorted(by: { $0.key < $1.key })
        {
            let layout = model.layouts[index]
            for slot in layout.relationshipSlots where !layout[slot].isTransient {
                let rule = layout[slot].deleteRule
                if rule == .noActionDeleteRule || rule == .nullifyDeleteRule && !endsToOne(layout, slot) { continue }
                for link in try links(slot, layout, rows) {
                    switch rule {
                    case .cascadeDeleteRule where !isDeleted(link.destination):
                        let root = model.layouts[link.destination.entityIndex].rootIndex
                        cascaded[root, default: []].insert(link.destination.key)
                    case .denyDeleteRule: denials.append(link)
                    case .nullifyDeleteRule: endings.append(link)
                    default: break
                    }
                }
            }
        }
        return try cascaded.sorted { $0.key < $1.key }.flatMap { root, keys in
            try source.rows(keys.sorted(), root: model.layouts[root], in: nil)
        }
    }

    /// Whether the other end is a to-one, which must be nullified. To-many ends lose the deleted row automatically.
    private func endsToOne(_ layout: EntityLayout, _ slot: Int) -> Bool {
        let place = layout[slot]
        return place.inverse >= 0 && model.layouts[Int(place.destination)][Int(place.inverse)].kind == .reference
    }

    private func links(_ slot: Int, _ layout: EntityLayout, _ rows: [FetchedRow]) throws -> [Link] {
        if layout[slot].kind == .reference {
            return rows.compactMap { row in
                row.snapshot.reference(slot).map { Link(owner: row, slot: slot, destination: $0) }
            }
        }
        let members = try source.members(of: slot, layout: layout, owners: rows.map(\.key), in: nil)
        return rows.flatMap { row in
            (members[row.key] ?? []).map { Link(owner: row, slot: slot, destination: $0) }
        }
    }
}
