// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Maps many-to-many relationships to join tables.

import Foundation

extension SchemaBuild {
    private struct End: Hashable {
        var layout: Int
        var slot: Int
    }

    mutating func addJoinTables() {
        let ends = joinEnds
        let columns = joinColumns(ends)
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

    /// The ends of all many-to-many relationships, by entity and then by name.
    private var joinEnds: [End] {
        layouts.flatMap { layout in
            ownSlots(layout).filter { slot in
                guard layout[slot].kind == .toMany, layout[slot].inverse >= 0, !layout[slot].isTransient,
                    let destination = mappings[Int(layout[slot].destination)]
                else { return false }
                return destination.layout[Int(layout[slot].inverse)].kind == .toMany
            }.map { End(layout: layout.index, slot: $0) }.sorted {
                name($0).utf8.lexicographicallyPrecedes(name($1).utf8)
            }
        }
    }

    private func name(_ end: End) -> String { model.layouts[end.layout].properties[end.slot].name }

    private func key(_ end: End) -> JoinNaming.End {
        JoinNaming.End(entity: model.layouts[end.layout].name, relationship: name(end))
    }

    /// For each end, the column with the key of the entity that declares it.
    private func joinColumns(_ ends: [End]) -> [End: String] {
        var taken = NameScope(limit: names.limited)
        var columns: [End: String] = [:]
        func wanted(_ end: End) -> String {
            let layout = model.layouts[end.layout]
            let inverse = name(declaringEnd(Int(layout[end.slot].destination), Int(layout[end.slot].inverse)))
            return names.joinColumn(inverse, owner: layout, number: numbers[layout.index] ?? 0)
        }
        for end in ends {
            guard let number = naming?.numbers[key(end)] else { continue }
            let column = wanted(end) + number
            if taken.claim(column) { columns[end] = column }
        }
        for end in names.numbersJoinColumnsByEntity ? byDestination(ends) : ends where columns[end] == nil {
            columns[end] = taken.unique(wanted(end))
        }
        return columns
    }

    /// The ends of each entity, by the name of the entity at the other end: Apple's order in 113 of 117 groups.
    private func byDestination(_ ends: [End]) -> [End] {
        func destination(_ end: End) -> String {
            let layout = model.layouts[end.layout]
            return model.layouts[declaringEnd(Int(layout[end.slot].destination), Int(layout[end.slot].inverse)).layout]
                .name
        }
        let ranks = Dictionary(ends.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let entities = Dictionary(layouts.enumerated().map { ($1.index, $0) }, uniquingKeysWith: { first, _ in first })
        return ends.sorted { one, other in
            if one.layout != other.layout { return entities[one.layout] ?? 0 < entities[other.layout] ?? 0 }
            let (left, right) = (destination(one), destination(other))
            return left == right
                ? ranks[one] ?? 0 < ranks[other] ?? 0 : left.utf8.lexicographicallyPrecedes(right.utf8)
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
    /// number. Within one entity it is the relationship that names the table.
    private func isOwner(_ end: End, _ other: End) -> Bool {
        if end == other { return true }
        let (one, two) = (model.layouts[end.layout], model.layouts[other.layout])
        if one === two { return namesTable(end, other) }
        if one.hasSubentities != two.hasSubentities { return one.hasSubentities }
        return numbers[one.index] ?? 0 < numbers[two.index] ?? 0
    }

    /// Whether an end within one entity names the table: the end that the file uses, otherwise the one that the rule
    /// chooses.
    private func namesTable(_ end: End, _ other: End) -> Bool {
        if let naming, naming.owners.contains(key(end)) != naming.owners.contains(key(other)) {
            return naming.owners.contains(key(end))
        }
        let entity = model.layouts[end.layout].entity
        let isGuess = names.namesJoin(name(end), inverse: name(other), in: entity)
        guard let inventory else { return isGuess }
        let (guessed, second) = isGuess ? (end, other) : (other, end)
        let (first, last) = (table(of: guessed), table(of: second))
        if inventory.tables[first] != nil { return isGuess }
        if inventory.tables[last] != nil { return !isGuess }
        func isThere(_ end: End) -> Bool {
            inventory.tables.keys.contains {
                StoreInventory.matches($0, prefix: "Z_", suffix: name(end).uppercased())
            }
        }
        return isThere(guessed) || !isThere(second) ? isGuess : !isGuess
    }

    private func table(of end: End) -> String {
        let layout = model.layouts[end.layout]
        return names.join(name(end), owner: layout, number: numbers[layout.index] ?? 0)
    }

    private mutating func addJoin(_ end: End, _ other: End, ownerColumn: String, memberColumn: String) {
        let (owner, member) = (model.layouts[end.layout], model.layouts[other.layout])
        let isReflexive = end == other
        var name = tableNames.unique(table(of: end))
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

    /// The join table of an existing store that belongs to no other relationship. Its name, and those of its columns,
    /// may be derived from the other end, or contain other numbers.
    private func existingJoin(_ name: String, _ ownerColumn: String, _ memberColumn: String, _ end: End, _ other: End)
        -> (String, String, String)?
    {
        guard let inventory else { return nil }
        let used = Set(joins.map(\.name))
        let named = [name, table(of: other)].filter { !used.contains($0) }
        for table in named {
            if let columns = inventory.tables[table], columns.contains(ownerColumn), columns.contains(memberColumn) {
                return (table, ownerColumn, memberColumn)
            }
        }
        let (relationship, inverse) = (self.name(end).uppercased(), self.name(other).uppercased())
        func matches(_ name: String, _ suffix: String) -> Bool {
            StoreInventory.matches(name, prefix: "Z_", suffix: suffix)
        }
        let similar = inventory.tables.keys.filter { table in
            !used.contains(table) && !named.contains(table)
                && (matches(table, relationship) || matches(table, inverse))
        }
        for table in named + similar.sorted() {
            guard let columns = inventory.tables[table] else { continue }
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
