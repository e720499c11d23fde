// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares many-to-many relationships with existing join tables.

import CoreData
import Foundation

extension TableComparison {
    mutating func add(_ join: JoinTable) {
        let ends = [(join.owner, join.ownerSlot), (join.member, join.memberSlot)].map { layout, slot in
            let name = layout.properties[slot].name
            return (
                subject: "\(layout.name).\(name)", property: name, layout: layout,
                entity: mapping.entities[root(of: layout).name], wish: mapping.property(layout.name, name)
            )
        }
        guard let named = ends.first(where: { $0.wish?.table != nil }), let name = named.wish?.table else { return }
        let place = named.wish?.schema ?? named.entity?.schema ?? ownSchema
        guard let table = catalog.table(place, name) else {
            problems.append("\(named.subject): there is no table \(place).\(name)")
            return
        }
        var columns: [MappedTable.Column] = []
        if join.isReflexive {
            problems.append("\(named.subject) is its own inverse, which a mapped join table cannot hold")
            return
        }
        let names = [join.ownerColumn, join.memberColumn]
        for (end, name) in zip(ends, names) {
            guard let wanted = end.wish?.column else {
                problems.append(
                    "\(end.subject): name the column of \(place).\(table.name) with the key of \(end.layout.name) "
                        + "(postgresql.column)")
                continue
            }
            guard let found = found(wanted, end.subject, table) else { continue }
            guard let fit = ColumnFit(key: found) else {
                problems.append("\(end.subject): the column \(found.name) is \(found.type), a key is an integer")
                continue
            }
            check(end.subject, found, leadsTo: end.layout, table)
            columns.append(Self.column(name, found, fit, end.property))
        }
        var places: [MappedTable.Column] = []
        for (end, order) in zip(ends, [join.memberOrder, join.ownerOrder]) {
            guard let order else { continue }
            guard let wanted = end.wish?.order else {
                problems.append("\(end.subject) is ordered: name the column with the places (postgresql.order)")
                continue
            }
            if let found = self.place(wanted, order, end.subject, end.property, table) { places.append(found) }
        }
        checkOrder(named.subject, places, table)
        tables[join.name] = MappedTable(
            schema: place, table: table.name, columns: columns + places, places: Self.needed(places, table), key: nil,
            kind: nil, version: .none, overridesIdentity: false,
            hasDeferrableRules: table.hasDeferrableRules, rules: Self.rules(table),
            refusal: table.kind == "r" || table.kind == "p" ? nil : "\(place).\(table.name) is no table")
    }
}
