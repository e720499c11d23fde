// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The rows that a batch request changes in memory, keeping both ends of their to-one relationships consistent.

import Foundation

/// Rows read from a store, changed here, and exported as parts of a change set. For one attempt of one request.
final class StagedRows {
    final class Row {
        let key: Int64
        let base: Snapshot
        /// Owned by this row.
        let current: Snapshot
        let isNew: Bool
        fileprivate(set) var changed = SlotSet()
        fileprivate var links: [Int: ChangeSet.Links] = [:]

        fileprivate init(_ key: Int64, base: Snapshot, current: Snapshot, isNew: Bool) {
            self.key = key
            self.base = base
            self.current = current
            self.isNew = isNew
        }

        var layout: EntityLayout { base.layout }
        var reference: Reference { Reference(entityIndex: base.layoutIndex, key: key) }
        fileprivate var isChanged: Bool { isNew || !changed.isEmpty || !links.isEmpty }
    }

    private let source: any RecordSource
    private let model: ModelLayout
    private var rows: [ObjectKey: Row] = [:]
    private var order: [Row] = []
    /// The members of ordered relationships that change, by owner and slot.
    private var members: [ObjectKey: [Int: [Reference]]] = [:]

    init(_ source: any RecordSource, _ model: ModelLayout) {
        self.source = source
        self.model = model
    }

    private func root(_ entity: Int) -> Int { model.layouts[entity].rootIndex }

    private func name(_ reference: Reference) -> ObjectKey { ObjectKey(root(reference.entityIndex), reference.key) }

    // MARK: Rows

    @discardableResult
    func add(_ row: FetchedRow) -> Row {
        let name = ObjectKey(row.snapshot.layout.rootIndex, row.key)
        if let known = rows[name] { return known }
        let made = Row(row.key, base: row.snapshot, current: row.snapshot.copy(), isNew: false)
        rows[name] = made
        order.append(made)
        return made
    }

    /// - Parameter snapshot: a new row, which no other code retains.
    func insert(_ snapshot: Snapshot, _ key: Int64) -> Row {
        let made = Row(key, base: snapshot, current: snapshot, isNew: true)
        rows[ObjectKey(snapshot.layout.rootIndex, key)] = made
        order.append(made)
        return made
    }

    /// Reads missing rows, with one query for each root entity.
    func read(_ references: some Sequence<Reference>) throws {
        var unknown: [Int: Set<Int64>] = [:]
        for reference in references where reference.key > 0 && rows[name(reference)] == nil {
            unknown[root(reference.entityIndex), default: []].insert(reference.key)
        }
        for (root, keys) in unknown {
            for row in try source.rows(keys.sorted(), root: model.layouts[root], in: nil) { add(row) }
        }
    }

    /// nil for a record that does not exist.
    private func row(_ reference: Reference) throws -> Row? {
        if let known = rows[name(reference)] { return known }
        try read(CollectionOfOne(reference))
        return rows[name(reference)]
    }

    // MARK: Values

    /// Records a slot that was written directly.
    func noteChanged(_ slot: Int, of row: Row) { row.changed.insert(slot) }

    private func write(_ reference: Reference?, _ slot: Int, of row: Row) {
        if let reference { row.current.setReference(reference, slot) } else { row.current.setNull(slot) }
        row.changed.insert(slot)
    }

    /// Sets a to-one and updates the other ends: a to-one inverse is set, and its former partner loses it; the order of
    /// an ordered inverse gets the row at its end.
    ///
    /// - Throws: 133000 for a destination that does not exist.
    func setDestination(_ new: Reference?, _ slot: Int, of row: Row, from old: Reference?) throws {
        if let new { try check(new) }
        write(new, slot, of: row)
        let place = row.layout[slot]
        guard place.inverse >= 0, old?.key != new?.key || row.isNew else { return }
        let inverse = Int(place.inverse)
        let destination = model.layouts[Int(place.destination)][inverse]
        if destination.kind == .reference {
            try setPartner(new, old, of: row, slot, inverse)
        } else if destination.isOrdered {
            if let old { try changeMembers(of: old, inverse, removing: row.reference) }
            if let new { try changeMembers(of: new, inverse, adding: row.reference) }
        }
    }

    private func setPartner(_ new: Reference?, _ old: Reference?, of row: Row, _ slot: Int, _ inverse: Int) throws {
        if let old, let partner = try self.row(old), partner.current.reference(inverse)?.key == row.key {
            write(nil, inverse, of: partner)
        }
        guard let new else { return }
        guard let partner = try self.row(new) else { throw missing(new) }
        if let former = partner.current.reference(inverse), former.key != row.key, let other = try self.row(former),
            other.current.reference(slot)?.key == new.key
        {
            write(nil, slot, of: other)
        }
        write(row.reference, inverse, of: partner)
    }

    private func changeMembers(
        of owner: Reference, _ slot: Int, adding: Reference? = nil, removing: Reference? = nil
    ) throws {
        guard let row = try row(owner) else {
            if adding != nil { throw missing(owner) }
            return
        }
        let name = name(owner)
        var list =
            try members[name]?[slot] ?? source.members(of: slot, layout: row.layout, owners: [owner.key], in: nil)[
                owner.key] ?? []
        var links = row.links[slot] ?? ChangeSet.Links(slot: slot, added: [], removed: [], order: nil)
        if let removing {
            list.removeAll { $0.key == removing.key }
            links.removed.append(removing)
        }
        if let adding, !list.contains(where: { $0.key == adding.key }) {
            list.append(adding)
            links.added.append(adding)
        }
        members[name, default: [:]][slot] = list
        links.order = list
        row.links[slot] = links
    }

    /// - Throws: 133000 for a record that does not exist.
    func check(_ destination: Reference) throws {
        if try row(destination) == nil { throw missing(destination) }
    }

    private func missing(_ reference: Reference) -> NSError {
        CoreDataError.missingDestination(reference.key, model.layouts[reference.entityIndex].name)
    }

    /// Clears a to-one of another row because its destination is deleted.
    func nullify(_ slot: Int, of reference: Reference, leadingTo gone: Reference) throws {
        guard let row = try row(reference), row.current.reference(slot)?.key == gone.key else { return }
        write(nil, slot, of: row)
    }

    // MARK: Result

    /// - Throws: 1570 for a mandatory to-one that was cleared, unless its row is deleted as well.
    func checkMandatory(except gone: Set<ObjectKey> = []) throws {
        for row in order where !row.changed.isEmpty && !gone.contains(ObjectKey(row.layout.rootIndex, row.key)) {
            for slot in row.layout.toOneSlots
            where row.changed.contains(slot) && row.current.isNull(slot) && !row.layout.properties[slot].isOptional {
                throw CoreDataError.validation(
                    .validationMissingMandatoryProperty, object: nil, entity: row.layout.entity,
                    key: row.layout.properties[slot].name)
            }
        }
    }

    func changes(except gone: Set<ObjectKey> = []) -> ChangeSet {
        var changes = ChangeSet()
        for row in order where row.isChanged && !gone.contains(ObjectKey(row.layout.rootIndex, row.key)) {
            let links = row.links.sorted { $0.key < $1.key }.map(\.value)
            if row.isNew {
                changes.inserts.append(.init(key: row.key, snapshot: row.current, links: links))
            } else {
                changes.updates.append(
                    .init(
                        key: row.key, snapshot: row.current, baseVersion: row.base.version, changed: row.changed,
                        links: links))
            }
        }
        return changes
    }
}
