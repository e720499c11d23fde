// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Maps many-to-many relationships to join tables.

import Foundation

extension SchemaBuild {
    private struct End: Hashable {
        var layout: Int
        var slot: Int
    }

    mutating func addJoinTables() {
        var columnNames = NameScope(limit: names.limited)
        /// The column with the key of the entity that declares an end.
        var columns: [End: String] = [:]
        var ends: [End] = []
        for layout in layouts {
            for slot in ownSlots(layout).sorted(by: { one, other in
                layout.properties[one].name.utf8.lexicographicallyPrecedes(layout.properties[other].name.utf8)
            }) where layout[slot].kind == .toMany && layout[slot].inverse >= 0 && !layout[slot].isTransient {
                guard let destination = mappings[Int(layout[slot].destination)],
                    destination.layout[Int(layout[slot].inverse)].kind == .toMany
                else { continue }
                let inverse = destination.layout.properties[Int(layout[slot].inverse)].name
                let end = End(layout: layout.index, slot: slot)
                ends.append(end)
                columns[end] = columnNames.unique(
                    names.joinColumn(inverse, owner: layout, number: numbers[layout.index] ?? 0))
            }
        }
        for end in ends {
            let layout = model.layouts[end.layout]
            let other = declaringEnd(Int(layout[end.slot].destination), Int(layout[end.slot].inverse))
            guard isOwner(end, other), let ownerColumn = columns[end], let otherColumn = columns[other] else {
                continue
            }
            addJoin(
                end, other, ownerColumn: ownerColumn,
                memberColumn: end == other
                    ? names.reflexiveColumn(layout.properties[end.slot].name, owner: layout) : otherColumn)
        }
    }

    private func declaringEnd(_ index: Int, _ slot: Int) -> End {
        var layout = model.layouts[index]
        while layout.superIndex >= 0, mappings[layout.superIndex] != nil,
            slot < model.layouts[layout.superIndex].slotCount
        {
            layout = model.layouts[layout.superIndex]
        }
        return End(layout: layout.index, slot: slot)
    }

    /// The owner of a join table is an entity with subentities before one without; otherwise the one with the lower
    /// number. Within one entity it is the relationship with the last name in order.
    private func isOwner(_ end: End, _ other: End) -> Bool {
        if end == other { return true }
        let (one, two) = (model.layouts[end.layout], model.layouts[other.layout])
        if one === two {
            return two.properties[other.slot].name.utf8.lexicographicallyPrecedes(one.properties[end.slot].name.utf8)
        }
        if one.hasSubentities != two.hasSubentities { return one.hasSubentities }
        return numbers[one.index] ?? 0 < numbers[two.index] ?? 0
    }

    private mutating func addJoin(_ end: End, _ other: End, ownerColumn: String, memberColumn: String) {
        let (owner, member) = (model.layouts[end.layout], model.layouts[other.layout])
        let isReflexive = end == other
        var name = tableNames.unique(
            names.join(owner.properties[end.slot].name, owner: owner, number: numbers[owner.index] ?? 0))
        var (ownerColumn, memberColumn) = (ownerColumn, memberColumn)
        if let found = existingJoin(name, ownerColumn, memberColumn, end, other) {
            (name, ownerColumn, memberColumn) = found
        } else if inventory != nil {
            missing.append("table \(name)")
        }
        let table = JoinTable(
            name: name, ownerColumn: ownerColumn, memberColumn: memberColumn,
            memberOrder: owner.relationship(end.slot)?.isOrdered == true ? names.order(memberColumn) : nil,
            ownerOrder: !isReflexive && member.relationship(other.slot)?.isOrdered == true
                ? names.order(ownerColumn) : nil,
            owner: owner, ownerSlot: end.slot, member: member, memberSlot: other.slot, dialect: dialect)
        if inventory?.tables[name] != nil {
            for column in [table.memberOrder, table.ownerOrder].compactMap({ $0 }) { require(column, name) }
        }
        joins.append(table)
        set(.toMany(.join(table, isOwner: true)), end.slot, owner)
        if !isReflexive { set(.toMany(.join(table, isOwner: false)), other.slot, member) }
    }

    /// The join table of an existing store. Its name may be that of the other end, or contain other numbers.
    private func existingJoin(_ name: String, _ ownerColumn: String, _ memberColumn: String, _ end: End, _ other: End)
        -> (String, String, String)?
    {
        guard let inventory else { return nil }
        if let columns = inventory.tables[name], columns.contains(ownerColumn), columns.contains(memberColumn) {
            return (name, ownerColumn, memberColumn)
        }
        let relationship = model.layouts[end.layout].properties[end.slot].name.uppercased()
        let inverse = model.layouts[other.layout].properties[other.slot].name.uppercased()
        func matches(_ name: String, _ suffix: String) -> Bool {
            StoreInventory.matches(name, prefix: "Z_", suffix: suffix)
        }
        for (table, columns) in inventory.tables.sorted(by: { $0.key < $1.key })
        where matches(table, relationship) || matches(table, inverse) {
            // The owner's column is named after the inverse, and vice versa.
            let owner = columns.first { $0 == ownerColumn } ?? columns.first { matches($0, inverse) }
            let member =
                columns.first { $0 == memberColumn }
                ?? columns.first { $0 != owner && matches($0, relationship) }
            if let owner, let member, owner != member { return (table, owner, member) }
        }
        return nil
    }
}
