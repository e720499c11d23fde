// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the rows that a batch deletion deletes and nullifies by delete rules, and those that forbid it.

import Foundation

/// The rows of a batch deletion. Those of a wave are asked for their destinations together, and the rows that they
/// cascade to are the next wave.
final class DeletionPlan: DeletionGraph {
    private let source: any RecordSource
    private let model: ModelLayout
    private let staged: StagedRows
    private var deleted: [ObjectKey: FetchedRow] = [:]
    private var order: [ObjectKey] = []
    private var denials: [Link] = []
    private var endings: [Link] = []
    /// The members of the present wave's to-manys, by layout, slot and owner.
    private var members: [ObjectKey: [Int64: [Reference]]] = [:]
    /// By root entity.
    private var cascaded: [Int: Set<Int64>] = [:]

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
    func run(_ rows: [FetchedRow]) throws -> ChangeSet {
        take(rows)
        try DeletePropagation(graph: self).run()
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
    @discardableResult
    private func take(_ rows: [FetchedRow]) -> [FetchedRow] {
        rows.filter { row in
            let name = ObjectKey(row.snapshot.layout.rootIndex, row.key)
            guard deleted.updateValue(row, forKey: name) == nil else { return false }
            order.append(name)
            return true
        }
    }

    // MARK: Waves

    func firstWave() -> [FetchedRow] { order.compactMap { deleted[$0] } }

    func nextWave() throws -> [FetchedRow] {
        defer { cascaded = [:] }
        return take(
            try cascaded.sorted { $0.key < $1.key }.flatMap { root, keys in
                try source.rows(keys.sorted(), root: model.layouts[root], in: nil)
            })
    }

    func apply(_ wave: [FetchedRow], _ body: () -> Void) throws -> Bool {
        members = [:]
        for (index, rows) in Dictionary(grouping: wave, by: { $0.snapshot.layoutIndex }) {
            let layout = model.layouts[index]
            for slot in layout.toManySlots where !layout[slot].isTransient {
                let rule = layout[slot].deleteRule
                if rule == .noActionDeleteRule || rule == .nullifyDeleteRule && !endsToOne(layout, slot) { continue }
                members[ObjectKey(index, Int64(slot))] = try source.members(
                    of: slot, layout: layout, owners: rows.map(\.key), in: nil)
            }
        }
        body()
        return true
    }

    /// Whether the other end is a to-one, which must be nullified. To-many ends lose the deleted row automatically.
    private func endsToOne(_ layout: EntityLayout, _ slot: Int) -> Bool {
        let place = layout[slot]
        return place.inverse >= 0 && model.layouts[Int(place.destination)][Int(place.inverse)].kind == .reference
    }

    // MARK: Rules

    func layout(of row: FetchedRow) -> EntityLayout { row.snapshot.layout }

    func markPropagated(_ row: FetchedRow) {}

    func nullify(_ row: FetchedRow, _ slot: Int) {
        if endsToOne(row.snapshot.layout, slot) { endings += links(row, slot) }
    }

    func cascade(_ row: FetchedRow, _ slot: Int) {
        for link in links(row, slot) where !isDeleted(link.destination) {
            cascaded[model.layouts[link.destination.entityIndex].rootIndex, default: []].insert(link.destination.key)
        }
    }

    func deny(_ row: FetchedRow, _ slot: Int) { denials += links(row, slot) }

    private func links(_ row: FetchedRow, _ slot: Int) -> [Link] {
        let layout = row.snapshot.layout
        if layout[slot].isTransient { return [] }
        let destinations =
            layout[slot].kind == .reference
            ? row.snapshot.reference(slot).map { [$0] } : members[ObjectKey(layout.index, Int64(slot))]?[row.key]
        return (destinations ?? []).map { Link(owner: row, slot: slot, destination: $0) }
    }
}
